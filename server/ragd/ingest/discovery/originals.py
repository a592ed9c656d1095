"""The files that documents were read from: where they are, whether they are what was read, and reading one of them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ragd.core.errors import DocumentChanged, DocumentUnreadable, DocumentVanished, ValidationFailed
from ragd.core.ids import hash32
from ragd.core.jobs import IngestResult
from ragd.formats.registry import shape_of
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import Found, check_allowed
from ragd.ingest.discovery.items import FileItem
from ragd.ingest.reading import Report
from ragd.store.collections import Collections
from ragd.store.document_reader import DocumentReader
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job, Jobs

Box = tuple[float, float, float, float]

KIND = "reread"
"""The kind of the jobs that read one document again."""


class Originals:
    """Finds and reads the files of documents. `uploads` is the folder of our own where uploaded ones are kept."""

    def __init__(self, documents: DocumentReader, allowed_roots: Sequence[str], uploads: Path, max_size: int) -> None:
        self._documents = documents
        self._allowed_roots = allowed_roots
        self._uploads = uploads.resolve()
        self._max_size = max_size

    def find(self, document: Mapping[str, Any]) -> FileItem:
        """The file of a document as `DocumentReader.get` tells it.

        Raises `DocumentVanished` when it is gone, `DocumentUnreadable` when it can't be looked at, `ForbiddenPath` when it may no
        longer be read, and `ValidationFailed` for a document that is no file.
        """
        source = document["source"]
        parts = urlsplit(document["source_uri"])
        if parts.scheme != "file":
            raise ValidationFailed(f"'{source}' is not a file on this machine. Sync its source to read it again.")
        path = Path(url2pathname(parts.path))
        if not path.is_relative_to(self._uploads):
            path = check_allowed(path, self._allowed_roots)
        try:
            there = path.is_file()
        except OSError as error:  # a folder above it may not be entered
            raise DocumentUnreadable(f"The file of '{source}' can't be read: {error.strerror or error}.") from error
        if not there:
            raise DocumentVanished(
                f"The file of '{source}' is gone ({shown(str(path))}). Put it back, add it from where it is now, or delete the "
                "document."
            )
        return FileItem(path, source, _root(path, source))

    def page(self, doc_id: str, chunk_ids: Sequence[str], number: int) -> tuple[bytes, str, list[Box]]:
        """The bytes of a PDF, its name, and the rectangles of the passages on a page, as fractions of it.

        Raises what `find` raises, `DocumentNotFound`, `ValidationFailed` for what has no pages, and `DocumentChanged` for a file
        that is no longer what was read.
        """
        document = self._documents.get(doc_id)
        source = document["source"]
        if shape_of(document["doc_type"]) != "pages" or document["version_id"] is None:
            raise ValidationFailed(f"'{source}' has no page images: only PDF documents have.")
        data = self.find(document).read(self._max_size)
        if hash32(data) != document["versions"][0]["content_hash"]:
            raise DocumentChanged(f"'{source}' was changed after it was read. Ingest it again to see its pages.")
        return data, source, self._documents.boxes(doc_id, chunk_ids, number)


class Rereading:
    """Reads one document again, though nothing of it has changed: after a failure, or under other settings."""

    def __init__(
        self,
        *,
        documents: DocumentReader,
        originals: Originals,
        collections: Collections,
        jobs: Jobs,
        writer: DocumentWriter,
        run: Callable[..., IngestResult],
    ) -> None:
        """`run` is the ingestion line."""
        self._documents = documents
        self._originals = originals
        self._collections = collections
        self._jobs = jobs
        self._writer = writer
        self._run = run

    def queue(self, doc_id: str, request_id: str | None = None) -> Job:
        """A job that reads the document again; the one that waits already, if one does.

        Raises `DocumentNotFound`, `DocumentDeleted`, `CollectionUnavailable`, and what `Originals.find` raises.
        """
        document = self._documents.get(doc_id)
        target = self._collections.available(document["collection"])
        self._originals.find(document)
        waiting = (job for job in self._jobs.waiting(KIND, target.kb_id) if job.payload["doc_id"] == doc_id)
        if job := next(waiting, None):
            return job
        payload = {"doc_id": doc_id}
        return self._jobs.add(KIND, collection=target.name, kb_id=target.kb_id, payload=payload, request_id=request_id)

    def run(self, job: Job, report: Report) -> IngestResult:
        """Do the job. What was found when it was queued can be gone by now; then the job fails with the reason."""
        doc_id = job.payload["doc_id"]
        item = self._originals.find(self._documents.get(doc_id))
        # Whose document it is stays as it is: a reading without its source would take it away from it.
        source_id = self._writer.known([doc_id])[doc_id].source_id
        links = {"job_id": job.job_id, "request_id": job.request_id}
        return self._run(job.kb_id, Found(items=[item]), force=True, report=report, links=links, source_id=source_id)


def _root(path: Path, source: str) -> Path | None:
    """The folder that was added when the file was found below it: what is left of the path without its name as it was given."""
    parts = PurePosixPath(source).parts
    named = tuple(shown(part) for part in path.parts[-len(parts) :])
    return path.parents[len(parts) - 1] if named == parts and len(parts) < len(path.parts) else None
