"""Bars and curves of a chart, by their colours: where they end, as fractions of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from ragd.vision.lines import Drawing

if TYPE_CHECKING:
    from numpy.typing import NDArray

Area = tuple[float, float, float, float]
Points = list[tuple[float, float]]

_LEAST_BARS: Final = 2
_SMALLEST: Final = 40
_SWATCH: Final = 9
_FULL: Final = 0.88
_HUES: Final = 15


def hue_masks(drawing: Drawing) -> list[NDArray[np.uint8]]:
    """What is drawn in each of the strong colours, where there is some of it."""
    hsv = cv2.cvtColor(drawing.colours, cv2.COLOR_RGB2HSV)
    strong = (hsv[..., 1] > 55) & (hsv[..., 2] > 40) & (drawing.ink > 0)
    hues = hsv[..., 0] // 12
    found = [np.asarray((strong & (hues == hue)) * 255, np.uint8) for hue in range(_HUES)]
    return [mask for mask in found if int(np.count_nonzero(mask)) >= _SMALLEST]


@dataclass(frozen=True, slots=True)
class Marks:
    """Bars or a curve of one colour: their points from left to right, and all that is drawn in this colour."""

    points: Points
    mask: NDArray[np.uint8]


def bars_of(drawing: Drawing, area: Area, base: float | None = None) -> list[Marks]:
    """The ends of upright bars that stand on a line across the area, or hang from it, by colour.

    The line is at `base`, a fraction of the picture: without one, the lower edge of the area.
    """
    width, tall = drawing.size
    left, top, right, bottom = (round(value * side) for value, side in zip(area, (width, tall, width, tall), strict=True))
    line, near = round(base * tall) if base is not None else bottom, max(4, 0.02 * tall)
    found: list[Marks] = []
    for mask in hue_masks(drawing):
        opened = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=4)
        bars = [
            (x, y, wide, high)
            for x, y, wide, high, size in np.asarray(stats)[1:].tolist()
            if size >= max(_SMALLEST, _FULL * wide * high)
            and wide >= 4
            and left - 3 <= x
            and x + wide <= right + 3
            and y >= top - 3
            and min(abs(y + high - line), abs(y - line)) <= near
        ]
        widths = [bar[2] for bar in bars]
        if len(bars) >= _LEAST_BARS and max(widths) <= 1.4 * min(widths) + 2:
            ends = [(x, wide, y if abs(y + high - line) <= abs(y - line) else y + high) for x, y, wide, high in sorted(bars)]
            found.append(Marks([((x + wide / 2) / width, (end - 0.5) / tall) for x, wide, end in ends], mask))
    return found


def curves_of(drawing: Drawing, area: Area, places: Sequence[float]) -> list[Marks]:
    """The heights of coloured curves at these places across, one list for each curve that runs over most of them."""
    width, tall = drawing.size
    top, bottom = round(area[1] * tall), round(area[3] * tall)
    found: list[Marks] = []
    for mask in hue_masks(drawing):
        points: Points = []
        for place in places:
            x = round(place * width)
            rows = np.flatnonzero(mask[top:bottom, max(0, x - 2) : x + 3].any(axis=1))
            # A curve is thin; an area, or two curves of one colour, can't be read.
            if rows.size and np.ptp(rows) <= max(8, 0.08 * (bottom - top)):
                points.append((place, (top + float(np.median(rows))) / tall))
        if len(points) >= max(3, 0.7 * len(places)):
            found.append(Marks(points, mask))
    return found


def swatches_of(marks: Marks, drawing: Drawing, area: Area) -> list[Area]:
    """Small patches of a colour outside of the area, as a legend has beside a name; fractions of the picture, largest first."""
    width, tall = drawing.size
    _, _, stats, _ = cv2.connectedComponentsWithStats(marks.mask, connectivity=8)
    patches = [
        (size, x / width, y / tall, (x + wide) / width, (y + high) / tall)
        for x, y, wide, high, size in np.asarray(stats)[1:].tolist()
        if size >= _SWATCH and high <= 0.06 * tall + 4 and wide <= 0.08 * width and size >= 0.5 * wide * high
    ]
    outside = [
        one for one in patches if one[3] < area[0] or one[1] > area[2] or one[4] < area[1] - 0.01 or one[2] > area[3] + 0.01
    ]
    return [one[1:] for one in sorted(outside, reverse=True)]
