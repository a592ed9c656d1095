"""PDF: pages, outline, and files that can't be read. The files are made here by reportlab."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from rag_assistant.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from rag_assistant.ingest.loaders.pdf import PdfLoader
from rag_assistant.ingest.loaders.pdf_outline import OutlineEntry, insert_headings
from rag_assistant.ingest.sections import split_sections
from rag_assistant.types import Document

Outline = Sequence[tuple[int, str, int]]


def make_pdf(
    pages: Sequence[Sequence[str]], *, title: str = "", outline: Outline = (), encryption: StandardEncryption | None = None
) -> bytes:
    """A PDF with these lines on its pages; `outline` holds (level from 0, title, page index)."""
    buffer = io.BytesIO()
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    canvas = Canvas(buffer, encrypt=encryption, invariant=True)
    canvas.setTitle(title)
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


def load(data: bytes, name: str = "dir/report.pdf") -> Document:
    return PdfLoader().load(data, name)


def test_every_page_is_marked_and_its_text_is_in_order() -> None:
    document = load(make_pdf([["First page", "of two"], ["二ページ目です。", "設定を確認してください。"]], title="Handbook"))
    assert document.markdown == "First page\nof two\n\n二ページ目です。\n設定を確認してください。"
    assert [(mark.offset, mark.place.page) for mark in document.marks] == [(0, 1), (document.markdown.index("二"), 2)]
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
    text, headings = insert_headings("a\nLong title that\nwraps\nb", [OutlineEntry(2, "Long title that wraps")])
    assert text == "a\n\n## Long title that wraps\n\nb"
    assert text[headings[0].start : headings[0].end] == "## Long title that wraps"


def test_equal_titles_on_one_page_are_taken_in_order() -> None:
    text, headings = insert_headings("Notes\na\nNotes\nb", [OutlineEntry(1, "Notes"), OutlineEntry(1, "Notes")])
    assert text == "# Notes\n\na\n\n# Notes\n\nb"
    assert len(headings) == 2


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


def test_a_pdf_without_text_is_reported_as_a_scan_that_cannot_be_read_yet() -> None:
    with pytest.raises(DocumentEmpty, match="scanned pages can't be read yet"):
        load(make_pdf([[], []]))


def test_pages_without_text_among_others_are_named_in_a_warning() -> None:
    document = load(make_pdf([["text"], [], ["more"]]))
    assert document.warnings == ("no text on 1 of 3 pages: 2",)
    assert [mark.place.page for mark in document.marks] == [1, 3]
