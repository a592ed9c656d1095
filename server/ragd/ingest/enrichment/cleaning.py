"""What is no part of a document's text: page headers and footers, page numbers, control characters, dot leaders.

The content stays as it is; these ranges are only left out of the chunks. A rule that is wrong hides text, a rule that is
missing leaves a little noise, so each one asks for evidence. Source text, Markdown and code are exact and never touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ragd.core.documents import Document
from ragd.ingest.chunking.cuts import merged
from ragd.ingest.enrichment.boilerplate import page_boilerplate
from ragd.language.boundaries import Unbreakable, fenced_blocks

# Not zero-width joiners, which are part of emoji and of Persian and Indic words, and not U+FFFD, which is a sign of damage. Tag
# characters are an invisible alphabet: text that only a model would read.
_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffc\ufffe\uffff\U000e0000-\U000e007f]+"
)
_SOFT_HYPHEN: Final = "\u00ad"
_SEPARATORS: Final = re.compile("[\x0b\x0c\x1c-\x1f\x85]+")
_BLANKS: Final = " \t\n\u3000"

_DOTS: Final = {".": 1, "․": 1, "‥": 2, "…": 3, "·": 1, "・": 1, "．": 1, "⋯": 3, "･": 1}
_LEADER_END: Final = re.compile(
    f"[{''.join(_DOTS)}][ \t\u3000]*+(?=(?:[0-9０-９]{{1,4}}|[ivxlc]{{1,7}})[ \t\u3000]*+$)", re.MULTILINE
)
_MIN_DOTS: Final = 5
"""So many dots between words and a number at the end of a line are a leader, as in tables of contents."""


class RuleCleaner:
    """Leaves out what the loader found to be boilerplate, and what these rules find."""

    name = "rules"
    profile = "clean-1"

    def boilerplate(self, document: Document) -> list[tuple[int, int]]:
        """None at all when nothing else would be left, as with a scan whose only text is the stamp on each page."""
        markdown = document.markdown
        found = list(document.boilerplate)
        if not document.verbatim:
            found += page_boilerplate(document)
            found += _controls(markdown)
            found += _separators(markdown)
            found += _leaders(markdown)
        ranges = merged(found, len(markdown))
        edges = [0, *(edge for pair in ranges for edge in pair), len(markdown)]
        anything = any(markdown[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True))
        return ranges if anything else []


class NoCleaner:
    """Leaves nothing out, not even what the loader found."""

    name = "none"
    profile = "none"

    def boilerplate(self, document: Document) -> list[tuple[int, int]]:  # noqa: ARG002
        return []


def _controls(markdown: str) -> Iterator[tuple[int, int]]:
    """Control and invisible characters. A soft hyphen at the end of a line goes with the line end: it is inside of a word."""
    for match in _CONTROLS.finditer(markdown):
        start, end = match.span()
        hyphenated = (
            markdown[end - 1] == _SOFT_HYPHEN and markdown[end : end + 1] == "\n" and markdown[end + 1 : end + 2].islower()
        )
        yield start, end + hyphenated


def _separators(markdown: str) -> Iterator[tuple[int, int]]:
    """Form feeds and the like. They part words, so they go only where a blank does that, too."""
    for match in _SEPARATORS.finditer(markdown):
        start, end = match.span()
        if start == 0 or end == len(markdown) or markdown[start - 1] in _BLANKS or markdown[end] in _BLANKS:
            yield start, end


def _leaders(markdown: str) -> Iterator[tuple[int, int]]:
    """The dots of `Title ........ 12` but one character, so that title and number stay apart. Not in fenced blocks."""
    fenced: Unbreakable | None = None
    for match in _LEADER_END.finditer(markdown):
        number = match.end()
        start, dots = match.start(), _DOTS[markdown[match.start()]]
        while start > 0 and (markdown[start - 1] in _DOTS or markdown[start - 1] in " \t\u3000"):
            start -= 1
            dots += _DOTS.get(markdown[start], 0)
        if dots < _MIN_DOTS or start == 0 or markdown[start - 1] == "\n":
            continue
        fenced = fenced or Unbreakable(fenced_blocks(markdown))
        if not fenced.around(number):
            yield (start, number - 1) if markdown[number - 1].isspace() else (start + 1, number)
