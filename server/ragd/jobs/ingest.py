"""Jobs that read files: by their paths (`ingest`), as they came with a request (`upload`), and one once more (`reread`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragd.core.jobs import IngestResult
from ragd.ingest.discovery.file_rules import FileRules
from ragd.ingest.discovery.files import Found, LoaderFor, find_files, narrowed
from ragd.ingest.discovery.originals import Originals
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.store.collections import Collections
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.file_documents import FileDocuments
from ragd.store.jobs import Job, Jobs, QueuedUpload

_KIND: Final = "reread"


@dataclass(frozen=True, slots=True)
class IngestPaths:
    """Finds the files and ingests them. Folders in `avoid`, which the application writes, are never entered."""

    ingestion: Callable[[], IngestPipeline]
    allowed_roots: Sequence[str]
    avoid: Sequence[Path]
    loader_for: LoaderFor

    def __call__(self, job: Job, report: Report) -> IngestResult:
        report("searching files", 0, 0)
        payload = job.payload
        found = find_files(
            payload["paths"],
            recursive=payload["recursive"],
            allowed_roots=narrowed(self.allowed_roots, payload.get("within")),
            # Jobs that the first release queued say nothing of it.
            rules=FileRules(gitignore=payload.get("gitignore", True)),
            avoid=self.avoid,
            loader_for=self.loader_for,
        )
        run = self.ingestion().run
        return run(job.kb_id, found, force=payload["force"], report=report, links=job.links, queued=job.sequence)


@dataclass(frozen=True, slots=True)
class IngestUploads:
    """Keeps the staged files and ingests them; not those of documents that were deleted after they had come."""

    ingestion: Callable[[], IngestPipeline]
    uploads: Uploads
    files: FileDocuments

    def __call__(self, job: Job, report: Report) -> IngestResult:
        items = [self.uploads.keep(upload) for upload in QueuedUpload.of(job.kb_id, job.payload)]
        run = self.ingestion().run
        force = job.payload["force"]
        result = run(job.kb_id, Found(items=list(items)), force=force, report=report, links=job.links, queued=job.sequence)
        live = self.files.live([item.uri for item in items])
        for item in items:
            if item.uri not in live:
                self.uploads.discard(item.uri)
        return result


@dataclass(frozen=True, slots=True)
class Reread:
    """Reads a document's file again: after a failure, or under other settings."""

    ingestion: Callable[[], IngestPipeline]
    originals: Originals
    documents: DocumentReader
    writer: DocumentWriter
    collections: Collections
    jobs: Jobs

    def queue(self, doc_id: str, request_id: str | None = None) -> Job:
        """A job that reads the document again; the one that waits already, if one does.

        Raises `DocumentNotFound`, `DocumentDeleted`, `CollectionUnavailable`, and what `Originals.find` raises.
        """
        document = self.documents.get(doc_id)
        target = self.collections.available(document["collection"])
        self.originals.find(document)
        waiting = (job for job in self.jobs.waiting(_KIND, target.kb_id) if job.payload["doc_id"] == doc_id)
        if job := next(waiting, None):
            return job
        payload = {"doc_id": doc_id}
        return self.jobs.add(_KIND, collection=target.name, kb_id=target.kb_id, payload=payload, request_id=request_id)

    def __call__(self, job: Job, report: Report) -> IngestResult:
        """What was found when the job was queued can be gone by now; then the job fails with the reason."""
        doc_id = job.payload["doc_id"]
        found = Found(items=[self.originals.find(self.documents.get(doc_id))])
        # The document stays with its source: a reading without it would take it away from the source.
        source_id = self.writer.known([doc_id])[doc_id].source_id
        return self.ingestion().run(job.kb_id, found, force=True, report=report, links=job.links, source_id=source_id)
