"""The jobs that read sources: at most one waits for each source, and changes that come meanwhile join it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from ragd.core.jobs import JobStatus
from ragd.store.jobs import Job, Jobs
from ragd.store.sources import Source

_KIND: Final = "sync"
"""The kind of the jobs that read a source."""

Leave = Literal["keep", "delete"]

# With more changes than this, looking at everything is quicker, and it also finds what was not reported.
MAX_CHANGES: Final = 2000

Changes = frozenset[str] | None
"""Names relative to a source that changed; None when anything may have."""


class SyncQueue:
    """The queue, as sources see it. Safe to use from several threads."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._lock = threading.RLock()
        self._missed: dict[str, Changes] = {}
        self._last: dict[str, str] = {}

    def add(
        self,
        source: Source,
        names: Changes,
        request_id: str | None = None,
        *,
        allow_empty: bool = False,
        full: bool = False,
    ) -> Job:
        """A job that looks at these names; when one waits already, and is to do nothing else, it looks at these, too.

        Raises `ServiceUnavailable` when too many jobs wait.
        """
        with self._lock:
            waiting = self._waiting(source)
            joins = waiting is not None and not allow_empty and not full
            if waiting and joins and self._jobs.amend(waiting.job_id, lambda payload: _widened(payload, names)):
                self._last[source.source_id] = waiting.job_id
                return waiting
            payload = {"paths": None if names is None else sorted(names), "allow_empty": allow_empty, "full": full}
            job = self._add_job(source, payload, request_id)
            self._last[source.source_id] = job.job_id
            return job

    def miss(self, source_id: str, names: Changes) -> None:
        """Leave changes to the next job, which nothing calls for yet."""
        with self._lock:
            self._missed[source_id] = _merged(self._missed.get(source_id, frozenset()), names)

    def begin(self, job: Job) -> Changes:
        """A job of a source has begun; gives everything that it is to look at."""
        source_id, paths = job.payload["source_id"], job.payload["paths"]
        with self._lock:
            self._last[source_id] = job.job_id
            return _merged(None if paths is None else frozenset(paths), self._missed.pop(source_id, frozenset()))

    def unfinished(self, source: Source) -> Job | None:
        """The job that reads the source, or waits to; the newest, since only that one sees what was changed while another ran."""
        found = self._reading(source, ("running", "queued"))
        return found[-1] if found else None

    def last_job(self, source_id: str) -> str | None:
        """The job that reads the source, waits to, or did so last in this process."""
        with self._lock:
            return self._last.get(source_id)

    def forget_last_job(self, source_id: str) -> None:
        with self._lock:
            self._last.pop(source_id, None)

    def withdraw(self, source: Source) -> bool:
        """Cancel every job of a source that is going. Returns whether one was running, which stops a little later."""
        for job in self._jobs.waiting(_KIND, source.kb_id):
            if job.payload["source_id"] == source.source_id:
                self._jobs.cancel(job.job_id)
        running = [job for job in self._jobs.page(1, 100, "running")[0] if job.payload.get("source_id") == source.source_id]
        for job in running:
            self._jobs.cancel(job.job_id)
        with self._lock:
            self._missed.pop(source.source_id, None)
            self._last.pop(source.source_id, None)
        return bool(running)

    def add_leaving(self, source: Source, leave: Leave, request_id: str | None) -> None:
        """A job, after the running one, that leaves what that one stored as the rest was left."""
        self._add_job(source, {"leave": leave}, request_id)

    def add_cleanup(self, collection: str, kb_id: str, doc_ids: list[str], request_id: str | None) -> None:
        payload = {"doc_ids": doc_ids, "uris": []}
        self._jobs.add("cleanup", collection=collection, kb_id=kb_id, payload=payload, request_id=request_id)

    def _add_job(self, source: Source, payload: dict[str, Any], request_id: str | None) -> Job:
        whole = {"source_id": source.source_id, **payload}
        return self._jobs.add(_KIND, collection=source.collection, kb_id=source.kb_id, payload=whole, request_id=request_id)

    def _waiting(self, source: Source) -> Job | None:
        found = self._reading(source, ("queued",))
        return found[0] if found else None

    def _reading(self, source: Source, statuses: Sequence[JobStatus]) -> list[Job]:
        """The jobs of these statuses that read the source, the oldest first."""
        found = self._jobs.waiting(_KIND, source.kb_id, statuses)
        return [job for job in found if job.payload["source_id"] == source.source_id and "paths" in job.payload]


def _widened(payload: Mapping[str, Any], names: Changes) -> dict[str, Any]:
    paths = payload["paths"]
    merged = _merged(None if paths is None else frozenset(paths), names)
    return {**payload, "paths": None if merged is None else sorted(merged)}


def _merged(some: Changes, others: Changes) -> Changes:
    if some is None or others is None or len(some | others) > MAX_CHANGES:
        return None
    return some | others
