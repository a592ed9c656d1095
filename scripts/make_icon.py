#!/usr/bin/env python3
"""Draws the extension's icons: `extension/media/icon.png` and, in one colour for the activity bar, `view.svg`.

    .venv/bin/python scripts/make_icon.py
    .venv/bin/python scripts/make_icon.py --check    writes nothing; fails when a file differs from what would be drawn

Both show an answer with one passage marked. Everything is measured on a grid of 24 units. The PNG is compared by its pixels, as
its bytes depend on the zlib in use.
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from PIL import Image, ImageDraw

MEDIA = Path(__file__).resolve().parents[1] / "extension" / "media"

GRID = 24
PIXELS = 256
# Drawn larger and averaged, as Pillow does not smooth edges.
OVERSAMPLING = 8

BACKGROUND = "#17324d"
BUBBLE = "#f5f7fa"
LINE = "#7f93a8"
MARK = "#f2a900"

Box = tuple[float, float, float, float]

BUBBLE_BOX: Box = (3.5, 4.5, 20.5, 17)
BUBBLE_RADIUS = 2.5
TAIL = ((7, 16.5), (7, 21), (12, 16.5))
# The marked passage is thick enough to be seen in a list of 16 pixels.
LINE_BOXES: tuple[Box, ...] = ((6.5, 7.25, 17.5, 8.5), (6.5, 13.5, 13, 14.75))
MARK_BOX: Box = (6.5, 9.6, 17.5, 12.4)


def icon() -> Image.Image:
    scale = PIXELS * OVERSAMPLING / GRID

    def scaled(*numbers: float) -> list[float]:
        return [number * scale for number in numbers]

    picture = Image.new("RGBA", (PIXELS * OVERSAMPLING,) * 2)
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle(scaled(0, 0, GRID, GRID), radius=4.5 * scale, fill=BACKGROUND)
    draw.rounded_rectangle(scaled(*BUBBLE_BOX), radius=BUBBLE_RADIUS * scale, fill=BUBBLE)
    draw.polygon([(x * scale, y * scale) for x, y in TAIL], fill=BUBBLE)
    for box, colour in (*((line, LINE) for line in LINE_BOXES), (MARK_BOX, MARK)):
        draw.rounded_rectangle(scaled(*box), radius=(box[3] - box[1]) / 2 * scale, fill=colour)
    return picture.reduce(OVERSAMPLING)


def icon_png() -> bytes:
    target = io.BytesIO()
    icon().save(target, "PNG", optimize=True)
    return target.getvalue()


def view_svg() -> bytes:
    """The bubble as an outline with the marked passage in it; the editor gives it the theme's colour."""
    line, mark = 'stroke-width="1.25"', 'stroke-width="3"'
    rows = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" '
        'stroke="currentColor" stroke-linecap="round" stroke-linejoin="round">',
        '  <path stroke-width="1.5" d="M5 3.75h14A2.25 2.25 0 0 1 21.25 6v9A2.25 2.25 0 0 1 19 17.25h-7.5L6.75 21.5'
        'v-4.25H5A2.25 2.25 0 0 1 2.75 15V6A2.25 2.25 0 0 1 5 3.75z"/>',
        f'  <path {line} d="M6.5 7.25h11M6.5 14h6"/>',
        f'  <path {mark} d="M7.5 10.6h9"/>',
        "</svg>",
    ]
    return ("\n".join(rows) + "\n").encode()


def is_current(path: Path, data: bytes) -> bool:
    """Whether the file shows what `data` shows."""
    if not path.is_file():
        return False
    if path.suffix != ".png":
        return path.read_bytes() == data
    with Image.open(path) as there, Image.open(io.BytesIO(data)) as wanted:
        return (there.mode, there.size, there.tobytes()) == (wanted.mode, wanted.size, wanted.tobytes())


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw the extension's icons.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file differs from what would be drawn")
    check: bool = parser.parse_args().check
    differing = []
    for name, data in (("icon.png", icon_png()), ("view.svg", view_svg())):
        if is_current(MEDIA / name, data):
            continue
        differing.append(name)
        if not check:
            MEDIA.mkdir(parents=True, exist_ok=True)
            (MEDIA / name).write_bytes(data)
    if differing and check:
        print(f"Differs from what scripts/make_icon.py draws: {', '.join(differing)}. Run it without --check.", file=sys.stderr)
    return 1 if differing and check else 0


if __name__ == "__main__":
    raise SystemExit(main())
