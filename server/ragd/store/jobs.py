"""Jobs in the database: a queue that outlives the process that fills it."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, Row, case, func, or_, select, update

from ragd.core.errors import JobNotFound, ServiceUnavailable
from ragd.core.jobs import BESIDE, JobStatus, QueuedUpload, Stopped, by_urgency
from ragd.core.trace_context import calling
from ragd.core.tracing import utc_now
from ragd.store.database.engine import independent
from ragd.store.database.repository import Repository, count_of, forget_oldest
from ragd.store.database.schema import documents, jobs

FINISHED: frozenset[str] = frozenset({"completed", "failed", "cancelled"})
# No job is put off for longer, in seconds.
_LONGEST_DELAY_S = 24 * 3600.0
_UNFINISHED = jobs.c.status.in_(("queued", "running"))
PURGE: Final = "purge"
"""The kind of job that removes what a deleted collection held. It is kept for good, and nobody can cancel it."""

_AS_NEW: Final[Mapping[str, Any]] = {
    "status": "queued",
    "progress": {"stage": "queued", "done": 0, "total": 0},
    "cancel_requested": False,
    "attempts": 0,
}
_UNREAD: Final = {"code": "CANCELLED", "message": "The file was not read: its job was cancelled. Upload it again."}

Deliver = Callable[[Connection, str, str, str, str | None], None]
"""`(connection, job_id, kind, kb_id, not_before)`: has a queued job brought to a worker, in the transaction that queues it."""


class TakenOver(Stopped):
    """Another process has taken the job up: this one was thought to be dead."""


@dataclass(frozen=True, slots=True)
class Job:
    """One unit of background work, as it stands."""

    job_id: str
    kind: str
    status: JobStatus
    collection: str
    kb_id: str
    payload: Mapping[str, Any]
    progress: Mapping[str, Any]
    result: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    cancel_requested: bool
    request_id: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: int
    not_before: str | None
    sequence: int = 0
    updated_at: str | None = None
    """None in rows of earlier releases."""
    traceparent: str | None = None
    """Where the request that queued it was called from, by W3C trace context."""

    @property
    def links(self) -> dict[str, str | None]:
        """What the traces of the job link to."""
        return {"job_id": self.job_id, "request_id": self.request_id, "traceparent": self.traceparent}


class Jobs(Repository):
    """The queue: the urgent first, of these who came first, one at a time. The newest `keep` of the finished ones are kept."""

    def __init__(
        self,
        engine: Engine,
        max_queued: int,
        keep: int,
        clock: Callable[[float], str] = utc_now,
        deliver: Deliver = lambda _connection, *_job: None,
    ) -> None:
        """`clock` gives the time so many seconds from now, as `utc_now` does."""
        super().__init__(engine)
        self._deliver = deliver
        self.clock = clock
        self.added = threading.Event()
        """Set when a job was added; whoever takes the jobs clears it."""
        self._max_queued = max_queued
        self._keep = keep

    def now(self) -> str:
        return self.clock(0)

    def add(
        self,
        kind: str,
        *,
        collection: str,
        kb_id: str,
        payload: Mapping[str, Any],
        request_id: str | None,
        delay_s: float | None = None,
    ) -> Job:
        """Queue a job, to be taken after `delay_s` at the earliest. Raises `ServiceUnavailable` when too many wait already."""
        with self._engine.begin() as connection:
            job_id = self.add_within(
                connection, kind, collection=collection, kb_id=kb_id, payload=payload, request_id=request_id, delay_s=delay_s
            )
        self.added.set()
        return self.get(job_id)

    def add_within(
        self,
        connection: Connection,
        kind: str,
        *,
        collection: str,
        kb_id: str,
        payload: Mapping[str, Any],
        request_id: str | None,
        delay_s: float | None = None,
    ) -> str:
        """As `add`, in a transaction of the caller's, who sets `added` once it is committed. Returns the job's id.

        What is deleted must go: for the removal of a collection there is always room.
        """
        waiting = count_of(connection, select(jobs).where(jobs.c.status == "queued"))
        if waiting >= self._max_queued and kind != PURGE:
            raise ServiceUnavailable(f"{waiting} jobs are waiting already. Try again when some have finished.")
        now, caller = self.now(), calling.get()
        values: dict[str, Any] = {
            "job_id": uuid.uuid4().hex,
            "kind": kind,
            "collection": collection,
            "kb_id": kb_id,
            "payload": dict(payload),
            "request_id": request_id,
            "traceparent": str(caller) if caller else None,
            "sequence": (connection.scalar(select(func.max(jobs.c.sequence))) or 0) + 1,
            "created_at": now,
            "updated_at": now,
            "not_before": None if delay_s is None else self.clock(delay_s),
        }
        connection.execute(jobs.insert().values(**values, **_AS_NEW))
        self._deliver(connection, values["job_id"], kind, kb_id, values["not_before"])
        passing = jobs.c.status.in_(FINISHED), jobs.c.kind != PURGE
        forget_oldest(connection, jobs.c.job_id, jobs.c.sequence, self._keep, *passing)
        return str(values["job_id"])

    def get(self, job_id: str) -> Job:
        """The job as it stands. Raises `JobNotFound`."""
        row = self._first(select(jobs).where(jobs.c.job_id == job_id))
        if row is None:
            raise JobNotFound(f"There is no job '{job_id}'. See `rag jobs list`.")
        return _job(row)

    def page(
        self,
        page: int = 1,
        page_size: int = 20,
        status: str | None = None,
        *,
        among: Collection[str] | None = None,
        kinds: Collection[str] = (),
    ) -> tuple[list[Job], int]:
        """One page of jobs, of collections among these ids and of `kinds` if any are given, newest first, and how many in all."""
        where = [jobs.c.status == status] if status else []
        where += [jobs.c.kb_id.in_(among)] if among is not None else []
        where += [jobs.c.kind.in_(kinds)] if kinds else []
        return self._page(select(jobs).where(*where).order_by(jobs.c.sequence.desc()), page, page_size, _job)

    def take(self, beside: bool = False) -> Job | None:
        """The oldest of the most urgent queued jobs, now running; None when nothing waits. Of `BESIDE`, or of the others."""
        with independent(self._engine).begin() as connection:
            urgent = case(dict(by_urgency()), value=jobs.c.kind, else_=0).desc()
            first = select(jobs.c.job_id).where(*self.due(), _in_lane(beside)).order_by(urgent, jobs.c.sequence).limit(1)
            job_id = connection.scalar(first.with_for_update(skip_locked=True))
            if job_id is None:
                return None
            now = self.now()
            taken = {"status": "running", "started_at": now, "updated_at": now, "attempts": jobs.c.attempts + 1}
            connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(**taken))
        return self.get(job_id)

    def progress(self, job_id: str, progress: Mapping[str, Any], since: str | None = None) -> bool:
        """Record where a running job is. Returns whether somebody has asked to cancel it.

        Raises `TakenOver` for a job that is no longer the one that was begun at `since`.
        """
        with independent(self._engine).begin() as connection:
            values = {"progress": dict(progress), "updated_at": self.now()}
            if not connection.execute(update(jobs).where(*_held(job_id, since)).values(**values)).rowcount:
                raise TakenOver
            return bool(connection.scalar(select(jobs.c.cancel_requested).where(jobs.c.job_id == job_id)))

    def finish(
        self,
        job_id: str,
        status: JobStatus,
        *,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
        since: str | None = None,
    ) -> None:
        """Close a job with what it did or why it could not go on. Documents that waited for it wait no longer.

        Raises `TakenOver` as `progress` does.
        """
        with self._engine.begin() as connection:
            if connection.scalar(select(jobs.c.job_id).where(*_held(job_id, since)).with_for_update()) is None:
                raise TakenOver
            self._close(connection, job_id, status, {"result": result, "error": error})

    def _close(self, connection: Connection, job_id: str, status: JobStatus, outcome: Mapping[str, Any]) -> None:
        now = self.now()
        ended = {"status": status, "finished_at": now, "updated_at": now, **outcome}
        connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(**ended))
        waits = documents.c.awaited_job == job_id
        error = outcome.get("error") or _UNREAD
        failed = {"error_code": error["code"], "error_message": error["message"], "updated_at": now}
        # A job that came to its end has noted the failures of its files itself.
        unread = documents.c.version_id.is_(None), documents.c.error_code.is_(None)
        connection.execute(update(documents).where(waits, *unread).values(status="failed", **failed))
        if status != "completed":
            connection.execute(update(documents).where(waits).values(**failed))
        connection.execute(update(documents).where(waits).values(awaited_job=None))

    def retry(self, job_id: str, delay_s: float, error: Mapping[str, Any] | None, since: str | None = None) -> None:
        """Put a job that failed back into the queue, to be taken again after `delay_s`; why it failed is kept until then.

        Raises `TakenOver` as `progress` does.
        """
        until = self.clock(delay_s)
        again = {"status": "queued", "started_at": None, "not_before": until, "error": error, "updated_at": self.now()}
        if not self._write(update(jobs).where(*_held(job_id, since)).values(**again)):
            raise TakenOver

    def restart(self, job_id: str, status: JobStatus) -> bool:
        """Queue a job of this status as if it were new, with all its attempts. Returns whether it had that status."""
        blank = {"result": None, "error": None, "started_at": None, "finished_at": None, "not_before": None}
        again = update(jobs).where(jobs.c.job_id == job_id, jobs.c.status == status)
        again = again.values(**_AS_NEW, **blank, updated_at=self.now()).returning(jobs.c.kind, jobs.c.kb_id)
        with self._engine.begin() as connection:
            row = connection.execute(again).first()
            if row is not None:
                self._deliver(connection, job_id, row.kind, row.kb_id, None)
        self.added.set()
        return row is not None

    def others_due(self, job_id: str, apart_from: str | None = None) -> bool:
        """Whether another job could begin now, `apart_from` those of a kind."""
        others = select(jobs.c.job_id).where(*self.due(), _in_lane(beside=False), jobs.c.job_id != job_id)
        if apart_from is not None:
            others = others.where(jobs.c.kind != apart_from)
        return self._first(others.limit(1)) is not None

    def waiting(self, kind: str, kb_id: str | None = None, statuses: Sequence[JobStatus] = ("queued",)) -> list[Job]:
        """Jobs of a kind that have not begun, or that are of other `statuses`, in order."""
        where = [jobs.c.kind == kind, jobs.c.status.in_(statuses)] + ([jobs.c.kb_id == kb_id] if kb_id else [])
        return [_job(row) for row in self._rows(select(jobs).where(*where).order_by(jobs.c.sequence))]

    def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> bool:
        """Change what a job is to do, unless it has begun. Returns whether it had not."""
        with self._engine.begin() as connection:
            waits = select(jobs.c.payload).where(jobs.c.job_id == job_id, jobs.c.status == "queued").with_for_update()
            row = connection.execute(waits).first()
            if row is not None:
                connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(payload=dict(change(row.payload))))
        return row is not None

    def cancel(self, job_id: str) -> Job:
        """Ask a job to stop: a queued one ends at once, a running one at its next safe point, a finished one stays as it is."""
        with self._engine.begin() as connection:
            self._cancel(connection, jobs.c.job_id == job_id)
        return self.get(job_id)

    def cancel_all_within(self, connection: Connection, kb_id: str) -> None:
        """As `cancel`, each job of a collection, in a transaction of the caller's."""
        self._cancel(connection, jobs.c.kb_id == kb_id)

    def _cancel(self, connection: Connection, which: ColumnElement[bool]) -> None:
        wanted = which, jobs.c.kind != PURGE
        # A job that is being taken just now is waited for: it is a running one then.
        waiting = select(jobs.c.job_id).where(*wanted, jobs.c.status == "queued").with_for_update()
        for queued in connection.scalars(waiting).all():
            self._close(connection, queued, "cancelled", {"cancel_requested": True})
        connection.execute(update(jobs).where(*wanted, jobs.c.status == "running").values(cancel_requested=True))

    def end_kind(self, kind: str, status: JobStatus, result: Mapping[str, Any] | None = None) -> None:
        """End every unfinished job of a kind, for which there is nothing left to do; for a time when none can be running."""
        now = self.now()
        ended = {"status": status, "result": result, "finished_at": now, "updated_at": now}
        self._write(update(jobs).where(jobs.c.kind == kind, _UNFINISHED).values(**ended))

    def unfinished(self) -> int:
        return self._count(select(jobs).where(_UNFINISHED))

    def unfinished_of(self, kind: str) -> Job | None:
        """The oldest job of a kind that waits or runs."""
        row = self._first(select(jobs).where(jobs.c.kind == kind, _UNFINISHED).order_by(jobs.c.sequence).limit(1))
        return _job(row) if row else None

    def unfinished_jobs(self, most: int) -> list[Job]:
        """The first jobs that wait or run, oldest first. Their payloads, which can be long, are left out."""
        columns = [column for column in jobs.c if column.name != "payload"]
        first = select(*columns).where(_UNFINISHED).order_by(jobs.c.sequence).limit(most)
        return [_job(row, payload={}) for row in self._rows(first)]

    def waiting_uploads(self) -> list[QueuedUpload]:
        """The uploaded files of unfinished jobs."""
        rows = self._rows(select(jobs.c.kb_id, jobs.c.payload).where(jobs.c.kind == "upload", _UNFINISHED))
        return [upload for row in rows for upload in QueuedUpload.of(row.kb_id, row.payload)]

    def requeue(self, job_id: str | None = None, since: str | None = None, *, beside: bool | None = None) -> int:
        """Put a running job (all of them without an id) back into the queue, at its old place; returns how many.

        With `since` only the one that was begun then; with `beside` only those that `take` gives.
        """
        lane = () if beside is None else (_in_lane(beside),)
        with self._engine.begin() as connection:
            return self.requeue_within(connection, *(_held(job_id, since) if job_id else lane))

    def requeue_within(self, connection: Connection, *which: ColumnElement[bool]) -> int:
        """As `requeue`, the running ones among these, in a transaction of the caller's."""
        again = {"status": "queued", "started_at": None, "attempts": jobs.c.attempts - 1, "updated_at": self.now()}
        return connection.execute(update(jobs).where(jobs.c.status == "running", *which).values(**again)).rowcount

    def due(self) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        """What tells a job that could begin now. A clock that was ahead put off one that waits for longer than any."""
        until, now = jobs.c.not_before, self.now()
        return jobs.c.status == "queued", or_(until.is_(None), until <= now, until > self.clock(_LONGEST_DELAY_S))


def _in_lane(beside: bool) -> ColumnElement[bool]:
    return jobs.c.kind.in_(BESIDE) if beside else jobs.c.kind.not_in(BESIDE)


def _held(job_id: str, since: str | None) -> list[ColumnElement[bool]]:
    of_this = [jobs.c.job_id == job_id]
    return of_this if since is None else [*of_this, jobs.c.status == "running", jobs.c.started_at == since]


def _job(row: Row[Any], **instead: Any) -> Job:
    return Job(**row._mapping, **instead)
