"""Workbooks in the binary formats: `.xls` of before Excel 2007 and `.xlsb`, whose cells calamine gives as values.

What only number formats, fonts and comments say is not among them: a price is its number, a date ISO 8601, and a header is told
by its words and kinds alone.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from importlib.metadata import version as installed
from typing import Final

import olefile
import python_calamine as calamine

from ragd.core.errors import DocumentDamaged, DocumentEncrypted, OldFormat, TooComplex
from ragd.formats.common.native import panics_fail_one_document
from ragd.formats.excel.areas import MAX_COLUMN, Area
from ragd.formats.excel.content import sheets_left_out, write_sheet
from ragd.formats.excel.formats import GENERAL, display_of
from ragd.formats.excel.grid import MARKUP_OF_A_CELL, Grid, GridRow
from ragd.formats.excel.layout import find_blocks
from ragd.formats.excel.merges import Cells
from ragd.formats.excel.package import Package
from ragd.formats.excel.stream import Budget, plain_text
from ragd.formats.tables.blocks import SEPARATOR, TableContent
from ragd.providers.protocols import LoadContext

_MAX_AREA: Final = 20_000_000
"""Cells of a sheet's rectangle, blank ones included: calamine makes one block of memory of it, 24 bytes a cell."""
_ERRORS: Final = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#DATA!", "#GETTING_DATA")
_Value = str | bool | int | float | datetime | date | time | timedelta

# Records of a sheet (MS-XLSB 2.3.2): a row, its cells, and cells of the short form, which have no column of their own.
_ROW: Final = 0
_CELLS: Final = range(1, 12)
_SHORT_CELLS: Final = range(12, 19)

# Records of an `.xls` (MS-XLS 2.3).
_GLOBALS: Final = 65_536
"""Bytes in which the record that says so stands: among the first."""
_FILE_PASS: Final = 0x2F
_END_OF_GLOBALS: Final = 0x0A


class BinaryWorkbook:
    """A workbook that calamine reads, sheet by sheet. `parser` names what read it."""

    parser: Final = f"python-calamine {installed('python-calamine')}"

    def __init__(self, data: bytes, name: str, context: LoadContext) -> None:
        self.out = TableContent(name)
        self.pictures = self.out.pictures
        self.read_sheets: list[str] = []
        self.rows = 0
        self._data = data
        self._name = name
        self._context = context
        self._left_out: dict[str, list[str]] = {}

    def read(self) -> None:
        try:
            with panics_fail_one_document(self._name):
                self._read()
        except calamine.CalamineError as error:
            if _has_password(self._data):
                raise DocumentEncrypted(
                    f"'{self._name}' is protected by a password. Save a copy without protection to make it searchable."
                ) from error
            raise DocumentDamaged(f"'{self._name}' is damaged or cut off. Get the file again, or save it as .xlsx.") from error

    def warnings(self) -> Iterator[str]:
        yield from sheets_left_out(self._left_out)

    def _read(self) -> None:
        budget = Budget(self._name)
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(self._data)) as book:
            sheets = book.sheets_metadata
            for done, sheet in enumerate(sheets):
                self._context.report(done, len(sheets))
                if sheet.visible is not calamine.SheetVisibleEnum.Visible:
                    self._left_out.setdefault("hidden", []).append(sheet.name)
                elif sheet.typ is not calamine.SheetTypeEnum.WorkSheet:
                    self._left_out.setdefault(sheet.typ.name.lower(), []).append(sheet.name)
                else:
                    self._write(sheet.name, _grid(book.get_sheet_by_name(sheet.name), budget), budget)
        self._context.report(len(sheets), len(sheets))

    def _write(self, name: str, grid: Grid, budget: Budget) -> None:
        cells = Cells(grid, budget)
        if blocks := find_blocks(grid, cells, ()):
            write_sheet(self.out, name.strip(), cells, blocks, ())
            self.read_sheets.append(name.strip())
            self.rows += len(grid.rows)


