"""What can be seen in a picture without reading it: a ruled grid, axes, boxes with lines between them, a window, a photograph."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from ragd.core.documents import OcrLine
from ragd.vision.flows import Flow, flow_of
from ragd.vision.frames import Grid, axes_of, grid_of
from ragd.vision.lines import Drawing, drawing_of
from ragd.vision.shapes import Box, boxes_of, joined_of
from ragd.vision.windows import UI_WORDS, buttons_of, has_title_bar, panes_of
from ragd.vision.words import height, is_number, middle, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragd.vision.lines import Mask


@dataclass(frozen=True, slots=True)
class Features:
    """Shares are 0..1, the others are counts."""

    width: int
    height: int
    words: int
    numbers: int
    flat: float
    """Share of pixels that are as their neighbours."""
    colours: int
    """Different colours, coarsely."""
    grid_rows: int
    grid_columns: int
    grid_area: float
    grid_words: float
    """Share of the words that stand in the grid."""
    column_rows: int
    """Rows of words that stand in the same columns."""
    axes: bool
    numbers_left: int
    numbers_below: int
    bars: int
    disc: bool
    curves: int
    boxes: int
    joined: int
    """Strokes that lead from one box to another."""
    arrows: int
    diamonds: int
    ui_words: int
    title_bar: bool
    panes: int
    buttons: int

    exact: float
    """Share of pixels that are exactly as their neighbours: much in drawings, little in photographs."""
    smooth: float
    """Share of pixels that differ a little from their neighbours."""
    touching: float
    """Share of the boxes that touch another, as cells and buttons do and boxes of a diagram don't."""
    brightness: float
    letters: float
    """Usual height of a line of text, as a share of the picture's height."""
    words_left: float
    """Share of the words that begin where others above or below them begin."""
    ovals: int
    flow: Flow

    def values(self) -> list[float]:
        """As numbers of about the same size: counts by their logarithms, conditions as 0 or 1."""
        shares = ("flat", "grid_area", "grid_words", "exact", "smooth", "touching", "brightness", "letters", "words_left")
        counts = (
            *("words", "grid_rows", "grid_columns", "column_rows", "numbers_left", "numbers_below", "bars", "curves"),
            *("boxes", "joined", "arrows", "diamonds", "ui_words", "panes", "buttons", "colours", "ovals"),
        )
        conditions = ("axes", "disc", "title_bar")
        found = [float(getattr(self, name)) for name in (*shares, *conditions)]
        found += [math.log1p(float(getattr(self, name))) for name in counts]
        ratios = (self.numbers / max(1, self.words), self.arrows / max(1, self.joined), self.joined / max(1, self.boxes))
        of_flow = self.flow
        found += [math.log1p(of_flow.questions), math.log1p(of_flow.ends), of_flow.doing, of_flow.code, of_flow.boxed]
        found += [of_flow.below, of_flow.beside, self.diamonds / max(1, self.boxes), self.ovals / max(1, self.boxes)]
        return [*found, *ratios, math.log(self.width / self.height), math.log(self.width * self.height) / 10]


def features_of(pixels: NDArray[np.uint8], words: Sequence[OcrLine]) -> Features:
    """Look at a picture `[height, width, 3]` (red, green, blue); `words` are the lines that were read in it."""
    drawing = drawing_of(pixels)
    width, tall = drawing.size
    grid = grid_of(drawing)
    axes = axes_of(drawing)
    boxes, diamonds, ovals = boxes_of(drawing, words)
    joined, arrows = joined_of(drawing, boxes, words)
    left, below = _ticks(words, axes, width, tall)
    inside = _inside(words, grid, width, tall)
    exact, smooth = _texture(drawing)
    return Features(
        width=pixels.shape[1],
        height=pixels.shape[0],
        words=len(words),
        numbers=sum(is_number(line.text) for line in words),
        flat=_flat(drawing),
        colours=_colours(drawing),
        grid_rows=len(grid[0]) - 1 if grid else 0,
        grid_columns=len(grid[1]) - 1 if grid else 0,
        grid_area=_area(grid, width, tall),
        grid_words=inside,
        column_rows=_column_rows(words),
        axes=axes is not None,
        numbers_left=left,
        numbers_below=below,
        bars=_bars(drawing),
        disc=_disc(drawing),
        curves=_curves(drawing, axes),
        boxes=len(boxes),
        joined=joined,
        arrows=arrows,
        diamonds=diamonds,
        ui_words=sum(bool(UI_WORDS.match(line.text)) for line in words),
        title_bar=has_title_bar(drawing),
        panes=panes_of(drawing),
        buttons=buttons_of(drawing, words),
        exact=exact,
        smooth=smooth,
        touching=_touching(boxes),
        brightness=float(drawing.grey.mean()) / 255,
        letters=height(words),
        words_left=_left_aligned(words),
        ovals=ovals,
        flow=flow_of(boxes, words, drawing.size),
    )


