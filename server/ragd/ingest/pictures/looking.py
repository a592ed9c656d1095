"""A kept picture, looked at once more in a process that reads files: what it is, and what `rules` can say of it."""

from __future__ import annotations

import io
from functools import cache
from typing import Final

from PIL import Image

from ragd.core.errors import ParseFailed
from ragd.formats.images.drawings import is_drawing, read_drawing
from ragd.formats.images.rasters import PictureRefused, on_paper, read_raster
from ragd.ingest.pictures.extraction import PictureReader
from ragd.ingest.workers.looks import Look, LookTask
from ragd.providers.caption_protocol import Captioner
from ragd.providers.registry import build
from ragd.vision.routing import image_type_of

_FEW_COLOURS: Final = 4096
"""Drawings have fewer; photographs more, and are sent as JPEG."""
_JPEG_QUALITY: Final = 90


@cache
def _captioner(name: str) -> Captioner:
    made: Captioner = build("captioner", name)
    return made


def look(task: LookTask, reader: PictureReader, max_pixels: int) -> Look:
    """Look at a picture. Raises `ParseFailed` when it can't be shown."""
    try:
        image = read_drawing(task.data, max_pixels).image if is_drawing(task.data) else read_raster(task.data, max_pixels).image
    except PictureRefused as refused:
        raise ParseFailed(f"'{task.name}' can't be looked at: {refused.detail}.") from refused
    pixels = on_paper(image)
    words = reader.read(pixels).lines if task.words is None else task.words
    image_type = image_type_of(pixels, task.context, words)
    encoded = _encoded(Image.fromarray(pixels), task.max_side)
    if task.captioner is None:
        return Look(image_type, words, encoded)
    return Look(image_type, words, b"", _captioner(task.captioner).describe(encoded, task.context, image_type, words))


def _encoded(image: Image.Image, max_side: int) -> bytes:
    """As a file that every service takes: PNG for drawings, JPEG for what has many colours."""
    scale = min(1.0, max_side / max(image.size))
    if scale < 1:
        size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
        image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    target = io.BytesIO()
    if image.getcolors(_FEW_COLOURS) is not None:
        image.save(target, "PNG", compress_level=3)
    else:
        image.save(target, "JPEG", quality=_JPEG_QUALITY)
    return target.getvalue()
