"""Runs one job by its handler, and what becomes of it when it is cancelled, cut off, put off or fails."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from ragd.core.errors import RagError
from ragd.core.jobs import EvaluationResult, IngestResult, JobStatus, Postponed, Stopped
from ragd.ingest.reading import Report
from ragd.providers.freed_memory import FreedMemory
from ragd.store.database.engine import is_away, is_busy
from ragd.store.jobs import Job, Jobs, TakenOver

log = logging.getLogger(__name__)

JobHandler = Callable[[Job, Report], IngestResult | EvaluationResult]

# How often a running job writes its progress, for each stage, in seconds.
_REPORT_EVERY_S = 0.25


class _Cancelled(Stopped):
    """Somebody asked for the job to stop."""


class _Interrupted(Stopped):
    """The process is stopping; the job goes on in another one, or at the next start."""


class JobExecutor:
    """Runs jobs that whoever calls has taken from the queue. Several threads may, each a job of its own."""

    def __init__(
        self,
        jobs: Jobs,
        handlers: Mapping[str, JobHandler],
        retries: Mapping[str, Sequence[float]] | None = None,
        ended: Callable[[Job, JobStatus, Mapping[str, Any]], None] = lambda _job, _status, _result: None,
    ) -> None:
        """`retries`: for kinds of jobs that are tried again when they fail, the seconds before each new attempt.

        `ended` is told of each job that has ended, with its result, which is empty for one that did not complete.
        """
        self._ended = ended
        self._jobs = jobs
        self._handlers = handlers
        self._retries = retries or {}
        self.stopping = threading.Event()
        """Once set, running jobs come to a safe point and go back into the queue."""
        self._changed = threading.Condition()
        self._freed = FreedMemory()

    def wait_for_change(self, timeout_s: float) -> None:
        """Wait until some job has moved, at most `timeout_s` seconds."""
        with self._changed:
            self._changed.wait(timeout_s)

    def run(self, job: Job) -> float | None:
        """Run a job to its end. Returns None then, else the seconds after which it is to be taken from the queue again.

        Raises errors of a database that is away; the job is then one that was cut off.
        """
        log.info("job started", extra={"job_id": job.job_id, "kind": job.kind, "request_id": job.request_id})
        try:
            return self._run(job)
        except TakenOver:
            log.warning("job was taken over by another process", extra={"job_id": job.job_id})
            return None
        finally:
            self._notify()
            self._freed.give_back()

    def _run(self, job: Job) -> float | None:
        try:
            result = self._handlers[job.kind](job, self._reporter(job))
        except TakenOver:
            raise
        except _Interrupted:
            return self._put_back(job)
        except _Cancelled:
            self._finish(job, "cancelled")
        except Postponed as wait:
            note = {"code": "SERVICE_UNAVAILABLE", "message": wait.reason} if wait.reason else None
            self._jobs.retry(job.job_id, wait.delay_s, note, job.started_at)
            log.info("job yields to others", extra={"job_id": job.job_id, "seconds": wait.delay_s, "reason": wait.reason})
            return wait.delay_s
        except RagError as error:
            log.warning("job failed", extra={"job_id": job.job_id, "code": error.code, "reason": error.message})
            return self._fail(job, {"code": error.code, "message": error.message})
        except (OSError, SQLAlchemyError) as error:
            if is_away(error):
                raise  # what it has begun is taken up again when the database is back
            log.exception("job failed", extra={"job_id": job.job_id})
            reason = str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error)
            message = (
                f"The disk or a file refused: {reason}. Nothing that was committed is lost; run it again when that is mended."
            )
            return self._fail(job, {"code": "SERVICE_UNAVAILABLE", "message": message})
        except Exception:
            log.exception("job failed", extra={"job_id": job.job_id})
            message = "The job met an unexpected error; the log has the details under this job's id."
            return self._fail(job, {"code": "INTERNAL_ERROR", "message": message})
        else:
            self._finish(job, "completed", result=asdict(result))
        return None

    def _put_back(self, job: Job) -> float:
        self._jobs.requeue(job.job_id, job.started_at)
        log.info("job put back into the queue", extra={"job_id": job.job_id})
        return 0.0

    def _fail(self, job: Job, error: Mapping[str, Any]) -> float | None:
        if self.stopping.is_set():  # what broke it may be the stopping itself
            return self._put_back(job)
        delays = self._retries.get(job.kind, ())
        if job.attempts > len(delays):
            self._finish(job, "failed", error=error)
            return None
        delay_s = delays[job.attempts - 1]
        self._jobs.retry(job.job_id, delay_s, error, job.started_at)
        log.warning("job will be tried again", extra={"job_id": job.job_id, "attempt": job.attempts, "seconds": delay_s})
        return delay_s

    def _finish(self, job: Job, status: JobStatus, **outcome: Mapping[str, Any]) -> None:
        self._jobs.finish(job.job_id, status, since=job.started_at, **outcome)
        self._ended(job, status, outcome.get("result", {}))
        log.info("job ended", extra={"job_id": job.job_id, "status": status})

    def _reporter(self, job: Job) -> Report:
        job_id = job.job_id
        # By stage: reading and embedding go on side by side and report in turns.
        written: dict[str, float] = {}

        def report(stage: str, done: int, total: int) -> None:
            if self.stopping.is_set():
                raise _Interrupted
            now = time.monotonic()
            if stage in written and now - written[stage] < _REPORT_EVERY_S:
                return
            written[stage] = now
            try:
                cancelled = self._jobs.progress(job_id, {"stage": stage, "done": done, "total": total}, job.started_at)
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