def _inside(words: Sequence[OcrLine], grid: Grid | None, width: int, tall: int) -> float:
    if not grid or not words:
        return 0.0
    (top, *_, bottom), (left, *_, right) = grid
    held = sum(left <= x * width <= right and top <= y * tall <= bottom for x, y in map(middle, words))
    return held / len(words)


def _area(grid: Grid | None, width: int, tall: int) -> float:
    if not grid:
        return 0.0
    down, across = grid
    return (down[-1] - down[0]) * (across[-1] - across[0]) / (width * tall)


def _ticks(words: Sequence[OcrLine], axes: tuple[int, int, int, int] | None, width: int, tall: int) -> tuple[int, int]:
    """Numbers one below the other at the left, and short texts in a row below."""
    numbers = [line for line in words if is_number(line.text)]
    if axes:
        left, top, right, bottom = axes[0] / width, axes[1] / tall, axes[2] / width, axes[3] / tall
        beside = [line for line in numbers if line.box[2] <= left + 0.02 and top - 0.05 <= middle(line)[1] <= bottom + 0.05]
        below = [
            line
            for line in words
            if bottom - 0.01 <= line.box[1] <= bottom + 0.2 and left - 0.1 <= middle(line)[0] <= right + 0.1
        ]
        rows = rows_of(below)
        return len(beside), len(rows[0]) if rows and len(rows[0]) >= 3 else 0
    beside = _aligned(numbers)
    rows = [row for row in rows_of(numbers) if len(row) >= 3]
    return len(beside), max((len(row) for row in rows), default=0)


def _aligned(numbers: Sequence[OcrLine]) -> list[OcrLine]:
    """The most numbers that end at the same place, one below the other with equal distances."""
    best: list[OcrLine] = []
    for one in numbers:
        column = sorted((other for other in numbers if abs(other.box[2] - one.box[2]) < 0.015), key=lambda line: line.box[1])
        gaps = [second.box[1] - first.box[1] for first, second in itertools.pairwise(column)]
        if len(column) >= 3 and gaps and max(gaps) <= 1.6 * min(gaps) + 0.01 and len(column) > len(best):
            best = column
    return best


def _column_rows(words: Sequence[OcrLine]) -> int:
    """Rows of three and more short texts that begin, or end, where those of the row before do."""
    rows = [row for row in rows_of(words) if len(row) >= 3]
    if len(rows) < 3:
        return 0
    matched = 1
    for above, row in itertools.pairwise(rows):
        near = sum(
            any(
                min(abs(line.box[0] - other.box[0]), abs(line.box[2] - other.box[2]), abs(middle(line)[0] - middle(other)[0]))
                < 0.02
                for other in above
            )
            for line in row
        )
        matched += near >= 0.7 * len(row) and abs(len(row) - len(above)) <= 1
    in_rows = sum(map(len, rows))
    return matched if in_rows >= 0.6 * len(words) else 0


def _flat(drawing: Drawing) -> float:
    grey = drawing.grey.astype(np.int16)
    across = np.abs(np.diff(grey, axis=1))[:-1]
    down = np.abs(np.diff(grey, axis=0))[:, :-1]
    return float(((across <= 2) & (down <= 2)).mean()) if across.size else 1.0


def _texture(drawing: Drawing) -> tuple[float, float]:
    """Shares of pixels that are exactly as the one to their right, and that differ from it a little."""
    across = np.abs(np.diff(drawing.grey.astype(np.int16), axis=1))
    return (float((across == 0).mean()), float(((across > 0) & (across <= 10)).mean())) if across.size else (1.0, 0.0)


def _touching(boxes: Sequence[Box]) -> float:
    near = 6

    def touches(one: Box, other: Box) -> bool:
        return min(one[2], other[2]) + near >= max(one[0], other[0]) and min(one[3], other[3]) + near >= max(one[1], other[1])

    return sum(any(touches(one, other) for other in boxes if other is not one) for one in boxes) / max(1, len(boxes))


