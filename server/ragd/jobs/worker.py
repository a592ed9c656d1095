"""Takes the jobs that Procrastinate brings, in a process beside others, on this machine or another one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job as Delivery
from psycopg import Error as DatabaseError
from psycopg_pool import PoolTimeout

from ragd.jobs.deliveries import HEARTBEAT_S, PUT_OFF, QUEUES, STALLED_S, TASK, Deliveries, NotYet, cut_off
from ragd.jobs.executor import JobExecutor

log = logging.getLogger(__name__)

# Seconds for which a database is left alone that refused.
_RETRY_AFTER_S: Final = 2.0
# Seconds between two looks at what is due; a new job is noticed at once.
_LOOK_EVERY_S: Final = 1.0


class _Again(Exception):
    """The delivery stays, for after `delay_s` seconds; without a priority, with the one that it has."""

    def __init__(self, delay_s: float, priority: int | None = None) -> None:
        super().__init__()
        self.delay_s, self.priority = delay_s, priority


class _Keep(BaseRetryStrategy):
    def get_retry_decision(self, *, exception: BaseException, job: Delivery) -> RetryDecision | None:  # noqa: ARG002
        if not isinstance(exception, _Again):
            return None
        return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=exception.delay_s), priority=exception.priority)


class Worker:
    """Runs jobs until it is stopped, several at a time. While the database is away it waits for it."""

    def __init__(
        self, deliveries: Deliveries, executor: JobExecutor, *, name: str, queues: Sequence[str], concurrency: int
    ) -> None:
        self._deliveries = deliveries
        self._executor = executor
        self._concurrency = concurrency
        self._options: dict[str, Any] = {"name": name, "queues": list(queues) or list(QUEUES)}
        conninfo = deliveries.address.set(drivername="postgresql").render_as_string(hide_password=False)
        self._app = App(connector=PsycopgConnector(conninfo=conninfo, min_size=1, max_size=4, timeout=10.0))
        self._app.task(name=TASK, retry=_Keep())(self._run)
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Take no further job. Those that run come to a safe point and go back into the queue. In the thread of the loop."""
        log.info("worker is asked to stop")
        self._executor.stopping.set()
        self._stopping.set()

    async def run(self) -> None:
        """Returns once it was stopped and every job has come to rest."""
        while not self._stopping.is_set():
            try:
                await self._run_until_stopped()
            except (ConnectorException, DatabaseError, PoolTimeout, OSError) as error:
                log.warning("the queue can't be used; trying again", extra={"reason": str(error), "seconds": _RETRY_AFTER_S})
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _RETRY_AFTER_S)

    async def _run_until_stopped(self) -> None:
        async with self._app.open_async():
            working = asyncio.create_task(
                self._app.run_worker_async(
                    **self._options,
                    concurrency=self._concurrency,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    fetch_job_polling_interval=_LOOK_EVERY_S,
                    update_heartbeat_interval=HEARTBEAT_S,
                    stalled_worker_timeout=STALLED_S,
                )
            )
            stopping = asyncio.create_task(self._stopping.wait())
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if self._stopping.is_set():
                working.cancel()  # it lets its jobs end
            with suppress(asyncio.CancelledError):
                await working

    def _run(self, job_id: str) -> None:
        """One delivery, in a thread of its own."""
        if self._executor.stopping.is_set():
            raise _Again(0)
        try:
            job = self._deliveries.claim(job_id)
        except NotYet as wait:
            raise _Again(wait.delay_s) from wait
        if job is None:
            return
        delay_s = self._executor.run(job)
        if delay_s is not None:
            raise _Again(delay_s, PUT_OFF if delay_s else cut_off(job.kind))
