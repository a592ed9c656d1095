"""The words of a PDF's pages where they stand."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from ragd.core.errors import DocumentEncrypted, ParseFailed
from ragd.ingest.pictures.page_texts import Line, read_page_texts

SAMPLES = Path(__file__).parents[4] / "data" / "samples" / "papers"
FIXTURES = Path(__file__).parents[3] / "data" / "pdf"


def drawn(*pages: Callable[[Canvas], None], size: tuple[float, float] = (400, 600)) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size, invariant=True)
    for draw in pages:
        canvas.setFont("Helvetica", 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines_at(*texts: tuple[float, float, str]) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        for x, y, text in texts:
            canvas.drawString(x, y, text)

    return draw


def text_of(lines: list[Line]) -> str:
    return "\n".join(" ".join(text for text, _ in line["words"]) for line in lines)


def test_signs_that_mean_something_in_markdown_are_kept_as_they_were_printed() -> None:
    printed = "# <foo>_<VersionNumber> **not** [x](https://example.com/a) | `y` \\_"
    (lines,) = read_page_texts(drawn(lines_at((40, 500, printed))), 1, 1)
    assert text_of(lines) == printed


def test_each_word_has_its_place() -> None:
    (lines,) = read_page_texts(drawn(lines_at((100, 300, "one"), (140, 300, "two three"))), 1, 1)
    words = dict(lines[0]["words"])
    assert list(words) == ["one", "two", "three"]
    left, top, right, bottom = words["one"]
    assert left == pytest.approx(100 / 400, abs=0.005)
    assert top < 300 / 600 < bottom
    assert right < words["two"][0] == pytest.approx(140 / 400, abs=0.005)
    assert words["two"][2] < words["three"][0]


def test_the_place_is_that_of_the_page_as_it_is_shown_when_it_is_turned() -> None:
    def turned(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.drawString(40, 360, "corner")  # of paper that is 600 wide and 400 high

    (lines,) = read_page_texts(drawn(turned), 1, 1)
    (((text, box),),) = ([tuple(word) for word in line["words"]] for line in lines)
    assert text == "corner"
    assert box[0] > 0.8  # the upper left corner of the paper is the upper right one of what is shown
    assert box[1] < 0.2


def test_columns_are_read_one_after_the_other_and_paragraphs_are_told() -> None:
    (lines,) = read_page_texts((FIXTURES / "columns-en.pdf").read_bytes(), 1, 1)
    text = text_of(lines)
    assert "  " not in text
    assert sum(line["paragraph"] for line in lines) > 2
    assert not all(line["paragraph"] for line in lines)


def test_what_is_justified_keeps_its_words() -> None:
    pages = read_page_texts((FIXTURES / "spaced-en.pdf").read_bytes(), 1, 9)
    text = " ".join(" ".join(map(text_of, pages)).split())
    assert "The two winters before the repair were hard on the plaster of the hall. A surface that had stood" in text
    assert text.count("and the stoves have been kept burning since the first of November") == 2


def test_japanese_has_no_blanks_within_its_lines() -> None:
    (lines,) = read_page_texts((SAMPLES / "operations-manual-ja.pdf").read_bytes(), 1, 1)
    assert any(len(line["words"]) == 1 and len(line["words"][0][0]) > 12 for line in lines)


def test_pages_are_read_to_the_end_and_no_further() -> None:
    data = drawn(*(lines_at((40, 500, f"page {number}")) for number in range(1, 6)))
    assert [text_of(lines) for lines in read_page_texts(data, 4, 16)] == ["page 4", "page 5"]
    assert read_page_texts(drawn(lambda canvas: canvas.rect(1, 1, 9, 9)), 1, 1) == [[]]
    with pytest.raises(ParseFailed, match="no page 6"):
        read_page_texts(data, 6, 1)


def test_what_is_no_pdf_or_locked_is_refused() -> None:
    with pytest.raises(ParseFailed):
        read_page_texts(b"no", 1, 1)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt="secret")
    canvas.showPage()
    canvas.save()
    with pytest.raises(DocumentEncrypted):
        read_page_texts(buffer.getvalue(), 1, 1)
