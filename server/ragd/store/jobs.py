"""Jobs in the database: a queue that outlives the process that fills it."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from sqlalchemy import ColumnElement, Engine, Row, func, or_, select, update

from ragd.core.errors import JobNotFound, ServiceUnavailable
from ragd.core.jobs import JobStatus
from ragd.core.tracing import utc_now
from ragd.store.database.repository import Repository, count_of, forget_oldest
from ragd.store.database.schema import jobs

FINISHED: frozenset[str] = frozenset({"completed", "failed", "cancelled"})
# No job is put off for longer, in seconds.
_LONGEST_DELAY_S = 24 * 3600.0
_UNFINISHED = jobs.c.status.in_(("queued", "running"))


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

    @property
    def links(self) -> dict[str, str | None]:
        """What the traces of the job link to."""
        return {"job_id": self.job_id, "request_id": self.request_id}


@dataclass(frozen=True, slots=True)
class QueuedUpload:
    """A file of a job of the kind `upload`: its name in the staging folder, and the name that it came with."""

    kb_id: str
    staged: str
    source: str

    @classmethod
    def of(cls, kb_id: str, payload: Mapping[str, Any]) -> list[QueuedUpload]:
        # Earlier releases wrote the whole path, which holds only until the data directory is moved.
        return [cls(kb_id, PurePath(item["staged"]).name, item["source"]) for item in payload["files"]]


class Jobs(Repository):
    """The queue: first in, first out, one at a time. The newest `keep` of the finished ones are kept."""

    def __init__(self, engine: Engine, max_queued: int, keep: int) -> None:
        super().__init__(engine)
        self.added = threading.Event()
        """Set when a job was added; whoever takes the jobs clears it."""
        self._max_queued = max_queued
        self._keep = keep

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
        job_id = uuid.uuid4().hex
        with self._engine.begin() as connection:
            waiting = count_of(connection, select(jobs).where(jobs.c.status == "queued"))
            if waiting >= self._max_queued:
                raise ServiceUnavailable(f"{waiting} jobs are waiting already. Try again when some have finished.")
            sequence = (connection.scalar(select(func.max(jobs.c.sequence))) or 0) + 1
            connection.execute(
                jobs.insert().values(
                    job_id=job_id,
                    kind=kind,
                    status="queued",
                    collection=collection,
                    kb_id=kb_id,
                    payload=dict(payload),
                    progress={"stage": "queued", "done": 0, "total": 0},
                    cancel_requested=False,
                    request_id=request_id,
                    sequence=sequence,
                    created_at=utc_now(),
                    attempts=0,
                    not_before=None if delay_s is None else utc_now(delay_s),
                )
            )
            forget_oldest(connection, jobs.c.job_id, jobs.c.sequence, self._keep, jobs.c.status.in_(FINISHED))
        self.added.set()
        return self.get(job_id)

    def get(self, job_id: str) -> Job:
        """The job as it stands. Raises `JobNotFound`."""
        row = self._first(select(jobs).where(jobs.c.job_id == job_id))
        if row is None:
            raise JobNotFound(f"There is no job '{job_id}'. See `rag jobs list`.")
        return _job(row)

    def page(self, page: int = 1, page_size: int = 20, status: str | None = None) -> tuple[list[Job], int]:
        """One page of jobs, newest first, and how many there are in all."""
        where = [jobs.c.status == status] if status else []
        return self._page(select(jobs).where(*where).order_by(jobs.c.sequence.desc()), page, page_size, _job)

    def take(self) -> Job | None:
        """The oldest queued job, now running; None when nothing waits."""
        with self._engine.begin() as connection:
            job_id = connection.scalar(select(jobs.c.job_id).where(*_due()).order_by(jobs.c.sequence).limit(1))
            if job_id is None:
                return None
            taken = {"status": "running", "started_at": utc_now(), "attempts": jobs.c.attempts + 1}
            connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(**taken))
        return self.get(job_id)

    def progress(self, job_id: str, progress: Mapping[str, Any]) -> bool:
        """Record where a running job is. Returns whether somebody has asked to cancel it."""
        with self._engine.begin() as connection:
            connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(progress=dict(progress)))
            return bool(connection.scalar(select(jobs.c.cancel_requested).where(jobs.c.job_id == job_id)))

    def finish(
        self,
        job_id: str,
        status: JobStatus,
        *,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
    ) -> None:
        """Close a job with what it did or why it could not go on."""
        ended = {"status": status, "result": result, "error": error, "finished_at": utc_now()}
        self._write(update(jobs).where(jobs.c.job_id == job_id).values(**ended))

    def retry(self, job_id: str, delay_s: float, error: Mapping[str, Any] | None) -> None:
        """Put a job that failed back into the queue, to be taken again after `delay_s`; why it failed is kept until then."""
        again = {"status": "queued", "started_at": None, "not_before": utc_now(delay_s), "error": error}
        self._write(update(jobs).where(jobs.c.job_id == job_id).values(**again))

    def others_due(self, job_id: str) -> bool:
        """Whether another job could begin now."""
        return self._first(select(jobs.c.job_id).where(*_due(), jobs.c.job_id != job_id).limit(1)) is not None

    def waiting(self, kind: str, kb_id: str | None = None) -> list[Job]:
        """Jobs of a kind that have not begun, in order."""
        where = [jobs.c.kind == kind, jobs.c.status == "queued"] + ([jobs.c.kb_id == kb_id] if kb_id else [])
        return [_job(row) for row in self._rows(select(jobs).where(*where).order_by(jobs.c.sequence))]

    def cancel(self, job_id: str) -> Job:
        """Ask a job to stop: a queued one ends at once, a running one at its next safe point, a finished one stays as it is."""
        with self._engine.begin() as connection:
            connection.execute(
                update(jobs)
                .where(jobs.c.job_id == job_id, jobs.c.status == "queued")
                .values(status="cancelled", finished_at=utc_now(), cancel_requested=True)
            )
            connection.execute(
                update(jobs).where(jobs.c.job_id == job_id, jobs.c.status == "running").values(cancel_requested=True)
            )
        return self.get(job_id)

    def cancel_all(self, kb_id: str) -> None:
        for job_id in self._values(select(jobs.c.job_id).where(jobs.c.kb_id == kb_id, _UNFINISHED)):
            self.cancel(job_id)

    def end_kind(self, kind: str, status: JobStatus, result: Mapping[str, Any] | None = None) -> None:
        """End every unfinished job of a kind, for which there is nothing left to do; for a time when none can be running."""
        ended = {"status": status, "result": result, "finished_at": utc_now()}
        self._write(update(jobs).where(jobs.c.kind == kind, _UNFINISHED).values(**ended))

    def unfinished(self) -> int:
        return self._count(select(jobs).where(_UNFINISHED))

    def unfinished_of(self, kind: str) -> Job | None:
        """The oldest job of a kind that waits or runs."""
        row = self._first(select(jobs).where(jobs.c.kind == kind, _UNFINISHED).order_by(jobs.c.sequence).limit(1))
        return None if row is None else _job(row)

    def unfinished_jobs(self, most: int) -> list[Job]:
        """The first jobs that wait or run, oldest first. Their payloads, which can be long, are left out."""
        columns = [column for column in jobs.c if column.name != "payload"]
        first = select(*columns).where(_UNFINISHED).order_by(jobs.c.sequence).limit(most)
        return [_job(row, payload={}) for row in self._rows(first)]

    def waiting_uploads(self) -> list[QueuedUpload]:
        """The uploaded files of unfinished jobs."""
        rows = self._rows(select(jobs.c.kb_id, jobs.c.payload).where(jobs.c.kind == "upload", _UNFINISHED))
        return [upload for row in rows for upload in QueuedUpload.of(row.kb_id, row.payload)]

    def requeue(self, job_id: str | None = None) -> int:
        """Put a running job (all of them without an id) back into the queue, at its old place; returns how many."""
        where = [jobs.c.status == "running"] + ([jobs.c.job_id == job_id] if job_id else [])
        again = {"status": "queued", "started_at": None, "attempts": jobs.c.attempts - 1}
        return self._write(update(jobs).where(*where).values(**again))


def _due() -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """What tells a job that could begin now. One that is put off for longer than any was put off by a clock that was ahead."""
    until = jobs.c.not_before
    return jobs.c.status == "queued", or_(until.is_(None), until <= utc_now(), until > utc_now(_LONGEST_DELAY_S))


def _job(row: Row[Any], **instead: Any) -> Job:
    return Job(**row._mapping, **instead)
