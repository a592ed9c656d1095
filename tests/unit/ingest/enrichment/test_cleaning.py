"""What the cleaner leaves out of the chunks, and above all what it does not."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.core.documents import Document, Heading, Mark, Place
from ragd.formats.pdf.loader import PdfLoader
from ragd.ingest.chunking.cuts import without
from ragd.ingest.enrichment.cleaning import NoCleaner, RuleCleaner
from ragd.providers.protocols import Cleaner
from ragd.testing import CleanerContract

SAMPLES = Path(__file__).resolve().parents[4] / "data" / "samples"

ENGLISH = [
    "The queue is cut into shards.",
    "A lease is renewed in time.",
    "Old segments are compacted.",
    "Leaders are elected anew.",
    "Tokens expire at night.",
    "Backups are verified.",
]
JAPANESE = [
    "点検は毎朝行います。",
    "復旧は二名で行います。",
    "証明書は自動で更新されます。",
    "鍵は金庫に保管します。",
    "報告書を提出してください。",
    "訓練は四半期ごとです。",
]


def document(pages: list[str], *, title: str = "Report", headings: tuple[str, ...] = (), **values: object) -> Document:
    """Pages as a PDF loader gives them, with a mark for each; `headings` are lines of the content that are headings."""
    marks, offset = [], 0
    for number, page in enumerate(pages, 1):
        marks.append(Mark(offset, Place(page=number)))
        offset += len(page) + 2
    facts = "\n\n".join(pages)
    found = tuple(Heading(facts.index(line), facts.index(line) + len(line) + 1, 1, line.lstrip("# ")) for line in headings)
    fields: dict[str, object] = {"metadata": {"title_source": "pdf_title"}, "marks": tuple(marks), "headings": found} | values
    return Document("pdf", title, facts, loader="pdf", loader_version="1", **fields)  # type: ignore[arg-type]


def pages_of(texts: list[str], top: str = "{text}", count: int = 6) -> list[str]:
    """Pages whose text is two lines and whose header and footer are those of the template."""
    return [top.format(text=f"{texts[i % len(texts)]}\n{texts[(i + 1) % len(texts)]}", page=i + 1) for i in range(count)]


def left_of(found: Document) -> str:
    return without(found, RuleCleaner().boilerplate(found)).document.markdown


def gone_from(found: Document) -> list[str]:
    return [found.markdown[start:end].strip() for start, end in RuleCleaner().boilerplate(found)]


class TestRuleCleaner(CleanerContract):
    @pytest.fixture
    def cleaner(self) -> Cleaner:
        return RuleCleaner()


class TestNoCleaner(CleanerContract):
    @pytest.fixture
    def cleaner(self) -> Cleaner:
        return NoCleaner()


@pytest.mark.parametrize("texts", [ENGLISH, JAPANESE])
@pytest.mark.parametrize(
    "template",
    [
        "{text}\n{page}",
        "{text}\n- {page} -",
        "{page}\n{text}",
        "{text}\nPage {page} of 6",
        "{text}\n{page} / 6",
        "{text}\n{page}ページ",
        "{text}\n－ {page} －",
    ],
)
def test_page_numbers_are_left_out(texts: list[str], template: str) -> None:
    assert left_of(document(pages_of(texts, template))).split() == "\n".join(pages_of(texts)).split()


def test_roman_page_numbers_of_the_front_matter_are_left_out() -> None:
    numbers = ["i", "ii", "iii", "iv", "1", "2", "3", "4"]
    pages = [f"{text}\n{number}" for text, number in zip(pages_of(ENGLISH, count=8), numbers, strict=True)]
    assert gone_from(document(pages)) == numbers


def test_page_numbers_need_not_begin_with_the_first_page() -> None:
    pages = ["Cover", "Contents", *(f"{page + 17}\n{text}" for page, text in enumerate(pages_of(ENGLISH)))]
    assert gone_from(document(pages)) == ["17", "18", "19", "20", "21", "22"]


@pytest.mark.parametrize(
    ("title", "header"),
    [
        ("Kestrel operations manual", "Kestrel operations manual {page}"),
        ("Kestrel operations manual", "{page} | Kestrel operations manual"),
        ("Kestrel 運用マニュアル", "Kestrel 運用マニュアル {page}"),
        ("Kestrel 運用マニュアル 第3版", "Kestrel 運用マニュアル　{page}/6"),
    ],
)
def test_the_title_with_a_page_number_is_left_out_on_every_page(title: str, header: str) -> None:
    found = document(pages_of(ENGLISH, header + "\n{text}"), title=title)
    assert len(gone_from(found)) == 6
    assert title[:10] not in left_of(found)


def test_two_pages_are_enough_for_a_title_with_its_page_number() -> None:
    found = document(pages_of(JAPANESE, "運用マニュアル {page}\n{text}", 2), title="運用マニュアル")
    assert gone_from(found) == ["運用マニュアル 1", "運用マニュアル 2"]


def test_a_chapters_header_with_page_numbers_is_left_out_and_its_heading_stays() -> None:
    pages = pages_of(ENGLISH, "Chapter 2: Leases {page}\n{text}")
    pages[0] = "1\n# 2 Leases\n" + ENGLISH[0]
    found = document(pages, headings=("# 2 Leases",))
    assert gone_from(found) == ["1", *(f"Chapter 2: Leases {page}" for page in range(2, 7))]
    assert "# 2 Leases" in left_of(found)


@pytest.mark.parametrize(
    "stamp", ["Confidential", "TARNWOOD - INTERNAL USE ONLY", "社外秘", "© 2026 Tarnwood. All rights reserved."]
)
def test_a_stamp_on_every_page_stays_once(stamp: str) -> None:
    found = document(pages_of(JAPANESE, stamp + "\n{text}"))
    assert gone_from(found) == [stamp] * 5
    assert left_of(found).startswith(stamp)


def test_a_footer_that_is_on_most_pages_stays_once() -> None:
    pages = pages_of(ENGLISH, "{text}\nTarnwood platform group, Arneby")
    pages[3] = ENGLISH[3]
    assert gone_from(document(pages)) == ["Tarnwood platform group, Arneby"] * 4


def test_headers_that_differ_on_left_and_right_pages_are_left_out() -> None:
    pages = [
        f"{'Kestrel operations manual' if page % 2 else 'Tarnwood'}\n{text}\n{page}"
        for page, text in enumerate(pages_of(ENGLISH, count=8), 1)
    ]
    found = document(pages, title="Kestrel operations manual")
    assert gone_from(found).count("Kestrel operations manual") == 3
    assert [line for line in gone_from(found) if line.isdecimal()] == [str(page) for page in range(1, 9)]


def test_a_header_above_headings_is_one_even_when_the_title_is_not_known() -> None:
    headings = tuple(f"# {name}" for name in ("Shards", "Leases", "Segments", "Leaders"))
    pages = [f"Queue handbook\n{heading}\n{text}" for heading, text in zip(headings, ENGLISH, strict=False)]
    found = document(pages, headings=headings, title="Queue handbook", metadata={"title_source": "first_line"})
    assert gone_from(found) == ["Queue handbook"] * 3


@pytest.mark.parametrize("header", ["Item Quantity Price", "項目 数量 単価", "| Item | Quantity | Price |"])
def test_the_header_row_of_a_table_that_goes_on_over_the_pages_stays(header: str) -> None:
    pages = [f"{header}\nBolt {page} 3.50\nNut {page + 3} 4.20\nGasket {page * 7} 1.10" for page in range(1, 8)]
    assert gone_from(document(pages, title=header, metadata={"title_source": "first_line"})) == []


def test_a_heading_that_is_repeated_on_every_page_stays() -> None:
    pages = [f"# Incident\nIncident {page} was closed.\nIt took {page + 40} minutes." for page in range(3, 9)]
    facts = "\n\n".join(pages)
    places = [index for index in range(len(facts)) if facts.startswith("# Incident", index)]
    headings = tuple(Heading(place, place + 11, 1, "Incident") for place in places)
    found = document(pages)
    assert RuleCleaner().boilerplate(Document("pdf", "Incidents", facts, "pdf", "1", marks=found.marks, headings=headings)) == []


def test_a_line_in_the_middle_of_pages_stays() -> None:
    lines = "One more line of it.\n" * 3
    pages = [f"Page text {word}\n{lines}Confidential\n{lines}End of {word}" for word in ("a", "b", "c", "d", "e")]
    assert "Confidential" not in gone_from(document(pages))


@pytest.mark.parametrize("label", ["Step", "Chapter", "Question", "手順", "図", "Appendix", "Day"])
def test_numbered_titles_of_pages_are_not_page_numbers(label: str) -> None:
    assert gone_from(document(pages_of(ENGLISH, label + " {page}\n{text}"))) == []


def test_numbers_that_do_not_follow_the_pages_stay() -> None:
    pages = [f"{text}\n{number}" for text, number in zip(ENGLISH, (40, 12, 700, 3, 41, 9), strict=True)]
    assert gone_from(document(pages)) == []


@pytest.mark.parametrize("line", ["1. Open the valve", "2026-02-0{page}", "Version 3.{page}", "12:0{page}"])
def test_list_numbers_dates_and_versions_are_not_page_numbers(line: str) -> None:
    pages = [f"{line.replace('1.', f'{page}.').format(page=page)}\n{text}" for page, text in enumerate(ENGLISH, 1)]
    assert gone_from(document(pages)) == []


def test_without_pages_nothing_is_a_page_header() -> None:
    found = document(pages_of(ENGLISH, "Manual {page}\n{text}"), title="Manual", marks=())
    assert gone_from(found) == []


def test_slides_are_pages() -> None:
    pages = pages_of(JAPANESE, "{text}\n社外秘 {page}")
    marks = tuple(Mark(mark.offset, Place(slide=mark.place.page)) for mark in document(pages).marks)
    assert len(gone_from(document(pages, marks=marks))) == 5


def test_what_the_loader_found_is_left_out_and_is_no_line_of_the_page() -> None:
    pages = pages_of(ENGLISH, "{text}\n{page}\nTarnwood")
    facts = "\n\n".join(pages)
    boilerplate = tuple((index, index + 8) for index in range(len(facts)) if facts.startswith("Tarnwood", index))
    assert left_of(document(pages, boilerplate=boilerplate)).split() == "\n".join(pages_of(ENGLISH)).split()


def test_a_document_that_would_be_left_with_nothing_is_left_alone() -> None:
    found = document(["Kestrel scans 1", "Kestrel scans 2", "Kestrel scans 3"], title="Kestrel scans")
    assert RuleCleaner().boilerplate(found) == []


@pytest.mark.parametrize("doc_type", ["markdown", "text", "code"])
def test_source_text_is_never_touched(doc_type: str) -> None:
    facts = "Chapter ........ 12\n\x0c\n\x01\u200bend\n"
    assert RuleCleaner().boilerplate(Document(doc_type, "a", facts, "text", "1", verbatim=True)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "left"),
    [
        ("be\x01gin\x02\x03", "begin"),
        ("co\u00adoperate \u202ehidden\u202c", "cooperate hidden"),
        ("The opera\u00ad\ntion ends.\u00ad\nNext", "The operation ends.\nNext"),
        ("seen\U000e0061\U000e0062 only", "seen only"),
        ("first page\n\x0csecond", "first page\nsecond"),
        ("first\x0csecond", "first\x0csecond"),
        ("first\x0c\x0csecond", "first\x0c\x0csecond"),
        ("👩\u200d💻 and \ufffd", "👩\u200d💻 and \ufffd"),
        ("設定\u200bファイル\ufeff", "設定ファイル"),
    ],
)
def test_control_characters_are_left_out_where_they_part_no_words(facts: str, left: str) -> None:
    assert left_of(Document("docx", "a", facts, "word", "1")) == left


@pytest.mark.parametrize(
    ("facts", "left"),
    [
        ("1.2 Leases ............ 12\nNext", "1.2 Leases 12\nNext"),
        ("Leases . . . . . . . . xii", "Leases xii"),
        ("第1章 目的・・・・・・・・３", "第1章 目的・３"),
        ("目的 ……………… 3", "目的 3"),
        ("Wait... 5", "Wait... 5"),
        ("........ 12", "........ 12"),
        ("Leases ........ and more", "Leases ........ and more"),
        ("```\ntest_lease .......... 12\n```", "```\ntest_lease .......... 12\n```"),
    ],
)
def test_the_dots_before_a_page_number_are_left_out(facts: str, left: str) -> None:
    assert left_of(Document("docx", "a", facts, "word", "1")) == left


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("architecture-whitepaper", "Kestrel: architecture of a replicated job queue"),
        ("operations-manual-ja", "Kestrel 運用マニュアル"),
    ],
)
@pytest.mark.parametrize("loader_knows", [True, False])
def test_the_samples_lose_their_page_headers_and_nothing_else(name: str, header: str, loader_knows: bool) -> None:
    found = PdfLoader().load((SAMPLES / "papers" / f"{name}.pdf").read_bytes(), f"{name}.pdf")
    pages = {mark.place.page for mark in found.marks}
    gone = gone_from(found if loader_knows else replace(found, boilerplate=()))
    assert [" ".join(line.split()) for line in gone] == [f"{header} {page}" for page in range(1, len(pages) + 1)]


@given(st.lists(st.text(st.sampled_from("ab1. \n|-・…\x0c\x01頁第Ⅲ"), max_size=40), max_size=8))
def test_any_text_gives_ranges_that_are_sorted_and_apart(pages: list[str]) -> None:
    found = document(pages)
    ranges = RuleCleaner().boilerplate(found)
    edges = [edge for pair in ranges for edge in pair]
    assert edges == sorted(set(edges))
    assert all(0 <= edge <= len(found.markdown) for edge in edges)


@pytest.mark.parametrize(
    "facts",
    [". " * 100_000, "." * 200_000 + "1x", "\x0c" * 200_000 + "a", ("a\x0c" * 100_000), " " * 200_000 + "12", "1 " * 100_000],
)
def test_long_hostile_lines_take_no_long_time(facts: str) -> None:
    start = time.thread_time()
    RuleCleaner().boilerplate(document([facts, facts, facts]))
    assert time.thread_time() - start < 5


@pytest.mark.slow
def test_the_work_grows_with_the_pages_and_not_with_their_square() -> None:
    pages = [f"Manual\nLine {page * 7919} of the page\nEnd {page * 104729}" for page in range(20_000)]
    start = time.thread_time()
    assert len(gone_from(document(pages, title="Manual"))) == 19_999
    assert time.thread_time() - start < 20
