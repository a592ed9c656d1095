"""The job that makes the token codes of what was indexed without them, a slice at a time, behind every other job."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from ragd.core.errors import ServiceUnavailable
from ragd.core.jobs import IngestResult, Postponed
from ragd.ingest.indexes import Indexes, find_drift
from ragd.ingest.pipeline import IngestPipeline
from ragd.ingest.reading import Report
from ragd.store.collections import Collections
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Job, Jobs

log = logging.getLogger(__name__)

KIND: Final = "tokens"

# Documents after which other jobs get their turn.
_SLICE: Final = 50
_AGAIN_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class BuildTokens:
    """What is done stays done: a job that was cut off, or gave way, goes on with what is missing still."""

    ingestion: Callable[[], IngestPipeline]
    indexes: Callable[[], Indexes]
    writer: DocumentWriter
    collections: Collections
    jobs: Jobs

    def request(self) -> None:
        """Queue the job, unless it waits already."""
        if self.jobs.waiting(KIND):
            return
        try:
            self.jobs.add(KIND, collection="", kb_id="", payload={}, request_id=None)
        except ServiceUnavailable as error:
            log.warning("token vectors are not made before the next start", extra={"reason": error.message})

    def __call__(self, job: Job, report: Report) -> IngestResult:
        doc_ids, result = self._missing(), IngestResult()
        total = len(doc_ids)
        for start in range(0, total, _SLICE):
            if start and self.jobs.others_due(job.job_id):
                raise Postponed(_AGAIN_S)

            def shifted(stage: str, done: int, _total: int, start: int = start) -> None:
                report(stage, start + done, total)

            made = self.ingestion().rebuild(doc_ids[start : start + _SLICE], report=shifted, links=job.links, tokens=True)
            result = replace(
                result,
                updated=result.updated + made.updated,
                chunks=result.chunks + made.chunks,
                embedded=result.embedded + made.embedded,
                failed=(*result.failed, *made.failed),
            )
        return result

    def _missing(self) -> list[str]:
        kb_ids = [kb_id for kb_id, status in self.collections.all_ids().items() if status != "deleted"]
        drifts = [find_drift(self.indexes(), kb_id, self.writer.live_entries(kb_id)) for kb_id in kb_ids]
        return [doc_id for drift in drifts for doc_id in drift.without_tokens]
