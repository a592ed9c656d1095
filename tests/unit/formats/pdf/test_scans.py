"""PDF: scanned pages by OCR, and embedded pictures. The OCR is a function of the test; pages are really rendered."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from ragd.core.documents import Document, OcrLine, PictureText
from ragd.core.errors import DocumentEmpty
from ragd.formats.pdf.loader import PdfLoader
from ragd.providers.protocols import LoadContext, Pixels

FIXTURES = Path(__file__).parents[3] / "data" / "pdf"


def dark_lines(pixels: Pixels) -> list[tuple[float, float, float, float]]:
    """Where the lines of a page are, by its dark pixels: a small part of what OCR does."""
    dark = pixels[:, :, 0] < 128
    height, width = dark.shape
    rows = np.flatnonzero(dark.any(axis=1))
    boxes = []
    for run in np.split(rows, np.flatnonzero(np.diff(rows) > 4) + 1):
        columns = np.flatnonzero(dark[run].any(axis=0))
        if len(run) > 8:
            boxes.append((columns[0] / width, run[0] / height, columns[-1] / width, run[-1] / height))
    return boxes


def reader(*texts: str) -> Callable[[Pixels], PictureText]:
    """OCR that finds these lines, from the top, where the page is dark."""

    def read(pixels: Pixels) -> PictureText:
        assert pixels.dtype == np.uint8
        assert pixels.shape[2] == 3
        boxes = dark_lines(pixels)
        assert len(boxes) >= len(texts)
        return PictureText(tuple(OcrLine(text, 0.9, box) for text, box in zip(texts, boxes, strict=False)))

    return read


def unreadable(pixels: Pixels) -> PictureText:
    return PictureText(skipped="the OCR models are not installed")


def load(data: bytes, read: Callable[[Pixels], PictureText]) -> Document:
    return PdfLoader().load(data, "scan.pdf", LoadContext(read_picture=read))


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.pdf").read_bytes()


def with_pages(*draw: Callable[[Canvas], None]) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=True)
    for one in draw:
        one(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def image(width: int, height: int, format_: str, seed: int = 0) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, format_)
    return target.getvalue()


def put(canvas: Canvas, data: bytes, x: float, y: float, width: float, height: float) -> None:
    canvas.drawImage(ImageReader(io.BytesIO(data)), x, y, width, height)


def text_page(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "A page with a text layer of its own.")


def scanned_page(canvas: Canvas) -> None:
    put(canvas, image(300, 400, "JPEG"), 0, 0, *A4)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("scan-en", ("Prices", "Prices are in euros and without tax.")),
        ("scan-ja", ("価格表", "価格に消費税は含まれていません。")),
    ],
)
def test_the_text_of_a_scanned_page_is_what_ocr_reads_at_the_place_where_it_stands(name: str, texts: tuple[str, str]) -> None:
    document = load(fixture(name), reader(*texts))
    assert document.markdown.startswith("\n\n".join(texts))
    assert document.metadata["ocr_pages"] == [1]
    assert document.warnings == ()
    offset = document.markdown.index(texts[1])
    place = next(mark.place for mark in document.marks if mark.offset == offset)
    assert place.page == 1
    assert place.bbox
    left, top, right, bottom = place.bbox
    assert 0.05 < left < 0.15 < right < 0.9
    assert 0.1 < top < bottom < 0.3


def test_recognised_columns_are_read_one_after_the_other() -> None:
    words = "the box keeps a log of all".split()

    def read(pixels: Pixels) -> PictureText:
        lines = []
        for row in range(8):
            for column in range(2):
                left = 0.1 + 0.45 * column
                text = f"{'left' if column == 0 else 'right'} {row} {' '.join(words)}"
                lines.append(OcrLine(text, 0.9, (left, 0.1 + 0.03 * row, left + 0.36, 0.118 + 0.03 * row)))
        return PictureText(tuple(lines))

    text = load(with_pages(scanned_page), read).markdown
    places = [text.index(f"{side} {row} ") for side in ("left", "right") for row in range(8)]
    assert places == sorted(places)


def test_the_page_of_a_scan_is_kept_as_one_picture() -> None:
    document = load(fixture("scan-en"), reader("Prices"))
    (found,) = document.pictures
    assert found.place.page == 1
    assert document.markdown == f"Prices\n\n![page 1]({found.link})"
    picture = Image.open(io.BytesIO(found.data))
    assert picture.format == "JPEG"
    assert picture.width == pytest.approx(595.3 / 72 * 200, abs=4)


def test_a_scan_among_pages_of_text_is_read() -> None:
    document = load(
        with_pages(text_page, scanned_page, text_page), lambda pixels: PictureText((OcrLine("Read.", 1, (0.1, 0.1, 0.3, 0.12)),))
    )
    assert [mark.place.page for mark in document.marks] == [1, 2, 2, 3]
    assert document.metadata["ocr_pages"] == [2]


def test_when_ocr_cannot_run_the_rest_is_read_and_the_gap_is_told() -> None:
    document = load(with_pages(text_page, scanned_page, scanned_page), unreadable)
    assert document.markdown.startswith("A page with a text layer of its own.")
    assert document.metadata["ocr_skipped"] is True
    assert "ocr_pages" not in document.metadata
    assert document.warnings == ("the text of scanned pages was not read (the OCR models are not installed): 2-3",)


def test_when_nothing_could_be_read_the_document_can_still_be_found_by_its_name() -> None:
    document = load(with_pages(scanned_page, scanned_page), unreadable)
    assert document.markdown.startswith("scan.pdf: the text of its scanned pages (1-2) was not read.")
    assert document.title == "scan.pdf"
    assert document.metadata["ocr_skipped"] is True
    assert [picture.place.page for picture in document.pictures] == [1, 2]


def test_a_scan_on_which_ocr_finds_nothing_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match="nothing could be recognised on its scanned pages"):
        load(with_pages(scanned_page), lambda pixels: PictureText())


def test_a_stamp_on_a_scan_does_not_keep_it_from_being_read() -> None:
    def page(canvas: Canvas) -> None:
        scanned_page(canvas)
        canvas.drawString(500, 20, "Copy 7")

    assert (
        "Recognised."
        in load(with_pages(page), lambda pixels: PictureText((OcrLine("Recognised.", 1, (0.1, 0.1, 0.3, 0.12)),))).markdown
    )


def without_unicode(text: str) -> bytes:
    """A PDF whose font maps its letters to private characters, as some programs do; its page looks as it should."""
    mapping = "".join(f"<{code:02x}> <{0xE000 + code:04x}>\n" for code in range(32, 127))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Odd def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange\n95 beginbfchar\n{mapping}endbfchar\nendcmap end end"
    )
    content = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
    ]
    body = "".join(f"{number} 0 obj\n{content}\nendobj\n" for number, content in enumerate(objects, 1))
    return f"%PDF-1.7\n{body}trailer\n<< /Size 7 /Root 1 0 R >>\n%%EOF\n".encode("latin-1")


def test_a_text_layer_of_meaningless_characters_counts_as_none() -> None:
    data = without_unicode("A sentence that can be seen but not copied")
    document = load(data, reader("A sentence that can be seen but not copied"))
    assert document.markdown.startswith("A sentence that can be seen but not copied")
    assert document.metadata["ocr_pages"] == [1]
    unread = load(data, unreadable)
    assert unread.markdown.startswith("scan.pdf: the text of its scanned pages (1) was not read.")
    assert not any("\ue000" <= char <= "\uf8ff" for char in unread.markdown)


def test_a_scan_with_a_text_layer_is_read_by_that() -> None:
    def page(canvas: Canvas) -> None:
        scanned_page(canvas)
        text = canvas.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textLine("This text was put under the picture by a scanner.")
        canvas.drawText(text)

    document = load(with_pages(page), unreadable)
    assert document.markdown == "This text was put under the picture by a scanner."
    assert document.pictures == ()
    assert document.warnings == ("1 pictures as large as a page, under its text were left out",)


def test_pictures_stand_where_the_page_shows_them() -> None:
    jpeg, png = image(200, 120, "JPEG"), image(100, 100, "PNG", seed=1)

    def page(canvas: Canvas) -> None:
        canvas.drawString(72, 760, "Above the pictures.")
        put(canvas, jpeg, 72, 600, 200, 120)
        canvas.drawString(72, 580, "Between the pictures.")
        put(canvas, png, 72, 460, 100, 100)
        canvas.drawString(72, 440, "Below the pictures.")

    document = load(with_pages(page), unreadable)
    first, second = document.pictures
    assert document.markdown == (
        f"Above the pictures.\n\n![]({first.link})\n\nBetween the pictures.\n\n![]({second.link})\n\nBelow the pictures."
    )
    assert first.data.startswith(b"\xff\xd8\xff")
    assert second.data.startswith(b"\x89PNG")
    assert np.array_equal(np.array(Image.open(io.BytesIO(second.data))), np.array(Image.open(io.BytesIO(png))))
    assert first.place.bbox == pytest.approx(
        (72 / 595.28, (841.89 - 720) / 841.89, 272 / 595.28, (841.89 - 600) / 841.89), abs=0.002
    )


def test_the_smallest_pictures_are_skipped_and_too_many_are_counted() -> None:
    def page(canvas: Canvas) -> None:
        canvas.drawString(72, 800, "A page of many small pictures.")
        put(canvas, image(8, 200, "PNG"), 20, 20, 8, 200)
        for index in range(50):
            put(canvas, image(20, 20, "PNG", seed=index), 72 + 40 * (index % 10), 100 + 40 * (index // 10), 20, 20)

    document = load(with_pages(page), unreadable)
    assert len(document.pictures) == 40
    assert document.warnings == ("10 pictures beyond the first 40 of a page were left out",)


def test_the_same_picture_on_many_pages_is_the_same_asset() -> None:
    logo = image(60, 30, "PNG")

    def page(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "A page with a logo.")
        put(canvas, logo, 450, 780, 60, 30)

    document = load(with_pages(page, page, page), unreadable)
    assert len(document.pictures) == 3
    assert len({picture.asset_id for picture in document.pictures}) == 1
