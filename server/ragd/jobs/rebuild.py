"""Jobs of the kinds `rebuild` and `repair`: documents that are indexed again from their stored content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragd.core.jobs import IngestResult
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.store.jobs import Job


@dataclass(frozen=True, slots=True)
class Rebuild:
    """Makes the index entries of documents anew; no file is read."""

    ingestion: Callable[[], IngestPipeline]

    def __call__(self, job: Job, report: Report) -> IngestResult:
        return self.ingestion().rebuild(job.payload["doc_ids"], report=report, links=job.links)
