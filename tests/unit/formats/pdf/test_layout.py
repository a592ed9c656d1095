"""PDF: reading order, paragraphs, boilerplate, headings by size and program text, on files by LibreOffice and by reportlab."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

from ragd.core.documents import Document
from ragd.formats.pdf.loader import PdfLoader
from ragd.ingest.chunking.cuts import without

FIXTURES = Path(__file__).parents[3] / "data" / "pdf"
SAMPLES = Path(__file__).parents[4] / "data" / "samples" / "papers"
WORDS = (
    "boxes keep a local log and hand it over when the line comes back so that nobody has to type a sale twice while every number"
    " is checked against the report of the evening"
).split()
JAPANESE = "回線が切れている間も装置は仕事を受け付け、番号を付けて記録し、あとから本社へ順序どおりに引き渡します。"

pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))


def load(data: bytes) -> Document:
    return PdfLoader().load(data, "notes.pdf")


def fixture(name: str) -> Document:
    return load((FIXTURES / f"{name}.pdf").read_bytes())


def body(document: Document) -> str:
    """What goes into chunks."""
    return without(document, document.boilerplate).document.markdown


def prose(count: int, seed: int) -> str:
    rng = random.Random(seed)
    text = " ".join(rng.choice(WORDS) for _ in range(count))
    return f"{text[0].upper()}{text[1:]}."


def flowing(
    paragraphs: Sequence[str], columns: int, *, font: str = "Times-Roman", gap: float = 18, edge: Callable[..., Any] | None = None
) -> bytes:
    """A PDF whose paragraphs run through columns, justified."""
    target = io.BytesIO()
    style = ParagraphStyle(
        "body",
        fontName=font,
        fontSize=10,
        leading=13,
        spaceAfter=6,
        alignment=4,
        wordWrap="CJK" if font != "Times-Roman" else None,
    )
    width = (A4[0] - 120 - gap * (columns - 1)) / columns
    frames = [Frame(60 + (width + gap) * index, 60, width, A4[1] - 130, 0, 0, 0, 0) for index in range(columns)]
    document = BaseDocTemplate(target, pagesize=A4, invariant=1)
    document.addPageTemplates(PageTemplate(frames=frames, onPage=edge or (lambda canvas, template: None)))
    document.build([Paragraph(text, style) for text in paragraphs])
    return target.getvalue()


def drawn(draw: Callable[[Canvas], None], pages: int = 1) -> bytes:
    """A PDF of pages that `draw` fills."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=True)
    for _ in range(pages):
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def lines(
    canvas: Canvas, texts: Sequence[str], *, x: float = 72, y: float = 760, step: float = 13, font: str = "Times-Roman"
) -> None:
    canvas.setFont(font, 10)
    for row, text in enumerate(texts):
        canvas.drawString(x, y - step * row, text)


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_columns_are_read_one_after_the_other_and_paragraphs_go_on_in_the_next(columns: int) -> None:
    paragraphs = [prose(70, seed) for seed in range(4 * columns)]
    assert load(flowing(paragraphs, columns)).markdown == "\n\n".join(paragraphs)


def test_columns_with_little_between_them_are_told_apart() -> None:
    paragraphs = [prose(90, seed) for seed in range(10)]
    assert load(flowing(paragraphs, 2, gap=10)).markdown == "\n\n".join(paragraphs)


@pytest.mark.parametrize("columns", [1, 2])
def test_japanese_columns_are_read_one_after_the_other_and_joined_without_blanks(columns: int) -> None:
    paragraphs = [JAPANESE * (3 + index % 3) for index in range(7 * columns)]
    assert load(flowing(paragraphs, columns, font="HeiseiMin-W3")).markdown.replace("\n\n", "") == "".join(paragraphs)


def test_a_two_column_report_of_libreoffice_is_read_in_order() -> None:
    text = body(fixture("columns-en"))
    assert in_order(
        text,
        "# Queues that survive a branch office",
        "Tarnwood field notes, number 12",
        "## 1. The problem",
        "has to hand over that work in an order that accounting will recognise afterwards.\n\nKestrel Edge is",
        "## 2. What we measured",
        "compared what the tills had sold with what head office had received a day after the line was back. In all",
        "\n- A cut of less than a minute goes unnoticed by anybody.\n- A cut of more than ten days fills the box, which then",
        "## 3. What went wrong\n\nTwo things did go wrong.",
        "## 4. What is next",
        "from the other side.\n\nThis report is for internal use and may be copied inside Tarnwood without asking. Questions",
    )


