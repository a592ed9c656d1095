"""The reading order of a page: lines in rows, and rows in columns, found by the white strips between them.

A recursive XY-cut (Nagy and Seth, 1984) asks at each level for a cut through a whole region, which a page with one heading above
two columns has not. So here a strip of white is grown from every gap in a row, up and down over the rows that leave it free. The
rows it reaches are a band of columns if each side reads as running text: lines that fill their width, at a steady distance. What
stands above, in each column and below is then treated likewise. A table's columns do not read as text, so its rows stay rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from ragd.formats.pdf.page.page import Box, Grid, Item, Segment, union

BULLET: Final = re.compile("^[•●○■□◆◇▪▫‣⁃∙·・➢➤✓✔►▶–—*\uf0a7\uf0b7\uf0d8\uf0fc-](?: |$)")
"""The beginning of a line that is a bullet, by itself or with text after it."""

_MAX_DEPTH: Final = 12
_MIN_GUTTER: Final = 0.8
"""Width of the narrowest white strip between columns, in sizes of the text."""
_MIN_LINES: Final = 3
_MAX_ROWS: Final = 1_000
"""Rows of a page beyond which no columns are looked for: a drawing with labels, not a text."""
_MIN_WIDTH: Final = 8.0
"""Width of the narrowest column of running text, in sizes of the text."""
_MIN_FILL: Final = 0.6
"""Share of its column that an average line of running text fills."""
_GAPPED: Final = 0.3
_STEADY: Final = 1.7
_APART: Final = 1.8


@dataclass(slots=True)
class Row:
    """Items side by side, from left to right. A grid is always a row of its own."""

    items: list[Item]
    x0: float
    y0: float
    x1: float
    y1: float

    @staticmethod
    def of(items: list[Item]) -> Row:
        items.sort(key=lambda item: item.box[0])
        return Row(items, *union([item.box for item in items]))

    @property
    def box(self) -> Box:
        return (self.x0, self.y0, self.x1, self.y1)

    @property
    def size(self) -> float:
        return max(item.size for item in self.items)

    def blocks(self, gap: float) -> list[tuple[float, float]]:
        """What the row covers from left to right, gaps narrower than `gap` closed."""
        return _merged([(item.box[0], item.box[2]) for item in self.items], gap)

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(slots=True)
class Flow:
    """Rows that are read downward. `follows`: it is the next column of the flow before it, so that a sentence may go on."""

    rows: list[Row]
    follows: bool = False


def reading_order(items: Sequence[Item]) -> list[Flow]:
    """The flows of a page (or a part of one) in the order in which they are read."""
    return _ordered(list(items), _MAX_DEPTH) if items else []


def rows_of(items: Sequence[Item]) -> list[Row]:
    """Items in rows from top to bottom: what overlaps the tallest of a row by half of its own height belongs to it."""
    groups: list[list[Item]] = []
    tallest: list[Segment] = []
    for item in sorted((item for item in items if isinstance(item, Segment)), key=lambda item: item.y0 + item.y1):
        last = tallest[-1] if groups else item
        height, above = item.y1 - item.y0, last.y1 - last.y0
        if groups and min(last.y1, item.y1) - max(last.y0, item.y0) >= 0.5 * min(above, height):
            groups[-1].append(item)
            if height > above:
                tallest[-1] = item
        else:
            groups.append([item])
            tallest.append(item)
    rows = [Row.of(group) for group in groups] + [Row.of([item]) for item in items if isinstance(item, Grid)]
    return sorted(rows, key=lambda row: (row.y0, row.x0))


def pitch_of(rows: Sequence[Row]) -> float:
    """The usual distance from one row's middle to the next one's; 0 when there are not two near each other."""
    steps = [after.middle - before.middle for before, after in pairwise(rows)]
    near = [step for step, row in zip(steps, rows, strict=False) if 0 < step < 2.6 * row.size]
    return median(near) if near else 0.0


def _ordered(items: list[Item], depth: int) -> list[Flow]:
    rows = rows_of(items)
    band = _best_band(rows) if depth else None
    if band is None:
        return [Flow(rows)]
    start, end, edges = band
    flows = _ordered([item for row in rows[:start] for item in row.items], depth - 1) if start else []
    inside = [item for row in rows[start:end] for item in row.items]
    for number in range(len(edges) + 1):
        left = edges[number - 1] if number else float("-inf")
        right = edges[number] if number < len(edges) else float("inf")
        column = [item for item in inside if left <= (item.box[0] + item.box[2]) / 2 < right]
        found = _ordered(column, depth - 1) if column else []
        if found and number:
            found[0].follows = True
        flows += found
    if end < len(rows):
        flows += _ordered([item for row in rows[end:] for item in row.items], depth - 1)
    return flows


def _best_band(rows: Sequence[Row]) -> tuple[int, int, list[float]] | None:
    """Rows `[start, end)` that stand in columns, and the x between those; the band of most rows."""
    if not _MIN_LINES <= len(rows) <= _MAX_ROWS:
        return None
    size = median(row.size for row in rows)
    gutter = _MIN_GUTTER * size
    blocks = [row.blocks(gutter) for row in rows]
    best: tuple[int, int, list[float]] | None = None
    tried: list[tuple[int, int, float, float]] = []
    refused: set[tuple[int, int]] = set()
    for index in range(len(rows)):
        for low, high in _gaps(rows, blocks, index, gutter):
            if any(start <= index < end and left < high and right > low for start, end, left, right in tried):
                continue
            start, end, left, right = _grown(blocks, index, (low, high), gutter)
            tried.append((start, end, left, right))
            start, end = _trimmed(rows, start, end, (left + right) / 2)
            if (start, end) in refused or (best and end - start <= best[1] - best[0]):
                continue
            edges = _edges(blocks[start:end], gutter)
            if edges and _reads_as_columns(rows[start:end], edges, size):
                best = (start, end, edges)
            else:
                refused.add((start, end))
    return best


def _gaps(
    rows: Sequence[Row], blocks: Sequence[list[tuple[float, float]]], index: int, gutter: float
) -> list[tuple[float, float]]:
    """White between the blocks of a row, together with those of the next one when the two overlap in height."""
    found = blocks[index]
    if index + 1 < len(rows) and rows[index + 1].y0 < rows[index].y1:
        found = _merged([*found, *blocks[index + 1]], gutter)
    return [(before[1], after[0]) for before, after in pairwise(found)]


def _merged(blocks: Sequence[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for x0, x1 in sorted(blocks):
        if found and x0 - found[-1][1] < gap:
            found[-1] = (found[-1][0], max(found[-1][1], x1))
        else:
            found.append((x0, x1))
    return found


def _grown(
    blocks: Sequence[list[tuple[float, float]]], index: int, strip: tuple[float, float], gutter: float
) -> tuple[int, int, float, float]:
    """The rows `[start, end)` around row `index` that leave a strip free, and what is left of the strip."""
    start, end = index, index + 1
    while end < len(blocks) and (narrower := narrowed(strip, blocks[end], gutter)):
        strip, end = narrower, end + 1
    while start > 0 and (narrower := narrowed(strip, blocks[start - 1], gutter)):
        strip, start = narrower, start - 1
    return start, end, *strip


def narrowed(strip: tuple[float, float], blocks: Iterable[tuple[float, float]], least: float) -> tuple[float, float] | None:
    """What these blocks leave free of a strip; None when that is narrower than `least`."""
    left, right = strip
    for x0, x1 in blocks:
        if x1 <= left or x0 >= right:
            continue
        if x0 - left > right - x1:
            right = x0
        else:
            left = x1
        if right - left < least:
            return None
    return left, right


def _trimmed(rows: Sequence[Row], start: int, end: int, middle: float) -> tuple[int, int]:
    """Without the rows at both ends that stand on one side only and apart from the rest: a heading of what follows, a date."""
    usual = pitch_of(rows[start:end]) or rows[start].size
    last = max((index for index in range(start, end) if rows[index].x1 > middle), default=start)
    if end < len(rows):
        for index in range(last + 1, end):
            step = rows[index].middle - rows[index - 1].middle
            if step > _APART * usual and rows[end].middle - rows[end - 1].middle <= step:
                end = index
                break
    first = min((index for index in range(start, end) if rows[index].x0 < middle), default=start)
    for index in range(first, start, -1):
        if rows[index].middle - rows[index - 1].middle > _APART * usual:
            start = index
            break
    return start, end


def _edges(blocks: Sequence[list[tuple[float, float]]], gutter: float) -> list[float]:
    """The middles of all strips that every row leaves free."""
    covered = _merged([block for row in blocks for block in row], gutter)
    return [(before[1] + after[0]) / 2 for before, after in pairwise(covered)]


def _reads_as_columns(rows: Sequence[Row], edges: Sequence[float], size: float) -> bool:
    bounds = [float("-inf"), *edges, float("inf")]
    columns = [
        rows_of([item for row in rows for item in row.items if left <= (item.box[0] + item.box[2]) / 2 < right])
        for left, right in pairwise(bounds)
    ]
    if all(getattr(item, "fixed", False) for row in rows for item in row.items):
        return False  # program text
    if all(_is_list(column) for column in columns):
        return True
    if any(len(column) < _MIN_LINES and not any(isinstance(row.items[0], Grid) for row in column) for column in columns):
        return False
    if all(_is_running_text(column, size) for column in columns):
        pitches = [pitch for column in columns if (pitch := pitch_of(column))]
        return not pitches or max(pitches) <= _STEADY * min(pitches)
    return _stand_apart(columns, len(rows), size)


def _is_list(column: Sequence[Row]) -> bool:
    """Whether several lines of a column, the first among them, begin with bullets."""
    bullets = [bool(BULLET.match(row.items[0].text)) for row in column]
    return len(column) > 1 and bullets[0] and sum(bullets) > 1


def _is_running_text(column: Sequence[Row], size: float) -> bool:
    width = max(row.x1 for row in column) - min(row.x0 for row in column)
    if width < _MIN_WIDTH * size:
        return False
    fill = sum(row.x1 - row.x0 for row in column) / (len(column) * width)
    gapped = sum(len(row.blocks(1.5 * size)) > 1 for row in column)
    return fill >= _MIN_FILL and gapped <= _GAPPED * len(column)


def _stand_apart(columns: Sequence[Sequence[Row]], row_count: int, size: float) -> bool:
    """Whether columns next to each other share hardly any row, as two lists in two boxes do and the cells of a table do not."""
    shared = sum(len(column) for column in columns) - row_count
    wide = all(max(row.x1 for row in column) - min(row.x0 for row in column) >= 0.6 * _MIN_WIDTH * size for column in columns)
    return wide and shared <= _GAPPED * min(len(column) for column in columns)
