"""Documents, versions, sections and chunks: how a version becomes the truth, and how a document goes.

A version is written as `pending`, its views are upserted by the caller, and `flip` makes it `ready` and the older one
`superseded` in one transaction. Whatever happens in between leaves rows that nothing serves and that `sweep` removes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, exists, select, update

from rag_assistant.store.db import batches, reading
from rag_assistant.store.facts import decode_document
from rag_assistant.store.schema import chunks, collections, documents, occurrences, versions
from rag_assistant.store.version_rows import (
    document_facts,
    drop_orphan_chunks,
    drop_versions,
    existing,
    insert_occurrences,
    live_entries,
    refresh_texts,
    version_facts,
    version_row,
)
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
            known = existing(connection, versions.c.version_id, [version.version_id for version in batch])
            fresh = [version for version in batch if version.version_id not in known]
            if fresh:
                connection.execute(versions.insert(), [version_row(version) for version in fresh])
            self._add_chunks(connection, batch)

    def flip(self, batch: Sequence[Version]) -> dict[str, Entries]:
        """Make the versions ready and the older ones superseded, in one transaction.

        Returns, for each kb_id, the entries of the views that no live version needs any more.
        """
        stale: dict[str, Entries] = {}
        now = utc_now()
        with self._engine.begin() as connection:
            for version in batch:
                old = live_entries(connection, [version.doc_id])
                drop_versions(connection, [version.doc_id])
                insert_occurrences(connection, version)
                refresh_texts(connection, version)
                connection.execute(
                    update(versions)
                    .where(versions.c.doc_id == version.doc_id, versions.c.status == "ready")
                    .values(status="superseded")
                )
                connection.execute(
                    update(versions)
                    .where(versions.c.version_id == version.version_id)
                    .values(**version_facts(version), status="ready", ready_at=now)
                )
                connection.execute(
                    update(documents)
                    .where(documents.c.doc_id == version.doc_id)
                    .values(**document_facts(version), updated_at=now)
                )
                dense = old.dense_ids - {chunk.dense_id for chunk in version.chunks}
                sparse = old.sparse_ids - {chunk.sparse_id for chunk in version.chunks}
                if dense or sparse:
                    known = stale.get(version.kb_id, Entries())
                    stale[version.kb_id] = Entries(known.dense + tuple(dense), known.sparse + tuple(sparse))
            drop_orphan_chunks(connection, [version.doc_id for version in batch])
        return stale

    def withdrawn(self, batch: Sequence[Version], returning: Collection[str]) -> set[str]:
        """Ids of those documents that were deleted since they were read, alone or with their collection.

        `returning` are the ids of documents that were deleted before, and are meant to come back.
        """
        with self._reader.connect() as connection:
            kb_ids = {version.kb_id for version in batch}
            alive = set(
                connection.scalars(
                    select(collections.c.kb_id).where(collections.c.kb_id.in_(kb_ids), collections.c.status != "deleted")
                )
            )
            deleted: set[str] = set()
            for doc_ids in batches([version.doc_id for version in batch]):
                gone = select(documents.c.doc_id).where(documents.c.doc_id.in_(doc_ids), documents.c.status == "deleted")
                deleted.update(connection.scalars(gone))
        deleted.difference_update(returning)
        return deleted | {version.doc_id for version in batch if version.kb_id not in alive}

    def fail(self, kb_id: str, doc_id: str, source_uri: str, doc_type: str, size: int, failure: Failure) -> None:
        """Note why a file could not be read. A live version stays as it was, and stays served; what is deleted stays deleted."""
        now = utc_now()
        with self._engine.begin() as connection:
            alive = select(collections.c.kb_id).where(collections.c.kb_id == kb_id, collections.c.status != "deleted")
            if connection.scalar(alive) is None:
                return
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
            elif row.status != "deleted" or row.version_id is None:
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
            found = live_entries(connection, doc_ids)
        return Entries(tuple(found.dense_ids), tuple(found.sparse_ids))

    def purge(self, doc_ids: Sequence[str]) -> None:
        """Remove the facts of deleted documents; a row without content stays, to answer that the document is gone."""
        with self._engine.begin() as connection:
            drop_versions(connection, doc_ids)
            for batch in batches(doc_ids):
                connection.execute(delete(chunks).where(chunks.c.doc_id.in_(batch)))
                connection.execute(delete(versions).where(versions.c.doc_id.in_(batch)))
                connection.execute(update(documents).where(documents.c.doc_id.in_(batch)).values(version_id=None, summary=""))

    def forget(self, kb_id: str) -> None:
        """Remove every row of a deleted collection's documents."""
        with self._engine.begin() as connection:
            doc_ids = list(connection.scalars(select(documents.c.doc_id).where(documents.c.kb_id == kb_id)))
            drop_versions(connection, doc_ids)
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
            held_facts = exists().where(versions.c.doc_id == documents.c.doc_id)
            removed += connection.execute(delete(documents).where(empty, ~held_facts)).rowcount
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
                    .where(documents.c.doc_id.in_(batch), documents.c.status == "ready")
                )
                for row in rows:
                    values = dict(row._mapping)
                    names = ("kb_id", "doc_id", "version_id", "profile_id", "source", "source_uri", "content_hash", "size")
                    found.append(StoredFacts(**{name: values[name] for name in names}, document=decode_document(values)))
        return found

    def _ensure_documents(self, connection: Connection, batch: Sequence[Version]) -> None:
        now = utc_now()
        known = existing(connection, documents.c.doc_id, [version.doc_id for version in batch])
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
            facts = document_facts(version) | {"status": "processing", "version_id": None}
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
        known = existing(connection, chunks.c.chunk_id, list(rows))
        fresh = [row for chunk_id, row in rows.items() if chunk_id not in known]
        if fresh:
            connection.execute(chunks.insert(), fresh)
