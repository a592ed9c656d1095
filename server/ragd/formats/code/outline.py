"""Declarations of source code as headings of no characters, so that nothing is taken out of the text.

A class that fits one passage is left whole. What stands between declarations gets a section of its own, or it would be taken
for a part of the one before; what stands before the first belongs to what holds them all. Comments above a declaration are its.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from ragd.core.documents import Heading
from ragd.formats.common.naming import MAX_TITLE_CHARS

_MODULE_LEVEL: Final = "module level"
"""Title of a stretch of statements that follows a function or class and belongs to none."""
_CLASS_LEVEL: Final = "class level"
"""The same within a class."""
LONG: Final = 1500
"""Characters from which a class is divided into its members."""


@dataclass(slots=True)
class Symbol:
    """A declaration from row `first` up to row `end`, excluded, with those within it. Rows count from 0."""

    first: int
    end: int
    title: str
    members: list[Symbol] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outline:
    """The declarations of a source. `is_content` says whether a row holds code (not a comment, not a closing brace); `above`
    gives the first row of the comments and annotations that end just above a row, not before the row `floor`."""

    symbols: Sequence[Symbol]
    is_content: Callable[[int], bool]
    above: Callable[[int, int], int]


def outline_headings(lines: Sequence[str], outline: Outline) -> tuple[Heading, ...]:
    """`lines` are the source's, without their ends."""
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    found: list[Heading] = []

    def add(row: int, level: int, title: str) -> None:
        if not found or starts[row] > found[-1].start:  # `def f(): ...; x = 1` shares its line
            found.append(Heading(starts[row], starts[row], level, title[:MAX_TITLE_CHARS]))

    def content_within(first: int, end: int) -> int | None:
        return next((row for row in range(first, end) if outline.is_content(row)), None)

    # The depth of recursion is that of `members`, which those who find them bound.
    def write(symbols: Sequence[Symbol], begin: int, end: int, level: int, between: str) -> None:
        done = begin
        last: str | None = None
        for symbol in symbols:
            first = outline.above(symbol.first, done)
            loose = content_within(done, first) if last is not None else None
            if loose is not None:
                add(outline.above(loose, done), level, between)
            # Overloads and the clauses of one function belong together.
            if symbol.title != last or loose is not None:
                add(first, level, symbol.title)
            if symbol.members and starts[symbol.end] - starts[symbol.first] > LONG:
                write(symbol.members, symbol.first + 1, symbol.end, level + 1, _CLASS_LEVEL)
            done, last = symbol.end, symbol.title
        loose = content_within(done, end) if last is not None else None
        if loose is not None:
            add(outline.above(loose, done), level, between)

    write(outline.symbols, 0, len(lines), 1, _MODULE_LEVEL)
    return tuple(found)