def _left_aligned(words: Sequence[OcrLine]) -> float:
    lefts = [line.box[0] for line in words]
    return sum(sum(abs(left - other) < 0.006 for other in lefts) >= 3 for left in lefts) / max(1, len(lefts))


def _colours(drawing: Drawing) -> int:
    coarse = (drawing.colours[::2, ::2] >> 3).astype(np.int32)
    keys = (coarse[..., 0] << 10) | (coarse[..., 1] << 5) | coarse[..., 2]
    counts = np.bincount(keys.ravel(), minlength=1 << 15)
    return int((counts > 2).sum())


def _hues(drawing: Drawing, least: int) -> Mask:
    """Which fifteenth of the colour circle pixels of ink have, from 1; 0 where it is dark or no more saturated than `least`."""
    hsv = cv2.cvtColor(drawing.colours, cv2.COLOR_RGB2HSV)
    strong = (hsv[..., 1] > least) & (hsv[..., 2] > 40) & (drawing.ink > 0)
    return np.asarray(np.where(strong, hsv[..., 0] // 12 + 1, 0), np.uint8)


def _masks(hues: Mask) -> Iterator[Mask]:
    """One for each hue that more than a few pixels have."""
    for hue in np.flatnonzero(np.bincount(hues.ravel(), minlength=16)[1:] >= 60) + 1:
        yield (hues == hue).view(np.uint8) * np.uint8(255)


def _areas(drawing: Drawing) -> list[tuple[int, int, int, int, int]]:
    """Left, top, width, height and pixels of areas of one strong colour."""
    found: list[tuple[int, int, int, int, int]] = []
    for hue in _masks(_hues(drawing, 50)):
        mask = np.asarray(cv2.morphologyEx(hue, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
        found += [tuple(row) for row in np.asarray(stats)[1:].tolist() if row[4] >= 60]
    return found


def _bars(drawing: Drawing) -> int:
    """Filled rectangles with a common foot, or a common left edge, and the same thickness."""
    filled = [area for area in _areas(drawing) if area[4] >= 0.9 * area[2] * area[3] and min(area[2], area[3]) >= 4]
    best = 0
    for one in filled:
        upright = [other for other in filled if abs(other[1] + other[3] - one[1] - one[3]) <= 3 and abs(other[2] - one[2]) <= 3]
        level = [other for other in filled if abs(other[0] - one[0]) <= 3 and abs(other[3] - one[3]) <= 3]
        for group, size in ((upright, 3), (level, 2)):
            if len({other[size] // 4 for other in group}) >= 2:
                best = max(best, len(group))
    return best


def _disc(drawing: Drawing) -> bool:
    """A round area of several colours."""
    hsv = cv2.cvtColor(drawing.colours, cv2.COLOR_RGB2HSV)
    mask = np.asarray((hsv[..., 1] > 40) * 255, np.uint8) & drawing.ink
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        left, top, width, tall = cv2.boundingRect(contour)
        area = cv2.contourArea(contour)
        if area < 0.04 * mask.size or not 0.85 <= width / tall <= 1.18:
            continue
        (_, _), radius = cv2.minEnclosingCircle(contour)
        if area >= 0.9 * np.pi * radius * radius:
            hues = hsv[top : top + tall, left : left + width, 0][mask[top : top + tall, left : left + width] > 0] // 12
            if (np.bincount(hues, minlength=15) > 0.03 * hues.size).sum() >= 2:
                return True
    return False


def _curves(drawing: Drawing, axes: tuple[int, int, int, int] | None) -> int:
    """Thin coloured strokes that run across a good part of the picture, or of the area of its axes."""
    width, tall = drawing.size
    left, top, right, bottom = axes or (0, 0, width, tall)
    wide = max(1, right - left)
    found = 0
    for hue in _masks(np.ascontiguousarray(_hues(drawing, 60)[top:bottom, left:right])):
        mask = np.asarray(cv2.dilate(hue, np.ones((3, 3), np.uint8)), np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        found += any(
            row[2] >= 0.4 * wide
            and row[3] >= 8
            and row[4] <= 0.35 * row[2] * row[3] + 12 * row[2]
            and row[4] <= 12 * (row[2] + row[3])
            for row in np.asarray(stats)[1:].tolist()
        )
    return found
