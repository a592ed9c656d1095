"""PDF: places on rotated and cropped pages, links, comments, form fields and page labels."""

from __future__ import annotations

import io
from collections.abc import Callable

import pypdfium2
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from ragd.core.documents import Document
from ragd.formats.pdf.loader import PdfLoader

pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))


def load(data: bytes) -> Document:
    return PdfLoader().load(data, "extras.pdf")


def page_with(draw: Callable[[Canvas], None]) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=True)
    canvas.setFont("Helvetica", 12)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def place_of(document: Document, text: str) -> tuple[float, float, float, float]:
    offset = document.markdown.index(text)
    box = [mark.place.bbox for mark in document.marks if mark.offset <= offset][-1]
    assert box
    return box


def width(text: str) -> float:
    return float(pdfmetrics.stringWidth(text, "Helvetica", 12))


def changed(data: bytes, *, rotation: int = 0, crop: tuple[float, float, float, float] | None = None) -> bytes:
    """The PDF with its first page rotated or cropped."""
    pdf = pypdfium2.PdfDocument(data)
    page = pdf[0]
    page.set_rotation(rotation)
    if crop:
        page.set_cropbox(*crop)
    target = io.BytesIO()
    pdf.save(target)
    pdf.close()
    return target.getvalue()


def test_a_line_has_its_place_as_a_share_of_the_page() -> None:
    document = load(page_with(lambda canvas: canvas.drawString(119.05, 757.7, "A line a fifth in and a tenth down")))
    left, top, right, bottom = place_of(document, "A line")
    assert left == pytest.approx(0.2, abs=0.002)
    assert right == pytest.approx(0.2 + width("A line a fifth in and a tenth down") / 595.28, abs=0.005)
    assert 0.08 < top < 0.1 < bottom < 0.11
    assert all(len(str(value)) <= 6 for value in (left, top, right, bottom))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_places_follow_the_rotation_of_the_page(rotation: int) -> None:
    data = page_with(lambda canvas: canvas.drawString(72, 780, "Near the upper left corner of the paper"))
    left, top, right, bottom = place_of(load(changed(data, rotation=rotation)), "Near the upper")
    expected = {
        0: left < 0.2 and bottom < 0.1,
        90: top < 0.2 and left > 0.9,
        180: right > 0.8 and top > 0.9,
        270: bottom > 0.8 and right < 0.1,
    }
    assert expected[rotation]
    upright = rotation in (90, 270)
    assert (bottom - top > 2 * (right - left)) is upright


def test_text_that_a_rotated_page_shows_upright_is_read_in_lines() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rotate(90)
        for row in range(4):
            canvas.drawString(100, -100 - 20 * row, f"Row {row} of a wide table that was printed across the paper")

    document = load(changed(page_with(draw), rotation=90))
    places = [document.markdown.index(f"Row {row}") for row in range(4)]
    assert places == sorted(places)
    left, top, right, bottom = place_of(document, "Row 0")
    assert right - left > 5 * (bottom - top)


def test_places_are_counted_from_the_crop_box_and_text_outside_it_is_left_out() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(150, 700, "Inside the crop box")
        canvas.drawString(20, 20, "Marks for the printer")

    document = load(changed(page_with(draw), crop=(100, 600, 500, 800)))
    assert document.markdown == "Inside the crop box"
    assert document.warnings == ("18 characters outside the shown part of the pages were left out",)
    left, top, _, bottom = place_of(document, "Inside")
    assert left == pytest.approx(50 / 400, abs=0.005)
    assert top < 0.5 < bottom + 0.02


def test_a_stamp_across_the_page_is_read_apart_from_the_text() -> None:
    def draw(canvas: Canvas) -> None:
        for row in range(6):
            canvas.drawString(72, 700 - 16 * row, "These lines of a report run below each other")
        canvas.saveState()
        canvas.translate(30, 300)
        canvas.rotate(90)
        canvas.drawString(0, 0, "Copy of the archive")
        canvas.restoreState()
        canvas.translate(250, 620)
        canvas.rotate(45)
        canvas.setFont("Helvetica", 50)
        canvas.drawString(0, 0, "DRAFT")

    blocks = load(page_with(draw)).markdown.split("\n\n")
    assert blocks[0].count("These lines of a report run below each other") == 6
    assert sorted(blocks[1:]) == ["Copy of the archive", "DRAFT"]


def test_links_become_markdown_where_their_text_stands() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "See the handbook, or https://kestrel.example/docs now.")
        start = 72 + width("See the ")
        canvas.linkURL("https://kestrel.example/hand(book)", (start, 698, start + width("handbook"), 712))
        start = 72 + width("See the handbook, or ")
        canvas.linkURL("https://kestrel.example/docs", (start, 698, start + width("https://kestrel.example/docs"), 712))

    document = load(page_with(draw))
    assert document.markdown == "See the [handbook](https://kestrel.example/hand%28book%29), or https://kestrel.example/docs now."
    assert "links" not in document.metadata


def test_links_of_japanese_text_are_kept() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("HeiseiMin-W3", 12)
        canvas.drawString(72, 700, "詳細は運用手順書を参照してください。")
        canvas.linkURL("https://kestrel.example/ja", (72 + 36, 697, 72 + 36 + 60, 713))

    assert load(page_with(draw)).markdown == "詳細は[運用手順書](https://kestrel.example/ja)を参照してください。"


def test_links_without_text_are_listed_and_scripts_are_not() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Text.")
        canvas.linkURL("https://kestrel.example/logo", (300, 300, 350, 350))
        canvas.linkURL("javascript:alert(1)", (72, 698, 100, 712))

    document = load(page_with(draw))
    assert document.markdown == "Text."
    assert document.metadata["links"] == ["https://kestrel.example/logo"]


def test_comments_stand_at_the_end_of_their_page() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "The total is 41,000.")
        canvas.textAnnotation("Please check this number. 数字を確認してください。", Rect=[300, 690, 320, 710])

    document = load(page_with(draw))
    assert document.markdown == "The total is 41,000.\n\n- Comment: Please check this number. 数字を確認してください。"
    assert document.marks[-1].place.page == 1


def test_values_of_form_fields_stand_beside_their_labels() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 604, "Reported by:")
        canvas.acroForm.textfield(name="who", value="Mari Todo", x=150, y=600, width=200, height=20)
        canvas.drawString(72, 572, "Urgent:")
        canvas.acroForm.checkbox(name="urgent", checked=True, x=150, y=570, size=14)
        canvas.drawString(72, 542, "Closed:")
        canvas.acroForm.checkbox(name="closed", checked=False, x=150, y=540, size=14)

    lines = [" ".join(line.split()) for line in load(page_with(draw)).markdown.replace("|", " ").split("\n")]
    assert {"Reported by: Mari Todo", "Urgent: ☑", "Closed: ☐"} <= set(lines)


def test_page_labels_are_kept_where_they_are_not_the_numbers() -> None:
    def book(first: str) -> bytes:
        target = io.BytesIO()
        canvas = Canvas(target, invariant=True)
        for index in range(3):
            if index == 0 and first:
                canvas.addPageLabel(0, style="ROMAN_LOWER")
            if index == 2 and first:
                canvas.addPageLabel(2, style="ARABIC", start=1)
            canvas.drawString(72, 700, f"text {index}")
            canvas.showPage()
        canvas.save()
        return target.getvalue()

    assert load(book("i")).metadata["page_labels"] == {"1": "i", "2": "ii", "3": "1"}
    assert "page_labels" not in load(book("")).metadata
