"""Rows of a sheet or of a CSV file as Markdown tables, with their places, so that no chunk has rows without their header.

The chunker cuts at blank lines first. A table is therefore written in parts, each a paragraph of its own: the header, and as
many rows as a chunk has room for. Which row ends a part is decided by the row itself (content-defined chunking; Muthitacharoen,
Chen and Mazieres, "A low-bandwidth network file system", SOSP 2001), so that a row put in or taken out changes the parts
around it and none of the others, and only those are embedded again.

A row that does not fit beside its header is written as a list, `- Column: value`, and so is every row of a table that is too
wide for any header to be repeated.
"""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ragd.core.documents import MergedCell, Place
from ragd.core.errors import TooComplex
from ragd.formats.common.builder import ContentBuilder
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.tables.merged import Span, merged_cells

PART_TOKENS: Final = 400
"""Estimated tokens of a part at most. Heading line, prefix and what overlaps with the last chunk need the rest of a chunk."""
_PART_TOKENS_MIN: Final = 250
"""From here on a part may end. More than half of a chunk, so that parts stay alone in theirs wherever rows come and go."""
HEADER_TOKENS: Final = PART_TOKENS // 2
"""A longer header is not repeated; the rows are then written as lists."""

_MAX_CHARACTERS: Final = 100_000_000
"""Of the content made of one file."""

SEPARATOR: Final = "\x1f"
"""Stands between the cells of a row that is kept as one text."""

_LETTERS: Final = string.ascii_letters.encode()
_DIGITS: Final = string.digits.encode()
_BAR: Final = re.compile(r"(?<!\\)(\\*+)\|")


class TableRow(NamedTuple):
    """The cells of a row as they are shown, unescaped, its first and last row or line in the source, and what is merged in it."""

    cells: Sequence[str]
    first: int
    last: int
    spans: Sequence[Span] = ()


class TableContent(ContentBuilder):
    """Markdown under construction, block by block, with its marks and headings, from the file called `name`.

    Raises `ParseFailed` when it becomes longer than `limit`: a long header, said again for each row, can make much of little.
    """

    def __init__(self, name: str, limit: int = _MAX_CHARACTERS) -> None:
        super().__init__()
        self._name = name
        self._limit = limit

    def heading(self, title: str, level: int, place: Place) -> None:
        line = f"{'#' * level} {' '.join(title.split())}"
        start = self.block([(line, place)])
        self._head(start, level, title)

    def block(self, lines: Iterable[tuple[str, Place]]) -> int:
        """Append a paragraph, each of its lines with its place; returns where it begins."""
        start = self._length + 2 if self._parts else 0
        text: list[str] = []
        offset = start
        for line, place in lines:
            self._mark(place, offset)
            text.append(line)
            offset += len(line) + 1
        if text:
            self._block("\n".join(text))
        if self._length > self._limit:
            raise TooComplex(f"The tables of '{self._name}' would be more than {self._limit:,} characters long. Split the file.")
        return start

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[TableRow],
        place: Callable[[int, int], Place],
        header_rows: tuple[int, int] | None = None,
        header_cells: Sequence[MergedCell] = (),
    ) -> None:
        """Write a table in parts. `place` makes the place of rows `first` to `last`; the first part's includes `header_rows`.
        `header_cells` are those that are merged in the header, with starts of 0.

        An empty `header` is written as blank cells. A row may have fewer cells than the header; one that has more, or that is too
        long, becomes a list. Works through `rows` once and holds one part at a time.
        """
        width = len(header)
        head = f"{_line(header, width)}\n|{'---|' * width}"
        part = _Part(self, head, header_cells)
        wide = part.room < PART_TOKENS - HEADER_TOKENS
        begin = header_rows
        for row in rows:
            where = place(min(begin[0], row.first) if begin else row.first, row.last)
            begin = None
            line = "" if wide or len(row.cells) > width else _line(row.cells, width)
            if line and part.add(line, where, row.spans):
                continue
            part.end()
            for block in _record(header, row.cells):
                self.block([(block, where)])
        part.end()
        if begin:  # a header and nothing below it
            text = " | ".join(cell_text(cell) for cell in header if cell) if wide else head
            start = self.block([(text, place(*begin))])
            self._merge(start, () if wide else header_cells)

    def pairs(self, pairs: Iterable[tuple[str, str, Place]]) -> None:
        """Labels and their values as one list."""
        self.block((_item(label.rstrip(":： "), value), place) for label, value, place in pairs)


