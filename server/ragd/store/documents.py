"""Documents, versions, sections and chunks: how a version becomes the truth, and how a document goes.

A version is written as `pending`, its index entries are upserted by the caller, and `flip` makes it `ready` and the older one
`superseded` in one transaction. Whatever happens in between leaves rows that nothing serves and that `sweep` removes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, bindparam, case, delete, exists, func, select, update

from ragd.core.jobs import Failure
from ragd.core.storage import Entries, Version
from ragd.core.tracing import utc_now
from ragd.store.database.engine import batches, truncate_log
from ragd.store.database.repository import insert_rows, rows_in, update_rows
from ragd.store.database.schema import chunks, collections, document_tags, documents, jobs, occurrences, versions
from ragd.store.document_state import DocumentState
from ragd.store.file_documents import forget_roots
from ragd.store.version_rows import (
    delete_versions,
    document_values,
    drop_versions,
    existing,
    insert_pictures,
    live_entries,
    version_values,
    write_content,
)


class DocumentWriter(DocumentState):
    """The only place that writes documents and what hangs on them. `keep_versions` older versions of each are kept."""

    def __init__(self, engine: Engine, keep_versions: int) -> None:
        super().__init__(engine)
        self._keep_versions = keep_versions

    def adopt(self, doc_ids: Sequence[str], source_id: str | None) -> None:
        """Note which source documents belong to: their files were found by it, unchanged."""
        with self._engine.begin() as connection:
            for batch in batches(doc_ids):
                connection.execute(update(documents).where(documents.c.doc_id.in_(batch)).values(source_id=source_id))

    def begin(self, batch: Sequence[Version], returning: Collection[str] | None = None) -> None:
        """Write the versions as pending, with their documents, sections and chunks. Nothing of it is served yet.

        Of documents that were deleted, those with the ids `returning` come back; all of them without it.
        """
        with self._engine.begin() as connection:
            self._ensure_documents(connection, batch, returning)
            known = existing(connection, versions.c.version_id, [version.version_id for version in batch])
            fresh = [version for version in batch if version.version_id not in known]
            pending = {"status": "pending", "created_at": utc_now()}
            ids = ("version_id", "doc_id")
            rows = [{name: getattr(version, name) for name in ids} | pending | version_values(version) for version in fresh]
            insert_rows(connection, versions, rows)
            for version in batch:
                insert_pictures(connection, version)
            self._add_chunks(connection, batch)

    def flip(
        self, batch: Sequence[Version], replaced: Sequence[str] = (), returning: Collection[str] | None = None
    ) -> dict[str, Entries]:
        """Make the versions ready and the older ones superseded, in one transaction; `replaced` documents go with it.

        A document that moved is its new self and replaces its old one, so that at no moment there are two or none. One that was
        deleted since `begin` stays deleted, unless it is `returning`, as for `begin`. Returns, for each kb_id, the index entries
        that no live version needs any more.
        """
        stale: dict[str, Entries] = {}
        # Of two versions of a document the last counts; the other stays pending, for `sweep`.
        last = {version.doc_id: version for version in batch}
        with self._engine.begin() as connection:
            deleted = self._stays_deleted(connection, batch, returning)
            by_kb: dict[str, list[Version]] = {}
            for version in last.values():
                by_kb.setdefault(version.kb_id, []).append(version)
            for kb_id, of_kb in by_kb.items():
                withdrawn = [version for version in of_kb if version.doc_id in deleted]
                delete_versions(connection, [version.version_id for version in withdrawn])
                gone = _entries_of(withdrawn)
                left = self._make_ready(connection, [version for version in of_kb if version.doc_id not in deleted])
                entries = Entries(gone.dense + left.dense, gone.sparse + left.sparse)
                if entries.dense or entries.sparse:
                    stale[kb_id] = entries
            held = exists().where(occurrences.c.chunk_id == chunks.c.chunk_id)
            for doc_ids in batches(list(last)):
                connection.execute(delete(chunks).where(chunks.c.doc_id.in_(doc_ids), ~held))
            self._tombstone(connection, replaced)
        return stale

    def _make_ready(self, connection: Connection, batch: Sequence[Version]) -> Entries:
        """Make versions of as many documents ready; returns the entries that these no longer need."""
        now, doc_ids = utc_now(), [version.doc_id for version in batch]
        old = live_entries(connection, doc_ids)
        drop_versions(connection, doc_ids)
        write_content(connection, batch)
        for ids in batches(doc_ids):
            ready = update(versions).where(versions.c.doc_id.in_(ids), versions.c.status == "ready")
            connection.execute(ready.values(status="superseded"))
        made = {"status": "ready", "ready_at": now}
        update_rows(connection, versions.c.version_id, {one.version_id: version_values(one) | made for one in batch})
        # A version that is made anew from its content changes how it is found, not when it was last changed.
        changed = documents.c.version_id.is_distinct_from(bindparam("version_id"))
        update_rows(
            connection,
            documents.c.doc_id,
            {version.doc_id: document_values(version) for version in batch},
            updated_at=case((changed, now), else_=documents.c.updated_at),
        )
        self._forget_old_versions(connection, doc_ids)
        new = _entries_of(batch)
        return Entries(tuple(old.dense_ids.difference(new.dense)), tuple(old.sparse_ids.difference(new.sparse)))

    def _forget_old_versions(self, connection: Connection, doc_ids: Sequence[str]) -> None:
        old = select(versions.c.version_id, versions.c.doc_id).where(versions.c.status == "superseded")
        newest_first = old.order_by(versions.c.ready_at.desc(), versions.c.created_at.desc())
        by_document: dict[str, list[str]] = {}
        for row in rows_in(connection, newest_first, versions.c.doc_id, doc_ids):
            by_document.setdefault(row.doc_id, []).append(row.version_id)
        delete_versions(connection, [one for kept in by_document.values() for one in kept[self._keep_versions :]])

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
            deleted = self._stays_deleted(connection, batch, returning)
        return deleted | {version.doc_id for version in batch if version.kb_id not in alive}

    def _stays_deleted(self, connection: Connection, batch: Sequence[Version], returning: Collection[str] | None) -> set[str]:
        if returning is None:
            return set()
        deleted: set[str] = set()
        for doc_ids in batches([version.doc_id for version in batch]):
            gone = select(documents.c.doc_id).where(documents.c.doc_id.in_(doc_ids), documents.c.status == "deleted")
            deleted.update(connection.scalars(gone))
        return deleted.difference(returning)

    def fail(
        self,
        kb_id: str,
        doc_id: str,
        source_uri: str,
        doc_type: str,
        size: int,
        failure: Failure,
        source_id: str | None = None,
    ) -> None:
        """Note why a file could not be read. A live version stays as it was, and stays served; what is deleted stays deleted."""
        now = utc_now()
        with self._engine.begin() as connection:
            alive = select(collections.c.kb_id).where(collections.c.kb_id == kb_id, collections.c.status != "deleted")
            if connection.scalar(alive) is None:
                return
            row = connection.execute(select(documents).where(documents.c.doc_id == doc_id)).first()
            error: dict[str, Any] = {"error_code": failure.code, "error_message": failure.message, "updated_at": now}
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
                        source_id=source_id,
                        **blank,
                        **error,
                    )
                )
            elif row.status != "deleted" or row.version_id is None:
                status = "ready" if row.version_id else "failed"
                if row.status == "deleted":  # it comes back, and its source must know it when its file goes again
                    error |= {"source_id": source_id, "title": failure.source.rsplit("/", 1)[-1]}
                connection.execute(update(documents).where(documents.c.doc_id == doc_id).values(status=status, **error))

    def tombstone(self, doc_ids: Sequence[str], *, by_request: bool = False) -> None:
        """Mark documents as deleted: gone from every answer when this returns.

        What a person deletes does not come back by a job that was queued before (`Known.was_deleted_after`).
        """
        with self._engine.begin() as connection:
            self._tombstone(connection, doc_ids)
            if by_request:
                newest = select(func.max(jobs.c.sequence)).scalar_subquery()
                for batch in batches(doc_ids):
                    chosen = update(documents).where(documents.c.doc_id.in_(batch))
                    connection.execute(chosen.values(deleted_after_job=newest))

    def _tombstone(self, connection: Connection, doc_ids: Sequence[str]) -> None:
        for batch in batches(doc_ids):
            gone = {"status": "deleted", "awaited_job": None, "updated_at": utc_now()}
            connection.execute(update(documents).where(documents.c.doc_id.in_(batch)).values(**gone))

    def purge(self, doc_ids: Sequence[str]) -> None:
        """Remove the content of deleted documents; an empty row stays, to answer that the document is gone."""
        with self._engine.begin() as connection:
            self._purge(connection, doc_ids)
        self.truncate_log()

    def _purge(self, connection: Connection, doc_ids: Sequence[str], **also: Any) -> None:
        drop_versions(connection, doc_ids)
        for batch in batches(doc_ids):
            connection.execute(delete(chunks).where(chunks.c.doc_id.in_(batch)))
            connection.execute(delete(document_tags).where(document_tags.c.doc_id.in_(batch)))
            delete_versions(
                connection, list(connection.scalars(select(versions.c.version_id).where(versions.c.doc_id.in_(batch))))
            )
            blank: dict[str, Any] = {"version_id": None, "title": "", "summary": "", "tags": [], "source_id": None}
            connection.execute(update(documents).where(documents.c.doc_id.in_(batch)).values(**blank, **also))

    def truncate_log(self) -> bool:
        """See `engine.truncate_log`."""
        return truncate_log(self._engine)

    def named(self, kb_id: str) -> list[str]:
        """Ids of every document of a collection that was not erased."""
        return self._values(select(documents.c.doc_id).where(documents.c.kb_id == kb_id, documents.c.source_uri != ""))

    def erase(self, doc_ids: Sequence[str]) -> None:
        """Remove documents with their names. What stays is that there was one with this id."""
        with self._engine.begin() as connection:
            gone = {"status": "deleted", "source": "", "source_uri": "", "error_code": None, "error_message": None}
            self._purge(connection, doc_ids, **gone, awaited_job=None, updated_at=utc_now())

    def forget_folders(self, kb_id: str) -> None:
        """Forget the folders that were added to a collection."""
        with self._engine.begin() as connection:
            forget_roots(connection, kb_id)

    def sweep(self, doc_ids: Sequence[str] | None = None) -> int:
        """Remove what a crash left: pending versions, chunks without a version, documents without any. Returns how many rows.

        With `doc_ids`, which nobody ingests at this moment, only theirs; else for a time when nothing is ingested.
        """
        removed = 0

        def of(table: Table) -> list[ColumnElement[bool]]:
            return [] if doc_ids is None else [table.c.doc_id.in_(doc_ids)]

        with self._engine.begin() as connection:
            pending = select(versions.c.version_id).where(versions.c.status == "pending", *of(versions))
            version_ids = list(connection.scalars(pending))
            delete_versions(connection, version_ids)
            removed += len(version_ids)
            held = exists().where(occurrences.c.chunk_id == chunks.c.chunk_id)
            removed += connection.execute(delete(chunks).where(~held, *of(chunks))).rowcount
            waits = exists().where(jobs.c.job_id == documents.c.awaited_job, jobs.c.status.in_(("queued", "running")))
            waited = update(documents).where(documents.c.awaited_job.is_not(None), ~waits, *of(documents))
            connection.execute(waited.values(awaited_job=None))
            empty = (documents.c.status == "processing") & documents.c.awaited_job.is_(None)
            has_versions = exists().where(versions.c.doc_id == documents.c.doc_id)
            removed += connection.execute(delete(documents).where(empty, ~has_versions, *of(documents))).rowcount
        return removed

    def _ensure_documents(self, connection: Connection, batch: Sequence[Version], returning: Collection[str] | None) -> None:
        now = utc_now()
        gone = self._stays_deleted(connection, batch, returning)
        known = existing(connection, documents.c.doc_id, [version.doc_id for version in batch])
        fresh = []
        for version in batch:
            if version.doc_id in gone:
                continue
            if version.doc_id in known:
                # A deleted document that comes back starts without a version.
                connection.execute(
                    update(documents)
                    .where(documents.c.doc_id == version.doc_id, documents.c.version_id.is_(None))
                    .values(status="processing", updated_at=now)
                )
                continue
            values = document_values(version) | {"status": "processing", "version_id": None}
            fresh.append({"doc_id": version.doc_id, "kb_id": version.kb_id, **values, "created_at": now, "updated_at": now})
        insert_rows(connection, documents, fresh)

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
        insert_rows(connection, chunks, [row for chunk_id, row in rows.items() if chunk_id not in known])


def _entries_of(batch: Sequence[Version]) -> Entries:
    found = [chunk for version in batch for chunk in version.chunks]
    return Entries(tuple(chunk.dense_id for chunk in found), tuple(chunk.sparse_id for chunk in found))
