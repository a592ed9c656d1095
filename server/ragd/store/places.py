"""How a `Document`'s places are kept in one JSON column, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ragd.core.documents import (
    DiagramText,
    Document,
    Heading,
    Mark,
    MergedCell,
    Place,
    PlacedBlock,
    PlacedDiagram,
    SlideLayout,
)

DIAGRAMS: Final = "diagrams"
"""Key of a chunk's diagrams, beside what is said of it."""


def encode_places(document: Document) -> dict[str, Any]:
    """Marks, headings, boilerplate, diagrams and what is for display alone, as JSON-ready values."""
    return {
        "verbatim": document.verbatim,
        "marks": [[mark.offset, mark.place.as_dict()] for mark in document.marks],
        "headings": [[heading.start, heading.end, heading.level, heading.title] for heading in document.headings],
        "furniture": [list(pair) for pair in document.boilerplate],
        "diagrams": pack_diagrams(document.diagrams),
        "merged": [_packed_cell(cell) for cell in document.merged],
        "slides": [
            [slide.slide, slide.ratio, [[block.start, block.end, *block.box] for block in slide.blocks]]
            for slide in document.slides
        ],
    }


def _packed_cell(cell: MergedCell) -> list[Any]:
    where = [cell.start, cell.column, cell.rows, cell.columns]
    return where if cell.level is None else [*where, cell.level, cell.text]


def pack_diagrams(diagrams: Iterable[PlacedDiagram]) -> list[list[Any]]:
    """Diagrams as JSON-ready values."""
    return [[placed.start, placed.end, placed.text.mermaid, placed.text.summary, list(placed.text.labels)] for placed in diagrams]


def unpack_diagrams(rows: Iterable[Sequence[Any]]) -> tuple[PlacedDiagram, ...]:
    """The inverse of `pack_diagrams`."""
    return tuple(
        PlacedDiagram(start, end, DiagramText(mermaid, summary, tuple(labels))) for start, end, mermaid, summary, labels in rows
    )


def decode_document(row: Mapping[str, Any]) -> Document:
    """The document as its loader gave it, from a row of `versions`."""
    places = row["places"]
    return Document(
        doc_type=row["doc_type"],
        title=row["title"],
        markdown=row["markdown"],
        loader=row["loader"],
        loader_version=row["loader_version"],
        parser=row["parser"],
        verbatim=places["verbatim"],
        marks=tuple(Mark(offset, Place.from_dict(place)) for offset, place in places["marks"]),
        headings=tuple(Heading(*values) for values in places["headings"]),
        # Content that the first release wrote has none.
        boilerplate=tuple((start, end) for start, end in places.get("furniture", ())),
        diagrams=unpack_diagrams(places.get("diagrams", ())),
        merged=tuple(MergedCell(*values) for values in places.get("merged", ())),
        slides=tuple(
            SlideLayout(
                slide,
                ratio,
                tuple(PlacedBlock(start, end, (left, top, right, bottom)) for start, end, left, top, right, bottom in blocks),
            )
            for slide, ratio, blocks in places.get("slides", ())
        ),
        language=row["language"],
        metadata=row["metadata"],
        warnings=tuple(row["warnings"]),
    )
