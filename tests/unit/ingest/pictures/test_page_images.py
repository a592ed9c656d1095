"""The picture of a PDF page with passages marked."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from ragd.core.errors import DocumentEncrypted, ParseFailed
from ragd.formats.pdf.loader import PdfLoader
from ragd.ingest.pictures.page_images import render_page

SAMPLES = Path(__file__).parents[4] / "data" / "samples" / "papers"
FIXTURES = Path(__file__).parents[3] / "data" / "pdf"


def pixels(png: bytes) -> NDArray[np.uint8]:
    assert png.startswith(b"\x89PNG")
    return np.asarray(Image.open(io.BytesIO(png)))


def yellow(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    red, green, blue = (picture[:, :, channel].astype(int) for channel in range(3))
    return np.asarray((red > 200) & (green > 180) & (blue < 180))


@pytest.mark.parametrize("name", ["architecture-whitepaper", "operations-manual-ja"])
def test_a_page_is_shown_as_wide_as_asked(name: str) -> None:
    picture = pixels(render_page((SAMPLES / f"{name}.pdf").read_bytes(), 2, 620, []))
    assert picture.shape[1] == pytest.approx(620, abs=1)
    assert picture.shape[0] == pytest.approx(620 * 297 / 210, abs=2)
    assert (picture < 100).any()
    assert not yellow(picture).any()


@pytest.mark.parametrize(
    ("path", "passage"),
    [(FIXTURES / "columns-en.pdf", "The longest hand-over took"), (FIXTURES / "columns-ja.pdf", "最も長い引き渡しには")],
)
def test_the_place_of_a_passage_is_marked_where_it_stands(path: Path, passage: str) -> None:
    data = path.read_bytes()
    document = PdfLoader().load(data, path.name)
    offset = document.markdown.index(passage)
    place = [mark.place for mark in document.marks if mark.offset <= offset][-1]
    assert place.page
    assert place.bbox
    plain, marked = (pixels(render_page(data, place.page, 900, boxes)) for boxes in ([], [place.bbox]))
    left, top, right, bottom = (
        round(share * size) for share, size in zip(place.bbox, (plain.shape[1], plain.shape[0]) * 2, strict=True)
    )
    inside = yellow(marked)[top:bottom, left:right]
    assert inside.mean() > 0.5
    assert (marked[top:bottom, left:right] < 100).any()  # the letters are still black
    outside = np.abs(marked.astype(int) - plain.astype(int)).any(axis=2)
    outside[max(0, top - 8) : bottom + 8, max(0, left - 8) : right + 8] = False
    assert not outside.any()


def test_rectangles_outside_the_page_or_upside_down_do_no_harm() -> None:
    data = (FIXTURES / "columns-en.pdf").read_bytes()
    render_page(
        data, 1, 300, [(-5, -5, -4, -4), (2, 2, 3, 3), (0.5, 0.5, 0.1, 0.1), (float("nan"), 0, 1, 1), (0, 0, float("inf"), 1)]
    )


@pytest.mark.parametrize("page", [0, -1, 4])
def test_a_page_that_is_not_there_is_refused(page: int) -> None:
    with pytest.raises(ParseFailed, match=r"has pages 1 to 3; there is no page"):
        render_page((FIXTURES / "columns-en.pdf").read_bytes(), page, 300, [])


@pytest.mark.parametrize("width", [0, -3, 1_000_000])
def test_a_width_that_makes_no_sense_is_refused(width: int) -> None:
    with pytest.raises(ParseFailed, match="pixels wide"):
        render_page((FIXTURES / "columns-en.pdf").read_bytes(), 1, width, [])


def test_a_file_that_is_no_pdf_is_refused() -> None:
    with pytest.raises(ParseFailed):
        render_page(b"hello", 1, 300, [])
    assert issubclass(DocumentEncrypted, ParseFailed)


@pytest.mark.slow
def test_a_page_far_higher_than_wide_is_bounded() -> None:
    tall = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 100000]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    )
    picture = pixels(render_page(tall, 1, 4000, []))
    assert picture.shape[0] * picture.shape[1] < 40_000_000
