"""A worker process: it runs jobs beside other processes, answers nobody, and stops cleanly."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ragd import __version__
from ragd.app.container import Application
from ragd.config.loading import PROCESSES, Directories
from ragd.config.settings import Settings
from ragd.core.errors import RagError, SettingsError
from ragd.core.files import own_folder
from ragd.core.instance import own_process
from ragd.core.logs import logging_to
from ragd.daemon.watchdog import Watchdog
from ragd.ingest.interruptions import NOTE_FILE
from ragd.models.store import Progress
from ragd.providers.freed_memory import limit_heaps

log = logging.getLogger(__name__)

_LOG: Final = "worker.log"


def work(
    settings: Settings,
    directories: Directories,
    *,
    queues: Sequence[str],
    concurrency: int,
    metrics_port: int | None = None,
    metrics_host: str = "127.0.0.1",
    on_ready: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> int:
    """Run jobs until the process is asked to stop. Returns its exit code: 0, or that of the error.

    With `metrics_port` it tells Prometheus there what it counts. `on_ready` gets the name of the process, which is that of its
    folder in `processes/` of the data directory.
    """
    own_folder(directories.data)
    own_folder(directories.data / PROCESSES)
    name, ownership = own_process(directories.data / PROCESSES, "worker")
    own = replace(directories, process=name)
    with logging_to(own.logs, _LOG, settings.observability.log_level, people=True):
        try:
            if settings.jobs.queue != "procrastinate":
                raise SettingsError("A worker needs jobs.queue: procrastinate; as it is, the daemon itself runs the jobs.")
            limit_heaps()
            if sys.platform != "win32":
                # What it starts inherits it.
                os.nice(settings.jobs.niceness)
            return asyncio.run(_work(settings, own, queues, concurrency, on_ready, progress, (metrics_port, metrics_host)))
        except RagError as error:
            log.info("worker can't start", extra={"code": error.code, "reason": error.message})
            print(error.message, file=sys.stderr)
            return error.exit_code
        finally:
            ownership.release()


async def _work(
    settings: Settings,
    directories: Directories,
    queues: Sequence[str],
    concurrency: int,
    on_ready: Callable[[str], None],
    progress: Progress | None,
    metrics_at: tuple[int | None, str],
) -> int:
    grace_s = settings.server.shutdown_grace_s
    watchdog = Watchdog(directories.own / NOTE_FILE, grace_s)
    app = Application(settings, directories, progress, watchdog.reading, role="worker")
    # Not before it is known that its packages are there, which the application has seen to.
    from ragd.jobs.worker import Worker

    worker = Worker(app.deliveries, app.runner, name=directories.process, queues=queues, concurrency=concurrency)
    loop = asyncio.get_running_loop()

    def asked_to_stop(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(worker.stop)

    before = {number: signal.signal(number, asked_to_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    watchdog.listen()
    try:
        await asyncio.to_thread(app.maintenance.warm)
        app.leader.start()
        log.info("worker started", extra={"worker": directories.process, "queues": list(queues), "version": __version__})
        with app.metrics.served(*metrics_at):
            on_ready(directories.process)
            await worker.run()
    finally:
        watchdog.stopping()
        if await asyncio.to_thread(app.close, grace_s):
            watchdog.close()
        for number, handler in before.items():
            signal.signal(number, handler)
        log.info("worker stopped")
    return 0
