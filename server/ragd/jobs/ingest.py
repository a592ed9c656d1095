"""Jobs of the kinds `ingest`, files and folders by their paths, and `upload`, files that came with a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragd.core.jobs import IngestResult
from ragd.ingest.discovery.file_rules import FileRules
from ragd.ingest.discovery.files import Found, LoaderFor, find_files, narrowed
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.store.jobs import Job


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
        return self.ingestion().run(job.kb_id, found, force=payload["force"], report=report, links=job.links)


@dataclass(frozen=True, slots=True)
class IngestUploads:
    """Keeps the staged files and ingests them."""

    ingestion: Callable[[], IngestPipeline]
    uploads: Uploads

    def __call__(self, job: Job, report: Report) -> IngestResult:
        files = job.payload["files"]
        found = Found(items=[self.uploads.keep(Path(item["staged"]), item["source"], job.kb_id) for item in files])
        return self.ingestion().run(job.kb_id, found, force=job.payload["force"], report=report, links=job.links)
