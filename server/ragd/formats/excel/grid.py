"""The cells of a sheet as they are shown, row by row, and what the sheet says about them: merges, links, filters, frozen rows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ragd.core.documents import Picture
from ragd.core.errors import DocumentDamaged
from ragd.formats.common.pictures import reference
from ragd.formats.excel.areas import MAX_COLUMN, MAX_ROW, Area, area_of, column_number, letters
from ragd.formats.excel.dates import serial_of
from ragd.formats.excel.formats import Display, display_of, is_date_code, text_display_of
from ragd.formats.excel.package import CellStyle, Package, SheetEntry
from ragd.formats.excel.stream import Budget, element_names, plain_text, stream
from ragd.formats.tables.blocks import SEPARATOR

_NAMES: Final = element_names(
    "c", "v", "f", "t", "rPh", "row", "col", "pane", "mergeCell", "hyperlink", "autoFilter", "drawing", "tablePart"
)
_LINK_FORMULA: Final = re.compile(r'HYPERLINK\(\s*"([^"]{1,2000})"', re.IGNORECASE)
_ON: Final = ("1", "true")
MARKUP_OF_A_CELL: Final = 2
"""Characters between two cells of a Markdown table, beyond the one that stands between them here."""


class GridRow(NamedTuple):
    """The cells of a row that show something: their columns in order, a letter each for their kinds, and their texts.

    Kinds: `t` text, `n` number, `d` date or time, `b` boolean, `e` error or unknown; a capital where the cell stands out.
    """

    number: int
    columns: tuple[int, ...]
    kinds: str
    text: str

    @property
    def texts(self) -> list[str]:
        return self.text.split(SEPARATOR)


@dataclass(slots=True)
class Grid:
    """A sheet. `links` are addresses by cell; the ids are of relations of the sheet's part; `seen` counts what warnings name."""

    rows: list[GridRow] = field(default_factory=list)
    merges: list[Area] = field(default_factory=list)
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    link_ids: list[tuple[Area, str]] = field(default_factory=list)
    table_ids: list[str] = field(default_factory=list)
    drawing_ids: list[str] = field(default_factory=list)
    filters: list[Area] = field(default_factory=list)
    frozen_rows: int = 0
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    pictures: list[tuple[int, int, Picture]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Format:
    show: Display
    number_kind: str
    text_kind: str
    around: tuple[str, str] | None


class Formats:
    """How cells show what they hold, by the number of their style. Made on first use: most styles of a workbook have none."""

    def __init__(self, styles: Sequence[CellStyle], *, from_1904: bool) -> None:
        self._styles = styles
        self.from_1904 = from_1904
        self._made: dict[str | None, _Format] = {}

    def of(self, number: str | None) -> _Format:
        if number not in self._made:
            index = int(number) if number and number.isdecimal() else 0
            style = self._styles[index] if index < len(self._styles) else CellStyle()
            kinds = "dt" if is_date_code(style.code) else "nt"
            kinds = kinds.upper() if style.emphasised else kinds
            show = display_of(style.code, from_1904=self.from_1904)
            self._made[number] = _Format(show, kinds[0], kinds[1], text_display_of(style.code))
        return self._made[number]


def read_grid(
    package: Package,
    sheet: SheetEntry,
    strings: Sequence[str],
    pictures: Mapping[str, Picture],
    formats: Formats,
    budget: Budget,
) -> Grid:
    """`strings` and `pictures` are what cells refer to by number. Raises `ParseFailed` when the sheet is missing or damaged."""
    reader = _Reader(strings, pictures, formats, budget)
    try:
        stream(package, sheet.part, reader.start, reader.end, reader.pieces)
    except (LookupError, ValueError) as error:  # numbers of strings and rows that aren't any
        raise DocumentDamaged(f"The sheet '{sheet.name}' of '{package.name}' is damaged. Get the file again.") from error
    grid = reader.grid
    if any(row.number <= above.number for above, row in zip(grid.rows, grid.rows[1:], strict=False)):
        grid.rows.sort(key=lambda row: row.number)
    for area, rel_id in grid.link_ids:
        relation = package.relation(sheet.part, rel_id)
        if relation and relation.external:
            grid.links[area.top, area.left] = relation.target
    return grid


class _Reader:
    """Expat's handlers for the part of a sheet. A cell or row that doesn't say where it stands follows the last one."""

    def __init__(self, strings: Sequence[str], pictures: Mapping[str, Picture], formats: Formats, budget: Budget) -> None:
        self.grid = Grid()
        self.pieces: list[str] = []
        self._strings = strings
        self._pictures = pictures
        self._formats = formats
        self._budget = budget
        self._patterns: dict[tuple[tuple[int, ...], str], tuple[tuple[int, ...], str]] = {}
        self._row = self._column = 0
        self._hidden = self._hint = False
        self._cells: list[tuple[int, str, str]] = []
        self._in_order = True
        self._cell: dict[str, str] = {}
        self._value: str | None = None
        self._formula: str | None = None
        self._masters: dict[str, str] = {}
        self._shared = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.pieces.clear()
        name = _NAMES.get(tag)
        if name == "c":
            before = self._column
            reference = attributes.get("r")
            if reference:
                self._column = column_number(reference.rstrip("0123456789")[:4])
            else:
                self._column += 1
            self._in_order = self._in_order and self._column > before
            self._cell, self._value, self._formula = attributes, None, None
        elif name is None or name in ("v", "t"):
            return
        elif name == "f":
            self._shared = attributes.get("si", "") if attributes.get("t") == "shared" else ""
        elif name == "row":
            self._row = int(attributes.get("r") or self._row + 1)
            self._column = 0
            self._hidden = attributes.get("hidden") in _ON
        elif name == "rPh":
            self._hint = True
        else:
            self._note(name, attributes)

    def end(self, tag: str) -> None:
        name = _NAMES.get(tag)
        if name == "c":
            self._end_cell()
        elif name == "v":
            self._value = "".join(self.pieces)
        elif name == "t":
            if not self._hint:
                self._value = (self._value or "") + "".join(self.pieces)
        elif name == "f":
            self._formula = "".join(self.pieces)
        elif name == "row":
            self._end_row()
        elif name == "rPh":
            self._hint = False

    def _note(self, name: str, attributes: dict[str, str]) -> None:
        grid = self.grid
        area = area_of(attributes.get("ref", ""))
        relation = next((value for key, value in attributes.items() if key.endswith("relationships id")), "")
        if name == "mergeCell" and area:
            grid.merges.append(area)
        elif name == "hyperlink" and area and relation:
            grid.link_ids.append((area, relation))
        elif name == "autoFilter" and area:
            grid.filters.append(area)
        elif name == "drawing":
            grid.drawing_ids.append(relation)
        elif name == "tablePart":
            grid.table_ids.append(relation)
        elif name == "pane" and attributes.get("state", "").startswith("frozen"):
            rows = attributes.get("ySplit", "0")
            grid.frozen_rows = int(rows) if rows.isdecimal() else 0
        elif name == "col" and attributes.get("hidden") in _ON:
            grid.hidden_columns.append((int(attributes["min"]), int(attributes["max"])))

    def _end_cell(self) -> None:
        form = self._formats.of(self._cell.get("s"))
        kind, text = self._shown(form)
        if self._formula is not None:
            kind, text = self._with_formula(kind, text)
        if text:
            self._cells.append((self._column, kind, text))
        elif kind in "nN" and self._value and self._value.strip("0.-"):
            self.grid.seen["shown_as_nothing"] += 1

    def _shown(self, form: _Format) -> tuple[str, str]:
        value, kind = self._value, self._cell.get("t", "n")
        if value is None:
            return form.text_kind, ""
        if kind in ("n", "d"):
            number = serial_of(value, from_1904=self._formats.from_1904) if kind == "d" else _number(value)
            return (form.text_kind, value.strip()) if number is None else (form.number_kind, form.show(number))
        emphasised = form.text_kind.isupper()
        if kind == "b":
            return "B" if emphasised else "b", "TRUE" if value.strip() in _ON else "FALSE"
        if kind == "e":
            if found := self._pictures.get(self._cell.get("vm", "")):
                self.grid.pictures.append((self._row, self._column, found))
                return form.text_kind, reference(found)
            self.grid.seen["rich_values"] += "vm" in self._cell
            return "E" if emphasised else "e", value.strip()
        text = plain_text(value) if kind != "s" else self._strings[int(value)] if value.strip() else ""
        if text and form.around:
            text = f"{form.around[0]}{text}{form.around[1]}"
        return form.text_kind, text

    def _with_formula(self, kind: str, text: str) -> tuple[str, str]:
        formula = plain_text(self._formula or "")
        where = f"{letters(self._column)}{self._row}"
        if self._shared and formula:
            self._masters[self._shared] = where
        if link := _LINK_FORMULA.match(formula):
            self.grid.links[self._row, self._column] = link[1]
        # A formula whose result is an empty text has the type of texts, and a value that is empty.
        if text or self._value or self._cell.get("t") == "str":
            return kind, text
        self.grid.seen["without_value"] += 1
        shown = f"={formula}" if formula else f"(the formula of {self._masters.get(self._shared, 'another cell')})"
        return "E" if kind.isupper() else "e", shown

    def _end_row(self) -> None:
        if not self._cells:
            return
        if not self._in_order:
            self._cells.sort(key=lambda cell: cell[0])
            self._in_order = True
        columns, kinds, texts = zip(*self._cells, strict=True)
        self._cells.clear()
        if self._row > MAX_ROW or columns[-1] > MAX_COLUMN or columns[0] < 1:
            raise ValueError(f"it has a cell in row {self._row} and column {columns[-1]}")
        text = SEPARATOR.join(texts)
        self._budget.spend(len(text) + MARKUP_OF_A_CELL * len(columns))
        pattern = (columns, "".join(kinds))
        columns, all_kinds = self._patterns.setdefault(pattern, pattern)
        self.grid.rows.append(GridRow(self._row, columns, all_kinds, text))
        self.grid.seen["hidden_rows"] += self._hidden


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
