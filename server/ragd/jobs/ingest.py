"""Jobs that read files: by their paths (`ingest`), as they came with a request (`upload`), and one once more (`reread`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from ragd.core.jobs import IngestResult, Postponed, QueuedUpload
from ragd.ingest.discovery.drives import Step, ask
from ragd.ingest.discovery.file_rules import FileRules
from ragd.ingest.discovery.files import Found, LoaderFor, find_files, narrowed
from ragd.ingest.discovery.originals import Originals
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Elsewhere, Report
from ragd.store.blobs.folder import BlobsUnavailable
from ragd.store.collections import Collections
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.file_documents import FileDocuments, Located
from ragd.store.jobs import Job, Jobs

_KIND: Final = "reread"
# Names of documents in a result at most; the count is of all.
_NAMED: Final = 20
# Seconds after which an upload looks again for a bucket that was away. Its file waits there, so the job does not fail.
_BUCKET_RETRY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class IngestPaths:
    """Finds the files and ingests them. Folders in `avoid`, which the application writes, are never entered.

    Documents of the given folders whose files are no more are named; with `prune` they are deleted, unless no file is found at
    all: then a drive may be missing. Those of a source are the source's own matter.
    """

    files: FileDocuments
    ingestion: Callable[[], IngestPipeline]
    allowed_roots: Sequence[str]
    avoid: Sequence[Path]
    loader_for: LoaderFor
    elsewhere: Elsewhere | None = None

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
        gone = self._gone(job.kb_id, [Path(path) for path in payload["paths"]], recursive=payload["recursive"])
        pruned = [document.doc_id for document in gone] if payload.get("prune") and found.items else []
        result = self.ingestion().run(
            job.kb_id,
            found,
            force=payload["force"],
            report=report,
            links=job.links,
            queued=job.sequence,
            gone=pruned,
            elsewhere=self.elsewhere,
        )
        if pruned or not gone:
            return result
        return replace(result, gone=len(gone), gone_names=tuple(document.source for document in gone[:_NAMED]))

    def _gone(self, kb_id: str, paths: Sequence[Path], *, recursive: bool) -> list[Located]:
        """Documents below these folders whose files are no more. A folder that can't be looked at says nothing."""
        try:
            folders = ask(paths[0], lambda _step: [path.resolve() for path in paths if path.is_dir()]) if paths else []
            return ask(paths[0], partial(_gone_below, self.files.all(kb_id), folders, recursive)) if folders else []
        except TimeoutError:
            return []


def _gone_below(documents: Sequence[Located], folders: Sequence[Path], recursive: bool, step: Step) -> list[Located]:
    gone = []
    for document in documents:
        above = document.path.parents if recursive else (document.path.parent,)
        if document.source_id is None and any(folder in above for folder in folders):
            step()
            if _is_gone(document.path):
                gone.append(document)
    return gone


def _is_gone(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


@dataclass(frozen=True, slots=True)
class IngestUploads:
    """Keeps the staged files and ingests them; not those of documents that were deleted after they had come."""

    ingestion: Callable[[], IngestPipeline]
    uploads: Uploads
    files: FileDocuments

    def __call__(self, job: Job, report: Report) -> IngestResult:
        try:
            items = [self.uploads.keep(upload) for upload in QueuedUpload.of(job.kb_id, job.payload)]
        except BlobsUnavailable as error:
            raise Postponed(_BUCKET_RETRY_S, error.message) from error
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
