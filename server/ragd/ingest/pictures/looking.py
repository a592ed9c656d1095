"""A kept picture, looked at once more in a process that reads files: what it is, and what `rules` can say of it."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from typing import Final

from PIL import Image

from ragd.core.errors import ParseFailed
from ragd.formats.images.drawings import is_drawing, read_drawing
from ragd.formats.images.rasters import PictureRefused, on_paper, read_raster
from ragd.ingest.pictures.extraction import PictureReader
from ragd.ingest.workers.looks import Look, LookTask
from ragd.language.detection import detect_language
from ragd.providers.caption_protocol import Captioner
from ragd.providers.protocols import Pixels
from ragd.providers.registry import build
from ragd.vision.likeness import phash_of
from ragd.vision.routing import routed

_FEW_COLOURS: Final = 4096
"""Drawings have fewer; photographs more, and are sent as JPEG."""
_JPEG_QUALITIES: Final = (90, 75, 60)
"""One after the other, until the file is small enough."""
_SMALLER: Final = 0.7
_LEAST_SIDE: Final = 64
"""Pixels of the longer side below which nothing can be made out."""


@cache
def _captioner(name: str) -> Captioner:
    made: Captioner = build("captioner", name)
    return made


def look(task: LookTask, reader: PictureReader, max_pixels: int) -> Look:
    """Look at a picture. Raises `ParseFailed` when it can't be shown, or not be made small enough."""
    pixels = _pixels(task.data, task.name, max_pixels)
    words = reader.read(pixels).lines if task.words is None else task.words
    context = task.context
    if not context.language:
        context = replace(context, language=detect_language("\n".join(line.text for line in words)) or "en")
    image_type, certainty = routed(pixels, context, words)
    phash = phash_of(pixels)
    size = pixels.shape[1], pixels.shape[0]
    encoded = encode(Image.fromarray(pixels), task.max_side, task.max_bytes)
    if encoded is None:
        raise ParseFailed(f"'{task.name}' can't be made small enough: at most {task.max_bytes:,} bytes may be sent.")
    if task.captioner is None:
        return Look(image_type, certainty, words, encoded, phash, size)
    said = _captioner(task.captioner).describe(encoded, context, image_type, words)
    return Look(image_type, certainty, words, b"", phash, size, said)


def smaller(data: bytes, name: str, max_pixels: int, max_side: int, max_bytes: int) -> bytes:
    """A picture's file within limits, as PNG or JPEG. Raises `ParseFailed` for one that can't be shown or made so small."""
    made = encode(Image.fromarray(_pixels(data, name, max_pixels)), max_side, max_bytes)
    if made is None:
        raise ParseFailed(f"'{name}' can't be made small enough: at most {max_bytes:,} bytes may be sent.")
    return made


def _pixels(data: bytes, name: str, max_pixels: int) -> Pixels:
    try:
        return on_paper(read_drawing(data, max_pixels).image if is_drawing(data) else read_raster(data, max_pixels).image)
    except PictureRefused as refused:
        raise ParseFailed(f"'{name}' can't be looked at: {refused.detail}.") from refused


def encode(image: Image.Image, max_side: int, max_bytes: int) -> bytes | None:
    """As a file that every service takes: PNG for drawings, JPEG for what has many colours or would be too large as PNG.

    Made smaller until its longer side and its bytes are within their limits; None where that leaves nothing to see.
    """
    scale = min(1.0, max_side / max(image.size))
    while scale == 1 or scale * max(image.size) >= _LEAST_SIDE:
        sized = _scaled(image, scale)
        if sized.getcolors(_FEW_COLOURS) is not None and len(drawn := _saved(sized, "PNG", compress_level=3)) <= max_bytes:
            return drawn
        for quality in _JPEG_QUALITIES:
            if len(drawn := _saved(sized, "JPEG", quality=quality)) <= max_bytes:
                return drawn
        scale *= _SMALLER
    return None


def _scaled(image: Image.Image, scale: float) -> Image.Image:
    if scale >= 1:
        return image
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _saved(image: Image.Image, form: str, **options: int) -> bytes:
    target = io.BytesIO()
    image.save(target, form, **options)
    return target.getvalue()
