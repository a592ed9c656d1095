"""The two views of a chunk, made by template, and its place in the source.

Dense: title and heading path on one line, then the text. Sparse: that, then the file's name, its path and its tags. File names
and paths are in the sparse view only, so that renaming or moving a file embeds nothing; for the same reason a title that was
taken from the file's name is in neither heading.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from rag_assistant.ingest.loaders import base_name
from rag_assistant.ingest.loaders.naming import FROM_FILE_NAME, TITLE_SOURCE
from rag_assistant.providers.base import Tokenizer
from rag_assistant.text import canonical
from rag_assistant.types import Document, Place

VIEW_PROFILE: Final = "view-1"
"""Version of these templates. Change a template, change this."""

PATH_SEPARATOR: Final = " > "


def context_path(document: Document, section_path: Sequence[str]) -> tuple[str, ...]:
    """The section path, with the document's title before it unless the path begins with it or the title is a file name."""
    path = tuple(section_path)
    if document.metadata.get(TITLE_SOURCE) == FROM_FILE_NAME:
        return path
    if path and canonical(path[0]) == canonical(document.title):
        return path
    return (document.title, *path)


def without_repetition(path: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The path without its first heading where the text begins with that itself: a title taken from the first line."""
    return path[1:] if path and canonical(text).startswith(canonical(path[0])) else path


def heading_line(path: Sequence[str], tokenizer: Tokenizer, max_tokens: int) -> str:
    """The path as one line of at most `max_tokens` tokens. What is too long loses its outer headings, then its own end."""
    for first in range(len(path)):
        line = PATH_SEPARATOR.join(path[first:])
        if tokenizer.count(line) <= max_tokens:
            return line
    line = path[-1] if path else ""
    keep = max_tokens
    while line and keep > 0:
        offsets = tokenizer.offsets(line)
        line = line[: offsets[keep][0]].rstrip() if keep < len(offsets) else line
        if tokenizer.count(line) <= max_tokens:
            return line
        keep -= 1
    return ""


def dense_view(heading: str, text: str) -> str:
    return f"{heading}\n{text}" if heading else text


def sparse_view(path: Sequence[str], text: str, source: str, tags: Sequence[str]) -> str:
    """Everything that words may be found in. The whole heading path: BM25 has no token limit."""
    name = base_name(source)
    parts = [PATH_SEPARATOR.join(path), text, name, source if source != name else "", " ".join(tags)]
    return "\n".join(part for part in parts if part)


class Places:
    """Where stretches of a document's facts stand in its source."""

    def __init__(self, document: Document) -> None:
        self._verbatim = document.verbatim
        self._newlines = [index for index, char in enumerate(document.markdown) if char == "\n"] if document.verbatim else []
        self._marks = document.marks
        self._offsets = [mark.offset for mark in document.marks]

    def of(self, start: int, end: int) -> Place:
        """Lines by counting when the facts are the source; else by the marks from the one at `start` to the last before `end`.

        Of several marks the first gives page, slide and sheet, and all of them together the lines.
        """
        if self._verbatim:
            return Place(line_range=(bisect_left(self._newlines, start) + 1, bisect_left(self._newlines, end - 1) + 1))
        first = max(0, bisect_right(self._offsets, start) - 1)
        places = [mark.place for mark in self._marks[first : max(first + 1, bisect_left(self._offsets, end))]]
        if len(places) < 2:
            return places[0] if places else Place()
        lines = [place.line_range for place in places if place.line_range]
        joined = (min(low for low, _ in lines), max(high for _, high in lines)) if lines else None
        return Place(page=places[0].page, slide=places[0].slide, sheet=places[0].sheet, line_range=joined)
