"""How jobs come to workers in other processes: each waiting job is a row of Procrastinate's, too, that names it.

The row of `jobs` says what a job is and how far it is; Procrastinate's only wakes a worker, and keeps one worker at a time on a
collection, in order. Where the two differ, after a copy of the database or the death of a worker, `mend` follows the former.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, select, text, update

from ragd.store.database.repository import Repository
from ragd.store.database.schema import jobs
from ragd.store.jobs import Job, Jobs

TASK: Final = "ragd.run"
"""The name of the only task; its argument is `job_id`."""
QUEUES: Final = ("parse", "embed", "sync")
BULK: Final = "bulk"
"""A kind of job, and the queue of its own: of whoever has asked for it, and no worker's."""
_QUEUE_OF: Final = {BULK: BULK, "rebuild": "embed", "repair": "embed", "tokens": "embed", "captions": "embed", "sync": "sync"}
# Of jobs that work on documents of several collections.
_EVERYTHING: Final = "*"

CUT_OFF, USUAL, PUT_OFF = 1, 0, -1
"""Priorities: what was cut off keeps its place, and what waits for a time holds up nothing of its collection."""

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
    "SELECT delivery.id, delivery.args->>'job_id' AS job_id FROM procrastinate_jobs delivery "
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


def deliver(connection: Connection, job_id: str, kind: str, kb_id: str, not_before: str | None) -> None:
    """Have a worker be given a queued job, once the transaction is committed."""
    connection.execute(
        _DEFER,
        {
            "queue": _QUEUE_OF.get(kind, "parse"),
            "task": TASK,
            "priority": USUAL if not_before is None else PUT_OFF,
            # One that waits for whoever runs it holds up nobody.
            "lock": f"{BULK} {kb_id}" if kind == BULK else kb_id or _EVERYTHING,
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

        Raises `NotYet` while another runs that may touch the same documents: one of its collection, or one of all collections.
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
        running = select(jobs.c.job_id).where(jobs.c.status == "running")
        if row.kb_id:
            of_all = jobs.c.kb_id == "", jobs.c.status == "queued", jobs.c.sequence < row.sequence
            wanted = jobs.c.progress["stage"].as_string() == "waiting", jobs.c.updated_at > self._queue.clock(-_WANTED_S)
            first = select(jobs.c.job_id).where(*of_all, *wanted)
            in_the_way = running.where(jobs.c.kb_id.in_((row.kb_id, "")))
            return connection.execute(in_the_way.union_all(first).limit(1)).first() is not None
        if connection.execute(running.limit(1)).first() is None:
            return False
        # Newer ones see that it is wanted, and let those that run come to their end.
        waiting = {"progress": {"stage": "waiting", "done": 0, "total": 0}, "updated_at": self._queue.now()}
        connection.execute(update(jobs).where(jobs.c.job_id == row.job_id).values(**waiting))
        return True

    def running(self) -> int:
        """How many jobs run, in all processes together."""
        return self._count(select(jobs).where(jobs.c.status == "running"))

    def mend(self) -> int:
        """Put the jobs of dead workers back into the queue, and have those delivered that are not. Returns how many."""
        with self._engine.begin() as connection:
            stalled = connection.execute(_STALLED, {"task": TASK, "stalled_s": STALLED_S}).all()
            for delivery in stalled:
                self._queue.requeue_within(connection, jobs.c.job_id == delivery.job_id)
                connection.execute(_AGAIN, {"id": delivery.id, "priority": CUT_OFF})
            undelivered = connection.execute(_UNDELIVERED).all()
            for row in undelivered:
                self._queue.requeue_within(connection, jobs.c.job_id == row.job_id)
                deliver(connection, row.job_id, row.kind, row.kb_id, row.not_before)
        return len(stalled) + len(undelivered)
