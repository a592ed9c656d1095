"""Arrows between boxes: each stroke is followed from where it leaves a box to where it reaches one.

A walker goes a few pixels at a time where the strokes lead, and where several do, straight on: so it passes crossings, gaps of a
broken line, and a label that interrupts it. What is reached from both ends is sure; what only one end says is less so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ragd.diagrams.pixels.shapes import Outline
from ragd.diagrams.pixels.words import Mask, Word

_STEP: Final = 3.0
_LOOK: Final = 9
_MOST_STEPS: Final = 1_500
_ANGLES: Final = np.deg2rad(np.arange(-75, 76, 7.5))
_TURNING: Final = 0.22 * np.abs(_ANGLES)
"""What a turn costs."""
_GAP: Final = 16.0
"""Pixels without a stroke that a walker goes on for."""
_HEAD: Final = 1.75
"""How many times wider than its line an arrow head is."""
_LEAST_HEAD: Final = 2.3
"""Half the width of an arrow head at least."""
_HEAD_REACH: Final = 13
"""Pixels from the end of a stroke in which its head is widest."""
_ALIKE: Final = 0.7
"""How wide one of two heads must be, as a share of the other."""
_TIP: Final = 10
"""Pixels of a piece of a stroke that may be the sharp corner of a box."""
MAX_ENDS: Final = 800
SURE, ONE_WAY, UNSURE = 0.95, 0.75, 0.4


@dataclass(slots=True)
class End:
    """Where a stroke touches a box: the point, and the way from the box."""

    box: int
    x: float
    y: float
    angle: float


@dataclass(slots=True)
class Walk:
    """From an end to another one, or to none; `path` are the points on the way, `heads` whether it has arrow heads at both."""

    start: int
    end: int | None
    path: list[tuple[float, float]]
    heads: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class Arrow:
    """From box to box; `heads` are whether one is at the beginning and at the end."""

    source: int
    target: int
    heads: tuple[bool, bool]
    confidence: float
    path: tuple[tuple[float, float], ...]


def arrows(ink: Mask, boxes: Sequence[Outline], words: Sequence[Word]) -> list[Arrow]:
    """What joins the boxes. `words` are those in no box."""
    owner = _owners(ink.shape[:2], boxes)
    free: Mask = np.where(_grown(owner, 2) > 0, 0, ink).astype(np.uint8)
    ends = _ends(free, owner, boxes)
    if not ends:
        return []
    near = cv2.dilate(free, np.ones((3, 3), np.uint8)) > 0
    reached = _grown(owner, 4)
    walks = [_walk(number, ends, near, reached, words) for number in range(len(ends))]
    widths = np.asarray(cv2.dilate(cv2.distanceTransform(free, cv2.DIST_L2, 3), np.ones((5, 5), np.uint8)), np.float32)
    for walk in walks:
        if walk.end is not None:
            walk.heads = _heads(walk.path, widths)
    return _agreed(ends, walks)


def _heads(path: Sequence[tuple[float, float]], widths: NDArray[np.float32]) -> tuple[bool, bool]:
    """Where a stroke is much wider near an end than it is elsewhere, and not much wider still near the other."""
    xs, ys = np.array(path).T.astype(np.int64)
    along = widths[ys.clip(0, widths.shape[0] - 1), xs.clip(0, widths.shape[1] - 1)]
    near = max(1, min(round(_HEAD_REACH / _STEP) + 1, len(along) // 2))
    lines = along[along > 0]
    thick = max(_LEAST_HEAD, _HEAD * float(np.quantile(lines, 0.25))) if lines.size else _LEAST_HEAD
    first, last = float(along[:near].max()), float(along[-near:].max())
    return first >= max(thick, _ALIKE * last), last >= max(thick, _ALIKE * first)


def _owners(size: tuple[int, int], boxes: Sequence[Outline]) -> NDArray[np.int32]:
    """For each pixel, the number of the box that it is in, from 1."""
    owner = np.zeros(size, np.int32)
    for number, box in enumerate(boxes, 1):
        cv2.drawContours(owner, [box.contour, *box.caps], -1, number, cv2.FILLED)
    # The contour is the inner side of the border.
    return _grown(owner, 2)


def _grown(owner: NDArray[np.int32], by: int) -> NDArray[np.int32]:
    """Each box larger by so many pixels, without taking what is another's."""
    grown = cv2.dilate(owner.astype(np.uint16), np.ones((2 * by + 1, 2 * by + 1), np.uint8)).astype(np.int32)
    return np.where(owner > 0, owner, grown)


def _ends(free: Mask, owner: NDArray[np.int32], boxes: Sequence[Outline]) -> list[End]:
    """Where free strokes begin at a box."""
    ring = np.where(_grown(owner, 2) > 0, 0, _grown(owner, 6))
    count, labels, stats, centres = cv2.connectedComponentsWithStats(((ring > 0) & (free > 0)).astype(np.uint8), connectivity=8)
    _, pieces, sizes, _ = cv2.connectedComponentsWithStats(free, connectivity=8)
    found = []
    for number in range(1, min(count, MAX_ENDS)):
        x, y = centres[number]
        left, top, width, height, _ = stats[number]
        pixels = ring[top : top + height, left : left + width][labels[top : top + height, left : left + width] == number]
        box = int(np.bincount(pixels).argmax()) - 1
        angle = _outward(boxes[box], x, y)
        if not _is_tip(float(x), float(y), angle, np.asarray(pieces, np.int32), np.asarray(sizes, np.int32)):
            found.append(End(box, float(x), float(y), angle))
    return found


