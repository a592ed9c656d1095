"""The cells of a grid with what merged cells and links add to them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ragd.formats.common.text import followable
from ragd.formats.excel.grid import Grid, GridRow
from ragd.formats.excel.stream import Budget
from ragd.formats.tables.merged import Span, moved

_COST_OF_A_REPETITION: Final = 50
"""Characters that a repeated value is counted as beside its own: areas that overlap, as no program writes them, add up."""


class _Span(NamedTuple):
    """A merged area as it crosses one row: the columns, its value with the value's kind, and where it ends below."""

    left: int
    right: int
    text: str
    kind: str
    top: int
    bottom: int


class Cells:
    """Values are repeated over merged cells, in rows that hold something: a merge makes no rows of its own."""

    def __init__(self, grid: Grid, budget: Budget) -> None:
        self.rows = grid.rows
        self._links = grid.links
        self._linked_rows = {row for row, _ in grid.links}
        self._spans: dict[int, list[_Span]] = defaultdict(list)
        numbers = [row.number for row in grid.rows] if grid.merges else []
        for area in grid.merges:
            first = bisect_left(numbers, area.top)
            if first == len(numbers) or numbers[first] != area.top or area.left not in grid.rows[first].columns:
                continue  # nothing in its first cell, which is the only one that counts
            at = grid.rows[first].columns.index(area.left)
            text, kind = grid.rows[first].texts[at], grid.rows[first].kinds[at]
            for row in grid.rows[first : bisect_right(numbers, area.bottom)]:
                budget.spend(len(text) + _COST_OF_A_REPETITION)
                self._spans[row.number].append(_Span(area.left, area.right, text, kind, area.top, area.bottom))
        for number, spans in self._spans.items():
            self._spans[number] = _apart(spans)

    def spans(self, row: GridRow) -> Sequence[_Span]:
        return self._spans.get(row.number, ())

    def shown(self, row: GridRow, columns: Sequence[int], numbers: Sequence[int]) -> list[Span]:
        """What is merged in the row, of a table that has these columns and rows (by number, ascending)."""
        areas = self.spans(row)
        if not areas:
            return []
        first = bisect_left(numbers, row.number)
        spans = (Span(area.left, bisect_right(numbers, area.bottom) - first, area.right - area.left + 1) for area in areas)
        return moved(spans, columns)

    def texts(self, row: GridRow, columns: tuple[int, ...]) -> list[str]:
        """What the row shows in these columns, blank where it shows nothing."""
        if row.columns == columns and row.number not in self._spans and row.number not in self._linked_rows:
            return row.texts
        return [text for text, _ in self._filled(row, columns)]

    def kinds(self, row: GridRow, columns: tuple[int, ...]) -> str:
        """A letter for each of the columns, as in `GridRow`, or a blank."""
        return "".join(kind for _, kind in self._filled(row, columns))

    def _filled(self, row: GridRow, columns: tuple[int, ...]) -> Iterable[tuple[str, str]]:
        values = dict(zip(row.columns, zip(row.texts, row.kinds, strict=True), strict=True))
        if row.number in self._linked_rows:
            for column, (text, kind) in values.items():
                values[column] = (_linked(text, self._links.get((row.number, column))), kind)
        for span in self.spans(row):
            covered = columns[bisect_left(columns, span.left) : bisect_right(columns, span.right)]
            if len(covered) == len(columns) > 1:
                covered = covered[:1]  # a line across the whole table, which one cell says as well
            for column in covered:
                values.setdefault(column, (span.text, span.kind))
        return (values.get(column, ("", " ")) for column in columns)


def _apart(spans: list[_Span]) -> list[_Span]:
    """Those that don't begin inside another one. Programs write no areas that overlap."""
    kept: list[_Span] = []
    for span in sorted(spans):
        if not kept or span.left > kept[-1].right:
            kept.append(span)
    return kept


def _linked(text: str, target: str | None) -> str:
    """A Markdown link, unless the text is the address already or the address is no such as may be followed."""
    address = followable(target)
    if not target or not address or not text or target.removeprefix("mailto:") in text:
        return text
    label = " ".join(text.split()).replace("[", "(").replace("]", ")")
    return f"[{label}]({address})"
