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
        doc_ids, total = self._missing()
        coded, result = total - len(doc_ids), IngestResult()
        for start in range(0, len(doc_ids), _SLICE):
            if start and self.jobs.others_due(job.job_id):
                raise Postponed(_AGAIN_S)

            slice_ids = doc_ids[start : start + _SLICE]

            def shifted(stage: str, done: int, of: int, before: int = coded + start, count: int = len(slice_ids)) -> None:
                # Of a slice of one document the passages are counted.
                report(stage.removesuffix(" passages"), before + (done * count // of if of else 0), total)

            made = self.ingestion().rebuild(slice_ids, report=shifted, links=job.links, tokens=True)
            result = replace(
                result,
                updated=result.updated + made.updated,
                chunks=result.chunks + made.chunks,
                embedded=result.embedded + made.embedded,
                failed=(*result.failed, *made.failed),
            )
        return result

    def _missing(self) -> tuple[list[str], int]:
        """The documents that lack codes, and how many documents there are: progress counts what had been done before, too."""
        missing, total = list[str](), 0
        for kb_id in self.collections.live_ids():
            live = self.writer.live_entries(kb_id)
            missing += find_drift(self.indexes(), kb_id, live).without_tokens
            total += len({row[0] for row in live})
        return missing, total
