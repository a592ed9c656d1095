"""The sentences of Markdown, with their places: headings, labels of lists, code and rules of tables are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ragd.language.boundaries import fenced_blocks

MARKS: Final = re.compile(r"\s*(?:\[\d{1,3}\])+")
"""Citation marks as `CitationFilter` writes them, with the blanks before them."""

_END: Final = re.compile(r"(?:[。！？．｡]+[」』）】〉》”’)\]\"']*|[.!?]+[」』）”’)\"'*_]*(?=\s|\[\d|$))(?:\s*\[\d{1,3}\])*")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|No|Fig|Vol|Dr|Mr|Mrs|Ms|St|Inc|Ltd|pp|[A-Z])|^\d{1,3})\.$", re.I
)
_START: Final = re.compile(r"[ \t\u3000]*(?:(?:>|[-*+•・]|\d{1,3}[.)．）]|#{1,6})[ \t\u3000]+|[・●○■]\s*|\|\s*)*")
_HEADING: Final = re.compile(r"[ \t]*(?:#{1,6}\s|[\s|:=_*-]+$)")
_LABEL: Final = re.compile(r"[:：][*_]*\s*$")
_WORDS: Final = re.compile(r"\w")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Character ranges of the sentences, in order; the citation marks behind a sentence belong to it."""
    start = 0
    for first, last in [*fenced_blocks(text), (len(text), len(text))]:
        for line in re.finditer(r"[^\n]+", text[start:first]):
            if not _HEADING.match(line.group()):
                yield from _of_line(text, start + line.start(), start + line.end())
        start = last


def _of_line(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    opening = _START.match(text, low, high)
    start = opening.end() if opening else low
    for match in _END.finditer(text, start, high):
        dotted = text[start : match.start() + 1]
        if not _ABBREVIATION.search(dotted[-8:]):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, high)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] == "|"):
        end -= 1
    said = MARKS.sub("", text[start:end])
    if len(_WORDS.findall(said)) >= 2 and not _LABEL.search(said):
        yield start, end
