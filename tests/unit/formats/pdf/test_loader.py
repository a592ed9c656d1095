"""PDF: pages, outline, and files that can't be read. The files are made here by reportlab."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from ragd.core.sections import split_sections
from ragd.formats.pdf.loader import PdfLoader
from ragd.providers.protocols import LoadContext

FIXTURES = Path(__file__).parents[3] / "data" / "pdf"
Outline = Sequence[tuple[int, str, int]]


def make_pdf(
    pages: Sequence[Sequence[str]],
    *,
    title: str = "",
    author: str = "",
    outline: Outline = (),
    encryption: StandardEncryption | None = None,
) -> bytes:
    """A PDF with these lines on its pages; `outline` holds (level from 0, title, page index)."""
    buffer = io.BytesIO()
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    canvas = Canvas(buffer, encrypt=encryption, invariant=True)
    canvas.setTitle(title)
    canvas.setAuthor(author)
    for index, lines in enumerate(pages):
        for entry, (_, _, target) in enumerate(outline):
            if target == index:
                canvas.bookmarkPage(f"entry{entry}")
        for row, line in enumerate(lines):
            canvas.setFont("Helvetica" if line.isascii() else "HeiseiMin-W3", 11)
            canvas.drawString(72, 780 - 20 * row, line)
        canvas.showPage()
    for entry, (level, text, _) in enumerate(outline):
        canvas.addOutlineEntry(text, f"entry{entry}", level)
    canvas.save()
    return buffer.getvalue()


PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 7 0 R >> >> >>"


def plain_pdf(objects: Sequence[str]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    data, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")


def load(data: bytes, name: str = "dir/report.pdf") -> Document:
    return PdfLoader().load(data, name)


def test_every_page_is_marked_and_its_text_is_in_order() -> None:
    document = load(make_pdf([["First page", "of two"], ["二ページ目です。", "設定を確認してください。"]], title="Handbook"))
    assert document.markdown == "First page\nof two\n\n二ページ目です。\n設定を確認してください。"
    lines = document.markdown.split("\n")
    starts = [document.markdown.index(line) for line in lines if line]
    assert [(mark.offset, mark.place.page) for mark in document.marks] == list(zip(starts, [1, 1, 2, 2], strict=True))
    assert (document.title, document.metadata["page_count"], document.language) == ("Handbook", 2, "ja")


def test_words_that_a_hyphen_breaks_are_joined() -> None:
    assert "configuration of it" in load(make_pdf([["The configu-", "ration of it"]])).markdown


def test_the_outline_becomes_headings_where_its_titles_stand() -> None:
    document = load(
        make_pdf(
            [["Preface", "1. Install", "Run it."], ["1.1 Linux", "Use apt.", "2. Use", "Ask."]],
            outline=[(0, "Install", 0), (1, "Linux", 1), (0, "Use", 1)],
        )
    )
    assert document.markdown == "Preface\n\n# 1. Install\n\nRun it.\n\n## 1.1 Linux\n\nUse apt.\n\n# 2. Use\n\nAsk."
    sections = split_sections(document, "d")
    assert [(section.path, document.markdown[section.start : section.end].strip()) for section in sections] == [
        ((), "Preface"),
        (("Install",), "Run it."),
        (("Install", "Linux"), "Use apt."),
        (("Use",), "Ask."),
    ]


def test_a_heading_whose_title_the_page_does_not_show_stands_at_the_pages_start() -> None:
    document = load(make_pdf([["one"], ["two"]], outline=[(0, "Hidden", 1)]))
    assert document.markdown == "one\n\n# Hidden\n\ntwo"
    assert document.marks[1].offset == document.headings[0].start


def test_a_title_over_two_lines_is_one_heading() -> None:
    document = load(make_pdf([["a", "Long title that", "wraps", "b"]], outline=[(0, "Long title that wraps", 0)]))
    assert document.markdown == "a\n\n# Long title that wraps\n\nb"
    heading = document.headings[0]
    assert document.markdown[heading.start : heading.end] == "# Long title that wraps"


def test_a_line_before_the_title_is_no_part_of_the_heading() -> None:
    document = load(make_pdf([["Achterberg.", "1 Why", "Because."]], outline=[(0, "1 Why", 0)]))
    assert document.markdown == "Achterberg.\n\n# 1 Why\n\nBecause."


def test_a_title_that_begins_a_line_is_put_before_it() -> None:
    document = load(make_pdf([["intro", "Notes on the release follow."]], outline=[(0, "Notes on", 0)]))
    assert document.markdown == "intro\n\n# Notes on\n\nNotes on the release follow."


def test_outline_entries_that_lead_back_are_left_out_with_a_warning() -> None:
    document = load(make_pdf([["one"], ["two"]], outline=[(0, "two", 1), (0, "one", 0)]))
    assert [heading.title for heading in document.headings] == ["two"]
    assert document.warnings == ("1 outline entries name no page in order and were left out",)


@pytest.mark.parametrize(
    ("name", "titles"),
    [("tagged-en", ["Before the visit", "On the day", "Afterwards"]), ("tagged-ja", ["訪問の前", "当日", "その後"])],
)
def test_headings_that_only_the_files_tags_tell_are_headings(name: str, titles: list[str]) -> None:
    document = load((FIXTURES / f"{name}.pdf").read_bytes())
    assert [(heading.level, heading.title) for heading in document.headings] == [(2, title) for title in titles]
    assert document.metadata["heading_source"] == "tags"
    assert document.title in ("Notes on the visit to Fenwick", "フェンウィック支店の訪問メモ")


def test_equal_titles_on_one_page_are_taken_in_order() -> None:
    document = load(make_pdf([["Notes", "a", "Notes", "b"]], outline=[(0, "Notes", 0), (0, "Notes", 0)]))
    assert document.markdown == "# Notes\n\na\n\n# Notes\n\nb"
    assert len(document.headings) == 2


def test_the_title_is_the_stated_one_unless_a_program_made_it() -> None:
    assert load(make_pdf([["Real title", "text"]], title="Microsoft Word - draft7.doc")).title == "Real title"
    assert load(make_pdf([["Real title", "text"]], title="untitled")).title == "Real title"


def test_an_empty_file_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match="0 bytes"):
        load(b"")


def test_a_pdf_with_a_password_is_reported_as_encrypted() -> None:
    with pytest.raises(DocumentEncrypted, match="password"):
        load(make_pdf([["secret"]], encryption=StandardEncryption("user", "owner")))


def test_a_pdf_that_only_restricts_printing_is_read() -> None:
    assert load(make_pdf([["open to read"]], encryption=StandardEncryption("", "owner"))).markdown == "open to read"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_pdf_is_reported_as_parse_failed(share: float) -> None:
    data = make_pdf([["text"] * 20] * 5)
    with pytest.raises(ParseFailed):
        load(data[: int(len(data) * share)])


@pytest.mark.parametrize(
    "data", [b"hello, this is no PDF", b"%PDF-1.7\n%%EOF\n", b"%PDF-1.4\n" + bytes(range(256)) * 50 + b"%%EOF"]
)
def test_what_is_no_pdf_is_reported_as_parse_failed(data: bytes) -> None:
    with pytest.raises(ParseFailed):
        load(data)


def test_a_pdf_of_blank_pages_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match="its pages are blank or hold drawings only"):
        load(make_pdf([[], []]))


def test_pages_without_text_among_others_are_named_in_a_warning() -> None:
    document = load(make_pdf([["text"], [], ["more"]]))
    assert document.warnings == ("no text on 1 of 3 pages: 2",)
    assert [mark.place.page for mark in document.marks] == [1, 3]


def test_the_parser_and_the_author_are_recorded() -> None:
    document = load(make_pdf([["text"]], author="Field group"))
    assert document.parser.startswith("pypdfium2 5.")
    assert "(pdfium " in document.parser
    assert document.metadata["author"] == "Field group"


def test_every_page_is_reported_as_it_is_done() -> None:
    done: list[tuple[int, int]] = []
    PdfLoader().load(make_pdf([["a"], ["b"], ["c"]]), "x.pdf", LoadContext(report=lambda *step: done.append(step)))
    assert done == [(1, 3), (2, 3), (3, 3)]


def test_too_many_pages_are_refused_with_the_limit() -> None:
    data = plain_pdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 90000 /Kids [3 0 R] >>", PAGE])
    with pytest.raises(ParseFailed, match=r"has 90,000 pages; at most 20,000 are read\. Split it"):
        load(data)


def test_a_page_tree_that_is_a_loop_comes_to_an_end() -> None:
    data = plain_pdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 3 /Kids [3 0 R 2 0 R 2 0 R] >>", PAGE])
    with pytest.raises(ParseFailed):
        load(data)


def test_an_outline_that_is_a_loop_comes_to_an_end() -> None:
    text = "BT /F1 12 Tf 72 700 Td (Looping chapter) Tj ET"
    data = plain_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            PAGE.replace("/Resources", "/Contents 6 0 R /Resources"),
            "<< /Type /Outlines /First 5 0 R /Last 5 0 R /Count 1 >>",
            "<< /Title (Looping chapter) /Parent 4 0 R /Next 5 0 R /First 5 0 R /Dest [3 0 R /Fit] >>",
            f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )
    assert "Looping chapter" in load(data).markdown


@pytest.mark.slow
def test_thousands_of_pages_are_read_in_seconds() -> None:
    pages = 2_000
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< >>"] + [
        PAGE.replace("/Resources", "/Contents 4 0 R /Resources")
    ] * pages
    text = "BT /F1 12 Tf 72 700 Td (The same line on every page) Tj ET"
    objects.insert(3, f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    objects[1] = f"<< /Type /Pages /Count {pages} /Kids [{' '.join(f'{5 + index} 0 R' for index in range(pages))}] >>"
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    document = load(plain_pdf(objects).replace(b"/F1 7 0 R", f"/F1 {len(objects)} 0 R".encode()))
    assert document.metadata["page_count"] == pages
    assert document.markdown.count("The same line on every page") == pages
