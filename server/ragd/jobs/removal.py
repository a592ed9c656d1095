"""Jobs of the kinds `cleanup` and `purge`: what deleted documents, and whole collections, left is removed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.exc import DBAPIError

from ragd.core.errors import RagError, ServiceUnavailable
from ragd.core.jobs import IngestResult
from ragd.core.storage import Collection
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.indexes import Indexes
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.store.database.engine import batches
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job, Jobs

log = logging.getLogger(__name__)

# Documents of a collection that are removed in one transaction.
_BATCH: Final = 20


@dataclass(frozen=True, slots=True)
class Cleanup:
    """Removes index entries, content and kept uploads of deleted documents. `retry_s` is the wait before a second attempt."""

    ingestion: Callable[[], IngestPipeline]
    writer: DocumentWriter
    uploads: Uploads
    jobs: Jobs
    retry_s: float
    by_workers: bool
    """Whether jobs run in other processes: one of them may read the document at this moment, so that its remains wait for it."""

    def __call__(self, job: Job, report: Report) -> IngestResult:
        report("deleting", 0, 0)
        self._remove(job.kb_id, job.payload["doc_ids"], job.payload["uris"])
        return IngestResult(deleted=len(job.payload["doc_ids"]))

    def remove_or_queue(self, target: Collection, doc_id: str, uri: str, request_id: str | None) -> None:
        """Remove what one deleted document left; what can't be removed now, a job removes later."""
        try:
            if self.by_workers:
                return self._queue(target, doc_id, uri, request_id, None)
            self._remove(target.kb_id, [doc_id], [uri])
        except (RagError, OSError, DBAPIError):
            log.exception("a deleted document's remains could not be removed; trying again later", extra={"doc_id": doc_id})
            self._queue(target, doc_id, uri, request_id, self.retry_s)

    def _queue(self, target: Collection, doc_id: str, uri: str, request_id: str | None, delay_s: float | None) -> None:
        payload = {"doc_ids": [doc_id], "uris": [uri]}
        named = {"collection": target.name, "kb_id": target.kb_id}
        self.jobs.add("cleanup", **named, payload=payload, request_id=request_id, delay_s=delay_s)

    def _remove(self, kb_id: str, doc_ids: Sequence[str], uris: Sequence[str]) -> None:
        """May be done again. Raises `ServiceUnavailable` while somebody reads what the log of the database still holds."""
        self.ingestion().clean_up(kb_id, doc_ids)
        for uri in uris:
            self.uploads.discard(uri)
        if not self.writer.truncate_log():
            raise ServiceUnavailable("The log of the database is being read; it is emptied later.")


@dataclass(frozen=True, slots=True)
class Purge:
    """Removes what a deleted collection held: index entries, documents, uploads, vectors and pictures."""

    ingestion: Callable[[], IngestPipeline]
    indexes: Callable[[], Indexes]
    writer: DocumentWriter
    uploads: Uploads

    def __call__(self, job: Job, report: Report) -> IngestResult:
        """May be done again: what an attempt before has removed is counted as done."""
        kb_id = job.kb_id
        doc_ids = self.writer.named(kb_id)
        total = max(len(doc_ids), job.progress["total"])
        done = total - len(doc_ids)
        report("deleting", done, total)
        self.indexes().drop(kb_id)
        for batch in batches(doc_ids, _BATCH):
            self.writer.erase(batch)
            done += len(batch)
            report("deleting", done, total)
        self.writer.forget_folders(kb_id)
        self.uploads.discard_collection(kb_id)
        self.ingestion().sweep()
        self.writer.truncate_log()
        return IngestResult(deleted=total)
