"""Cells of a table by the places of its words alone."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from ragd.core.documents import OcrLine
from ragd.vision.words import rows_of

Rows = tuple[tuple[str, ...], ...]

_LEAST_ROWS: Final = 2
_LEAST_COLUMNS: Final = 2


def aligned(words: Sequence[OcrLine]) -> Rows:
    """Words by the columns in which they stand, where no rules part them."""
    rows = rows_of(words)
    wide = [row for row in rows if len(row) >= _LEAST_COLUMNS]
    if len(wide) <= _LEAST_ROWS:
        return ()
    usual = round(median(len(row) for row in wide))
    pattern = next((row for row in wide if len(row) == usual), wide[0])
    edges = [(line.box[0], line.box[2]) for line in pattern]
    first = next(index for index, row in enumerate(rows) if row is pattern)
    rows = rows[_begin(rows[:first], edges) :]
    table: list[list[str]] = []
    for row in rows:
        cells: list[list[OcrLine]] = [[] for _ in edges]
        for line in row:
            cells[_nearest(edges, line)].append(line)
        table.append([text_of(cell) for cell in cells])
    return trimmed(table) if len(table) > _LEAST_ROWS else ()


def _begin(above: Sequence[Sequence[OcrLine]], edges: Sequence[tuple[float, float]]) -> int:
    """Where a table begins among the rows above its first whole one.

    Behind its title, and behind a line over several columns, which parts it from other words such as a window's tabs. A line in
    one column parts nothing: it may name a group of rows, below headings of which one column has none.
    """
    begin = 0
    for index, row in enumerate(above):
        is_over_columns = sum(row[0].box[0] < right and left < row[0].box[2] for left, right in edges) > 1
        if len(row) == 1 and (begin == index or is_over_columns):
            begin = index + 1
    return begin


def _nearest(edges: Sequence[tuple[float, float]], line: OcrLine) -> int:
    """The column whose left edge, right edge or middle is nearest to those of a word."""
    left, right = line.box[0], line.box[2]

    def distance(index: int) -> float:
        low, high = edges[index]
        return min(abs(low - left), abs(high - right), abs((low + high) / 2 - (left + right) / 2))

    return min(range(len(edges)), key=distance)


def text_of(lines: Sequence[OcrLine]) -> str:
    """The words of a cell."""
    return " ".join(line.text for row in rows_of(lines) for line in row)


def trimmed(rows: list[list[str]]) -> Rows:
    """Without rows and columns that hold nothing."""
    kept = [row for row in rows if any(row)]
    columns = [index for index in range(len(kept[0])) if any(row[index] for row in kept)] if kept else []
    found = tuple(tuple(row[index] for index in columns) for row in kept)
    return found if len(found) >= _LEAST_ROWS and len(columns) >= _LEAST_COLUMNS else ()
