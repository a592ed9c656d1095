"""Tables without lines: rows whose cells stand below each other, so that strips of white go through all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from ragd.formats.pdf.layout.columns import Row, narrowed
from ragd.formats.pdf.layout.joins import join_lines, row_text
from ragd.formats.pdf.page.page import Box, Grid, Item

_WIDE: Final = 1.2
"""Gap, in sizes of the text, that parts two cells in at least one row wherever a column begins."""
_NARROW: Final = 0.15
_MAX_STEP: Final = 3.2
_MAX_SINGLE: Final = 2
_TIGHT: Final = 0.85
_CROSSED: Final = 0.15
_LABEL: Final = re.compile(
    r"^(?:[•●○■□◆◇▪▫‣⁃∙·・※*–—-]|\(?\d{1,3}[.)）]?|\(?[A-Za-z][.)）]|\(?[ivx]{1,4}[.)]|[①-⑳]|(?:\d+\.)+\d*|第.{1,4}[章条節項編]|\[\d+\])$"
)
_LEADERS: Final = re.compile(r"(?:[.·…・‥]\s?){5}|…{2}")


def with_tables(rows: Sequence[Row]) -> list[Row]:
    """The rows of a flow, those of a table replaced by one row that is the table."""
    found: list[Row] = []
    index = 0
    while index < len(rows):
        end = _run(rows, index)
        grid = _table(rows[index:end]) if end - index > 1 else None
        if grid:
            found.append(Row.of([grid]))
            index = end
        else:
            found.append(rows[index])
            index += 1
    return found


def _cells(row: Row) -> list[tuple[float, float]]:
    return row.blocks(_WIDE * row.size)


def _is_multiple(row: Row) -> bool:
    if isinstance(row.items[0], Grid) or any(_LEADERS.search(item.text) for item in row.items):
        return False
    return len(_cells(row)) > 1


def _run(rows: Sequence[Row], start: int) -> int:
    """The end of the rows from `start` on that may be one table."""
    if not _is_multiple(rows[start]):
        return start
    blocks = _cells(rows[start])
    strips = [(before[1], after[0]) for before, after in pairwise(blocks)]
    end, single = start + 1, 0
    for index in range(start + 1, len(rows)):
        row, before = rows[index], rows[index - 1]
        step = (row.y0 + row.y1 - before.y0 - before.y1) / 2
        if isinstance(row.items[0], Grid) or step > _MAX_STEP * row.size or _LEADERS.search(row.items[-1].text):
            break
        spans = [(item.box[0], item.box[2]) for item in row.items]
        left = [narrower for strip in strips if (narrower := narrowed(strip, spans, _NARROW * row.size))]
        if not left:
            break
        if _is_multiple(row):
            if not any(row.items[0].box[0] < low and row.items[-1].box[2] > high for low, high in left):
                break
            end, single = index + 1, 0
        else:
            single += 1
            if single > _MAX_SINGLE or len(left) < len(strips):
                break
            # A line after the last row belongs to the table only when it goes on a cell that isn't the first.
            if row.x0 >= left[0][1] - 1 and step < 2 * row.size:
                end = index + 1
        strips = left
    return end


def _table(rows: Sequence[Row]) -> Grid | None:
    multiple = [row for row in rows if _is_multiple(row)]
    columns = _columns(rows, len(multiple))
    if len(columns) < 2 or len(multiple) < (2 if len(columns) > 2 else 3):
        return None
    labels = sum(bool(_LABEL.match(row.items[0].text)) for row in multiple)
    if len(columns) == 2 and labels >= 0.6 * len(multiple):
        return None
    usual = _usual_step(multiple)
    texts: list[list[list[str]]] = []
    boxes: list[Box] = []
    for index, row in enumerate(rows):
        cells = _assigned(row, columns)
        step = (row.y0 + row.y1 - rows[index - 1].y0 - rows[index - 1].y1) / 2 if index else 0.0
        if texts and _goes_on(cells, step, usual, len(columns)):
            texts[-1] = [[*lines, text] if text else lines for lines, text in zip(texts[-1], cells, strict=True)]
            last = boxes[-1]
            boxes[-1] = (min(last[0], row.x0), last[1], max(last[2], row.x1), max(last[3], row.y1))
        else:
            texts.append([[text] if text else [] for text in cells])
            boxes.append(row.box)
    joined = _without_halves([[join_lines(cell) for cell in row] for row in texts])
    return Grid(joined, boxes, median(row.size for row in rows))


def _without_halves(rows: list[list[str]]) -> list[list[str]]:
    """Neighbouring columns that are never both filled as one: a title on the left of its numbers, which stand on the right."""
    column = 0
    while column + 1 < len(rows[0]):
        if len(rows[0]) > 2 and not any(row[column] and row[column + 1] for row in rows):
            rows = [[*row[:column], row[column] or row[column + 1], *row[column + 2 :]] for row in rows]
        else:
            column += 1
    return rows


def _usual_step(rows: Sequence[Row]) -> float:
    steps = [(after.y0 + after.y1 - before.y0 - before.y1) / 2 for before, after in pairwise(rows)]
    return median(steps) if steps else 0.0


def _columns(rows: Sequence[Row], multiple: int) -> list[tuple[float, float]]:
    """What the cells cover from left to right; a strip that a few wide cells cross still parts two columns."""
    blocks = [block for row in rows for block in row.blocks(_NARROW * row.size)]
    events = sorted([*((x0, 1) for x0, _ in blocks), *((x1, -1) for _, x1 in blocks)])
    allowed = int(_CROSSED * multiple)
    narrow = _NARROW * median(row.size for row in rows)
    found: list[tuple[float, float]] = []
    depth, begin = 0, None
    for edge, change in events:
        depth += change
        if begin is None and depth > allowed:
            begin = edge
        elif begin is not None and depth <= allowed:
            if found and begin - found[-1][1] < narrow:
                found[-1] = (found[-1][0], edge)
            else:
                found.append((begin, edge))
            begin = None
    gaps = [(before[1], after[0]) for row in rows for before, after in pairwise(_cells(row))]
    merged: list[tuple[float, float]] = []
    for low, high in found:
        parted = merged and (
            any(start <= merged[-1][1] + 1 and end >= low - 1 for start, end in gaps) or _always_parted(rows, merged[-1][1], low)
        )
        if merged and not parted:
            merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def _always_parted(rows: Sequence[Row], low: float, high: float) -> bool:
    """Whether nearly all rows, and at least three, have items that end before a strip and others that begin after it."""
    middle = (low + high) / 2
    both = sum(row.x0 < middle < row.x1 for row in rows)
    return both >= 3 and both >= 0.8 * len(rows)


def _assigned(row: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    cells: list[list[Item]] = [[] for _ in columns]
    for item in row.items:
        x0, _, x1, _ = item.box
        overlaps = [min(x1, high) - max(x0, low) for low, high in columns]
        covered = [index for index, overlap in enumerate(overlaps) if overlap > 0]
        cells[covered[0] if covered else overlaps.index(max(overlaps))].append(item)
    return [row_text(cell) if cell else "" for cell in cells]


def _goes_on(cells: Sequence[str], step: float, usual: float, columns: int) -> bool:
    """Whether a row only goes on cells of the row above."""
    filled = sum(map(bool, cells))
    if not cells[0]:
        return filled <= columns / 2 and (step < 1.05 * usual or not usual)
    return filled == 1 and bool(usual) and step < _TIGHT * usual
