"""Jobs of the kind `purge`: what a deleted collection left is removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragd.core.jobs import IngestResult
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.indexes import Indexes
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.store.collections import Collections
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job


@dataclass(frozen=True, slots=True)
class Purge:
    """Removes everything of a collection: index entries, documents, uploads, vectors and pictures."""

    ingestion: Callable[[], IngestPipeline]
    indexes: Callable[[], Indexes]
    writer: DocumentWriter
    uploads: Uploads
    collections: Collections

    def __call__(self, job: Job, report: Report) -> IngestResult:
        report("deleting", 0, 0)
        self.remove(job.kb_id)
        return IngestResult()

    def remove(self, kb_id: str) -> None:
        """May be done again."""
        self.indexes().drop(kb_id)
        self.writer.forget(kb_id)
        self.uploads.discard_collection(kb_id)
        self.ingestion().sweep()
        self.collections.forget(kb_id)
