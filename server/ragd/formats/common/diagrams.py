"""Diagrams of a document: where they stand in its content, and what is kept of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ragd.core.documents import DiagramText, PlacedDiagram
from ragd.diagrams.mermaid import to_mermaid
from ragd.diagrams.model import MAX_DIAGRAMS, Diagram
from ragd.diagrams.sources.languages import LANGUAGES, read_source
from ragd.diagrams.summary import summarise
from ragd.language.boundaries import fenced_blocks

FoundDiagram = tuple[int, int, Diagram]
"""A diagram at a range of the content."""

# From the beginning of a run of marks alone: from each of them on would be the square of a long one.
_NAMED: Final = re.compile(rf"(?<![`~])(?:```|~~~)[`~]*[ \t]*[{{.]*(?:{'|'.join(LANGUAGES)})\b", re.IGNORECASE)


def described_diagrams(markdown: str) -> list[FoundDiagram]:
    """Those that blocks of code describe, by the language that each names."""
    if not _NAMED.search(markdown):
        return []
    found: list[FoundDiagram] = []
    for start, end in fenced_blocks(markdown):
        head, _, rest = markdown[start:end].rstrip("\n").partition("\n")
        body, _, last = rest.rpartition("\n")
        if len(found) < MAX_DIAGRAMS and _NAMED.match(head.lstrip()):
            # One that is never closed runs to the end of the text.
            is_closed = last.strip().startswith(("```", "~~~"))
            diagram = read_source(head.strip().strip("`~"), body if is_closed else rest)
            if diagram:
                found.append((start, start + len(head) + 1 + len(rest), diagram))
    return found


def placed_diagrams(diagrams: Sequence[FoundDiagram], language: str | None) -> tuple[PlacedDiagram, ...]:
    """What is kept of diagrams in a document of this language, in the order of its content."""
    placed = []
    for start, end, diagram in sorted(diagrams, key=lambda found: found[:2])[:MAX_DIAGRAMS]:
        summary = summarise(diagram, language)
        placed.append(PlacedDiagram(start, end, DiagramText(to_mermaid(diagram), summary.text, summary.labels)))
    return tuple(placed)