class _Part:
    """The rows that wait to be written below one header. `room` is what the header leaves for them, in tokens."""

    def __init__(self, out: TableContent, head: str, header_cells: Sequence[MergedCell]) -> None:
        self.room = PART_TOKENS - estimated_tokens(head)
        self._out = out
        self._head = head
        self._header_cells = header_cells
        self._rows: list[tuple[str, Place, int, Sequence[Span]]] = []
        self._tokens = 0

    def add(self, line: str, where: Place, spans: Sequence[Span]) -> bool:
        """Whether the row fits a part at all; then it is taken, and what has no room beside it is written."""
        cost = estimated_tokens(line)
        if cost > self.room:
            return False
        while self._tokens + cost > self.room:
            self._write(self._cut())
        self._rows.append((line, where, cost, spans))
        self._tokens += cost
        return True

    def end(self) -> None:
        self._write(len(self._rows))

    def _cut(self) -> int:
        """How many rows to write: up to the one with the smallest checksum of those after which the part is full enough."""
        tokens = PART_TOKENS - self.room
        best, smallest = len(self._rows), 1 << 32
        for count, (line, _, cost, _) in enumerate(self._rows, 1):
            tokens += cost
            if tokens >= _PART_TOKENS_MIN and (checksum := zlib.crc32(line.encode("utf-8", "replace"))) < smallest:
                best, smallest = count, checksum
        return best

    def _write(self, count: int) -> None:
        lines = [(line, where) for line, where, _, _ in self._rows[:count]]
        if lines:
            start = self._out.block([(f"{self._head}\n{lines[0][0]}", lines[0][1]), *lines[1:]])
            self._out._merge(start, self._header_cells)
            start += len(self._head) + 1
            for line, _, _, spans in self._rows[:count]:
                if spans:
                    self._out._merge(0, merged_cells(start, spans))
                start += len(line) + 1
        self._tokens -= sum(cost for _, _, cost, _ in self._rows[:count])
        del self._rows[:count]


def cell_text(text: str) -> str:
    """A cell's text for a table: bars escaped, line breaks as `<br>`."""
    if "|" in text:
        text = _BAR.sub(r"\1\1\\|", text)  # a backslash before a bar has to be escaped itself
    return "<br>".join(part.strip() for part in text.splitlines()) if "\n" in text else text.strip()


def estimated_tokens(text: str) -> int:
    """About as many tokens as the multilingual (XLM-RoBERTa) vocabulary makes of a table's lines; 13 % too many or too few.

    Weights by least squares over 3,000 rows of English, Japanese, codes and figures, rounded up.
    """
    data = text.encode("utf-8", "replace")
    letters = len(data) - len(data.translate(None, _LETTERS))
    digits = len(data) - len(data.translate(None, _DIGITS))
    multibyte = len(text) - len(text.encode("ascii", "ignore")) if not text.isascii() else 0
    others = len(text) - letters - digits - multibyte - data.count(b" ") - data.count(b"\n")
    return int(0.4 * letters + 0.75 * digits + 0.75 * multibyte + 0.9 * others) + 1


def _line(cells: Sequence[str], width: int) -> str:
    joined = SEPARATOR.join(cells)
    if "|" in joined or "\n" in joined or "\r" in joined:
        joined = SEPARATOR.join(cell_text(cell) for cell in cells)
    return f"| {joined.replace(SEPARATOR, ' | ')}{' | ' * (width - len(cells))} |"


def _record(header: Sequence[str], cells: Sequence[str]) -> Iterator[str]:
    """A row as lists that fit a part; each begins with the row's first cell, so that it is known whose values these are."""
    items = [
        _item(header[index] if index < len(header) and header[index] else f"Column {index + 1}", cell)
        for index, cell in enumerate(cells)
        if cell.strip()
    ]
    block: list[str] = []
    tokens = 0
    for item in items:
        cost = estimated_tokens(item)
        if len(block) > 1 and tokens + cost > PART_TOKENS:
            yield "\n".join(block)
            block = [items[0]] if estimated_tokens(items[0]) < PART_TOKENS // 4 else []
            tokens = sum(estimated_tokens(line) for line in block)
        block.append(item)
        tokens += cost
    if block:
        yield "\n".join(block)


def _item(label: str, value: str) -> str:
    lines = [line.strip() for line in value.splitlines() if line.strip()]
    name = " ".join(label[:MAX_TITLE_CHARS].split())
    text = "\n  ".join(lines)
    return f"- {name}: {text}" if name and text else f"- {name or text}"