def test_a_japanese_two_column_report_of_libreoffice_is_read_in_order() -> None:
    text = body(fixture("columns-ja"))
    assert in_order(
        text,
        "# 支店で止まらないキューの作り方",
        "## 1. 課題\n\n支店の回線は月に一度ほど切れますが、店舗は営業を続けます。",
        "引き渡さなければなりません。\n\nKestrel Edge はこの役割を担う部品です。手元に記録を残し、",
        "## 2. 測定の結果",
        "最も長い引き渡しには五十二分かかりましたが、原因は判明しています。",
        "\n- 一分未満の切断には誰も気づきません。\n- 十日を超える切断では装置の記憶域がいっぱいになり、",
        "## 3. 失敗したこと",
        "## 4. 今後の予定",
        "注文してください。\n\n本書は社内向けの資料であり、ターンウッドの社内では許可なく複製できます。質問は現地支援グループに",
    )


def test_vertical_japanese_writing_is_read_from_right_to_left() -> None:
    document = fixture("vertical-ja")
    assert document.markdown.startswith(
        "# 支店からの手紙\n\n回線が切れた朝のことを書いておきます。店を開けて三十分ほどたったころ、レジの画面の右上に"
    )
    assert "と言われました。\n\nそれでも客は来ます。" in document.markdown
    first, last = (next(mark.place.bbox for mark in document.marks if mark.offset == document.markdown.index(text))
                   for text in ("回線が", "それでも"))  # fmt: skip
    assert first
    assert last
    assert first[0] > last[0]  # further to the right
    assert first[3] - first[1] > 5 * (first[2] - first[0])  # a line from top to bottom


def test_two_boxes_of_a_slide_are_read_one_after_the_other() -> None:
    left = ["• Work survives a crash", "• Nobody waits for the slowest", "• Every job can be found"]
    right = ["• Costs a few disks", "• Needs one more person", "• Pays off within a quarter", "• Ask the platform group"]

    def slide(canvas: Canvas) -> None:
        lines(canvas, left, y=600, step=40)
        lines(canvas, right, x=330, y=589, step=31)

    expected = [text.replace("•", "-") for text in left + right]
    assert load(drawn(slide)).markdown.split() == "\n".join(expected).split()


def test_lines_around_a_picture_stay_one_paragraph() -> None:
    short = [
        "The box keeps a local log and hands it over when",
        "the line comes back so that nobody has to type it",
        "twice while every number is checked against the",
    ]
    long = [
        "report of the evening that is made by the office in the next town and read by everybody there",
        "before the shop opens.",
    ]
    document = load(drawn(lambda canvas: lines(canvas, short + long)))
    assert document.markdown == " ".join(short + long)


def test_paragraphs_are_told_by_their_indent_alone() -> None:
    def page(canvas: Canvas) -> None:
        for index in range(3):
            lines(
                canvas,
                [f"Paragraph {index} begins with an indent and is long enough to fill its whole"],
                x=90,
                y=760 - 39 * index,
            )
            lines(
                canvas,
                ["first line, a second one that reaches the right edge of the page nearly as", "well and a third."],
                y=747 - 39 * index,
            )

    paragraphs = load(drawn(page)).markdown.split("\n\n")
    assert [text.split()[1] for text in paragraphs] == ["0", "1", "2"]


def test_lists_in_lists_are_indented_and_a_list_under_a_heading_is_not() -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(72, 790, "2.5 What is left to do")
        lines(canvas, ["• Ask the shops", "• Order brackets"], x=90)
        lines(canvas, ["• for Aldmoor", "• for Fenwick"], x=120, y=734)
        lines(canvas, ["• Write the report"], x=90, y=708)
        lines(canvas, [prose(15, row) for row in range(8)], y=660)

    items = ["- Ask the shops", "- Order brackets", "  - for Aldmoor", "  - for Fenwick", "- Write the report"]
    assert load(drawn(page)).markdown.startswith("\n".join(["# 2.5 What is left to do\n", *items, ""]))


