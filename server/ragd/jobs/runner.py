"""The worker that takes jobs from the queue, one at a time, and what becomes of a job that is cancelled or cut off."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from ragd.core.errors import RagError
from ragd.core.jobs import IngestResult, JobStatus, Postponed, Stopped
from ragd.ingest.reading import Report
from ragd.providers.freed_memory import FreedMemory
from ragd.store.database.engine import is_away, is_busy
from ragd.store.jobs import Job, Jobs

log = logging.getLogger(__name__)

JobHandler = Callable[[Job, Report], IngestResult]

# How often a running job writes its progress, for each stage, in seconds.
_REPORT_EVERY_S = 0.25
# How long the runner leaves a database alone that refused, in seconds.
_RETRY_AFTER_S = 5.0


class _Cancelled(Stopped):
    """Somebody asked for the job to stop."""


class _Interrupted(Stopped):
    """The process is stopping; the job goes on at the next start."""


class JobRunner:
    """Runs queued jobs in one thread. Jobs that a dead process left running are queued again when it starts."""

    def __init__(
        self,
        jobs: Jobs,
        handlers: Mapping[str, JobHandler],
        retries: Mapping[str, Sequence[float]] | None = None,
        retry_after_s: float = _RETRY_AFTER_S,
        ended: Callable[[Job, JobStatus, Mapping[str, Any]], None] = lambda _job, _status, _result: None,
    ) -> None:
        """`retries`: for kinds of jobs that are tried again when they fail, the seconds before each new attempt.

        `ended` is told of each job that has ended, with its result, which is empty for one that did not complete.
        """
        self._ended = ended
        self._jobs = jobs
        self._handlers = handlers
        self._retries = retries or {}
        self._retry_after_s = retry_after_s
        self._stopping = threading.Event()
        self._changed = threading.Condition()
        self._freed = FreedMemory()
        self._thread = threading.Thread(target=self._loop, name="rag-jobs", daemon=True)

    def start(self) -> None:
        """Take up the work, first what was cut off."""
        again = self._jobs.requeue()
        if again:
            log.warning("jobs queued again after an unclean stop", extra={"jobs": again})
        self._thread.start()

    def hold(self) -> None:
        """Begin no further job, and bring the running one to a safe point; it goes back into the queue. Does not wait."""
        self._stopping.set()
        self._jobs.added.set()

    def stop(self, grace_s: float) -> bool:
        """As `hold`, and wait for that. Returns whether it worked in time."""
        self.hold()
        if self._thread.is_alive():
            self._thread.join(grace_s)
        return not self._thread.is_alive()

    def wait_for_change(self, timeout_s: float) -> None:
        """Wait until some job has moved, at most `timeout_s` seconds."""
        with self._changed:
            self._changed.wait(timeout_s)

    def _loop(self) -> None:
        cut_off = False
        while not self._stopping.is_set():
            try:
                if cut_off:
                    self._jobs.requeue()
                    cut_off = False
                job = self._jobs.take()
                if job is None:
                    self._jobs.added.wait(timeout=1.0)
                    self._jobs.added.clear()
                    continue
                self._run(job)
            except Exception:
                # The store itself failed (a full disk, say). A job that could not be closed is taken up again.
                log.exception("the job queue can't be used; trying again", extra={"seconds": self._retry_after_s})
                cut_off = True
                self._stopping.wait(self._retry_after_s)

    def _run(self, job: Job) -> None:
        log.info("job started", extra={"job_id": job.job_id, "kind": job.kind, "request_id": job.request_id})
        try:
            result = self._handlers[job.kind](job, self._reporter(job.job_id))
        except _Interrupted:
            self._jobs.requeue(job.job_id)
            log.info("job put back into the queue", extra={"job_id": job.job_id})
        except _Cancelled:
            self._finish(job, "cancelled")
        except Postponed as wait:
            note = {"code": "SERVICE_UNAVAILABLE", "message": wait.reason} if wait.reason else None
            self._jobs.retry(job.job_id, wait.delay_s, note)
            log.info("job yields to others", extra={"job_id": job.job_id, "seconds": wait.delay_s, "reason": wait.reason})
        except RagError as error:
            log.warning("job failed", extra={"job_id": job.job_id, "code": error.code, "reason": error.message})
            self._fail(job, {"code": error.code, "message": error.message})
        except (OSError, SQLAlchemyError) as error:
            if is_away(error):
                raise  # what it has begun is taken up again when the database is back
            log.exception("job failed", extra={"job_id": job.job_id})
            reason = str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error)
            message = (
                f"The disk or a file refused: {reason}. Nothing that was committed is lost; run it again when that is mended."
            )
            self._fail(job, {"code": "SERVICE_UNAVAILABLE", "message": message})
        except Exception:
            log.exception("job failed", extra={"job_id": job.job_id})
            message = "The job met an unexpected error; the log has the details under this job's id."
            self._fail(job, {"code": "INTERNAL_ERROR", "message": message})
        else:
            self._finish(job, "completed", result=asdict(result))
        self._notify()
        self._freed.give_back()

    def _fail(self, job: Job, error: Mapping[str, Any]) -> None:
        if self._stopping.is_set():  # what broke it may be the stopping itself
            self._jobs.requeue(job.job_id)
            return
        delays = self._retries.get(job.kind, ())
        if job.attempts > len(delays):
            self._finish(job, "failed", error=error)
            return
        delay_s = delays[job.attempts - 1]
        self._jobs.retry(job.job_id, delay_s, error)
        log.warning("job will be tried again", extra={"job_id": job.job_id, "attempt": job.attempts, "seconds": delay_s})

    def _finish(self, job: Job, status: JobStatus, **outcome: Mapping[str, Any]) -> None:
        self._jobs.finish(job.job_id, status, **outcome)
        self._ended(job, status, outcome.get("result", {}))
        log.info("job ended", extra={"job_id": job.job_id, "status": status})

    def _reporter(self, job_id: str) -> Report:
        # By stage: reading and embedding go on side by side and report in turns.
        written: dict[str, float] = {}

        def report(stage: str, done: int, total: int) -> None:
            if self._stopping.is_set():
                raise _Interrupted
            now = time.monotonic()
            if stage in written and now - written[stage] < _REPORT_EVERY_S:
                return
            written[stage] = now
            try:
                cancelled = self._jobs.progress(job_id, {"stage": stage, "done": done, "total": total})
            except DBAPIError as error:
                if not is_busy(error):
                    raise
                # A large group is being stored on a slow disk. What is lost is a number that the next report brings.
                log.warning("progress not written", extra={"job_id": job_id, "reason": str(error.orig)})
                return
            if cancelled:
                raise _Cancelled
            self._notify()

        return report

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()
