"""What an editor shows all the time: counts, failures, the jobs that are not done, and whether anything has changed."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, event, select

from ragd.store.database.repository import Repository
from ragd.store.database.schema import collections, documents, jobs, sources
from ragd.store.jobs import Job, Jobs
from ragd.store.passages import Passages

_MOST_JOBS: Final = 50
_WRITTEN: Final = "tables written"


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
        self._revisions = _Revisions(engine)
        self._process = uuid.uuid4().hex[:12]
        self._lock = threading.Lock()
        self._last: tuple[_Seen, Overview] | None = None

    def is_current(self, overview: Overview | None) -> bool:
        """Whether `get` would give this overview again. Asks memory alone."""
        last = self._last
        return last is not None and last[1] is overview and last[0] == self._seen()

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


class _Revisions:
    """Counts, for each table, the transactions that wrote to it and have ended. One that was rolled back counts, too.

    The process owns its database (see `daemon.Ownership`), so nobody else's writing is missed.
    """

    def __init__(self, engine: Engine) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

        @event.listens_for(engine, "after_cursor_execute")
        def _executed(
            connection: Connection, _cursor: Any, _statement: str, _parameters: Any, context: Any, _executemany: bool
        ) -> None:
            if context.isinsert or context.isupdate or context.isdelete:
                connection.info.setdefault(_WRITTEN, set()).add(context.compiled.statement.table.name)

        # Not the event `commit`: that comes before the commit is done, and who looked then would see the old rows.
        @event.listens_for(engine, "checkin")
        def _returned(_connection: Any, record: Any) -> None:
            if written := record.info.pop(_WRITTEN, None):
                with self._lock:
                    self._counts.update(written)

    def of(self, *tables: Table) -> int:
        """A number that differs whenever one of the tables may have changed."""
        with self._lock:
            return sum(self._counts[table.name] for table in tables)
