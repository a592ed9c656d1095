"""CSV and TSV files as Markdown tables. A cell is text: nothing is calculated, whatever it begins with."""

from __future__ import annotations

import csv
import platform
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentEmpty, DocumentUnreadable
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import decode
from ragd.formats.common.naming import choose_title
from ragd.formats.tables.blocks import SEPARATOR, TableContent, TableRow, write_table
from ragd.formats.tables.csv_dialect import LONGEST_CELL, ONE_COLUMN, CsvRow, Dialect, find_dialect, read_rows
from ragd.formats.tables.headers import names_columns
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext

_SAMPLE: Final = 200
_MAX_PREFACE: Final = 10
_NUMBER: Final = re.compile(r"[-+−]?[¥￥$€£]?\s?\d[\d.,'\u00a0 ]*(?:[eE][-+]?\d+)?\s?[%％円]?$")
_DATE: Final = re.compile(r"\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?(?:[T ]\d{1,2}:\d\d.*)?$|\d{1,2}:\d\d(?::\d\d)?$")
_MAX_FIGURE_CHARS: Final = 40
_LINES_OF_A_CUT_CELL: Final = 100
"""Lines of a last cell without its closing quote up to which the file is taken to be cut off there."""
_JAPANESE: Final = ("cp932", "euc_jp", "iso2022_jp")


class CsvLoader(FormatLoader):
    """Comma, semicolon, tab or bar between cells; places are lines of the file. The title is the file's name."""

    name = "csv"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002  # the contract's
        decoded = decode(data, name)
        text = decoded.text.replace(SEPARATOR, " ")
        warnings = list(decoded.warnings)
        before = csv.field_size_limit(LONGEST_CELL)
        try:
            dialect, widths, used = _survey(text, name, warnings)
            content = TableContent(name)
            wide = _write(content, text, dialect, min(used, widths.most_common(1)[0][0]))
        finally:
            csv.field_size_limit(before)
        if wide:
            warnings.append(f"rows with more cells than the header, written as lists: {wide}")
        title, metadata = choose_title(name)
        metadata |= {"encoding": decoded.encoding, "row_count": widths.total(), "column_count": used}
        if dialect.delimiter != ONE_COLUMN:
            metadata["delimiter"] = dialect.delimiter
        return self._document(
            title,
            content,
            metadata,
            parser=f"csv of Python {platform.python_version()}",
            language=_language(content.markdown, decoded.encoding),
            warnings=warnings,
        )


def _survey(text: str, name: str, warnings: list[str]) -> tuple[Dialect, Counter[int], int]:
    """How the file is written, how many rows have how many cells, and the most cells of a row up to its last one with content."""
    dialect = find_dialect(text, name)
    try:
        widths, used, open_row = _counted(text, dialect)
        reason = f"the quote in line {open_row.first} is never closed" if open_row else ""
    except csv.Error as error:
        open_row, reason = None, str(error)
    if reason and (open_row is None or open_row.last - open_row.first > _LINES_OF_A_CUT_CELL):
        dialect = dialect._replace(quoted=False)
        reason += "; quotes were read as characters like others"
        try:
            widths, used, _ = _counted(text, dialect)
        except csv.Error as error:
            raise DocumentUnreadable(f"'{name}' can't be read as a table: {error}. Check that it is a CSV file.") from error
    if reason:
        warnings.append(reason)
    if not widths:
        raise DocumentEmpty(f"'{name}' has no cell with content, only delimiters.")
    return dialect, widths, used


def _counted(text: str, dialect: Dialect) -> tuple[Counter[int], int, CsvRow | None]:
    widths: Counter[int] = Counter()
    used = 0
    row = None
    for row in read_rows(text, dialect):
        widths[len(row.cells)] += 1
        if len(row.cells) > used:
            used = max(used, len(row.used))
    return widths, used, row if row and row.open else None


def _write(content: TableContent, text: str, dialect: Dialect, width: int) -> int:
    """Write the table, `width` being the most frequent number of cells. Returns how many rows have more cells than its header."""
    rows = read_rows(text, dialect)
    sample = list(islice(rows, _SAMPLE))
    preface = _preface(sample, width)
    content.block(
        (", ".join(cell for cell in row.cells if cell.strip()), _place(row.first, row.last)) for row in sample[:preface]
    )
    first, body = sample[preface], sample[preface + 1 :]
    if width == 1 and not _heads_a_column(first, body):
        content.block((" ".join(row.cells), _place(row.first, row.last)) for row in chain(sample[preface:], rows))
        return 0
    named = width == 1 or names_columns(_kinds(first.used), [cell.strip() for cell in first.used])
    header = [*(first.used if named else ()), *[""] * width]
    header = header[: max(width, len(first.used) if named else 0)]
    wide = 0

    def table() -> Iterator[TableRow]:
        nonlocal wide
        for row in chain(body if named else sample[preface:], rows):
            cells = row.used
            wide += len(cells) > len(header)
            yield TableRow(cells, row.first, row.last)

    write_table(content, header, table(), _place, (first.first, first.last) if named else None)
    return wide


def _preface(sample: Sequence[CsvRow], width: int) -> int:
    """How many rows of much fewer cells stand above the table: its title, its date, the program that wrote it."""
    if width < 3:
        return 0
    counts = [len(row.used) for row in sample[: _MAX_PREFACE + 1]]
    return next((index for index, count in enumerate(counts) if 2 * count > width), 0)


def _heads_a_column(first: CsvRow, body: Sequence[CsvRow]) -> bool:
    """Whether the first row names a single column: one word, or words above figures."""
    word = first.cells[0].strip()
    if _kind(word) != "t" or not body:
        return False
    return not re.search(r"\s|[。、.,]", word) or all(_kind(row.cells[0]) != "t" for row in body)


def _kinds(cells: Sequence[str]) -> str:
    return "".join(map(_kind, cells))


def _kind(cell: str) -> str:
    cell = cell.strip()
    if not cell:
        return " "
    if len(cell) > _MAX_FIGURE_CHARS:
        return "t"
    return "d" if _DATE.match(cell) else "n" if _NUMBER.match(cell) else "t"


def _place(first: int, last: int) -> Place:
    return Place(line_range=(first, last))


def _language(text: str, encoding: str) -> str | None:
    """Names and terms without kana look Chinese; an encoding that only Japanese uses tells better."""
    language = detect_language(text)
    return "ja" if language == "zh" and encoding in _JAPANESE else language
