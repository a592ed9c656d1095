"""Boxes with words in them, and strokes that lead from one to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from ragd.core.documents import OcrLine
from ragd.vision.lines import Drawing
from ragd.vision.words import middle

if TYPE_CHECKING:
    from numpy.typing import NDArray

Box = tuple[int, int, int, int]
_OVAL: Final = (0.75, 0.83)
"""Share of its frame that an ellipse fills, about: a quarter of pi."""


def boxes_of(drawing: Drawing, words: Sequence[OcrLine]) -> tuple[list[Box], int, int]:
    """Closed shapes with words in them that stand apart, and how many of them are diamonds, and ovals."""
    edges = cv2.Canny(drawing.grey, 40, 120)
    closed = cv2.morphologyEx(np.asarray(edges), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    width, tall = drawing.size
    whole = width * tall
    found: list[tuple[Box, bool, bool]] = []
    for contour in contours:
        left, top, wide, high = cv2.boundingRect(contour)
        if not 0.0015 * whole <= wide * high <= 0.3 * whole or min(wide, high) < 12:
            continue
        area = cv2.contourArea(cv2.convexHull(contour))
        own = cv2.contourArea(contour)
        if own < 0.85 * area:
            continue
        share = area / (wide * high)
        is_diamond = 0.42 <= share <= 0.62 and _is_diamond(np.asarray(contour), left, top, wide, high)
        if share < 0.7 and not is_diamond:
            continue
        box = (left, top, left + wide, top + high)
        if not any(left <= x * width <= left + wide and top <= y * tall <= top + high for x, y in map(middle, words)):
            continue
        if all(_overlap(box, other) < 0.6 for other, *_ in found):
            found.append((box, is_diamond, not is_diamond and _OVAL[0] <= share <= _OVAL[1]))
    # Frames around several of the others are groups, and no boxes.
    boxes = [shape for shape in found if sum(_holds(shape[0], other) for other, *_ in found if other != shape[0]) < 2]
    return [box for box, *_ in boxes], sum(diamond for _, diamond, _ in boxes), sum(oval for *_, oval in boxes)


def _is_diamond(contour: NDArray[Any], left: int, top: int, wide: int, high: int) -> bool:
    corners = cv2.approxPolyDP(contour, 0.04 * cv2.arcLength(contour, True), True).reshape(-1, 2)
    middle_x, middle_y = left + wide / 2, top + high / 2
    near = sum(abs(x - middle_x) < 0.15 * wide or abs(y - middle_y) < 0.15 * high for x, y in corners.tolist())
    return 4 <= len(corners) <= 6 and near >= 4


def _overlap(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    larger = max((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return wide * high / larger if smaller < 0.5 * larger else wide * high / smaller


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def joined_of(drawing: Drawing, boxes: Sequence[Box], words: Sequence[OcrLine]) -> tuple[int, int]:
    """Strokes outside of boxes that touch two of them, and how many of those are thick at an end: arrow heads."""
    if len(boxes) < 2:
        return 0, 0
    width, tall = drawing.size
    rest = drawing.ink.copy()
    labels = np.zeros(rest.shape, np.int32)
    for line in words:
        left, top, right, bottom = line.box
        rest[int(top * tall) : int(bottom * tall) + 1, int(left * width) : int(right * width) + 1] = 0
    for number, (left, top, right, bottom) in enumerate(boxes, 1):
        rest[max(0, top - 2) : bottom + 3, max(0, left - 2) : right + 3] = 0
        labels[max(0, top - 8) : bottom + 9, max(0, left - 8) : right + 9] = number
    count, components, stats, _ = cv2.connectedComponentsWithStats(rest, connectivity=8)
    thick = np.asarray(cv2.erode(rest, np.ones((4, 4), np.uint8)))
    joined = arrows = 0
    for number in range(1, min(count, 400)):
        left, top, wide, high, size = np.asarray(stats)[number].tolist()
        if max(wide, high) < 8:
            continue
        window = (slice(top, top + high), slice(left, left + wide))
        mine = components[window] == number
        touched = set(np.unique(labels[window][mine]).tolist()) - {0}
        if len(touched) >= 2 and size <= 0.5 * wide * high + 12 * (wide + high):
            joined += len(touched) - 1
            arrows += bool((thick[window][mine] > 0).any())
    return joined, arrows
