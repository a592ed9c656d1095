"""Makes a picture easier to read for the text recognition that reads it: what it needs is measured.

The steps were decided by measurement (`scripts/bench/ocr.py`): PP-OCRv6 reads dark mode, slanted lines, blur, noise and JPEG's
artefacts as well without help, and loses by binarising, sharpening, local contrast and general smoothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from ragd.providers.protocols import Pixels

_MIN_SPECKS: Final = 0.002
"""Share of lone black or white pixels, unlike all around them, from which they are noise. Letters have 0.0002."""
_SPECK_STEP: Final = 60
"""Levels of grey by which a speck differs from its neighbours."""
_SPECK_LEVELS: Final = 30
"""Levels of grey next to black and white that count as these. The soft edges of letters lie between."""
_MIN_RANGE: Final = 48
"""Levels of grey between the darkest and the lightest part; with fewer, nothing is detected (letters of #f0f0f0 on white)."""
_TINY: Final = 8
"""Height of a line in pixels up to which it is enlarged to `_ENLARGED`; from 9 pixels on that gains nothing."""
_ENLARGED: Final = 12
_LARGE: Final = 34
"""Height of the smaller lines from which a picture is made smaller; lines of `READABLE` pixels are read as well."""
READABLE: Final = 24
MAX_PIXELS: Final = 12_000_000
"""Pixels that are read at most; a larger picture is made smaller. A screen of 4K has 8.3, a page of A4 at 300 dpi 8.7 million."""
TILE: Final = 1600
"""Side of what is read at once, in pixels: at 2,000 the engine takes 1.0 GB of memory, at 1,280 it takes 0.7 GB."""
MARGIN: Final = 32
"""Pixels around what is read: without them, of words that fill their picture the half is missed."""
MIN_SIDE: Final = 128
"""Pixels of each side of what is read, margin included."""

_OUTLIERS: Final = 0.0002
_NEIGHBOURS: Final = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))
_RING: Final = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with a picture, in this order. `contrast` are the levels of grey to be black and white."""

    despeckle: bool = False
    contrast: tuple[int, int] | None = None
    scale: float = 1.0
    reasons: tuple[str, ...] = ()


def plan(pixels: Pixels) -> Plan:
    """What would make a picture `[height, width, 3]` easier to read."""
    gray = _gray(pixels)
    reasons = []
    if despeckle := _specks(gray) > _MIN_SPECKS:
        gray = _without_specks(gray)
        reasons.append("lone pixels all over it")
    low, high = (int(level) for level in np.quantile(gray, (_OUTLIERS, 1 - _OUTLIERS)))
    contrast = (low, high) if 0 < high - low < _MIN_RANGE else None
    if contrast:
        reasons.append(f"only {high - low} levels of grey")
    scale = 1.0
    text = line_height(gray)
    if text is not None and text <= _TINY:
        scale = _ENLARGED / text
        reasons.append(f"lines of {text} pixels are too small")
    elif text is not None and text >= _LARGE:
        scale = READABLE / text
        reasons.append(f"lines of {text} pixels are larger than needed")
    most = (MAX_PIXELS / gray.size) ** 0.5
    if scale > most:
        scale = most
        reasons.append(f"more than {MAX_PIXELS // 1_000_000} million pixels")
    return Plan(despeckle, contrast, scale, tuple(reasons))


def prepare(pixels: Pixels, steps: Plan) -> Pixels:
    """The picture with the steps of a plan done to it."""
    if steps.despeckle:
        pixels = _without_specks(pixels)
    if steps.contrast:
        low, high = steps.contrast
        levels = np.clip((np.arange(256) - low) * (255 / (high - low)), 0, 255).astype(np.uint8)
        pixels = _pixels(cv2.LUT(pixels, levels))
    if steps.scale != 1.0:
        height, width = pixels.shape[:2]
        size = max(1, round(width * steps.scale)), max(1, round(height * steps.scale))
        method = cv2.INTER_CUBIC if steps.scale > 1 else cv2.INTER_AREA
        pixels = _pixels(cv2.resize(pixels, size, interpolation=method))
    return pixels


def line_height(gray: Pixels) -> int | None:
    """Height of the smaller lines of text in pixels: of a quarter of all text, by width, lines are lower. None without lines.

    Edges are joined along the line; what is then much wider than high, and filled, is taken for a line of text.
    """
    edges = cv2.morphologyEx(gray, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    _, mask = cv2.threshold(edges, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((1, 11), np.uint8))
    _, _, found, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    # Row 0 is the background.
    widths, heights, areas = found[1:, cv2.CC_STAT_WIDTH], found[1:, cv2.CC_STAT_HEIGHT], found[1:, cv2.CC_STAT_AREA]
    lines = (heights >= 6) & (heights <= 150) & (widths >= 2 * heights) & (areas >= 0.4 * widths * heights)
    if not lines.any():
        return None
    order = np.argsort(heights[lines])
    widths_so_far = np.cumsum(widths[lines][order])
    quarter = int(np.searchsorted(widths_so_far, widths_so_far[-1] / 4))
    return int(heights[lines][order][quarter]) - 2  # the edge lies outside of the letters on both sides


def tiles(pixels: Pixels) -> list[tuple[int, int, int, int]]:
    """Left, top, right and bottom of the parts in which to read a picture, cut where there is least to cut through."""
    height, width = pixels.shape[:2]
    if max(height, width) <= TILE:
        return [(0, 0, width, height)]
    gray = _gray(pixels)
    found = []
    # Letters change along their line: a row of pixels between lines has few changes, even where frames cross it.
    rows = cv2.absdiff(gray[:, 1:], gray[:, :-1]).sum(axis=1, dtype=np.int64)
    for top, bottom in _cuts(rows, height):
        columns = cv2.absdiff(gray[top + 1 : bottom], gray[top : bottom - 1]).sum(axis=0, dtype=np.int64)
        found += [(left, top, right, bottom) for left, right in _cuts(columns, width)]
    return found


def with_margin(pixels: Pixels) -> Pixels:
    """The picture with `MARGIN` on all sides (more at the right and below where it is small), in the colour of its edges."""
    height, width = pixels.shape[:2]
    edges = np.concatenate((pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]))
    colour = [int(level) for level in np.median(edges, axis=0)]
    below, right = max(MARGIN, MIN_SIDE - MARGIN - height), max(MARGIN, MIN_SIDE - MARGIN - width)
    source = np.ascontiguousarray(pixels)
    return _pixels(cv2.copyMakeBorder(source, MARGIN, below, MARGIN, right, cv2.BORDER_CONSTANT, value=colour))


def _gray(pixels: Pixels) -> Pixels:
    return _pixels(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))


def _pixels(made: np.ndarray[Any, Any]) -> Pixels:
    """OpenCV's annotations leave the kind of numbers open."""
    return np.asarray(made, np.uint8)


