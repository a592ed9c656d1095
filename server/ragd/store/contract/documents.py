"""Documents as programs upload and follow them: known from the moment of the upload, with what became of the newest one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, case, or_, select, update

from ragd.core.errors import CollectionUnavailable, DocumentDeleted
from ragd.core.ids import hash32
from ragd.core.storage import Collection, UploadStatus
from ragd.store.database.repository import Repository
from ragd.store.database.schema import collections, documents, versions
from ragd.store.document_reader import no_document
from ragd.store.document_state import OCR_SKIPPED
from ragd.store.jobs import Jobs

_STATUS = case(
    (collections.c.status == "deleted", "deleted"),
    (or_(documents.c.awaited_job.is_not(None), documents.c.status == "processing"), "processing"),
    (documents.c.status == "deleted", "deleted"),
    (or_(documents.c.status == "failed", documents.c.error_code.is_not(None)), "failed"),
    else_="completed",
)


@dataclass(frozen=True, slots=True)
class UploadedDocument:
    """A document; `chunk_count` is of what can be found of it. `error_message` is of the newest upload, if that failed."""

    doc_id: str
    kb_id: str
    filename: str
    status: UploadStatus
    error_message: str | None
    chunk_count: int
    ocr_skipped: bool
    created_at: str
    updated_at: str


class UploadedDocuments(Repository):
    def __init__(self, engine: Engine, queue: Jobs) -> None:
        super().__init__(engine)
        self._queue = queue

    def announce(
        self, target: Collection, source: str, uri: str, doc_type: str, payload: Mapping[str, Any], request_id: str | None
    ) -> str:
        """Queue the job of one uploaded file, and make its document known, in one transaction. Returns the document's id.

        Raises `CollectionUnavailable` for a collection that was disabled or deleted meanwhile, and `ServiceUnavailable` when too
        many jobs wait.
        """
        with self._engine.begin() as connection:
            status = connection.scalars(select(collections.c.status).where(collections.c.kb_id == target.kb_id)).one()
            if status != "enabled":
                raise unavailable(replace(target, status=status))
            job_id = self._queue.add_within(
                connection, "upload", collection=target.name, kb_id=target.kb_id, payload=payload, request_id=request_id
            )
            doc_id = self._await(connection, target.kb_id, source, uri, doc_type, job_id)
        self._queue.added.set()
        return doc_id

    def _await(self, connection: Connection, kb_id: str, source: str, uri: str, doc_type: str, job_id: str) -> str:
        # Where the data directory was moved, a document keeps the id that its first address gave it.
        alive_first = case((documents.c.status == "deleted", 1), else_=0)
        same = select(documents.c.doc_id).where(documents.c.kb_id == kb_id, documents.c.source_uri == uri).order_by(alive_first)
        known: str | None = connection.scalar(same.limit(1))
        now = self._queue.now()
        if known is not None:
            # A deleted document stays so until it is read: an upload that waits since before the deletion must not come back.
            awaited = {"awaited_job": job_id, "updated_at": now}
            connection.execute(update(documents).where(documents.c.doc_id == known).values(**awaited))
            return known
        doc_id = hash32(kb_id, uri)
        connection.execute(
            documents.insert().values(
                doc_id=doc_id,
                kb_id=kb_id,
                source=source,
                source_uri=uri,
                status="processing",
                title=source,
                doc_type=doc_type,
                size=0,
                summary="",
                tags=[],
                created_at=now,
                updated_at=now,
                awaited_job=job_id,
            )
        )
        return doc_id

    def get(self, doc_id: str) -> UploadedDocument:
        """One document. Raises `DocumentNotFound` for an id that none ever had, `DocumentDeleted` for one that is gone."""
        row = self._first(_described().where(documents.c.doc_id == doc_id))
        if row is None:
            raise no_document(doc_id)
        if row.status == "deleted":
            raise DocumentDeleted(f"The document '{doc_id}' was deleted.")
        return _document(row)

    def page(self, kb_id: str, status: UploadStatus | None, page: int, page_size: int) -> tuple[list[UploadedDocument], int]:
        """One page of a collection's documents, the oldest first, deleted ones included, and how many there are in all."""
        where = [documents.c.kb_id == kb_id]
        if status:
            where.append(_STATUS.in_([status]))
        ordered = _described().where(*where).order_by(documents.c.created_at, documents.c.doc_id)
        return self._page(ordered, page, page_size, _document)


def unavailable(target: Collection) -> CollectionUnavailable:
    """The error for a collection that is disabled or deleted."""
    return CollectionUnavailable(f"The knowledge base '{target.kb_id}' is {target.status} and can't be searched or added to.")


def _described() -> Select[Any]:
    names = ("doc_id", "kb_id", "source", "error_message", "created_at", "updated_at")
    columns = [documents.c[name] for name in names]
    return (
        select(*columns, _STATUS.label("status"), versions.c.chunk_count, versions.c.metadata)
        .join(collections, collections.c.kb_id == documents.c.kb_id)
        .outerjoin(versions, versions.c.version_id == documents.c.version_id)
    )


def _document(row: Row[Any]) -> UploadedDocument:
    return UploadedDocument(
        doc_id=row.doc_id,
        kb_id=row.kb_id,
        filename=row.source,
        status=row.status,
        error_message=row.error_message if row.status == "failed" else None,
        chunk_count=0 if row.status == "deleted" else row.chunk_count or 0,
        ocr_skipped=bool((row.metadata or {}).get(OCR_SKIPPED)),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
