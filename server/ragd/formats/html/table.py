"""HTML tables as rows of texts: merged cells filled, several header rows made one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bs4.element import Tag

from ragd.formats.html.tree import HEADINGS, holds

MAX_COLUMNS: Final = 60
MAX_ROWS: Final = 1000
"""Columns and rows that one cell may extend over."""
MAX_REPEATED: Final = 200
"""Characters of a cell over several rows that is repeated in each."""
_MAX_HEADER_ROWS: Final = 4

_MAKES_LAYOUT: Final = HEADINGS | {"table", "pre"}
_CELLS: Final = ["td", "th"]


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row by column, and the tags that it was made from."""

    cells: dict[int, str]
    tags: tuple[Tag, ...]


def _own_rows(table: Tag) -> list[Tag]:
    """The rows of a table without those of tables in its cells."""
    return [row for row in table.find_all("tr") if row.find_parent("table") is table]


def is_layout(table: Tag) -> bool:
    """Whether a table only arranges a page: its cells are blocks like any other."""
    attributes: dict[str, Any] = dict(table.attrs)
    if attributes.get("role") in ("presentation", "none"):
        return True
    rows = _own_rows(table)
    cells = [row.find_all(_CELLS, recursive=False) for row in rows]
    if any(cell.name == "th" for row in cells for cell in row) or (table.caption and table.caption.parent is table):
        return False
    return all(len(row) <= 1 for row in cells) or holds(table, _MAKES_LAYOUT)


def read_rows(table: Tag, text_of: Callable[[Tag], str]) -> list[Row]:
    """The rows that hold something, all of the same length, without columns that hold nothing; the first is the header.

    A cell over several rows is repeated in each, so that every row can be read alone; one over several columns stands in the
    first of them, in a header in all. `text_of` gives a cell's text.
    """
    rows: list[Row] = []
    headers = 0
    above: dict[int, tuple[int, str]] = {}
    for tag in _own_rows(table):
        found = tag.find_all(_CELLS, recursive=False)
        is_header = headers == len(rows) < _MAX_HEADER_ROWS and bool(found) and _is_header(tag, found)
        cells, above = _filled(found, above, text_of, repeat=is_header)
        if any(cells.values()):
            headers += is_header
            rows.append(Row(cells, (tag,)))
    if headers > 1:
        rows = [_joined(rows[:headers]), *rows[headers:]]
    columns = sorted({column for row in rows for column, text in row.cells.items() if text})
    return [Row({index: row.cells.get(column, "") for index, column in enumerate(columns)}, row.tags) for row in rows]


def _is_header(row: Tag, cells: list[Tag]) -> bool:
    return (row.parent is not None and row.parent.name == "thead") or all(cell.name == "th" for cell in cells)


def _filled(
    found: list[Tag], above: dict[int, tuple[int, str]], text_of: Callable[[Tag], str], *, repeat: bool
) -> tuple[dict[int, str], dict[int, tuple[int, str]]]:
    """The cells of a row by column; and what reaches down from it, by column the number of rows that are left, and the text."""
    cells = {column: text for column, (_, text) in above.items()}
    below = {column: (left - 1, text) for column, (left, text) in above.items() if left > 1}
    column = 0
    for cell in found:
        while column in above:
            column += 1
        text = text_of(cell).replace("|", "\\|")
        rows, columns = _span(cell, "rowspan", MAX_ROWS), _span(cell, "colspan", MAX_COLUMNS)
        for index in range(columns):
            shown = text if repeat or index == 0 else ""
            cells[column + index] = shown
            if rows > 1:
                below[column + index] = (rows - 1, shown if len(text) <= MAX_REPEATED else "")
        column += columns
    return cells, below


def _joined(rows: list[Row]) -> Row:
    """Several header rows as one: what stands above each other, each text once."""
    columns = sorted({column for row in rows for column in row.cells})
    stacked = {column: dict.fromkeys(row.cells.get(column, "") for row in rows) for column in columns}
    return Row({column: " ".join(text for text in texts if text) for column, texts in stacked.items()}, _tags_of(rows))


def _tags_of(rows: list[Row]) -> tuple[Tag, ...]:
    return tuple(tag for row in rows for tag in row.tags)


def _span(cell: Tag, name: str, most: int) -> int:
    value = str(cell.get(name) or "").strip()
    # 0 means all the rows that follow.
    return min(int(value) or most, most) if value.isdecimal() and len(value) < 9 else 1
