"""Documents, versions, sections and chunks: how a version becomes the truth, and how a document goes.

A version is written as `pending`, its views are upserted by the caller, and `flip` makes it `ready` and the older one
`superseded` in one transaction. Whatever happens in between leaves rows that nothing serves and that `sweep` removes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, delete, exists, select, update

from rag_assistant.store.db import batches, reading
from rag_assistant.store.facts import decode_document, encode_places
from rag_assistant.store.schema import chunks, documents, occurrences, sections, versions
from rag_assistant.text import hash32
from rag_assistant.tracing import utc_now
from rag_assistant.types import Document, Entries, Failure, Version


@dataclass(frozen=True, slots=True)
class Known:
    """What the store holds of a document: of its live version, when it has one."""

    doc_id: str
    status: str
    source: str
    version_id: str | None
    content_hash: str | None
    profile_id: str | None
    failed: bool


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """A live version as it was read, from which its chunks and views can be made again."""

    kb_id: str
    doc_id: str
    version_id: str
    profile_id: str
    source: str
    source_uri: str
    content_hash: str
    size: int
    document: Document


class DocumentWriter:
    """The only place that writes documents and what hangs on them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reader = reading(engine)

    def known(self, doc_ids: Sequence[str]) -> dict[str, Known]:
        """What the store holds of these documents; ids that it has never seen are absent."""
        live = documents.outerjoin(versions, versions.c.version_id == documents.c.version_id)
        columns = (documents, versions.c.content_hash, versions.c.profile_id)
        found: dict[str, Known] = {}
        with self._reader.connect() as connection:
            for batch in batches(doc_ids):
                for row in connection.execute(select(*columns).select_from(live).where(documents.c.doc_id.in_(batch))):
                    failed = row.error_code is not None
                    found[row.doc_id] = Known(
                        row.doc_id, row.status, row.source, row.version_id, row.content_hash, row.profile_id, failed
                    )
        return found

    def begin(self, batch: Sequence[Version]) -> None:
        """Write the versions as pending, with their documents, sections and chunks. Nothing of it is served yet."""
        with self._engine.begin() as connection:
            self._ensure_documents(connection, batch)
            known = _existing(connection, versions.c.version_id, [version.version_id for version in batch])
            fresh = [version for version in batch if version.version_id not in known]
            if fresh:
                connection.execute(versions.insert(), [_version_row(version) for version in fresh])
            self._add_chunks(connection, batch)

    def flip(self, batch: Sequence[Version]) -> dict[str, Entries]:
        """Make the versions ready and the older ones superseded, in one transaction.

        Returns, for each kb_id, the entries of the views that no live version needs any more.
        """
        stale: dict[str, Entries] = {}
        now = utc_now()
        with self._engine.begin() as connection:
            for version in batch:
                old = _live_entries(connection, [version.doc_id])
                _drop_versions(connection, [version.doc_id])
                _insert_occurrences(connection, version)
                connection.execute(
                    update(versions)
                    .where(versions.c.doc_id == version.doc_id, versions.c.status == "ready")
                    .values(status="superseded")
                )
                connection.execute(
                    update(versions)
                    .where(versions.c.version_id == version.version_id)
                    .values(**_version_facts(version), status="ready", ready_at=now)
                )
                connection.execute(
                    update(documents)
                    .where(documents.c.doc_id == version.doc_id)
                    .values(**_document_facts(version), updated_at=now)
                )
                dense = old.dense_ids - {chunk.dense_id for chunk in version.chunks}
                sparse = old.sparse_ids - {chunk.sparse_id for chunk in version.chunks}
                if dense or sparse:
                    known = stale.get(version.kb_id, Entries())
                    stale[version.kb_id] = Entries(known.dense + tuple(dense), known.sparse + tuple(sparse))
            _drop_orphan_chunks(connection, [version.doc_id for version in batch])
        return stale

    def fail(self, kb_id: str, doc_id: str, source_uri: str, doc_type: str, size: int, failure: Failure) -> None:
        """Note why a file could not be read. A live version stays as it was, and stays served."""
        now = utc_now()
        with self._engine.begin() as connection:
            row = connection.execute(select(documents).where(documents.c.doc_id == doc_id)).first()
            error = {"error_code": failure.code, "error_message": failure.message, "updated_at": now}
            if row is None:
                blank = {"title": failure.source.rsplit("/", 1)[-1], "summary": "", "tags": [], "created_at": now}
                connection.execute(
                    documents.insert().values(
                        doc_id=doc_id,
                        kb_id=kb_id,
                        source=failure.source,
                        source_uri=source_uri,
                        status="failed",
                        doc_type=doc_type,
                        size=size,
                        **blank,
                        **error,
                    )
                )
            else:
                status = "ready" if row.version_id else "failed"
                connection.execute(update(documents).where(documents.c.doc_id == doc_id).values(status=status, **error))

    def tombstone(self, doc_ids: Sequence[str]) -> None:
        """Mark documents as deleted: gone from every answer when this returns."""
        with self._engine.begin() as connection:
            for batch in batches(doc_ids):
                connection.execute(
                    update(documents).where(documents.c.doc_id.in_(batch)).values(status="deleted", updated_at=utc_now())
                )

    def entries(self, doc_ids: Sequence[str]) -> Entries:
        """The entries of the views that belong to these documents."""
        with self._reader.connect() as connection:
            found = _live_entries(connection, doc_ids)
        return Entries(tuple(found.dense_ids), tuple(found.sparse_ids))

    def purge(self, doc_ids: Sequence[str]) -> None:
        """Remove the facts of deleted documents; a row without content stays, to answer that the document is gone."""
        with self._engine.begin() as connection:
            _drop_versions(connection, doc_ids)
            for batch in batches(doc_ids):
                connection.execute(delete(chunks).where(chunks.c.doc_id.in_(batch)))
                connection.execute(delete(versions).where(versions.c.doc_id.in_(batch)))
                connection.execute(update(documents).where(documents.c.doc_id.in_(batch)).values(version_id=None, summary=""))

    def forget(self, kb_id: str) -> None:
        """Remove every row of a deleted collection's documents."""
        with self._engine.begin() as connection:
            doc_ids = list(connection.scalars(select(documents.c.doc_id).where(documents.c.kb_id == kb_id)))
            _drop_versions(connection, doc_ids)
            for batch in batches(doc_ids):
                for table in (chunks, versions, documents):
                    connection.execute(delete(table).where(table.c.doc_id.in_(batch)))

    def sweep(self) -> int:
        """Remove what a crash left: pending versions, chunks without a version, documents without any. Returns how many rows."""
        removed = 0
        with self._engine.begin() as connection:
            pending = list(
                connection.execute(select(versions.c.version_id, versions.c.doc_id).where(versions.c.status == "pending"))
            )
            for batch in batches([row.version_id for row in pending]):
                removed += connection.execute(delete(versions).where(versions.c.version_id.in_(batch))).rowcount
            held = exists().where(occurrences.c.chunk_id == chunks.c.chunk_id)
            removed += connection.execute(delete(chunks).where(~held)).rowcount
            empty = documents.c.status == "processing"
            unread = exists().where(versions.c.doc_id == documents.c.doc_id)
            removed += connection.execute(delete(documents).where(empty, documents.c.version_id.is_(None), ~unread)).rowcount
            connection.execute(update(documents).where(empty, documents.c.version_id.is_not(None)).values(status="ready"))
        return removed

    def deleted_with_facts(self) -> dict[str, list[str]]:
        """kb_id -> ids of deleted documents whose facts are still there: deletions that were cut off."""
        with self._reader.connect() as connection:
            rows = connection.execute(
                select(documents.c.kb_id, documents.c.doc_id).where(
                    documents.c.status == "deleted", exists().where(versions.c.doc_id == documents.c.doc_id)
                )
            )
            found: dict[str, list[str]] = {}
            for kb_id, doc_id in rows:
                found.setdefault(kb_id, []).append(doc_id)
            return found

    def live_entries(self, kb_id: str) -> list[tuple[str, str, str, str]]:
        """(doc_id, dense_id, dense_key, sparse_id) of every chunk that may be served from this collection."""
        with self._reader.connect() as connection:
            rows = connection.execute(
                select(documents.c.doc_id, occurrences.c.dense_id, occurrences.c.dense_key, occurrences.c.sparse_id)
                .join(occurrences, occurrences.c.version_id == documents.c.version_id)
                .where(documents.c.kb_id == kb_id, documents.c.status == "ready")
            )
            return [(row.doc_id, row.dense_id, row.dense_key, row.sparse_id) for row in rows]

    def live_profiles(self, kb_id: str) -> list[tuple[str, str, str, str]]:
        """(doc_id, profile_id, loader, loader_version) of every live version of a collection."""
        with self._reader.connect() as connection:
            rows = connection.execute(
                select(documents.c.doc_id, versions.c.profile_id, versions.c.loader, versions.c.loader_version)
                .join(versions, versions.c.version_id == documents.c.version_id)
                .where(documents.c.kb_id == kb_id, documents.c.status == "ready")
            )
            return [(row.doc_id, row.profile_id, row.loader, row.loader_version) for row in rows]

    def live_documents(self, kb_id: str) -> list[str]:
        """Ids of the documents of a collection that have a live version."""
        with self._reader.connect() as connection:
            return list(
                connection.scalars(
                    select(documents.c.doc_id)
                    .where(documents.c.kb_id == kb_id, documents.c.status == "ready", documents.c.version_id.is_not(None))
                    .order_by(documents.c.source)
                )
            )

    def facts(self, doc_ids: Iterable[str]) -> list[StoredFacts]:
        """The live versions of these documents, as they were read."""
        found: list[StoredFacts] = []
        with self._reader.connect() as connection:
            for batch in batches(list(doc_ids)):
                rows = connection.execute(
                    select(documents.c.kb_id, documents.c.source, documents.c.source_uri, versions)
                    .join(versions, versions.c.version_id == documents.c.version_id)
                    .where(documents.c.doc_id.in_(batch))
                )
                for row in rows:
                    values = dict(row._mapping)
                    names = ("kb_id", "doc_id", "version_id", "profile_id", "source", "source_uri", "content_hash", "size")
                    found.append(StoredFacts(**{name: values[name] for name in names}, document=decode_document(values)))
        return found

    def _ensure_documents(self, connection: Connection, batch: Sequence[Version]) -> None:
        now = utc_now()
        known = _existing(connection, documents.c.doc_id, [version.doc_id for version in batch])
        fresh = []
        for version in batch:
            if version.doc_id in known:
                # A deleted document that comes back starts without a version.
                connection.execute(
                    update(documents)
                    .where(documents.c.doc_id == version.doc_id, documents.c.version_id.is_(None))
                    .values(status="processing", updated_at=now)
                )
                continue
            facts = _document_facts(version) | {"status": "processing", "version_id": None}
            fresh.append({"doc_id": version.doc_id, "kb_id": version.kb_id, **facts, "created_at": now, "updated_at": now})
        if fresh:
            connection.execute(documents.insert(), fresh)

    def _add_chunks(self, connection: Connection, batch: Sequence[Version]) -> None:
        rows = {
            chunk.chunk_id: {
                "chunk_id": chunk.chunk_id,
                "doc_id": version.doc_id,
                "section_id": chunk.section_id,
                "section_path": list(chunk.section_path),
                "text": chunk.text,
            }
            for version in batch
            for chunk in version.chunks
        }
        known = _existing(connection, chunks.c.chunk_id, list(rows))
        fresh = [row for chunk_id, row in rows.items() if chunk_id not in known]
        if fresh:
            connection.execute(chunks.insert(), fresh)