def _is_tip(x: float, y: float, angle: float, labels: NDArray[np.int32], stats: NDArray[np.int32]) -> bool:
    """Whether the stroke is the sharp corner of a box, which sticks out of it, and nothing follows."""
    piece = int(labels[round(y), round(x)])
    if piece == 0 or max(stats[piece, cv2.CC_STAT_WIDTH], stats[piece, cv2.CC_STAT_HEIGHT]) >= _TIP:
        return False
    turned = angle + np.deg2rad(np.arange(-30, 31, 10))
    distances = np.arange(1, _GAP + 1)
    xs = np.rint(x + np.cos(turned)[:, None] * distances).astype(np.int64).clip(0, labels.shape[1] - 1)
    ys = np.rint(y + np.sin(turned)[:, None] * distances).astype(np.int64).clip(0, labels.shape[0] - 1)
    ahead = labels[ys, xs]
    return not bool(((ahead != 0) & (ahead != piece)).any())


def _outward(box: Outline, x: float, y: float) -> float:
    """From the nearest point of the outline to this one."""
    points = box.contour[:, 0, :]
    near = points[np.argsort(np.hypot(points[:, 0] - x, points[:, 1] - y))[:5]].mean(axis=0)
    return math.atan2(y - float(near[1]), x - float(near[0]))


def _walk(number: int, ends: Sequence[End], near: NDArray[np.bool_], reached: NDArray[np.int32], words: Sequence[Word]) -> Walk:
    begin = ends[number]
    x, y, angle = begin.x, begin.y, begin.angle
    path = [(x, y)]
    gap = gone = 0.0
    height, width = near.shape
    distances = np.arange(1, _LOOK + 1, dtype=np.float64)
    for _ in range(_MOST_STEPS):
        turned = angle + _ANGLES
        # Of arrays so small, what numpy does before it counts takes the time: `clip` and `mean` do most.
        xs = np.minimum(np.maximum(np.rint(x + np.cos(turned)[:, None] * distances).astype(np.int64), 0), width - 1)
        ys = np.minimum(np.maximum(np.rint(y + np.sin(turned)[:, None] * distances).astype(np.int64), 0), height - 1)
        seen = np.add.reduce(near[ys, xs], axis=1, dtype=np.float64) / _LOOK - _TURNING
        best = int(seen.argmax())
        room = _GAP
        if seen[best] > 0.3:
            angle = float(turned[best])
            gap = 0.0
        else:
            gap += _STEP
            room = _GAP + _label_size(words, x, y)
        if gap > room:
            return Walk(number, None, path)
        x, y, gone = x + math.cos(angle) * _STEP, y + math.sin(angle) * _STEP, gone + _STEP
        if not (0 <= x < width and 0 <= y < height):
            return Walk(number, None, path)
        path.append((x, y))
        box = int(reached[int(y), int(x)]) - 1
        if box >= 0 and (box != begin.box or gone > 40):
            return Walk(number, _nearest(ends, box, x, y, number), path)
    return Walk(number, None, path)


def _label_size(words: Sequence[Word], x: float, y: float) -> float:
    """How long the way through the label is that stands here; 0 where none does."""
    for word in words:
        left, top, right, bottom = word.box
        if left - 8 <= x <= right + 8 and top - 8 <= y <= bottom + 8:
            return math.hypot(right - left, bottom - top) + 16
    return 0.0


def _nearest(ends: Sequence[End], box: int, x: float, y: float, but: int) -> int | None:
    at = [(math.hypot(end.x - x, end.y - y), number) for number, end in enumerate(ends) if end.box == box and number != but]
    distance, number = min(at, default=(math.inf, -1))
    return number if distance < 16 else None


def _agreed(ends: Sequence[End], walks: Sequence[Walk]) -> list[Arrow]:
    """Each pair of ends once. A head has one arrow, a beginning may have several: so what a head says weighs more."""
    found: dict[tuple[int, int], Arrow] = {}
    for walk in walks:
        if walk.end is None:
            continue
        first, last = ends[walk.start], ends[walk.end]
        if first.box == last.box:  # the corner of a box far more often than an arrow back to it
            continue
        other = walks[walk.end].end
        # A head that leads nowhere does not contradict a beginning that leads to it.
        one_way = walk.heads == (True, False) or (walk.heads == (False, True) and other is None)
        confidence = SURE if other == walk.start else ONE_WAY if one_way else UNSURE
        # From a beginning to an arrow head, or from left to right where both or none have one.
        turned = walk.heads == (True, False)
        pair = (walk.end, walk.start) if turned else (walk.start, walk.end)
        key = (min(pair), max(pair))
        if key in found and found[key].confidence >= confidence:
            continue
        source, target = ends[pair[0]], ends[pair[1]]
        path, heads = (walk.path[::-1], walk.heads[::-1]) if turned else (walk.path, walk.heads)
        found[key] = Arrow(source.box, target.box, (heads[0], heads[1]), confidence, tuple(path))
    return list(found.values())
