"""What an editor shows all the time: counts, failures, the jobs that are not done, and whether anything has changed."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, select

from ragd.store.database.repository import Repository
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import collections, documents, jobs, sources
from ragd.store.jobs import Job, Jobs
from ragd.store.passages import Passages

_MOST_JOBS: Final = 50


@dataclass(frozen=True, slots=True)
class Overview:
    """How things stand. `jobs` are the first `_MOST_JOBS` of the `unfinished_jobs`, oldest first, without their payloads.

    `changes` differs whenever documents, collections or sources have changed, and from one process to the next.
    """

    counts: Mapping[str, int]
    failed_documents: int
    unfinished_jobs: int
    jobs: tuple[Job, ...]
    changes: str


@dataclass(frozen=True, slots=True)
class _Seen:
    """Revisions of what documents are counted from, of sources and of jobs."""

    documents: int
    sources: int
    jobs: int


class Overviews(Repository):
    """Gives overviews. Only what may have changed since the last one is read again, whoever asks and how often."""

    def __init__(self, engine: Engine, passages: Passages, queue: Jobs) -> None:
        super().__init__(engine)
        self._passages = passages
        self._queue = queue
        self._revisions = Revisions.shared(engine)
        self._process = uuid.uuid4().hex[:12]
        self._lock = threading.Lock()
        self._last: tuple[_Seen, Overview] | None = None

    def is_current(self, overview: Overview | None) -> bool:
        """Whether `get` would give this overview again. Asks memory alone."""
        last = self._last
        return last is not None and last[1] is overview and last[0] == self._seen()

    def revision(self) -> int:
        """A number that differs whenever documents, collections or sources may have changed. Asks memory alone."""
        return self._revisions.of(documents, collections, sources)

    def get(self) -> Overview:
        with self._lock:
            # Looked at before the rows are read: what changes meanwhile is read the next time.
            seen = self._seen()
            if self._last is None or self._last[0] != seen:
                self._last = seen, self._read(seen, self._last)
            return self._last[1]

    def _seen(self) -> _Seen:
        of = self._revisions.of
        return _Seen(of(documents, collections), of(sources), of(jobs))

    def _read(self, seen: _Seen, last: tuple[_Seen, Overview] | None) -> Overview:
        counts: Mapping[str, int]
        if last is None or last[0].documents != seen.documents:
            counts, failed = self._passages.counts(), self._failed()
        else:
            counts, failed = last[1].counts, last[1].failed_documents
        if last is None or last[0].jobs != seen.jobs:
            unfinished = tuple(self._queue.unfinished_jobs(_MOST_JOBS))
            total = self._queue.unfinished()
        else:
            unfinished, total = last[1].jobs, last[1].unfinished_jobs
        return Overview(counts, failed, total, unfinished, f"{self._process}-{seen.documents}-{seen.sources}")

    def _failed(self) -> int:
        query = select(documents).join(collections, collections.c.kb_id == documents.c.kb_id)
        return self._count(query.where(documents.c.status == "failed", collections.c.status != "deleted"))
