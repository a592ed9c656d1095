"""CSV and TSV files as Markdown tables. A cell is text: nothing is calculated, whatever it begins with.

What divides the cells is found by trying: csv.Sniffer guesses from the frequencies of characters and is often wrong (with dates,
decimal commas or one column), so each usual delimiter is tried on the beginning of the file, and the one that gives the most
regular rows is taken.
"""

from __future__ import annotations

import csv
import io
import platform
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentDamaged, DocumentEmpty
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import decode
from ragd.formats.common.naming import choose_title, extension
from ragd.formats.tables.blocks import SEPARATOR, TableContent, TableRow
from ragd.formats.tables.headers import names_columns
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext

_DELIMITERS: Final = (",", ";", "\t", "|")
_ONE_COLUMN: Final = "\x1f"
"""The delimiter of a file without any: a character that stands in no cell."""
_LONGEST_CELL: Final = 10_000_000
"""Characters. What is longer is a quote that is never closed."""

_SAMPLE_CHARS: Final = 65_536
_SAMPLE_ROWS: Final = 200
_LEAST_REGULARITY: Final = 0.5
_NEARLY_ALL: Final = 0.8
_STATED: Final = re.compile(r"sep=(.)[ \t]*(?:\n|\Z)", re.IGNORECASE)
_SAMPLE: Final = 200
_MAX_PREFACE: Final = 10
_NUMBER: Final = re.compile(r"[-+−]?[¥￥$€£]?\s?\d[\d.,'\u00a0 ]*(?:[eE][-+]?\d+)?\s?[%％円]?$")
_DATE: Final = re.compile(r"\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?(?:[T ]\d{1,2}:\d\d.*)?$|\d{1,2}:\d\d(?::\d\d)?$")
_MAX_FIGURE_CHARS: Final = 40
_LINES_OF_A_CUT_CELL: Final = 100
"""Lines of a last cell without its closing quote up to which the file is taken to be cut off there."""
_JAPANESE: Final = ("cp932", "euc_jp", "iso2022_jp")


class _Dialect(NamedTuple):
    """`start` is where the rows begin, in characters and in lines: after Excel's line `sep=;`, where there is one."""

    delimiter: str
    start: int = 0
    first_line: int = 1
    quoted: bool = True


class _CsvRow(NamedTuple):
    """A row that isn't blank, and its first and last line in the file. `open`: its last cell has a quote that is never closed."""

    cells: list[str]
    first: int
    last: int
    open: bool

    @property
    def used(self) -> list[str]:
        """The cells without the blank ones at the end."""
        end = len(self.cells)
        while end and not self.cells[end - 1].strip():
            end -= 1
        return self.cells[:end]


