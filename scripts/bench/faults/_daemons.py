"""Daemons that are killed, each a process forked from one that has imported everything; and what a kill may leave."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2
import psutil
from sqlalchemy import func, select

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.errors import DocumentVanished
from ragd.core.instance import read_info
from ragd.daemon.process import serve
from ragd.jobs.tokens import KIND as TOKENS
from ragd.store.database.engine import open_engine
from ragd.store.database.schema import assets, documents, versions
from ragd.testing.token_index import write_basis

SETTINGS: Final = {
    "RAG_LIMITS__MAX_QUEUED_JOBS": "1000",
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_OCR__PROVIDER": "none",
    "RAG_SPARSE__ANALYZER": "bigram",
    "RAG_TOKEN_INDEX__PROVIDER": "file",
}
_READY_S: Final = 300.0
_END_OF_WORKERS_S: Final = 10.0
_FORKS = multiprocessing.get_context("forkserver")
# A daemon imports these as late as it needs them: half of its start.
_FORKS.set_forkserver_preload(
    ["__main__", "tantivy", "usearch.index", "Stemmer", "alembic.command", "uvicorn", "ragd.api.application"]
)


class Disagreement(Exception):
    """Something is half there, or gone."""


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise Disagreement(what)


def directories(data: Path) -> Directories:
    defaults = Directories.default()
    return Directories(data, defaults.models, defaults.config)


@dataclass(frozen=True, slots=True)
class Daemon:
    """A daemon on a free port, in a session of its own. What it warns of goes to `warnings.log` beside its data directory."""

    process: multiprocessing.context.ForkServerProcess
    data: Path

    @classmethod
    def start(cls, data: Path) -> Daemon:
        """Returns at once: the daemon is about to start."""
        os.environ.update(_settings(data))
        process = _FORKS.Process(target=_serve, args=(data,), daemon=True)
        process.start()
        return cls(process, data)

    def client(self) -> httpx2.Client:
        """A client, as soon as the daemon is ready."""
        until = time.monotonic() + _READY_S
        while True:
            info = read_info(self.data)  # it may be what a killed one left
            if info and info.pid == self.process.pid and info.url:
                token = {"Authorization": f"Bearer {info.token}"}
                return httpx2.Client(base_url=info.url, headers=token, timeout=120, trust_env=False)
            expect(self.process.is_alive(), f"the daemon did not start: {warnings(self.data)[-10:]}")
            expect(time.monotonic() < until, "the daemon was not ready in time")
            time.sleep(0.01)

    def kill(self) -> None:
        """kill -9; the processes that read files must end by themselves."""
        assert self.process.pid
        workers = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.join()
        limit = time.monotonic() + _END_OF_WORKERS_S
        while left := [worker.pid for worker in workers if worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE]:
            expect(time.monotonic() < limit, f"processes of the daemon are left: {left}")
            time.sleep(0.02)

    def end(self) -> None:
        """SIGTERM, and its clean end."""
        self.process.terminate()
        self.process.join(60)
        expect(self.process.exitcode == 0, f"the daemon was asked to stop and ended with {self.process.exitcode}")


def _serve(data: Path) -> None:
    """In the forked process."""
    os.setsid()
    os.environ.update(_settings(data))
    log = os.open(_warnings_file(data), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    sys.exit(serve(load_settings(), directories(data), port=0))


def _settings(data: Path) -> dict[str, str]:
    """The settings, with a basis for the fake embedder's token vectors beside the data directory."""
    basis = data.with_name("basis.npz")
    if not basis.exists():
        write_basis(basis)
    return {**SETTINGS, "RAG_TOKEN_INDEX__BASIS": str(basis)}


def _warnings_file(data: Path) -> Path:
    return data.with_name("warnings.log")


def warnings(data: Path) -> list[str]:
    """What the daemons of a data directory wrote to stderr, line by line."""
    file = _warnings_file(data)
    return file.read_text("utf-8").splitlines() if file.exists() else []


def examine(data: Path, copy: Path, before: int, *, mixed: bool = False) -> int:
    """How many documents are ready. Raises `Disagreement` when one is half there, or fewer are than `before`.

    In `mixed` work documents are deleted and indexes made anew, too.
    """
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data, copy)
    app = Application(load_settings(), directories(copy))
    try:
        found = app.reconciler.verify()["collections"][0]
        for what in ("damaged_facts", "missing_from_views", "missing_vectors", "outdated_profile", "damaged_tokens"):
            expect(not found[what]["count"], f"as the kill left it: {what}: {found[what]}")
        expect(app.reconciler.reconcile() is None, "documents that were ready have to be rebuilt")
        for job in app.jobs.waiting(TOKENS):
            app.reconciler.tokens(job, lambda *_: None)
        report = app.reconciler.verify()
        expect(report["ok"], f"once mended: {report}")
        missing = report["collections"][0]["missing_tokens"]
        expect(app.indexes().tokens is not None and not missing["count"], f"token vectors are missing: {missing}")
    finally:
        app.close()
    engine = open_engine("", copy)
    with engine.connect() as connection:
        by_status = select(documents.c.status, func.count().label("total")).group_by(documents.c.status)
        statuses: dict[str, int] = {row.status: row.total for row in connection.execute(by_status)}
        pending = connection.scalar(select(func.count()).where(versions.c.status == "pending"))
        # A file that was moved before it was read is named as that, and followed again in the next sync.
        failures = select(documents.c.source, documents.c.error_code, documents.c.error_message).where(
            documents.c.status == "failed", documents.c.error_code != DocumentVanished.code
        )
        failed = [tuple(row) for row in connection.execute(failures)]
        rows = set(connection.scalars(select(assets.c.asset_id)))
    engine.dispose()
    files = {path.name for path in (copy / "assets").glob("*/*")}
    ready: int = statuses.get("ready", 0)
    expect(not pending, f"{pending} versions are pending")
    expect(not failed, f"documents failed: {failed}")
    expect(set(statuses) <= ({"ready", "deleted", "failed"} if mixed else {"ready"}), f"documents by status: {statuses}")
    expect({name.partition(".")[0] for name in files} == rows and len(files) == 2 * len(rows), "pictures' files and rows differ")
    expect(ready >= before, f"{before} documents were served before, {ready} after")
    expect(report["collections"][0]["documents"] == ready, f"{ready} documents are ready, the report counts {report}")
    return ready
