"""Clean-up tasks: the jobs that remove what deleted collections held."""

from __future__ import annotations

from sqlalchemy import Engine, delete, exists, select

from ragd.core.errors import CleanupTaskNotFound, CleanupTaskNotRetryable, JobNotFound
from ragd.store.collections import Collections
from ragd.store.database.repository import Repository
from ragd.store.database.schema import collections as rows
from ragd.store.database.schema import jobs, labels
from ragd.store.jobs import PURGE, Job, Jobs
from ragd.store.sources import Sources


class CleanupTasks(Repository):
    """A collection is marked as deleted, its sources and jobs end, its labels go and its task is queued in one transaction.

    So none of them is without the others, whenever the process is killed.
    """

    def __init__(self, engine: Engine, collections: Collections, sources: Sources, queue: Jobs) -> None:
        super().__init__(engine)
        self._collections = collections
        self._sources = sources
        self._queue = queue

    def begin(self, kb_id: str, request_id: str | None) -> tuple[Job, list[tuple[str, str]]]:
        """Delete a collection; gives its task, and the id and the type of each source that went with it.

        Raises what `Collections.tombstone` raises.
        """
        with self._engine.begin() as connection:
            target = self._collections.tombstone(kb_id, connection)
            self._queue.cancel_all_within(connection, kb_id)
            sources = self._sources.remove_all_within(connection, kb_id)
            connection.execute(delete(labels).where(labels.c.kb_id == kb_id))
            job_id = self._queue.add_within(
                connection, PURGE, collection=target.name, kb_id=kb_id, payload={}, request_id=request_id
            )
        self._queue.added.set()
        return self._queue.get(job_id), sources

    def get(self, task_id: str) -> Job:
        """The task as it stands. Raises `CleanupTaskNotFound`."""
        try:
            job = self._queue.get(task_id)
        except JobNotFound:
            job = None
        if job is None or job.kind != PURGE:
            raise CleanupTaskNotFound(f"There is no clean-up task '{task_id}'.")
        return job

    def retry(self, task_id: str) -> Job:
        """Queue a task again that failed. Raises `CleanupTaskNotFound`, `CleanupTaskNotRetryable`."""
        status = self.get(task_id).status
        if not self._queue.restart(task_id, "failed"):
            raise CleanupTaskNotRetryable(f"Only a task that failed can be tried again; this one is {status}.")
        return self.get(task_id)

    def queue_missing(self) -> None:
        """Queue a task for each deleted collection without one: earlier releases deleted in two steps, and let people cancel."""
        known = exists().where(jobs.c.kb_id == rows.c.kb_id, jobs.c.kind == PURGE, jobs.c.status != "cancelled")
        for kb_id in self._values(select(rows.c.kb_id).where(rows.c.status == "deleted", ~known)):
            name = self._collections.by_id(kb_id).name
            self._queue.add(PURGE, collection=name, kb_id=kb_id, payload={}, request_id=None)
