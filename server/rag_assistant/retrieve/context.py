"""The context for a model: passages, numbered, whole, within a limit of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag_assistant.types import Citation, Context, Hit, Passage


def place_label(passage: Passage) -> str:
    """The place of a passage as people say it: `page 3`, `lines 10-24`, `## Heading`; several parts are joined by a comma."""
    place = passage.place
    parts = []
    if place.page is not None:
        parts.append(f"page {place.page}")
    if place.slide is not None:
        parts.append(f"slide {place.slide}")
    if place.sheet is not None:
        parts.append(f"sheet {place.sheet}{f' {place.cell_range}' if place.cell_range else ''}")
    if passage.section_path:
        parts.append(f"{'#' * min(len(passage.section_path), 6)} {passage.section_path[-1]}")
    if place.line_range is not None:
        first, last = place.line_range
        parts.append(f"line {first}" if first == last else f"lines {first}-{last}")
    return ", ".join(parts)


def build_context(hits: Sequence[Hit], *, max_tokens: int, count_tokens: Callable[[str], int]) -> Context:
    """Number the hits from 1 in their order. One that does not fit whole is left out, and the next is tried.

    A passage counts with the tokens that it was found to have when it was cut, a header with what `count_tokens` says.
    """
    blocks: list[str] = []
    citations: list[Citation] = []
    used = 0
    for hit in hits:
        header = _header(len(citations) + 1, hit.passage)
        pictures = "".join(
            f"\n(In the picture {image.alt or image.asset_id}: {image.text})" for image in hit.passage.images if image.text
        )
        tokens = count_tokens(header + pictures) + hit.passage.tokens
        if used + tokens <= max_tokens:
            used += tokens
            blocks.append(f"{header}\n{hit.passage.content}{pictures}")
            citations.append(Citation(len(citations) + 1, hit.passage))
    return Context("\n\n".join(blocks), used, tuple(citations))


def _header(number: int, passage: Passage) -> str:
    place = place_label(passage)
    return f"[{number}] {passage.title} ({passage.source}{', ' + place if place else ''})"
