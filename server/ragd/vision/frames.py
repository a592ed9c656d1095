"""The ruled grid of a table, and the axes of a chart."""

from __future__ import annotations

import cv2
import numpy as np

from ragd.vision.lines import Drawing, Line, positions

Grid = tuple[list[int], list[int]]


def grid_of(drawing: Drawing) -> Grid | None:
    """Where the rules of the largest grid stand: down and across, in pixels of the drawing; None without one."""
    both = drawing.across_mask | drawing.down_mask
    both = np.asarray(cv2.dilate(both, np.ones((3, 3), np.uint8)), np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(both, connectivity=8)
    rows = np.asarray(stats)[1:].tolist()
    best: Grid | None = None
    most = 0
    for left, top, width, tall, _ in sorted(rows, key=lambda row: -row[2] * row[3])[:4]:
        inside_across = [
            one for one in drawing.across if top - 4 <= one.at <= top + tall + 4 and _meets(one, left, left + width, 0.4)
        ]
        inside_down = [
            one for one in drawing.down if left - 4 <= one.at <= left + width + 4 and _meets(one, top, top + tall, 0.4)
        ]
        down, across = positions(inside_across, 8), positions(inside_down, 8)
        cells = (len(down) - 1) * (len(across) - 1)
        if len(down) >= 3 and len(across) >= 3 and cells > most:
            best, most = (down, across), cells
    return best


def _meets(line: Line, low: int, high: int, share: float) -> bool:
    return min(line.end, high) - max(line.start, low) >= share * (high - low)


def axes_of(drawing: Drawing) -> tuple[int, int, int, int] | None:
    """Left, top, right and bottom of the area that an upright and a level axis span; None without them."""
    width, tall = drawing.size
    for upright in drawing.down:
        if upright.at > 0.4 * width or upright.length < 0.3 * tall:
            continue
        for level in reversed(drawing.across):
            meets = abs(level.at - upright.end) <= max(6, 0.03 * tall) and abs(level.start - upright.at) <= max(6, 0.03 * width)
            if meets and level.length >= 0.3 * width and level.at > 0.4 * tall:
                return upright.at, upright.start, level.end, level.at
    return None


def frames_of(drawing: Drawing) -> list[tuple[int, int, int, int]]:
    """Every area that an upright and a level line span: as `axes_of`, and smaller ones, those in the middle of a picture, and
    those whose lines run on to the marks, too."""
    width, tall = drawing.size
    found: list[tuple[int, int, int, int]] = []
    for upright in drawing.down:
        if upright.at > 0.6 * width or upright.length < 0.15 * tall:
            continue
        for level in drawing.across:
            meets = (
                abs(level.at - upright.end) <= max(6, 0.06 * tall) and -0.08 * width <= level.start - upright.at <= 0.03 * width
            )
            if meets and level.end - upright.at >= 0.2 * width:
                found.append((upright.at, upright.start, level.end, level.at))
    return found
