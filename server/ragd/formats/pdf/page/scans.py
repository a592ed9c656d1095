"""Pages that are pictures of text: found, rendered, read by OCR, and put into segments like any other page."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

import numpy as np
from PIL import Image

from ragd.core.documents import OcrLine, Place
from ragd.formats.common.pictures import picture
from ragd.formats.pdf.page.objects import Drawn
from ragd.formats.pdf.page.page import Frame, Page, Segment
from ragd.formats.pdf.page.pictures import MIN_SIDE
from ragd.providers.protocols import LoadContext, Pixels

_OCR_DPI: Final = 200
_MAX_PIXELS: Final = 12_000_000
_MAX_JPEG: Final = 8 * 1024 * 1024
_FEW_CHARACTERS: Final = 20
_MIN_COVER: Final = 0.5
_MIN_COVER_ALONE: Final = 0.05
_OUTLINES: Final = 60
"""Drawn shapes from which a page without text may be text turned into curves."""
_JPEG_QUALITY: Final = 80
_LIKE_BODY: Final = 1.5


@dataclass(slots=True)
class Scans:
    """Reads scanned pages; knows which (from 1) were read by OCR, and which were not and why."""

    done: list[int] = field(default_factory=list)
    skipped: dict[str, list[int]] = field(default_factory=dict)

    def read(self, pdf_page: Any, page: Page, context: LoadContext) -> None:
        """Renders a page, has it read, and puts lines and picture into `page`; its text layer stays when OCR can't run."""
        pixels = _rendered(pdf_page, page.frame)
        read = context.read_picture(pixels)
        number = page.index + 1
        if read.skipped:
            self.skipped.setdefault(read.skipped, []).append(number)
        else:
            self.done.append(number)
            page.recognised = True
            page.aside = []
            page.segments = _segments(read.lines, page.frame)
        if data := _jpeg(pixels):
            width, height = page.frame.size
            place = Place(page=number, bbox=(0.0, 0.0, 1.0, 1.0))
            # It stands below the text that was read in it.
            page.pictures = [(picture(data, alt=f"page {number}", place=place), (0.0, height, width, height))]


def is_scan(characters: int, drawn: Drawn, frame: Frame) -> bool:
    """Whether a page is a picture (or curves) with hardly a character of text."""
    if characters >= _FEW_CHARACTERS:
        return False
    width, height = frame.shown_size
    covered = frame.covered_area([box for _, box in drawn.images])
    least = _MIN_COVER if characters else _MIN_COVER_ALONE
    return covered >= least * width * height or drawn.paths >= _OUTLINES


def _rendered(pdf_page: Any, frame: Frame) -> Pixels:
    width, height = frame.shown_size
    scale = min(_OCR_DPI / 72, (_MAX_PIXELS / max(1.0, width * height)) ** 0.5)
    bitmap = pdf_page.render(scale=scale, grayscale=True)
    try:
        grey = np.array(bitmap.to_numpy(), dtype=np.uint8).reshape(bitmap.height, bitmap.width, -1)[:, :, :1]
    finally:
        bitmap.close()
    return np.repeat(grey, 3, axis=2)


def _segments(lines: Sequence[OcrLine], frame: Frame) -> list[Segment]:
    """Lines as segments; those of nearly the usual height get it, since boxes of recognised text are not exact."""
    width, height = frame.shown_size
    heights = [(line.box[3] - line.box[1]) * height for line in lines]
    usual = median(heights) if heights else 0.0
    found = []
    for line, high in zip(lines, heights, strict=True):
        text = " ".join(line.text.split())
        if text:
            x0, y0, x1, y1 = line.box
            size = usual if usual / _LIKE_BODY < high < usual * _LIKE_BODY else high
            found.append(Segment(text, *frame.turned_box((x0 * width, y0 * height, x1 * width, y1 * height)), size))
    return found


def _jpeg(pixels: Pixels) -> bytes:
    """The page as a grey JPEG; nothing when it is too large to be kept, or too small to be seen."""
    if min(pixels.shape[:2]) < MIN_SIDE:
        return b""
    target = io.BytesIO()
    Image.fromarray(pixels[:, :, 0]).save(target, "JPEG", quality=_JPEG_QUALITY)
    return target.getvalue() if target.tell() <= _MAX_JPEG else b""
