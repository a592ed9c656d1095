"""Puts the titles of a PDF's outline into the text of their page, as Markdown headings.

A title is looked for as a whole line (a short number or label before it allowed, line breaks anywhere between its words), then
as the beginning of one. A whole line becomes the heading; before a line that merely begins so, and at the place reached so far
when the page does not show the title, a heading line is inserted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag_assistant.ingest.loaders.naming import MAX_TITLE_CHARS
from rag_assistant.types import Heading

_LABEL: Final = r"[^\n]{0,12}?"
_MAX_HASHES: Final = 6


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of the outline; `level` counts from 1."""

    level: int
    title: str


def insert_headings(page: str, entries: Sequence[OutlineEntry]) -> tuple[str, list[Heading]]:
    """The page's text with a heading for each entry, in order, and where they are in it."""
    parts: list[str] = []
    headings: list[Heading] = []
    length = done = 0

    def write(text: str) -> None:
        nonlocal length
        parts.append(text)
        length += len(text)

    for entry in entries:
        start, end = _find(page, entry.title, done)
        if before := page[done:start].strip("\n"):
            write(f"{before}\n\n")
        line = " ".join(page[start:end].split()) or entry.title
        title = entry.title[:MAX_TITLE_CHARS]
        heading = f"{'#' * min(entry.level, _MAX_HASHES)} {line}"
        headings.append(Heading(length, length + len(heading), entry.level, title))
        write(f"{heading}\n\n")
        done = end
    write(page[done:].strip("\n"))
    return "".join(parts).rstrip("\n"), headings


def _find(page: str, title: str, begin: int) -> tuple[int, int]:
    """Characters of the line that is the title; an empty range where the heading is to be inserted when no line is."""
    words = r"\s*".join(re.escape(word) for word in title.split())
    whole_line = re.compile(rf"^{_LABEL}{words}[^\S\n]*$", re.MULTILINE | re.IGNORECASE)
    if found := whole_line.search(page, begin):
        return found.start(), found.end()
    if found := re.compile(rf"^{_LABEL}{words}", re.MULTILINE | re.IGNORECASE).search(page, begin):
        return found.start(), found.start()
    return begin, begin
