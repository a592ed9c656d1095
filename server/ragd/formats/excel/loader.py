"""Excel workbooks: the visible sheets in order, their tables as Markdown with the values as they are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final
from xml.parsers import expat

from ragd.core.documents import Document, Picture
from ragd.core.errors import DocumentEmpty
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.naming import choose_title, extension, metadata_of, tags_of
from ragd.formats.common.office_archive import checked_archive, old_format
from ragd.formats.common.ole import ole_properties
from ragd.formats.common.opc import LXML_VERSION
from ragd.formats.excel.areas import MAX_COLUMN, Area, area_of
from ragd.formats.excel.binary import BinaryWorkbook, require_readable
from ragd.formats.excel.content import sheets_left_out, write_sheet
from ragd.formats.excel.drawings import Attached, Drawings, cell_pictures, place_of
from ragd.formats.excel.grid import Formats, Grid, read_grid
from ragd.formats.excel.layout import find_blocks
from ragd.formats.excel.merges import Cells
from ragd.formats.excel.package import Package, SheetEntry, has_japanese_font, relation_id
from ragd.formats.excel.repeats import require_modest_repeats
from ragd.formats.excel.stream import Budget, shared_strings
from ragd.formats.opendocument.package import OdfPackage
from ragd.formats.tables.blocks import TableContent
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext

_PARSER: Final = f"{expat.EXPAT_VERSION.replace('_', ' ')}, lxml {LXML_VERSION}"
# Where the first part of an archive begins, which in OpenDocument says of what type the file is.
_SPREADSHEET: Final = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
_MIMETYPE: Final = slice(30, 30 + len(_SPREADSHEET))
_READ: Final = ("worksheet", "chartsheet")


class ExcelLoader(FormatLoader):
    """`.xlsx`, `.xlsm`, `.xltx`, the binary `.xls` and `.xlsb`, and OpenDocument's `.ods`. Formulas show their stored values;
    nothing is calculated and no macro is run.

    The title is the one that the workbook's properties state, else the file's name: a sheet's name is not the workbook's.
    """

    name = "excel"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        workbook: _Workbook | BinaryWorkbook
        if old_format(data) == ".xlsx":
            workbook = BinaryWorkbook(data, name, context)
            workbook.read()
            properties, is_japanese = ole_properties(data), has_japanese_font(data)
        elif data[_MIMETYPE] == _SPREADSHEET or extension(name) in (".ods", ".ots"):
            odf = OdfPackage(data, name, "spreadsheet", "an OpenDocument spreadsheet")
            require_modest_repeats(odf)
            workbook = BinaryWorkbook(data, name, context)
            workbook.read()
            stated = odf.properties()
            properties = {"title": stated.get("title", ""), "creator": stated.get("author", "")}
            properties["keywords"] = ",".join(stated.get("tags", ()))
            is_japanese = has_japanese_font(odf.read("content.xml"), "utf-8")
        else:
            with checked_archive(data, name, "an Excel workbook") as archive:
                package = Package(archive, name)
                if package.is_binary:
                    require_readable(package)
                    workbook = BinaryWorkbook(data, name, context)
                else:
                    workbook = _Workbook(package, context)
                workbook.read()
                properties, is_japanese = package.properties(), package.is_japanese
        language = detect_language(workbook.out.markdown)
        if language == "zh" and is_japanese:
            language = "ja"
        if not workbook.out.markdown:
            raise DocumentEmpty(f"'{name}' holds nothing that is shown: no visible sheet has a cell with content, or a picture.")
        title, metadata = choose_title(name, properties=properties.get("title"))
        metadata |= {"sheets": workbook.read_sheets, "row_count": workbook.rows}
        metadata |= metadata_of(author=properties.get("creator"), tags=tags_of(properties.get("keywords")))
        return self._document(
            title,
            workbook.out,
            metadata,
            parser=workbook.parser,
            pictures=workbook.pictures,
            language=language,
            warnings=workbook.warnings(),
        )


class _Workbook:
    """A workbook while it is read, sheet by sheet."""

    parser: Final = _PARSER

    def __init__(self, package: Package, context: LoadContext) -> None:
        self.package = package
        self.out = TableContent(package.name)
        self.pictures: list[Picture] = []
        self.read_sheets: list[str] = []
        self.rows = 0
        self._context = context
        self._drawings = Drawings(package)
        self._left_out: dict[str, list[str]] = {}
        self._seen: Counter[str] = Counter()

    def read(self) -> None:
        sheets = self.package.sheets()
        budget = Budget(self.package.name)
        strings = shared_strings(self.package, Budget(self.package.name))
        in_cells = cell_pictures(self.package)
        formats = Formats(self.package.styles(), from_1904=self.package.from_1904)
        for done, sheet in enumerate(sheets):
            self._context.report(done, len(sheets))
            if sheet.hidden:
                self._left_out.setdefault("hidden", []).append(sheet.name)
            elif sheet.kind not in _READ:
                self._left_out.setdefault(sheet.kind, []).append(sheet.name)
            elif sheet.kind == "chartsheet":
                drawings = self.package.tree(sheet.part).iterfind("{*}drawing")
                self._write(sheet, Grid(), [relation_id(element) for element in drawings], budget)
            else:
                grid = read_grid(self.package, sheet, strings, in_cells, formats, budget)
                self._count(grid)
                self._write(sheet, grid, grid.drawing_ids, budget)
        self._context.report(len(sheets), len(sheets))

    def warnings(self) -> Iterator[str]:
        yield from sheets_left_out(self._left_out)
        for what, message in (
            ("without_value", "formulas without a stored value, shown as formulas (open the file in Excel and save it)"),
            ("hidden_rows", "hidden rows, read like the others"),
            ("hidden_columns", "hidden columns, read like the others"),
            ("shown_as_nothing", "numbers left out because their number format shows nothing"),
            ("rich_values", "cells with values of newer kinds that are stored as errors, read as these errors"),
        ):
            if count := self._seen[what]:
                yield f"{message}: {count}"
        yield from self._drawings.warnings

    def _write(self, sheet: SheetEntry, grid: Grid, drawing_ids: Sequence[str], budget: Budget) -> None:
        cells = Cells(grid, budget)
        blocks = find_blocks(grid, cells, self._tables(sheet, grid))
        attached = list(self._attached(sheet, drawing_ids))
        if blocks or attached:
            self.pictures += [replace(found, place=place_of(sheet.name, row, column)) for row, column, found in grid.pictures]
            self.pictures += write_sheet(self.out, sheet.name, cells, blocks, attached)
            self.read_sheets.append(sheet.name)
            self.rows += len(grid.rows)

    def _tables(self, sheet: SheetEntry, grid: Grid) -> list[Area]:
        tables = []
        for table_id in grid.table_ids:
            if part := self.package.target(sheet.part, table_id):
                table = self.package.tree(part)
                area = area_of(table.get("ref", ""))
                if area and table.get("headerRowCount", "1") != "0":
                    tables.append(area)
        return tables

    def _attached(self, sheet: SheetEntry, drawing_ids: Sequence[str]) -> Iterator[Attached]:
        for drawing_id in drawing_ids:
            if part := self.package.target(sheet.part, drawing_id):
                yield from self._drawings.drawn(part, sheet.name)
        yield from self._drawings.comments(sheet.part)

    def _count(self, grid: Grid) -> None:
        used = {column for columns in {row.columns for row in grid.rows} for column in columns}
        changes = Counter(low for low, _ in grid.hidden_columns)
        changes.subtract(high + 1 for _, high in grid.hidden_columns)
        depths = accumulate(changes[column] for column in range(MAX_COLUMN + 1))
        hidden = sum(depth > 0 and column in used for column, depth in enumerate(depths))
        self._seen.update(grid.seen, hidden_columns=hidden)
