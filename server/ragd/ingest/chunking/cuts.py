"""Leaving ranges out of a document: what remains, with its places and headings, and the way back to the content."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ragd.core.documents import Document, Heading, Mark, PlacedDiagram
from ragd.core.sections import BODY_START


@dataclass(frozen=True, slots=True)
class _Cut:
    """A document without some ranges of its content. `starts` and `removed` are, for each kept stretch, where it begins in what
    remains and how many characters were left out before it."""

    document: Document
    starts: tuple[int, ...]
    removed: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """The character of the content that `offset` of what remains was."""
        return offset + self.removed[bisect_right(self.starts, offset) - 1]

    def origin_end(self, end: int) -> int:
        """As `origin`, for the end of a range: just after the last character of it."""
        return self.origin(end - 1) + 1 if end else 0


def without(document: Document, ranges: Iterable[tuple[int, int]]) -> _Cut:
    """The document without these character ranges, which may overlap, need no order and may reach beyond the content.

    What is inside a range moves to where the text goes on: of several marks there, the last one counts. A heading goes when
    nothing is left of its line; one of no characters stays, since it stands for what follows it.
    """
    markdown = document.markdown
    gone = merged(ranges, len(markdown))
    if not gone:
        return _Cut(document, (0,), (0,))
    begins = [start for start, _ in gone]
    before = [0, *accumulate(end - start for start, end in gone)]

    def moved(offset: int) -> int:
        """How many of the characters before `offset` remain."""
        index = bisect_right(begins, offset)
        to_come = max(0, gone[index - 1][1] - offset) if index else 0
        return offset - before[index] + to_come

    edges = [0, *(edge for pair in gone for edge in pair), len(markdown)]
    stretches = list(zip(edges[::2], edges[1::2], strict=True))
    remaining = "".join(markdown[start:end] for start, end in stretches)
    metadata = dict(document.metadata)
    if BODY_START in metadata:
        metadata[BODY_START] = moved(int(metadata[BODY_START]))
    cut = replace(
        document,
        markdown=remaining,
        marks=_moved_marks(document.marks, moved, len(remaining)),
        headings=_moved_headings(document.headings, moved, remaining),
        boilerplate=tuple(merged(((moved(start), moved(end)) for start, end in document.boilerplate), len(remaining))),
        diagrams=_moved_diagrams(document.diagrams, moved),
        metadata=metadata,
    )
    kept = [index for index, (start, end) in enumerate(stretches) if start < end] or [0]
    return _Cut(cut, tuple(stretches[index][0] - before[index] for index in kept), tuple(before[index] for index in kept))


def merged(ranges: Iterable[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The same characters as sorted ranges that neither overlap nor touch, none empty, all inside `[0, length)`."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(length, end)) for start, end in ranges):
        if start >= end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _moved_marks(marks: Sequence[Mark], moved: Callable[[int], int], length: int) -> tuple[Mark, ...]:
    """One mark for each stretch that still has characters."""
    found: dict[int, Mark] = {}
    for mark in marks:
        if (offset := moved(mark.offset)) < length:
            found[offset] = replace(mark, offset=offset)
    return tuple(found.values())


def _moved_diagrams(diagrams: Sequence[PlacedDiagram], moved: Callable[[int], int]) -> tuple[PlacedDiagram, ...]:
    """Those of which something is left."""
    placed = (replace(diagram, start=moved(diagram.start), end=moved(diagram.end)) for diagram in diagrams)
    return tuple(diagram for diagram in placed if diagram.start < diagram.end)


def _moved_headings(headings: Sequence[Heading], moved: Callable[[int], int], remaining: str) -> tuple[Heading, ...]:
    found = []
    for heading in headings:
        start, end = moved(heading.start), moved(heading.end)
        if end - start == heading.end - heading.start or remaining[start:end].strip():
            found.append(replace(heading, start=start, end=end))
    return tuple(found)
