"""Passages that follow each other in their document, made into one: what the chunker cut apart is read together again."""

from __future__ import annotations

from dataclasses import replace

from ragd.core.documents import Place
from ragd.core.results import Passage

# The chunker lets neighbours share a stretch of text. A shorter one that is equal is taken for chance.
_LEAST_SHARED = 12


def joined(one: Passage, other: Passage) -> Passage | None:
    """The two as one passage, under the ids of `one`; None when they are not neighbours, or no one place holds both.

    `tokens` is the sum of theirs, which counts what they share twice.
    """
    first, second = (one, other) if one.ordinal < other.ordinal else (other, one)
    # What was taken from newer bodies need not follow each other there.
    if one.live_version or other.live_version:
        return None
    place = _place(first.place, second.place)
    last = first.ordinal + first.span
    if one.version_id != other.version_id or second.ordinal != last or first.section_path != second.section_path or place is None:
        return None
    shared = _shared(first.content, second.content)
    # What is shared stands once; without it, the two are paragraphs of their own.
    content = first.content + second.content[shared:] if shared else f"{first.content}\n\n{second.content}"
    images = tuple(dict.fromkeys((*first.images, *second.images)))
    return replace(
        one,
        content=content,
        place=place,
        ordinal=first.ordinal,
        span=first.span + second.span,
        tokens=first.tokens + second.tokens,
        images=images,
        diagrams=tuple(dict.fromkeys((*first.diagrams, *second.diagrams))),
        as_of=min(filter(None, (one.as_of, other.as_of)), default=None),
    )


def _shared(first: str, second: str) -> int:
    """Characters of the longest end of one text that the other begins with."""
    for length in range(min(len(first), len(second)), _LEAST_SHARED - 1, -1):
        if first.endswith(second[:length]):
            return length
    return 0


def _place(first: Place, second: Place) -> Place | None:
    """The place that holds both; None for two pages, slides, sheets or ranges of cells."""
    if (first.page, first.slide, first.sheet, first.cell_range) != (second.page, second.slide, second.sheet, second.cell_range):
        return None
    lines = None
    if first.line_range and second.line_range:
        lines = (min(first.line_range[0], second.line_range[0]), max(first.line_range[1], second.line_range[1]))
    box = None
    if first.bbox and second.bbox:
        (left, top, right, bottom), other = first.bbox, second.bbox
        box = (min(left, other[0]), min(top, other[1]), max(right, other[2]), max(bottom, other[3]))
    return replace(first, line_range=lines, bbox=box)
