"""Jobs of the kind `upload`: files that came with a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ragd.core.jobs import IngestResult
from ragd.ingest.discovery.files import Found
from ragd.ingest.discovery.uploads import Uploads
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.store.jobs import Job


@dataclass(frozen=True, slots=True)
class IngestUploads:
    """Keeps the staged files and ingests them."""

    ingestion: Callable[[], IngestPipeline]
    uploads: Uploads

    def __call__(self, job: Job, report: Report) -> IngestResult:
        files = job.payload["files"]
        found = Found(items=[self.uploads.keep(Path(item["staged"]), item["source"], job.kb_id) for item in files])
        return self.ingestion().run(job.kb_id, found, force=job.payload["force"], report=report, links=job.links)
