"""Collects the Markdown of a Jira issue block by block, with its headings and the places that citations open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from ragd.core.documents import Mark, Place
from ragd.formats.common.builder import IndentedBuilder
from ragd.formats.common.text import fenced
from ragd.formats.tables.merged import Span, merged_cells, reaching, shown
from ragd.formats.tables.pipes import Reach, pipe_lines, spread

MAX_COLUMNS: Final = 100
MAX_ROWS: Final = 1000
"""Columns of a table, and rows that one cell may extend over."""
_MAX_REPEATED: Final = 200
"""Characters of a header over several columns that is repeated in each."""
_DEEPEST_HEADING: Final = 6

_FENCE: Final = re.compile(r"^([ \t]*)(?=```|~~~)", re.MULTILINE)
_STRONG: Final = re.compile(r"\*\*(\S.*?)\*\*")
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,40}")


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell on one line; `rows` and `columns` are how many it extends over."""

    text: str
    header: bool = False
    rows: int = 1
    columns: int = 1


class IssueContent(IndentedBuilder):
    """Blocks below each other."""

    max_indent = 40
    blanks = " \t\n\u200b\ufeff"
    """The zero-width space, which editors leave in empty paragraphs, is one of them."""

    @contextmanager
    def section(self, level: int, title: str) -> Iterator[None]:
        """A heading over what is written inside; without anything there is no heading."""
        before = len(self._parts), self._length, len(self.headings)
        self.heading(level, title)
        start = self._length
        yield
        if self._length == start:
            parts, self._length, headings = before
            del self._parts[parts:], self.headings[headings:]

    def heading(self, level: int, title: str, place: Place | None = None) -> None:
        """A heading, which needs no emphasis; one inside of a list or quotation begins no section. From it on, the source is at
        `place`."""
        title = _STRONG.sub(r"\1", " ".join(title.split()))
        if not title:
            return
        level = min(level, _DEEPEST_HEADING)
        start = self._add(f"{'#' * level} {title}")
        if start is None:
            start = self._length
        if not self._indent:
            self._head(start, level, title)
        if place is not None:
            self.marks.append(Mark(start, place))

    def paragraph(self, text: str, *, tight: bool = False) -> None:
        """Text as it is, but for a line that would open a block of code. A tight one follows without a blank line."""
        self._tight = self._tight or tight
        self._add(_FENCE.sub(r"\1\\", text.rstrip()))

    def lines(self, lines: Sequence[str]) -> None:
        """Lines that belong together, such as those of a list."""
        self._add("\n".join(lines))

    def table(self, rows: Sequence[Sequence[Cell]]) -> None:
        """A table, its first row as the header. A cell over several columns stands in the first of them, in a row of headers in
        all."""
        lines, spans = _table_lines(rows)
        start = self._add("\n".join(lines))
        if start is None:
            return
        # Each line is indented as it was written; the second is the rule below the header.
        written = self._parts[-1].split("\n")
        begins = list(accumulate((len(line) + 1 for line in written), initial=start))
        for begin, merged in zip((begins[0], *begins[2:]), spans, strict=False):
            self._merge(0, merged_cells(begin, merged))

    def code(self, text: str, language: str = "") -> None:
        text = text.strip("\n").rstrip()
        if text:
            self._add(fenced(text, language if _LANGUAGE.fullmatch(language) else ""))

    @contextmanager
    def inside(self, marker: str, *, once: bool = False, tight: bool = False) -> Iterator[None]:
        """The same; the first block may follow without a blank line."""
        self._tight = self._tight or tight
        with super().inside(marker, once=once):
            yield
        self._tight = False


def _table_lines(rows: Sequence[Sequence[Cell]]) -> tuple[list[str], list[list[Span]]]:
    """The lines of a table, and what is merged in each of its rows."""
    filled: list[list[str]] = []
    above: Reach = {}
    spans: list[Span] | None = []
    spans_of: dict[int, list[Span] | None] = {}
    for number, row in enumerate(rows):
        is_header = all(cell.header for cell in row)
        texts, above = spread((_spanned(cell, is_header=is_header) for cell in row), above, MAX_COLUMNS)
        spans = reaching(((cell.rows, cell.columns) for cell in row), spans)
        if any(texts.values()):
            filled.append([texts.get(column, "") for column in range(max(texts) + 1)])
            spans_of[number] = spans
    return pipe_lines(filled), shown(spans_of, range(MAX_COLUMNS))


def _spanned(cell: Cell, *, is_header: bool) -> tuple[str, str, int, int]:
    text = " ".join(cell.text.split()).replace("|", "\\|")
    return text, text if is_header and len(text) <= _MAX_REPEATED else "", cell.rows, cell.columns
