"""A text's stages as frames: what the daemon sends, and what comes back, a bounded number of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, TypeVar

from ragd.core.documents import Chunk, DiagramText, Enrichment, Place, Section
from ragd.ingest.chunking.views import PictureNote
from ragd.ingest.text_stages import TextProviders, TextTask
from ragd.ingest.workers.ipc import pack_document, unpack_document
from ragd.providers.protocols import PassageEmbedder

_ROWS: Final = 256
"""Rows of one frame: the daemon's interpreter is held while the JSON of one is read."""
# A section's path may be long and its chunks many, so that these do not repeat it.
_CHUNK: Final = tuple(field.name for field in fields(Chunk) if field.name != "section_path")

T = TypeVar("T")


def pack_task(task: TextTask, embedder: PassageEmbedder) -> tuple[dict[str, Any], list[bytes]]:
    """A frame's header and blobs."""
    document, blobs = pack_document(task.document)
    header = {
        "op": "text",
        "name": task.label,
        "providers": asdict(task.providers),
        "model": [embedder.model_id, embedder.revision, embedder.dimension],
        "doc_id": task.doc_id,
        "source": task.source,
        "notes": {link: [note.asset_id, note.text, note.summary, note.words] for link, note in task.notes.items()},
        "room": task.room,
        "document": document,
    }
    return header, blobs


def unpack_task(header: Mapping[str, Any], blobs: Sequence[bytes]) -> TextTask:
    """The inverse of `pack_task`, but for the model."""
    return TextTask(
        providers=TextProviders(**header["providers"]),
        document=unpack_document(header["document"], blobs),
        doc_id=header["doc_id"],
        source=header["source"],
        label=header["name"],
        notes={link: PictureNote(*values) for link, values in header["notes"].items()},
        room=header["room"],
    )


def batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows in parts of a bounded length, and an empty part as the end."""
    for start in range(0, len(rows), _ROWS):
        yield rows[start : start + _ROWS]
    yield ()


def pack_section(section: Section) -> list[Any]:
    """A section as JSON-ready values."""
    return [section.section_id, section.path, section.start, section.end, section.section_hash]


def unpack_section(values: Sequence[Any]) -> Section:
    """The inverse of `pack_section`."""
    section_id, path, start, end, section_hash = values
    return Section(section_id, tuple(path), start, end, section_hash)


def unpack_enrichment(values: Mapping[str, Any]) -> Enrichment:
    """The inverse of `Enrichment.as_dict`."""
    return Enrichment(**_with_tuples(values))


def pack_chunk(chunk: Chunk) -> dict[str, Any]:
    """A chunk as JSON-ready values, its section's path aside."""
    values = {name: getattr(chunk, name) for name in _CHUNK}
    of_chunk = chunk.enrichment
    diagrams = [[diagram.mermaid, diagram.summary, diagram.labels] for diagram in chunk.diagrams]
    enrichment = of_chunk.as_dict() if of_chunk else None
    return values | {"place": chunk.place.as_dict(), "enrichment": enrichment, "diagrams": diagrams}


def unpack_chunk(values: Mapping[str, Any], paths: Mapping[str, tuple[str, ...]], terms: dict[str, str]) -> Chunk:
    """The inverse of `pack_chunk`; `paths` are the section paths by section id.

    `terms` are those of the document so far, each of which is kept once: they are half of what its chunks take in memory.
    """
    of_chunk = values["enrichment"]
    parts = {
        "place": Place.from_dict(values["place"]),
        "enrichment": unpack_enrichment(of_chunk) if of_chunk else None,
        "diagrams": tuple(DiagramText(mermaid, summary, tuple(labels)) for mermaid, summary, labels in values["diagrams"]),
        "sparse_tokens": tuple(terms.setdefault(term, term) for term in values["sparse_tokens"]),
    }
    return Chunk(section_path=paths[values["section_id"]], **_with_tuples({**values, **parts}))


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
