"""How jobs come to workers in other processes: each waiting job is a row of Procrastinate's, too, that names it.

The row of `jobs` says what a job is and how far it is; Procrastinate's only wakes a worker, and keeps one worker at a time on
each lane of a collection (`lanes`), the urgent first, else in order. Where the two differ, after a copy of the database or the
death of a worker, `mend` follows the former.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, select, text, update

from ragd.core.jobs import BESIDE, urgency
from ragd.jobs.lanes import BULK, CLEANUP, UPLOAD, Work, goes_first, in_the_way
from ragd.store.database.repository import Repository
from ragd.store.database.schema import jobs
from ragd.store.jobs import Job, Jobs

TASK: Final = "ragd.run"
"""The name of the only task; its argument is `job_id`."""
QUEUES: Final = ("parse", "embed", "sync")
_QUEUE_OF: Final = {BULK: BULK, "rebuild": "embed", "repair": "embed", "tokens": "embed", "captions": "embed", "sync": "sync"}

PUT_OFF: Final = -1
"""The priority of what waits for a time: it holds up nothing of its collection. Others have that of `core.jobs.urgency`."""
_CUT_OFF: Final = 1

STALLED_S: Final = 20
HEARTBEAT_S: Final = 5
"""Seconds between two signs of life of a worker. Without one for four times as long it counts as dead."""
_LATER_S: Final = 1.0
# Seconds since a job that needs to be alone was offered to a worker, for which newer ones let it go first.
_WANTED_S: Final = 10.0

# "ragq" and a number: shared by whoever takes a job, held alone by who compares indexes with the database.
QUIET: Final = 0x7261677100000001

_DEFER: Final = text(
    "SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(CAST(:queue AS varchar), CAST(:task AS varchar), CAST(:priority AS integer), "
    "CAST(:lock AS text), NULL, jsonb_build_object('job_id', CAST(:job_id AS text)), CAST(:at AS timestamptz))]"
    "::procrastinate_job_to_defer_v1[])"
)
_STALLED: Final = text(
    "SELECT delivery.id, delivery.args->>'job_id' AS job_id, jobs.kind FROM procrastinate_jobs delivery "
    "LEFT JOIN jobs ON jobs.job_id = delivery.args->>'job_id' "
    "LEFT JOIN procrastinate_workers worker ON worker.id = delivery.worker_id "
    "WHERE delivery.status = 'doing' AND delivery.task_name = :task "
    "AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => :stalled_s))"
)
_AGAIN: Final = text("SELECT procrastinate_retry_job_v2(:id, now(), :priority, NULL, NULL)")
_UNDELIVERED: Final = text(
    "SELECT job_id, kind, kb_id, not_before, status FROM jobs WHERE (status = 'queued' AND NOT EXISTS (SELECT 1 FROM "
    "procrastinate_jobs d WHERE d.args->>'job_id' = jobs.job_id AND d.status IN ('todo', 'doing'))) OR (status = 'running' "
    "AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs d WHERE d.args->>'job_id' = jobs.job_id AND d.status = 'doing')) "
    "ORDER BY sequence"
)


class NotYet(Exception):
    """A job must wait for others, or for its time."""

    delay_s = _LATER_S


def cut_off(kind: str) -> int:
    """The priority of a job that was begun and has not ended: it keeps its place before those of its urgency."""
    return urgency(kind) + _CUT_OFF


def deliver(connection: Connection, job_id: str, kind: str, kb_id: str, not_before: str | None) -> None:
    """Have a worker be given a queued job, once the transaction is committed."""
    payload = connection.scalar(select(jobs.c.payload).where(jobs.c.job_id == job_id))
    connection.execute(
        _DEFER,
        {
            "queue": _QUEUE_OF.get(kind, "parse"),
            "task": TASK,
            "priority": urgency(kind) if not_before is None else PUT_OFF,
            "lock": Work(kind, kb_id, payload or {}).lane,
            "job_id": job_id,
            "at": not_before,
        },
    )


class Deliveries(Repository):
    """The workers' side of the queue."""

    def __init__(self, engine: Engine, queue: Jobs) -> None:
        super().__init__(engine)
        self._queue = queue

    @property
    def address(self) -> URL:
        """Of the database."""
        return self._engine.url

    def claim(self, job_id: str) -> Job | None:
        """The job, now running; None for one that has ended, is gone, or runs.

        Raises `NotYet` while another runs that may touch the same documents (`lanes`), or one that came earlier must run first.
        """
        with self._engine.begin() as connection:  # one claim at a time
            may_begin = connection.scalar(text("SELECT pg_try_advisory_xact_lock_shared(:quiet)"), {"quiet": QUIET})
            row = connection.execute(select(jobs).where(jobs.c.job_id == job_id).with_for_update()).first()
            if row is None or row.status != "queued":
                return None
            due = connection.scalar(select(jobs.c.job_id).where(jobs.c.job_id == job_id, *self._queue.due()))
            if may_begin and due and not self._must_wait(connection, row):
                now = self._queue.now()
                taken = {"status": "running", "started_at": now, "updated_at": now, "attempts": jobs.c.attempts + 1}
                connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(**taken))
                wait = False
            else:
                wait = True
        if wait:
            raise NotYet
        return self._queue.get(job_id)

    def _must_wait(self, connection: Connection, row: Any) -> bool:
        if row.kind in BESIDE:
            return False
        if not row.kb_id:
            return self._of_all_must_wait(connection, row)
        one = Work(row.kind, row.kb_id, row.payload)
        columns = jobs.c.kind, jobs.c.kb_id, jobs.c.payload
        of_these = jobs.c.kb_id.in_((row.kb_id, "")), jobs.c.kind.not_in(BESIDE)
        running = connection.execute(select(*columns).where(jobs.c.status == "running", *of_these)).all()
        in_its_way = [other for other in map(_work, running) if in_the_way(one, other)]
        if in_its_way:
            if all(other.is_on_uploads for other in in_its_way):
                # Uploads follow each other without a gap: newer ones see that it is wanted.
                self._wait_in_sight(connection, row)
            return True
        if self._is_held_for_another(connection, row, one):
            return True
        if not one.is_on_uploads:
            return False
        older = jobs.c.kb_id == row.kb_id, jobs.c.sequence < row.sequence, jobs.c.kind.in_((UPLOAD, CLEANUP))
        waiting = connection.execute(select(*columns).where(*older, *self._queue.due())).all()
        return any(goes_first(other, one) for other in map(_work, waiting))

    def _is_held_for_another(self, connection: Connection, row: Any, one: Work) -> bool:
        """Whether an older job can't begin because of jobs like this one, and was offered to a worker just now."""
        older = jobs.c.status == "queued", jobs.c.sequence < row.sequence, jobs.c.kb_id.in_((row.kb_id, ""))
        wanted = jobs.c.progress["stage"].as_string() == "waiting", jobs.c.updated_at > self._queue.clock(-_WANTED_S)
        held_for = connection.execute(select(jobs.c.kind, jobs.c.kb_id, jobs.c.payload).where(*older, *wanted)).all()
        if not one.is_on_uploads:
            return any(in_the_way(one, other) for other in map(_work, held_for))
        # One of all collections waits for what runs anywhere: while that takes its time, uploads need not stand still for it.
        long = select(jobs.c.job_id).where(jobs.c.status == "running", jobs.c.kind.not_in((UPLOAD, CLEANUP, *BESIDE))).limit(1)
        busy = connection.execute(long).first() is not None
        return any(in_the_way(one, other) and not (busy and not other.kb_id) for other in map(_work, held_for))

    def _of_all_must_wait(self, connection: Connection, row: Any) -> bool:
        changing = jobs.c.status == "running", jobs.c.kind.not_in(BESIDE)
        if connection.execute(select(jobs.c.job_id).where(*changing).limit(1)).first() is None:
            return False
        # Newer ones see that it is wanted, and let those that run come to their end.
        self._wait_in_sight(connection, row)
        return True

    def _wait_in_sight(self, connection: Connection, row: Any) -> None:
        waiting = {"progress": {"stage": "waiting", "done": 0, "total": 0}, "updated_at": self._queue.now()}
        connection.execute(update(jobs).where(jobs.c.job_id == row.job_id).values(**waiting))

    def running(self) -> int:
        """How many jobs run that may change documents, in all processes together."""
        return self._count(select(jobs).where(jobs.c.status == "running", jobs.c.kind.not_in(BESIDE)))

    def mend(self) -> int:
        """Put the jobs of dead workers back into the queue, and have those delivered that are not. Returns how many."""
        with self._engine.begin() as connection:
            stalled = connection.execute(_STALLED, {"task": TASK, "stalled_s": STALLED_S}).all()
            for delivery in stalled:
                self._queue.requeue_within(connection, jobs.c.job_id == delivery.job_id)
                connection.execute(_AGAIN, {"id": delivery.id, "priority": cut_off(delivery.kind or "")})
            undelivered = connection.execute(_UNDELIVERED).all()
            for row in undelivered:
                self._queue.requeue_within(connection, jobs.c.job_id == row.job_id)
                deliver(connection, row.job_id, row.kind, row.kb_id, row.not_before)
        return len(stalled) + len(undelivered)


def _work(row: Any) -> Work:
    return Work(row.kind, row.kb_id, row.payload)
