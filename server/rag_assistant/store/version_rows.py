"""From a `Version` to rows of the facts store, and the statements that several operations of `documents.py` share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, exists, select, update

from rag_assistant.store.db import batches
from rag_assistant.store.facts import encode_places
from rag_assistant.store.schema import chunks, occurrences, sections, versions
from rag_assistant.text import hash32
from rag_assistant.tracing import utc_now
from rag_assistant.types import Version


@dataclass(frozen=True, slots=True)
class LiveEntries:
    dense_ids: frozenset[str]
    sparse_ids: frozenset[str]


def live_entries(connection: Connection, doc_ids: Sequence[str]) -> LiveEntries:
    dense: set[str] = set()
    sparse: set[str] = set()
    for batch in batches(doc_ids):
        rows = connection.execute(
            select(occurrences.c.dense_id, occurrences.c.sparse_id)
            .join(versions, versions.c.version_id == occurrences.c.version_id)
            .where(versions.c.doc_id.in_(batch))
        )
        for dense_id, sparse_id in rows:
            dense.add(dense_id)
            sparse.add(sparse_id)
    return LiveEntries(frozenset(dense), frozenset(sparse))


def drop_versions(connection: Connection, doc_ids: Sequence[str]) -> None:
    """Remove sections and occurrences of every version of these documents; the versions' own rows and facts stay."""
    for batch in batches(doc_ids):
        of_documents = select(versions.c.version_id).where(versions.c.doc_id.in_(batch))
        connection.execute(delete(occurrences).where(occurrences.c.version_id.in_(of_documents)))
        connection.execute(delete(sections).where(sections.c.version_id.in_(of_documents)))


def drop_orphan_chunks(connection: Connection, doc_ids: Sequence[str]) -> None:
    held = exists().where(occurrences.c.chunk_id == chunks.c.chunk_id)
    for batch in batches(doc_ids):
        connection.execute(delete(chunks).where(chunks.c.doc_id.in_(batch), ~held))


def refresh_texts(connection: Connection, version: Version) -> None:
    """Bring the texts of a version's chunks up to date: two texts that differ in their canonical form alone share an id."""
    texts = {chunk.chunk_id: chunk.text for chunk in version.chunks}
    for batch in batches(list(texts)):
        kept = connection.execute(select(chunks.c.chunk_id, chunks.c.text).where(chunks.c.chunk_id.in_(batch))).all()
        for row in kept:
            if row.text != texts[row.chunk_id]:
                connection.execute(update(chunks).where(chunks.c.chunk_id == row.chunk_id).values(text=texts[row.chunk_id]))


def insert_occurrences(connection: Connection, version: Version) -> None:
    placed = [
        {
            "version_id": version.version_id,
            "ordinal": chunk.ordinal,
            "chunk_id": chunk.chunk_id,
            "place": chunk.place.as_dict(),
            "tokens": chunk.tokens,
            "dense_key": chunk.dense_key,
            "dense_id": chunk.dense_id,
            "sparse_id": chunk.sparse_id,
        }
        for chunk in version.chunks
    ]
    if placed:
        connection.execute(occurrences.insert(), placed)
    outline = [
        {
            "version_id": version.version_id,
            "ordinal": ordinal,
            "section_id": section.section_id,
            "path": list(section.path),
            "start": section.start,
            "end": section.end,
            "section_hash": section.section_hash,
        }
        for ordinal, section in enumerate(version.sections)
    ]
    if outline:
        connection.execute(sections.insert(), outline)


def existing(connection: Connection, column: Any, ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for batch in batches(ids):
        found.update(connection.scalars(select(column).where(column.in_(batch))))
    return found


def version_facts(version: Version) -> dict[str, Any]:
    document = version.document
    return {
        "content_hash": version.content_hash,
        "profile_id": version.profile_id,
        "loader": document.loader,
        "loader_version": document.loader_version,
        "title": document.title,
        "doc_type": document.doc_type,
        "language": document.language,
        "markdown": document.markdown,
        "md_sha256": hash32(document.markdown),
        "places": encode_places(document),
        "metadata": dict(document.metadata),
        "warnings": list(document.warnings),
        "size": version.size,
        "section_count": len(version.sections),
        "chunk_count": len(version.chunks),
    }


def version_row(version: Version) -> dict[str, Any]:
    identity = {"version_id": version.version_id, "doc_id": version.doc_id, "status": "pending", "created_at": utc_now()}
    return identity | version_facts(version)


def document_facts(version: Version) -> dict[str, Any]:
    return {
        "source": version.source,
        "source_uri": version.source_uri,
        "status": "ready",
        "error_code": None,
        "error_message": None,
        "version_id": version.version_id,
        "title": version.document.title,
        "doc_type": version.document.doc_type,
        "language": version.document.language,
        "size": version.size,
        "summary": version.summary,
        "tags": list(version.tags),
    }
