"""How a CSV file is written: what divides its cells, told by trying.

csv.Sniffer guesses from the frequencies of characters and is often wrong (with dates, decimal commas or one column), so each
usual delimiter is tried on the beginning of the file, and the one that gives the most regular rows is taken.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from ragd.formats.common.naming import extension

_DELIMITERS: Final = (",", ";", "\t", "|")
ONE_COLUMN: Final = "\x1f"
"""The delimiter of a file without any: a character that stands in no cell."""
LONGEST_CELL: Final = 10_000_000
"""Characters. What is longer is a quote that is never closed."""

_SAMPLE_CHARS: Final = 65_536
_SAMPLE_ROWS: Final = 200
_LEAST_REGULARITY: Final = 0.5
_NEARLY_ALL: Final = 0.8
_STATED: Final = re.compile(r"sep=(.)[ \t]*(?:\n|\Z)", re.IGNORECASE)


class Dialect(NamedTuple):
    """`start` is where the rows begin, in characters and in lines: after Excel's line `sep=;`, where there is one."""

    delimiter: str
    start: int = 0
    first_line: int = 1
    quoted: bool = True


class CsvRow(NamedTuple):
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


def find_dialect(text: str, name: str) -> Dialect:
    """The dialect of the text of a file called `name`."""
    if stated := _STATED.match(text):
        return Dialect(stated[1], stated.end(), 2)
    sample = text[:_SAMPLE_CHARS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample
    if extension(name) == ".tsv" and _regularity(sample, "\t")[0] >= _LEAST_REGULARITY:
        return Dialect("\t")
    found = {delimiter: _regularity(sample, delimiter) for delimiter in _DELIMITERS}
    best = max(found, key=found.__getitem__)  # of equals, the first
    return Dialect(best if found[best][0] >= _LEAST_REGULARITY else ONE_COLUMN)


def read_rows(text: str, dialect: Dialect) -> Iterator[CsvRow]:
    """The rows of a text. Raises `csv.Error` when a cell is longer than the library's limit."""
    lines = _Lines(text, dialect.start)
    delimiter = dialect.delimiter
    plain = csv.reader(lines, delimiter=delimiter) if dialect.quoted else None
    reader = plain or csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    first = dialect.first_line
    for cells in reader:
        last = dialect.first_line + reader.line_num - 1
        if any(cell.strip() for cell in cells):
            yield CsvRow(cells, first, last, dialect.quoted and last > first and lines.ended and lines.quotes % 2 == 1)
        first = last + 1
        lines.quotes = 0


class _Lines:
    """The lines of a text from a character on; counts quotes, and tells when there are no more lines."""

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
