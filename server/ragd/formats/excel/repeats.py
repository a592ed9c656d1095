"""Cells and rows of an OpenDocument spreadsheet that stand for many (`number-columns-repeated`), counted before they are made.

A file of 700 bytes may say that a cell repeats to the end of the sheet in both directions.
"""

from __future__ import annotations

from typing import Final

from ragd.core.errors import TooComplex
from ragd.formats.excel.areas import MAX_COLUMN, MAX_ROW
from ragd.formats.excel.binary import require_area
from ragd.formats.excel.grid import MARKUP_OF_A_CELL
from ragd.formats.excel.stream import Budget, stream
from ragd.formats.opendocument.package import OFFICE, TABLE, OdfPackage

_MOST_REPEATED: Final = 200_000
_REPEATS: Final = 100
"""A workbook may have so many cells for each that is written, or `_MOST_REPEATED`. Programs join equal neighbours of a row, and
equal rows; what is written once and fills a sheet to its end is no content."""


def _plain(name: str) -> str:
    return name.strip("{").replace("}", " ")


_TABLE: Final = _plain(f"{TABLE}table")
_ROW: Final = _plain(f"{TABLE}table-row")
_CELLS: Final = (_plain(f"{TABLE}table-cell"), _plain(f"{TABLE}covered-table-cell"))
_ROWS_REPEATED: Final = _plain(f"{TABLE}number-rows-repeated")
_COLUMNS_REPEATED: Final = _plain(f"{TABLE}number-columns-repeated")
_VALUE_TYPE: Final = _plain(f"{OFFICE}value-type")


def require_modest_repeats(package: OdfPackage) -> None:
    """Raises `TooComplex` for sheets that would take gigabytes, or minutes, once each cell that they repeat is there."""
    count = _Count(package.name)
    stream(package, "content.xml", count.start, count.end, count.pieces)
    count.finish()


class _Count:
    """What the sheets of a workbook hold when all repeats are written out."""

    def __init__(self, name: str) -> None:
        self.pieces: list[str] = []
        self._name = name
        self._budget = Budget(name)
        self._written = self._shown = self._characters = 0
        self._new_sheet()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._take_text()
        if tag == _TABLE:
            self._new_sheet()
        elif tag == _ROW:
            self._rows = _number(attributes, _ROWS_REPEATED, MAX_ROW)
            self._column = self._row_cells = self._row_characters = 0
        elif tag in _CELLS:
            self._characters = 0
            self._columns = _number(attributes, _COLUMNS_REPEATED, MAX_COLUMN)
            self._has_value = _VALUE_TYPE in attributes

    def end(self, tag: str) -> None:
        self._take_text()
        if tag in _CELLS:
            self._end_cell()
        elif tag == _ROW:
            self._end_row()

    def finish(self) -> None:
        if self._shown > max(_MOST_REPEATED, _REPEATS * self._written):
            raise TooComplex(
                f"'{self._name}' writes {self._written:,} cells and repeats them to {self._shown:,}. Clear the rows and columns "
                "that hold the same to the end of the sheet."
            )

    def _take_text(self) -> None:
        self._characters += sum(len(piece.strip()) for piece in self.pieces)
        self.pieces.clear()

    def _new_sheet(self) -> None:
        self._row = self._first_row = self._last_row = 0
        self._first_column, self._last_column = MAX_COLUMN, 0

    def _end_cell(self) -> None:
        if self._characters or self._has_value:
            self._written += 1
            self._row_cells += self._columns
            self._row_characters += self._columns * (self._characters + MARKUP_OF_A_CELL)
            self._first_column = min(self._first_column, self._column + 1)
            self._last_column = max(self._last_column, self._column + self._columns)
        self._column += self._columns

    def _end_row(self) -> None:
        if self._row_cells:
            self._first_row = self._first_row or self._row + 1
            self._last_row = self._row + self._rows
            require_area(self._name, self._last_row - self._first_row + 1, self._last_column - self._first_column + 1)
            self._shown += self._rows * self._row_cells
            self._budget.spend(self._rows * self._row_characters)
        self._row += self._rows


def _number(attributes: dict[str, str], name: str, most: int) -> int:
    """How often it stands there: once unless it says more."""
    stated = attributes.get(name, "1")
    return min(max(1, int(stated)), most) if stated.isdecimal() and len(stated) < 9 else 1
