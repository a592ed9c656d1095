"""Cells of tables that extend over others, as the viewer shows them. The text has what they say wherever it is needed to read a
row alone; so these are told beside it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ragd.core.documents import MergedCell

_MOST_IN_A_ROW: Final = 300
"""Merged cells that reach into a row."""


class Span(NamedTuple):
    """In one row, from `column` (from 0) on: a cell over `columns` columns and `rows` rows, this one and those below."""

    column: int
    rows: int
    columns: int


def merged_cells(start: int, spans: Iterable[Span]) -> Iterator[MergedCell]:
    """The spans of the row that begins at character `start`, those of a single cell left out."""
    return (MergedCell(start, *span) for span in spans if span.rows > 1 or span.columns > 1)


def header_cells(texts: Sequence[Sequence[str]], spans: Sequence[Sequence[Span]]) -> list[MergedCell]:
    """The cells of a header of several rows, for the one row that is made of them: each cell once, with its level and text.

    `texts` are as long as the table is wide. None for a header of one row, whose spans are as those of other rows.
    """
    if len(texts) < 2:
        return []
    found: list[MergedCell] = []
    taken: set[tuple[int, int]] = set()
    for level, row in enumerate(texts):
        by_column = {span.column: span for span in spans[level]}
        for column, text in enumerate(row):
            if (level, column) in taken:
                continue
            span = by_column.get(column, Span(column, 1, 1))
            right = column + 1
            while right < min(column + span.columns, len(row)) and (level, right) not in taken:
                right += 1
            rows = min(span.rows, len(texts) - level)
            taken |= {(below, covered) for below in range(level, level + rows) for covered in range(column, right)}
            found.append(MergedCell(0, column, rows, right - column, level, text))
    return found


def reaching(cells: Iterable[tuple[int, int]], above: Sequence[Span] | None) -> list[Span] | None:
    """The spans of a row whose cells extend over these rows and columns, with those that reach into it from the row above.

    None where there are too many, as no table has that people have made: then nothing of the table is shown as merged.
    """
    if above is None:
        return None
    found = [Span(column, rows - 1, columns) for column, rows, columns in above if rows > 1]
    taken = {covered for span in found for covered in range(span.column, span.column + span.columns)}
    column = 0
    for rows, columns in cells:
        while column in taken:
            column += 1
        if rows > 1 or columns > 1:
            found.append(Span(column, rows, columns))
        column += columns
    return found if len(found) <= _MOST_IN_A_ROW else None


def moved(spans: Iterable[Span], used: Sequence[int]) -> list[Span]:
    """The spans with their columns counted among those that are `used` (ascending); those over none of them go."""
    found = []
    for column, rows, columns in spans:
        first, last = bisect_left(used, column), bisect_left(used, column + columns)
        if last > first:
            found.append(Span(first, rows, last - first))
    return found


def shown(spans_of: Mapping[int, Sequence[Span] | None], columns: Sequence[int]) -> list[list[Span]]:
    """The spans of the rows that are shown, by their numbers (ascending): counted in rows and in columns that are shown.

    None of any where there are too many in one of them (see `reaching`).
    """
    numbers = list(spans_of)
    if any(spans is None for spans in spans_of.values()):
        return [[] for _ in numbers]
    return [
        moved((span._replace(rows=bisect_left(numbers, number + span.rows) - at) for span in spans_of[number] or ()), columns)
        for at, number in enumerate(numbers)
    ]