def _cuts(ink: np.ndarray[tuple[int, ...], np.dtype[np.int64]], length: int) -> list[tuple[int, int]]:
    """Stretches of at most `TILE`, each ending where there is least ink in its last third."""
    found, start = [], 0
    while length - start > TILE:
        window = ink[start + 2 * TILE // 3 : start + TILE]
        # Of equal rows the last one makes the fewest tiles.
        end = start + TILE - int(np.argmin(window[::-1]))
        found.append((start, end))
        start = end
    return [*found, (start, length)]


def _specks(gray: Pixels) -> float:
    """Share of black and white pixels that are darker or lighter than all of their neighbours, and by far."""
    lightest, darkest = cv2.dilate(gray, _RING), cv2.erode(gray, _RING)
    lone = (cv2.subtract(gray, lightest) > _SPECK_STEP) | (cv2.subtract(darkest, gray) > _SPECK_STEP)
    return float(np.count_nonzero(lone & _extreme(gray))) / gray.size


def _without_specks(pixels: Pixels) -> Pixels:
    """Black and white pixels with at most one neighbour like themselves become the median around them; strokes stay."""
    gray = pixels if pixels.ndim == 2 else _gray(pixels)
    framed = cv2.copyMakeBorder(gray, 1, 1, 1, 1, cv2.BORDER_REPLICATE)
    height, width = gray.shape
    alike = np.zeros(gray.shape, np.uint8)
    for right, down in _NEIGHBOURS:
        neighbour = framed[1 + down : 1 + down + height, 1 + right : 1 + right + width]
        alike += cv2.absdiff(neighbour, gray) <= _SPECK_STEP
    specks = _extreme(gray) & (alike <= 1) & (cv2.absdiff(gray, cv2.medianBlur(gray, 3)) > _SPECK_STEP)
    cleaned: Pixels = pixels.copy()
    cleaned[specks] = cv2.medianBlur(pixels, 3)[specks]
    return cleaned


def _extreme(gray: Pixels) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.asarray((gray <= _SPECK_LEVELS) | (gray >= 255 - _SPECK_LEVELS))
