"""The picture of a PDF page, with passages marked: what a citation shows. Called in a worker process, as loaders are."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Final

import pypdfium2
from PIL import Image, ImageChops, ImageDraw

from ragd.core.errors import ParseFailed
from ragd.formats.pdf.loader import LOCK
from ragd.formats.pdf.reading import opened

_MIN_WIDTH: Final = 16
_MAX_WIDTH: Final = 4_000
_MAX_PIXELS: Final = 32_000_000
_MARKER: Final = (255, 238, 112)
_MARGIN: Final = 0.003
"""Added to each side of a rectangle, as a share of the page's width, so that letters don't touch its edge."""

_Highlight = tuple[float, float, float, float]


def render_page(data: bytes, page: int, width: int, highlights: Sequence[_Highlight] = ()) -> bytes:
    """A page (from 1) as PNG, `width` pixels wide, less when it is so high that it would have too many.

    `highlights` are left, top, right and bottom as fractions (0..1) of the page as shown. Raises `ParseFailed` when the file is
    no PDF, has no such page, or the width is not sensible.
    """
    if not _MIN_WIDTH <= width <= _MAX_WIDTH:
        raise ParseFailed(f"A page can be shown {_MIN_WIDTH} to {_MAX_WIDTH} pixels wide, not {width}.")
    with LOCK:
        picture = _rendered(data, page, width)
    if highlights:
        picture = _marked(picture, highlights)
    target = io.BytesIO()
    picture.save(target, "PNG", compress_level=3)
    return target.getvalue()


def _rendered(data: bytes, number: int, width: int) -> Image.Image:
    pdf = opened(data, "The PDF")
    try:
        if not 1 <= number <= len(pdf):
            raise ParseFailed(f"The PDF has pages 1 to {len(pdf)}; there is no page {number}.")
        if pdf.get_formtype() != pypdfium2.raw.FORMTYPE_NONE:
            pdf.init_forms()
        try:
            page = pdf[number - 1]
        except pypdfium2.PdfiumError as error:
            raise ParseFailed(f"Page {number} of the PDF can't be read: it is damaged.") from error
        across, down = page.get_size()
        if across <= 0 or down <= 0:
            raise ParseFailed(f"Page {number} of the PDF has no size.")
        scale = min(width / across, math.sqrt(_MAX_PIXELS / (across * down)))
        bitmap = page.render(scale=scale, rev_byteorder=True)
        picture: Image.Image = bitmap.to_pil().convert("RGB")
        page.close()
    finally:
        pdf.close()
    return picture


def _marked(picture: Image.Image, highlights: Sequence[_Highlight]) -> Image.Image:
    """The picture with the rectangles as if by a marker: what is dark stays so, and overlapping ones are not darker."""
    width, height = picture.size
    margin = max(1.0, _MARGIN * width)
    mask = Image.new("L", picture.size, 0)
    draw = ImageDraw.Draw(mask)
    for left, top, right, bottom in highlights:
        corners = (left * width - margin, top * height - margin, right * width + margin, bottom * height + margin)
        if right >= left and bottom >= top and all(map(math.isfinite, corners)):
            draw.rectangle(corners, fill=255)
    return Image.composite(ImageChops.multiply(picture, Image.new("RGB", picture.size, _MARKER)), picture, mask)
