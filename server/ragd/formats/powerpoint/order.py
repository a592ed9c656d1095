"""The order in which the boxes of a slide are read: recursive XY-cut (Nagy and Seth, "Hierarchical representation of optically
scanned documents", ICPR 1984), at the widest gap first, so that what stands close together is read together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

_GUTTER_WEIGHT: Final = 2.0
"""How much more than its width the gap between exactly two columns counts: a caption stays with what it stands over."""
_SLACK: Final = 0.02
"""Share of the whole extent by which boxes may overlap and still count as apart; text seldom fills its box."""
_ROW_TOLERANCE: Final = 0.05
"""Share of the height within which the tops of boxes that no gaps part make one row, at most half a box's own."""
_MOST_BOXES: Final = 400


class Box(NamedTuple):
    """A rectangle, in any unit; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """Indices of the boxes as they are read: top to bottom and left to right, columns one after the other.

    Boxes at the same place keep the order in which they are given. Work is quadratic up to 400 boxes; more are sorted by rows.
    """
    order: list[int] = []
    pending = [list(range(len(boxes)))]
    while pending:
        group = pending.pop()
        if len(group) < 2:
            order.extend(group)
        elif len(group) <= _MOST_BOXES and (parts := _cut(boxes, group)):
            pending.extend(reversed(parts))
        else:
            order.extend(_by_rows(boxes, group))
    return order


def _cut(boxes: Sequence[Box], group: list[int]) -> list[list[int]] | None:
    """The group in two parts, at its widest gap; None when there is none."""
    columns = _gaps([(boxes[index].left, boxes[index].right) for index in group])
    rows = _gaps([(boxes[index].top, boxes[index].bottom) for index in group])
    weight = _GUTTER_WEIGHT if len(columns) == 1 else 1
    if columns and (not rows or weight * _widest(columns)[0] > _widest(rows)[0]):
        sides = _halves(group, [boxes[index].left for index in group], _widest(columns)[1])
        if not rows or _side_by_side(boxes, *sides):
            return sides
    return _halves(group, [boxes[index].top for index in group], _widest(rows)[1]) if rows else None


def _gaps(spans: list[tuple[float, float]]) -> list[tuple[float, int]]:
    """Width of each gap in the projection, and how many of the spans begin before it. Overlaps within the slack are gaps, too."""
    ordered = sorted(spans)
    slack = _SLACK * (max(end for _, end in ordered) - ordered[0][0])
    found = []
    reach = ordered[0][1]
    for count, (start, end) in enumerate(ordered[1:], 1):
        if start - reach > -min(slack, (end - start) / 4):
            found.append((max(start - reach, 0.0), count))
        reach = max(reach, end)
    return found


def _widest(gaps: list[tuple[float, int]]) -> tuple[float, int]:
    return max(gaps, key=lambda gap: (gap[0], -gap[1]))


def _halves(group: list[int], starts: list[float], count: int) -> list[list[int]]:
    """The `count` members that start first, and the rest, both in their old order."""
    ordered = [index for _, index in sorted(zip(starts, group, strict=True))]
    return [sorted(ordered[:count]), sorted(ordered[count:])]


def _side_by_side(boxes: Sequence[Box], left: list[int], right: list[int]) -> bool:
    """Whether two sides overlap in height by half of the lower one; a pair that stands step-wise is read from the top."""
    (top, bottom), (other_top, other_bottom) = (
        (min(boxes[index].top for index in side), max(boxes[index].bottom for index in side)) for side in (left, right)
    )
    shared = min(bottom, other_bottom) - max(top, other_top)
    return shared * 2 >= min(bottom - top, other_bottom - other_top)


def _by_rows(boxes: Sequence[Box], group: list[int]) -> list[int]:
    tolerance = _ROW_TOLERANCE * (max(boxes[index].bottom for index in group) - min(boxes[index].top for index in group))
    rows: list[list[int]] = []
    for index in sorted(group, key=lambda index: boxes[index].top):
        first = boxes[rows[-1][0]] if rows else None
        if first and boxes[index].top - first.top <= min(tolerance, (first.bottom - first.top) / 2):
            rows[-1].append(index)
        else:
            rows.append([index])
    return [index for row in rows for index in sorted(row, key=lambda index: (boxes[index].left, index))]
