"""Bars and curves of a chart, by their colours: where they end, as fractions of the picture."""

from __future__ import annotations

from collections.abc import Sequence
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
_FULL: Final = 0.88
_HUES: Final = 15


def hue_masks(drawing: Drawing) -> list[NDArray[np.uint8]]:
    """What is drawn in each of the strong colours, where there is some of it."""
    hsv = cv2.cvtColor(drawing.colours, cv2.COLOR_RGB2HSV)
    strong = (hsv[..., 1] > 55) & (hsv[..., 2] > 40) & (drawing.ink > 0)
    hues = hsv[..., 0] // 12
    found = [np.asarray((strong & (hues == hue)) * 255, np.uint8) for hue in range(_HUES)]
    return [mask for mask in found if int(np.count_nonzero(mask)) >= _SMALLEST]


def bars_of(drawing: Drawing, area: Area) -> list[Points]:
    """The tops of upright bars that stand on the lower edge of the area, by colour, from left to right."""
    width, tall = drawing.size
    left, top, right, bottom = (round(value * side) for value, side in zip(area, (width, tall, width, tall), strict=True))
    found: list[Points] = []
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
            and abs(y + high - bottom) <= max(4, 0.02 * tall)
        ]
        widths = [bar[2] for bar in bars]
        if len(bars) >= _LEAST_BARS and max(widths) <= 1.4 * min(widths) + 2:
            found.append([((x + wide / 2) / width, y / tall) for x, y, wide, high in sorted(bars)])
    return found


def curves_of(drawing: Drawing, area: Area, places: Sequence[float]) -> list[Points]:
    """The heights of coloured curves at these places across, one list for each curve that runs over most of them."""
    width, tall = drawing.size
    top, bottom = round(area[1] * tall), round(area[3] * tall)
    found: list[Points] = []
    for mask in hue_masks(drawing):
        points: Points = []
        for place in places:
            x = round(place * width)
            rows = np.flatnonzero(mask[top:bottom, max(0, x - 2) : x + 3].any(axis=1))
            # A curve is thin; an area, or two curves of one colour, can't be read.
            if rows.size and np.ptp(rows) <= max(8, 0.08 * (bottom - top)):
                points.append((place, (top + float(np.median(rows))) / tall))
        if len(points) >= max(3, 0.7 * len(places)):
            found.append(points)
    return found
