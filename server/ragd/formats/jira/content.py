"""Collects the Markdown of a Jira issue block by block, with its headings and the places that citations open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ragd.core.documents import Heading, Mark, Place
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.html.inline import fence_for

MAX_INDENT: Final = 40
"""Columns of indentation at most: what is nested deeper is not indented further, so that the length stays linear."""
MAX_COLUMNS: Final = 100
MAX_ROWS: Final = 1000
"""Columns of a table, and rows that one cell may extend over."""
MAX_REPEATED: Final = 200
"""Characters of a merged cell that is repeated where it extends to."""
_DEEPEST_HEADING: Final = 6

_FENCE: Final = re.compile(r"^([ \t]*)(?=```|~~~)", re.MULTILINE)
_STRONG: Final = re.compile(r"\*\*(\S.*?)\*\*")
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,40}")
# The zero-width space, which editors leave in empty paragraphs.
_NOTHING: Final = " \t\n\u200b\ufeff"


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell on one line; `rows` and `columns` are how many it extends over."""

    text: str
    header: bool = False
    rows: int = 1
    columns: int = 1


class Facts:
    """Blocks below each other. Inside of lists and quotations every line gets what it must begin with."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []
        self._headings: list[Heading] = []
        # What every line begins with, what the next one begins with instead, and what stands on the blank line before it.
        self._indent = ""
        self._marker: str | None = None
        self._blank = ""
        self._tight = False

    def result(self) -> tuple[str, tuple[Mark, ...], tuple[Heading, ...]]:
        return "".join(self._parts), tuple(self._marks), tuple(self._headings)

    @property
    def markdown(self) -> str:
        return "".join(self._parts)

    @contextmanager
    def section(self, level: int, title: str) -> Iterator[None]:
        """A heading over what is written inside; without anything there is no heading."""
        before = len(self._parts), self._length, len(self._headings)
        self.heading(level, title)
        start = self._length
        yield
        if self._length == start:
            parts, self._length, headings = before
            del self._parts[parts:], self._headings[headings:]

    def heading(self, level: int, title: str, place: Place | None = None) -> None:
        """A heading, which needs no emphasis; one inside of a list or quotation begins no section. From it on, the source is at
        `place`."""
        title = _STRONG.sub(r"\1", " ".join(title.split()))
        if not title:
            return
        level = min(level, _DEEPEST_HEADING)
        start = self._add(f"{'#' * level} {title}")
        if not self._indent:
            self._headings.append(Heading(start, self._length, level, title[:MAX_TITLE_CHARS]))
        if place is not None:
            self._marks.append(Mark(start, place))

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
        """Blocks written inside begin with the marker: every line of them, or once, with the others below its text."""
        indent, blank = self._indent, self._blank
        rest = " " * len(marker) if once else marker
        self._tight = self._tight or tight
        if once:
            self._marker = (indent if self._marker is None else self._marker) + marker
        elif self._marker is not None:
            self._marker += marker
        if len(indent) + len(rest) <= MAX_INDENT:
            self._indent += rest
        yield
        self._indent, self._blank, self._marker, self._tight = indent, blank, None, False

    def _add(self, text: str) -> int:
        """Append a block; returns where it begins."""
        if not text.strip(_NOTHING):
            return self._length
        if self._parts:
            self._put("\n" if self._tight else f"\n{self._blank}\n")
        start = self._length
        self._put((self._indent if self._marker is None else self._marker) + text.replace("\n", f"\n{self._indent}"))
        self._marker, self._blank, self._tight = None, self._indent.rstrip(), False
        return start

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


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
