"""The worker that takes jobs from the queue, in the only process that there is: one at a time, and one that asks beside it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragd.core.jobs import BESIDE, JobStatus
from ragd.jobs.executor import JobExecutor, JobHandler
from ragd.store.jobs import Job, Jobs

log = logging.getLogger(__name__)

# How long the runner leaves a database alone that refused, in seconds.
_RETRY_AFTER_S = 5.0


class JobRunner(JobExecutor):
    """Runs queued jobs in one thread, those of `BESIDE` in another. What a dead process left is queued again."""

    def __init__(
        self,
        jobs: Jobs,
        handlers: Mapping[str, JobHandler],
        retries: Mapping[str, Sequence[float]] | None = None,
        retry_after_s: float = _RETRY_AFTER_S,
        ended: Callable[[Job, JobStatus, Mapping[str, Any]], None] = lambda _job, _status, _result: None,
    ) -> None:
        """As `JobExecutor`; a database that refused is left alone for `retry_after_s` seconds."""
        super().__init__(jobs, handlers, retries, ended)
        self._retry_after_s = retry_after_s
        lanes = (False, True) if BESIDE & handlers.keys() else (False,)
        self._threads = [
            threading.Thread(target=self._loop, args=(beside,), name="rag-jobs-beside" if beside else "rag-jobs", daemon=True)
            for beside in lanes
        ]

    def start(self) -> None:
        """Take up the work, first what was cut off."""
        again = self._jobs.requeue()
        if again:
            log.warning("jobs queued again after an unclean stop", extra={"jobs": again})
        for thread in self._threads:
            thread.start()

    def hold(self) -> None:
        """Begin no further job, and bring the running ones to a safe point; they go back into the queue. Does not wait."""
        self.stopping.set()
        self._jobs.added.set()

    def stop(self, grace_s: float) -> bool:
        """As `hold`, and wait for that. Returns whether it worked in time."""
        self.hold()
        until = time.monotonic() + grace_s
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _loop(self, beside: bool) -> None:
        cut_off = False
        while not self.stopping.is_set():
            try:
                if cut_off:
                    self._jobs.requeue(beside=beside)
                    cut_off = False
                job = self._jobs.take(beside)
                if job is None:
                    self._jobs.added.wait(timeout=1.0)
                    self._jobs.added.clear()
                    continue
                self.run(job)
            except Exception:
                # The store itself failed (a full disk, say). A job that could not be closed is taken up again.
                log.exception("the job queue can't be used; trying again", extra={"seconds": self._retry_after_s})
                cut_off = True
                self.stopping.wait(self._retry_after_s)