def _has_password(data: bytes) -> bool:
    """Whether the records of an `.xls` are encrypted (MS-XLS 2.2.10), which calamine takes for another format."""
    try:
        with olefile.OleFileIO(data) as file:
            stream = file.openstream("Workbook" if file.exists("Workbook") else "Book").read(_GLOBALS)
    except Exception:  # noqa: BLE001 - so it is damaged, in whatever way
        return False
    at = 0
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        if kind in (_FILE_PASS, _END_OF_GLOBALS):
            return bool(kind == _FILE_PASS)
        at += 4 + size
    return False


def require_readable(package: Package) -> None:
    """Raises `ParseFailed` for sheets of an `.xlsb` that calamine would read in part, or only with gigabytes of memory.

    It knows nothing of short cells, which Excel never writes but other programs do, and leaves them out without a word.
    """
    for part in package.archive.namelist():
        if not (part.lower().startswith("xl/worksheets/") and part.lower().endswith(".bin")):
            continue
        rows: list[int] = []
        columns = [MAX_COLUMN, 0]
        for kind, content in _records(package.read(part)):
            if kind in _SHORT_CELLS:
                raise OldFormat(f"'{package.name}' has its cells in a short form that is not read. Save it as .xlsx.")
            if len(content) >= 4 and kind == _ROW:
                rows.append(int.from_bytes(content[:4], "little"))
            elif len(content) >= 4 and kind in _CELLS:
                column = int.from_bytes(content[:4], "little")
                columns = [min(columns[0], column), max(columns[1], column)]
        if rows:
            require_area(package.name, max(rows) - min(rows) + 1, columns[1] - columns[0] + 1)


def require_area(name: str, rows: int, columns: int) -> None:
    """Raises `TooComplex` for a sheet of a workbook called `name` whose cells span more than calamine is given."""
    if rows * columns > _MAX_AREA:
        raise TooComplex(
            f"The cells of a sheet of '{name}' lie too far apart: together with the blank ones between them they are "
            f"more than {_MAX_AREA:,}. Save it as .xlsx."
        )


def _records(data: bytes) -> Iterator[tuple[int, memoryview]]:
    """Type and content of each record (MS-XLSB 2.1.4). What is cut off ends it."""
    view, at, end = memoryview(data), 0, len(data)
    while at + 1 < end:
        kind = data[at]
        at += 1
        if kind & 0x80:
            kind = kind & 0x7F | data[at] << 7
            at += 1
        size = shift = 0
        while at < end and shift < 28:
            byte = data[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield kind, view[at : at + size]
        at += size


def _grid(sheet: calamine.CalamineSheet, budget: Budget) -> Grid:
    grid = Grid()
    left = (sheet.start or (0, 0))[1] + 1  # rows are counted from the sheet's first, columns from the first that holds something
    for number, values in enumerate(sheet.iter_rows(), 1):
        shown = [(column, *_shown(value)) for column, value in enumerate(values, left) if value != ""]
        if shown := [cell for cell in shown if cell[2]]:
            columns, kinds, texts = zip(*shown, strict=True)
            text = SEPARATOR.join(texts)
            budget.spend(len(text) + MARKUP_OF_A_CELL * len(columns))
            grid.rows.append(GridRow(number, columns, "".join(kinds), text))
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        grid.merges.append(Area(top + 1, left + 1, bottom + 1, right + 1))
    return grid


_general: Final = display_of(GENERAL)


def _shown(value: _Value) -> tuple[str, str]:
    """A cell's kind, as in `GridRow`, and its text."""
    if isinstance(value, bool):
        return "b", "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return "n", _general(value) if math.isfinite(value) else str(value)
    if isinstance(value, datetime):
        return "d", value.isoformat(" ", "seconds" if value.second else "minutes")
    if isinstance(value, time):
        return "d", value.isoformat("seconds" if value.second else "minutes")
    if isinstance(value, date):
        return "d", value.isoformat()
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return "d", f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    text = plain_text(value)
    return "e" if text in _ERRORS else "t", text
