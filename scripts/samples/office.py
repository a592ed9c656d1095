"""What the makers of Office samples share: fixed dates, archives without a trace of the clock, and small drawings."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC, datetime

from PIL import Image, ImageDraw, ImageFont

MADE = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
"""When the samples say that they were written."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_PROPERTIES = "docProps/core.xml"


def without_clock(data: bytes) -> bytes:
    """The same Office file with the archive's times at their epoch and the properties' dates at `MADE`, embedded files too."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as result:
        for name in source.namelist():
            entry = source.read(name)
            if name == _PROPERTIES:
                entry = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", f"{MADE:%Y-%m-%dT%H:%M:%SZ}".encode(), entry)
            elif entry.startswith(b"PK\x03\x04"):
                entry = without_clock(entry)
            result.writestr(zipfile.ZipInfo(name, _EPOCH), entry, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def line_chart(title: str, values: list[int], unit: str, marked: dict[int, str]) -> bytes:
    """A PNG of a curve; `marked` are words at some of its points. Western text only: the font is Pillow's own."""
    width, height, left, bottom = 720, 360, 70, 310
    picture = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(picture)
    draw.text((left, 14), title, "black", ImageFont.load_default(24))
    small = ImageFont.load_default(17)
    top = max(values)
    points = [
        (left + index * (width - left - 30) // (len(values) - 1), bottom - value * 240 // top)
        for index, value in enumerate(values)
    ]
    for share in (0, 0.5, 1):
        y = bottom - round(240 * share)
        draw.line(((left, y), (width - 30, y)), "#c8c8c8")
        draw.text((8, y - 10), f"{round(top * share):,}", "#404040", small)
    draw.line(points, "#1f5fa8", 4)
    for index, words in marked.items():
        x, y = points[index]
        draw.ellipse((x - 6, y - 6, x + 6, y + 6), "#c0392b")
        draw.text((x + 10, y + 6), words, "#c0392b", small)
    draw.text((left, bottom + 14), unit, "#404040", small)
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()
