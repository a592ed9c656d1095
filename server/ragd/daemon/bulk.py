"""Bulk ingestion: a process that has files read, embedded and stored by others, on a cluster, as one job of a collection."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from ragd.app.container import Application
from ragd.app.metrics import count_documents
from ragd.config.loading import PROCESSES, Directories
from ragd.config.settings import Settings
from ragd.core.errors import CollectionNameConflict, SettingsError
from ragd.core.files import own_folder
from ragd.core.instance import own_process
from ragd.core.logs import logging_to
from ragd.ingest.reading import Elsewhere
from ragd.jobs.executor import JobExecutor
from ragd.jobs.lanes import BULK
from ragd.store.jobs import FINISHED, Job

_LOOK_EVERY_S: Final = 0.5
# Looks after which the jobs of processes that have died are put back, as a worker that leads does.
_MEND_EVERY: Final = 10


@contextmanager
def beside_others(settings: Settings, directories: Directories, kind: str) -> Generator[Application, None, None]:
    """An application that runs jobs beside other processes; it leads nothing. Raises `SettingsError`."""
    if settings.jobs.queue != "procrastinate":
        raise SettingsError(
            "--ray needs jobs.queue: procrastinate and PostgreSQL (store.url), which processes of several machines can share "
            "(docs/service.md)."
        )
    own_folder(directories.data)
    own_folder(directories.data / PROCESSES)
    name, ownership = own_process(directories.data / PROCESSES, kind)
    own = replace(directories, process=name)
    try:
        with logging_to(own.logs, f"{kind}.jsonl", settings.observability.log_level):
            app = Application(settings, own, role="worker")
            try:
                yield app
            finally:
                app.close()
    finally:
        ownership.release()


def ingest_elsewhere(
    settings: Settings,
    directories: Directories,
    elsewhere: Elsewhere,
    request: Mapping[str, Any],
    *,
    create: bool = False,
    on_progress: Callable[[Job], None] = lambda _: None,
) -> Job:
    """Ingest paths, and return the job when it has ended; or when SIGTERM came, which puts it back into its queue.

    `request` is what `Documents.ingest` takes. A job that waits for the same is gone on with. SIGINT cancels it. Raises
    `SettingsError`, and what `Documents.ingest` raises.
    """
    with beside_others(settings, directories, BULK) as app:
        if create and request.get("collection"):
            _ensure(app, request["collection"])
        job = _waiting(app, request) or app.documents.ingest(**request, kind=BULK)
        executor = JobExecutor(app.jobs, {BULK: app.path_ingestion(elsewhere)}, ended=count_documents(app.metrics))
        asyncio.run(_run(app, executor, job, on_progress))
        return app.jobs.get(job.job_id)


def _ensure(app: Application, name: str) -> None:
    try:
        app.collections.create(name)
    except CollectionNameConflict:
        return


def _waiting(app: Application, request: Mapping[str, Any]) -> Job | None:
    """A job that was begun by a process that has ended, and is to do the same."""
    app.deliveries.mend()
    wanted = {name: value for name, value in request.items() if name != "collection"}
    return next(
        (
            job
            for job in app.jobs.waiting(BULK)
            if job.collection == request["collection"] and wanted.items() <= job.payload.items()
        ),
        None,
    )


async def _run(app: Application, executor: JobExecutor, job: Job, on_progress: Callable[[Job], None]) -> None:
    from ragd.jobs.worker import Worker  # its packages are known to be there once the application is open

    worker = Worker(app.deliveries, executor, name=app.directories.process, queues=[BULK], concurrency=1)
    loop = asyncio.get_running_loop()
    wishes = {
        signal.SIGINT: lambda: loop.run_in_executor(None, app.jobs.cancel, job.job_id),
        signal.SIGTERM: worker.stop,
    }
    for number, act in wishes.items():
        loop.add_signal_handler(number, act)
    working = asyncio.create_task(worker.run())
    try:
        looks = 0
        while not working.done() and job.status not in FINISHED:
            await asyncio.wait({working}, timeout=_LOOK_EVERY_S)
            looks += 1
            if looks % _MEND_EVERY == 0:
                await asyncio.to_thread(app.deliveries.mend)
            job = await asyncio.to_thread(app.jobs.get, job.job_id)
            on_progress(job)
    finally:
        worker.stop()
        await working
        for number in wishes:
            loop.remove_signal_handler(number)