def _find_dialect(text: str, name: str) -> _Dialect:
    """The dialect of the text of a file called `name`."""
    if stated := _STATED.match(text):
        return _Dialect(stated[1], stated.end(), 2)
    sample = text[:_SAMPLE_CHARS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample
    if extension(name) == ".tsv" and _regularity(sample, "\t")[0] >= _LEAST_REGULARITY:
        return _Dialect("\t")
    found = {delimiter: _regularity(sample, delimiter) for delimiter in _DELIMITERS}
    best = max(found, key=found.__getitem__)  # of equals, the first
    return _Dialect(best if found[best][0] >= _LEAST_REGULARITY else _ONE_COLUMN)


def _read_rows(text: str, dialect: _Dialect) -> Iterator[_CsvRow]:
    """The rows of a text. Raises `csv.Error` when a cell is longer than the library's limit."""
    lines = _Lines(text, dialect.start)
    delimiter = dialect.delimiter
    plain = csv.reader(lines, delimiter=delimiter) if dialect.quoted else None
    reader = plain or csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    first = dialect.first_line
    for cells in reader:
        last = dialect.first_line + reader.line_num - 1
        if any(cell.strip() for cell in cells):
            yield _CsvRow(cells, first, last, dialect.quoted and last > first and lines.ended and lines.quotes % 2 == 1)
        first = last + 1
        lines.quotes = 0


class _Lines:
    """The lines of a text from a character on; counts quotes, and knows when there are no more lines."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self.quotes = 0

    @property
    def ended(self) -> bool:
        return self._at >= len(self._text)

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.ended:
            raise StopIteration
        end = self._text.find("\n", self._at) + 1 or len(self._text)
        line = self._text[self._at : end]
        self._at = end
        self.quotes += line.count('"')
        return line


def _regularity(sample: str, delimiter: str) -> tuple[float, int]:
    """Share of the rows that have the most frequent number of cells, two or more, and that number.

    Rows of all lengths are half as good as rows of one, as long as nearly all are divided.
    """
    widths: Counter[int] = Counter()
    try:
        for row in csv.reader(io.StringIO(sample, newline="\n"), delimiter=delimiter):
            if row:
                widths[len(row)] += 1
            if widths.total() == _SAMPLE_ROWS:
                break
    except csv.Error:
        return 0.0, 0
    several = [(count, width) for width, count in widths.items() if width > 1]
    if not several:
        return 0.0, 0
    divided = sum(count for count, _ in several) / widths.total()
    count, width = max(several)
    return max(count / widths.total(), _LEAST_REGULARITY if divided >= _NEARLY_ALL else 0), width


class CsvLoader(FormatLoader):
    """Comma, semicolon, tab or bar between cells; places are lines of the file. The title is the file's name."""

    name = "csv"
    version = "2"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002  # the contract's
        decoded = decode(data, name)
        text = decoded.text.replace(SEPARATOR, " ")
        warnings = list(decoded.warnings)
        before = csv.field_size_limit(_LONGEST_CELL)
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
        if dialect.delimiter != _ONE_COLUMN:
            metadata["delimiter"] = dialect.delimiter
        return self._document(
            title,
            content,
            metadata,
            parser=f"csv of Python {platform.python_version()}",
            language=_language(content.markdown, decoded.encoding),
            warnings=warnings,
        )


def _survey(text: str, name: str, warnings: list[str]) -> tuple[_Dialect, Counter[int], int]:
    """How the file is written, how many rows have how many cells, and the most cells of a row up to its last one with content."""
    dialect = _find_dialect(text, name)
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
            raise DocumentDamaged(
                f"'{name}' can't be read as a table: a field of it is longer than is read, or a quote never closes."
            ) from error
    if reason:
        warnings.append(reason)
    if not widths:
        raise DocumentEmpty(f"'{name}' has no cell with content, only delimiters.")
    return dialect, widths, used


def _counted(text: str, dialect: _Dialect) -> tuple[Counter[int], int, _CsvRow | None]:
    widths: Counter[int] = Counter()
    used = 0
    row = None
    for row in _read_rows(text, dialect):
        widths[len(row.cells)] += 1
        if len(row.cells) > used:
            used = max(used, len(row.used))
    return widths, used, row if row and row.open else None


def _write(content: TableContent, text: str, dialect: _Dialect, width: int) -> int:
    """Write the table, `width` being the most frequent number of cells. Returns how many rows have more cells than its header."""
    rows = _read_rows(text, dialect)
    sample = list(islice(rows, _SAMPLE))
    preface = _preface(sample, width)
    content.block(
        (", ".join(cell for cell in row.cells if cell.strip()), _place(row.first, row.last)) for row in sample[:preface]
    )
    first, body = sample[preface], sample[preface + 1 :]
    if width == 1 and not _heads_a_column(first, body):
        content.block((" ".join(row.cells), _place(row.first, row.last)) for row in chain(sample[preface:], rows))
        return 0
    named = width == 1 or names_columns("".join(map(_kind, first.used)), [cell.strip() for cell in first.used])
    header = [*(first.used if named else ()), *[""] * width]
    header = header[: max(width, len(first.used) if named else 0)]
    wide = 0

    def table() -> Iterator[TableRow]:
        nonlocal wide
        for row in chain(body if named else sample[preface:], rows):
            cells = row.used
            wide += len(cells) > len(header)
            yield TableRow(cells, row.first, row.last)

    content.table(header, table(), _place, (first.first, first.last) if named else None)
    return wide


def _preface(sample: Sequence[_CsvRow], width: int) -> int:
    """How many rows of much fewer cells stand above the table: its title, its date, the program that wrote it."""
    if width < 3:
        return 0
    counts = [len(row.used) for row in sample[: _MAX_PREFACE + 1]]
    return next((index for index, count in enumerate(counts) if 2 * count > width), 0)


def _heads_a_column(first: _CsvRow, body: Sequence[_CsvRow]) -> bool:
    """Whether the first row names a single column: one word, or words above figures."""
    word = first.cells[0].strip()
    if _kind(word) != "t" or not body:
        return False
    return not re.search(r"\s|[。、.,]", word) or all(_kind(row.cells[0]) != "t" for row in body)


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
    """Names and terms without kana look Chinese; an encoding that only Japanese uses is better evidence."""
    language = detect_language(text)
    return "ja" if language == "zh" and encoding in _JAPANESE else language