def test_short_lines_stay_lines() -> None:
    address = ["Tarnwood Ltd.", "12 Mill Road", "Aldmoor"]
    assert load(drawn(lambda canvas: lines(canvas, address))).markdown == "\n".join(address)


def test_the_document_itself_decides_about_hyphens_at_line_ends() -> None:
    text = [
        "The configuration of a well-known box is copied, and whoever has to change the confi-",
        "guration finds it in the folder that every box has. Nobody needs a second well-",
        "known way to do so, and a self-",
        "evident one is written on the lid beside the number of the KST-",
        "4107 error, which is shown as KST-4107 by the lamp on the front.",
    ]
    markdown = load(drawn(lambda canvas: lines(canvas, text))).markdown.replace("\n", " ")
    assert "change the configuration finds" in markdown
    assert "second well-known way" in markdown
    assert "self-evident one" in markdown
    assert "KST-4107 error" in markdown


def test_ligatures_and_soft_hyphens_become_letters() -> None:
    text = fixture("columns-en").markdown
    assert "The office box" in text
    assert "it forwards the log" in text
    assert "configure it in an afternoon" in text
    assert not any(char in text for char in "\ufb01\ufb02\xad\x02\ufffe")


def test_headers_footers_and_page_numbers_are_boilerplate_and_no_part_of_chunks() -> None:
    document = fixture("columns-en")
    ranges = [document.markdown[start:end].split("\n") for start, end in document.boilerplate]
    expected = [line for number in (1, 2, 3) for line in ("Tarnwood field notes 12", f"Page {number} of 3")]
    assert [line for lines in ranges for line in lines if line] == expected
    text = body(document)
    assert "Page 1 of 3" not in text
    assert text.count("Tarnwood field notes") == 1  # the line under the title
    assert "\n\n\n" not in text


def test_japanese_page_numbers_are_boilerplate() -> None:
    document = fixture("columns-ja")
    text = body(document)
    assert "- 2 -" in document.markdown
    assert not any(f"- {number} -" in text for number in (1, 2, 3))
    assert "1ページ" not in body(fixture("tables-ja"))
    assert "1 / 1" not in body(fixture("tables-en"))


def test_headers_that_differ_on_left_and_right_pages_are_boilerplate() -> None:
    def edge(canvas: Canvas, _: Any) -> None:
        number = canvas.getPageNumber()
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 800, "Kestrel handbook" if number % 2 else str(number))
        canvas.drawRightString(535, 800, str(number) if number % 2 else f"Chapter {['Start', 'Work'][number // 3]}")

    document = load(flowing([prose(300, seed) for seed in range(16)], 1, edge=edge))
    assert document.metadata["page_count"] > 4
    text = body(document)
    assert "Kestrel handbook" not in text
    assert "Chapter" not in text
    assert not any(line.strip().isdigit() for line in text.split("\n"))


def test_a_document_of_two_pages_loses_its_page_numbers_only() -> None:
    numbers = iter(["ページ 1/2", "ページ 2/2"])

    def page(canvas: Canvas) -> None:
        lines(canvas, ["Same line on top", prose(12, 1), prose(11, 2)])
        lines(canvas, [next(numbers)], x=280, y=30, font="HeiseiMin-W3")

    text = body(load(drawn(page, pages=2)))
    assert text.count("Same line on top") == 2
    assert "ページ" not in text


def test_numbered_headings_at_the_top_of_pages_and_first_lines_of_tables_are_no_boilerplate() -> None:
    number = iter(range(1, 9))

    def page(canvas: Canvas) -> None:
        current = next(number)
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 770, f"Chapter {current}")
        lines(canvas, [prose(14, current), prose(15, 20 + current)], y=740)

    text = body(load(drawn(page, pages=4)))
    assert [line for line in text.split("\n") if line.startswith("# ")] == [f"# Chapter {index}" for index in range(1, 5)]

    rows = iter(range(1, 9))

    def table(canvas: Canvas) -> None:
        first = next(rows)
        for row in range(30):
            lines(canvas, [str(first + row)], y=790 - 24 * row)
            lines(canvas, [f"Item {first * 31 + row * 7}"], x=150, y=790 - 24 * row)

    assert "Item 31" in body(load(drawn(table, pages=4)))


