"""The worker that takes jobs from the queue, one at a time, in the only process that there is."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragd.core.jobs import JobStatus
from ragd.jobs.executor import JobExecutor, JobHandler
from ragd.store.jobs import Job, Jobs

log = logging.getLogger(__name__)

# How long the runner leaves a database alone that refused, in seconds.
_RETRY_AFTER_S = 5.0


class JobRunner(JobExecutor):
    """Runs queued jobs in one thread. Jobs that a dead process left running are queued again when it starts."""

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
        self._thread = threading.Thread(target=self._loop, name="rag-jobs", daemon=True)

    def start(self) -> None:
        """Take up the work, first what was cut off."""
        again = self._jobs.requeue()
        if again:
            log.warning("jobs queued again after an unclean stop", extra={"jobs": again})
        self._thread.start()

    def hold(self) -> None:
        """Begin no further job, and bring the running one to a safe point; it goes back into the queue. Does not wait."""
        self.stopping.set()
        self._jobs.added.set()

    def stop(self, grace_s: float) -> bool:
        """As `hold`, and wait for that. Returns whether it worked in time."""
        self.hold()
        if self._thread.is_alive():
            self._thread.join(grace_s)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        cut_off = False
        while not self.stopping.is_set():
            try:
                if cut_off:
                    self._jobs.requeue()
                    cut_off = False
                job = self._jobs.take()
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
