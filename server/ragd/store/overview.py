"""What an editor shows all the time: counts, failures, the jobs that are not done, and whether anything has changed."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Engine, and_, case, func, select

from ragd.core.lazy import Remembered
from ragd.store.database.repository import Repository
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import collections, documents, jobs, sources, version_assets, versions
from ragd.store.jobs import Job, Jobs
from ragd.store.passages import Passages

_MOST_JOBS: Final = 50
# How much of a moment names its minute.
_MINUTE: Final = len("2026-01-01T00:00")


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
class Growth:
    """How many there are, and how many of these came within a day and within thirty."""

    total: int
    day: int
    month: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """Revisions of what documents are counted from, of sources and of jobs."""

    documents: int
    sources: int
    jobs: int


class Overviews(Repository):
    """Gives overviews. Only what may have changed since the last one is read again, whoever asks and how often."""

    def __init__(self, engine: Engine, passages: Passages, queue: Jobs, behind: Executor) -> None:
        """What takes long is counted again by `behind`, one thing at a time."""
        super().__init__(engine)
        self._passages = passages
        self._queue = queue
        self._revisions = Revisions.shared(engine)
        self._process = uuid.uuid4().hex[:12]
        self._lock = threading.Lock()
        self._last: tuple[_Seen, Overview] | None = None
        self._growth = Remembered[tuple[int, str, str], dict[str, Growth]](behind)

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

    def growth(self, day: str, month: str) -> dict[str, Growth]:
        """Of documents, chunks and pictures that are there to be found. `day` and `month` are the moments when these began.

        Counted again when something was written and once a minute. That looks at every document: of many, the numbers of before
        are given meanwhile.
        """
        asked = self._revisions.of(documents, collections, versions, version_assets), day[:_MINUTE], month[:_MINUTE]
        return dict(self._growth.get(asked, lambda: self._read_growth(day, month)))

    def _read_growth(self, day: str, month: str) -> dict[str, Growth]:
        found = and_(collections.c.kb_id == documents.c.kb_id, collections.c.status != "deleted", documents.c.status == "ready")
        since = [documents.c.created_at >= moment for moment in ("", day, month)]
        there = [func.coalesce(func.sum(case((came, 1), else_=0)), 0) for came in since]
        held = [func.coalesce(func.sum(case((came, versions.c.chunk_count), else_=0)), 0) for came in since]
        shown: list[ColumnElement[Any]] = [func.count(case((came, version_assets.c.asset_id)).distinct()) for came in since]
        columns: list[ColumnElement[Any]] = [*there, *held]
        counted = select(*columns).select_from(documents).join(collections, found)
        pictures = (
            select(*shown).select_from(version_assets).join(documents, documents.c.version_id == version_assets.c.version_id)
        )
        counts = self._rows(counted.join(versions, versions.c.version_id == documents.c.version_id))[0]
        of_pictures = self._rows(pictures.join(collections, found))[0]
        parts = {"documents": counts[:3], "chunks": counts[3:], "pictures": of_pictures}
        return {name: Growth(*map(int, part)) for name, part in parts.items()}

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
