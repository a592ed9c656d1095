"""Collects the Markdown of a Jira issue block by block, with its headings and the places that citations open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ragd.core.documents import Mark, Place
from ragd.formats.common.builder import IndentedBuilder
from ragd.formats.html.inline import fence_for

MAX_COLUMNS: Final = 100
MAX_ROWS: Final = 1000
"""Columns of a table, and rows that one cell may extend over."""
MAX_REPEATED: Final = 200
"""Characters of a merged cell that is repeated where it extends to."""
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
        """Lines that belong together, such as those of a table."""
        self._add("\n".join(lines))

    def code(self, text: str, language: str = "") -> None:
        text = text.strip("\n").rstrip()
        if text:
            fence = fence_for(text, 3)
            named = language if _LANGUAGE.fullmatch(language) else ""
            self._add(f"{fence}{named}\n{text}\n{fence}")

    @contextmanager
    def inside(self, marker: str, *, once: bool = False, tight: bool = False) -> Iterator[None]:
        """The same; the first block may follow without a blank line."""
        self._tight = self._tight or tight
        with super().inside(marker, once=once):
            yield
        self._tight = False


def table_lines(rows: Sequence[Sequence[Cell]]) -> list[str]:
    """A Markdown table, its first row as the header. A cell over several rows is repeated in each, so that every row can be read
    alone; one over several columns stands in the first of them, in a row of headers in all."""
    lines: list[str] = []
    above: dict[int, tuple[int, str]] = {}
    for row in rows:
        cells, above = _filled(row, above)
        if not any(cells.values()):
            continue
        width = max(cells) + 1
        lines.append(f"| {' | '.join(cells.get(column, '') for column in range(width))} |")
        if len(lines) == 1:
            lines.append("|" + " --- |" * width)
    return lines


def _filled(row: Sequence[Cell], above: dict[int, tuple[int, str]]) -> tuple[dict[int, str], dict[int, tuple[int, str]]]:
    """The cells of a row by column; and what reaches down from it, by column the number of rows that are left, and the text."""
    cells = {column: text for column, (_, text) in above.items()}
    below = {column: (left - 1, text) for column, (left, text) in above.items() if left > 1}
    is_header = all(cell.header for cell in row)
    rest: list[str] = []
    column = 0
    for cell in row:
        while column in above:
            column += 1
        text = " ".join(cell.text.split()).replace("|", "\\|")
        if column >= MAX_COLUMNS:
            rest.append(text)
            continue
        repeated = text if len(text) <= MAX_REPEATED else ""
        for index in range(min(cell.columns, MAX_COLUMNS - column)):
            cells[column + index] = text if index == 0 else repeated if is_header else ""
            if cell.rows > 1:
                below[column + index] = (min(cell.rows, MAX_ROWS) - 1, repeated if index == 0 or is_header else "")
        column += max(1, cell.columns)
    if rest:
        last = MAX_COLUMNS - 1
        cells[last] = " ".join([cells.get(last, ""), *rest]).strip()
    return cells, below