def test_larger_lines_are_headings_when_there_is_no_outline() -> None:
    document = fixture("columns-en")
    assert [(heading.level, heading.title) for heading in document.headings] == [
        (1, "Queues that survive a branch office"),
        (2, "1. The problem"),
        (2, "2. What we measured"),
        (2, "3. What went wrong"),
        (2, "4. What is next"),
    ]
    assert (document.title, document.metadata["title_source"]) == ("Queues that survive a branch office", "heading")
    assert all(document.markdown[heading.start : heading.end].startswith("#") for heading in document.headings)


def test_larger_running_text_is_no_heading() -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 14)
        for row in range(5):
            canvas.drawString(72, 780 - 18 * row, prose(14, row)[:80])
        lines(canvas, [prose(15, row)[:95] for row in range(30)], y=660)

    assert load(drawn(page)).headings == ()


def test_program_text_keeps_its_lines_and_indents() -> None:
    code = [
        "import kestrel",
        "",
        "def main():",
        '    client = kestrel.connect("fjord")',
        "    for job in client.jobs(limit=10):   # oldest first",
        "        print(job.id)",
    ]

    def page(canvas: Canvas) -> None:
        lines(
            canvas,
            [
                "To install the client, run the commands below on every node that is going to work; the",
                "last one asks for a name.",
            ],
        )
        lines(canvas, code, x=90, y=720, font="Courier")
        lines(canvas, ["That is all that there is to do before the first job can be sent to the queue."], y=630)

    assert "\n\n```\n" + "\n".join(code) + "\n```\n\nThat is all" in load(drawn(page)).markdown


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.text("abcXYZ019 .,-•|", min_size=1, max_size=30), st.text("回線が。A1", min_size=1, max_size=9)),
            st.integers(0, 560),
            st.integers(20, 820),
            st.sampled_from([6, 10, 10, 10, 24]),
            st.sampled_from([0, 0, 0, 0, 45, 90, 180, 270]),
        ),
        min_size=1,
        max_size=40,
    ),
    st.lists(st.tuples(st.integers(0, 590), st.integers(0, 830), st.integers(-400, 400), st.booleans()), max_size=12),
)
def test_wherever_texts_and_lines_stand_no_character_is_lost(
    texts: list[tuple[str, int, int, int, int]], rules: list[tuple[int, int, int, bool]]
) -> None:
    def page(canvas: Canvas) -> None:
        for x, y, length, upright in rules:
            canvas.line(x, y, x if upright else x + length, y + length if upright else y)
        for text, x, y, size, angle in texts:
            canvas.saveState()
            canvas.translate(x, y)
            canvas.rotate(angle)
            canvas.setFont("Helvetica" if text.isascii() else "HeiseiMin-W3", size)
            canvas.drawString(0, 0, text)
            canvas.restoreState()
        lines(canvas, ["A line that is always there"], y=600)

    data = drawn(page)
    pdf = pypdfium2.PdfDocument(data)
    shown = pdf[0].get_textpage().get_text_range()
    pdf.close()
    document = load(data)
    hidden = sum(int(warning.split()[0]) for warning in document.warnings)
    missing = Counter(filter(str.isalnum, shown)) - Counter(filter(str.isalnum, document.markdown))
    assert sum(missing.values()) <= hidden
    offsets = [mark.offset for mark in document.marks]
    assert offsets == sorted(set(offsets))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "architecture-whitepaper",
            "A follower that hears nothing becomes a candidate after a random time between 800 and 1600 ms",
        ),
        (
            "architecture-whitepaper",
            "so that a node which was merely cut off does not depose a healthy leader when it comes back.",
        ),
        (
            "operations-manual-ja",
            "88%に達したノードは自動的に読み取り専用になり、登録の要求に KST-5007 を返します。この状態を解除するには、",
        ),
        (
            "edge-box-spec-sheet",
            "as soon as the line is back. 転送に使う帯域の上限は既定で 20 Mbps で、時間帯ごとに変更できます。",
        ),
    ],
)
def test_the_sentences_of_the_samples_are_whole(name: str, sentence: str) -> None:
    assert sentence in body(load((SAMPLES / f"{name}.pdf").read_bytes())).replace("milliseconds", "ms")