@dataclass(frozen=True, slots=True)
class _LiveEntries:
    dense_ids: frozenset[str]
    sparse_ids: frozenset[str]


def _live_entries(connection: Connection, doc_ids: Sequence[str]) -> _LiveEntries:
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
    return _LiveEntries(frozenset(dense), frozenset(sparse))


def _drop_versions(connection: Connection, doc_ids: Sequence[str]) -> None:
    """Remove sections and occurrences of every version of these documents; the versions' own rows and facts stay."""
    for batch in batches(doc_ids):
        of_documents = select(versions.c.version_id).where(versions.c.doc_id.in_(batch))
        connection.execute(delete(occurrences).where(occurrences.c.version_id.in_(of_documents)))
        connection.execute(delete(sections).where(sections.c.version_id.in_(of_documents)))


def _drop_orphan_chunks(connection: Connection, doc_ids: Sequence[str]) -> None:
    held = exists().where(occurrences.c.chunk_id == chunks.c.chunk_id)
    for batch in batches(doc_ids):
        connection.execute(delete(chunks).where(chunks.c.doc_id.in_(batch), ~held))


def _insert_occurrences(connection: Connection, version: Version) -> None:
    placed = [
        {
            "version_id": version.version_id,
            "ordinal": chunk.ordinal,
            "chunk_id": chunk.chunk_id,
            "place": chunk.place.as_dict(),
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


def _existing(connection: Connection, column: Any, ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for batch in batches(ids):
        found.update(connection.scalars(select(column).where(column.in_(batch))))
    return found


def _version_facts(version: Version) -> dict[str, Any]:
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


def _version_row(version: Version) -> dict[str, Any]:
    identity = {"version_id": version.version_id, "doc_id": version.doc_id, "status": "pending", "created_at": utc_now()}
    return identity | _version_facts(version)


def _document_facts(version: Version) -> dict[str, Any]:
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
