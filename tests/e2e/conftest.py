"""Daemons as real processes, for the end-to-end tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from filelock import FileLock

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

ROOT = Path(__file__).resolve().parents[2]

LIGHT = {
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_DENSE__BACKEND": "exact",
    "RAG_SPARSE__BACKEND": "fts5",
    "RAG_SPARSE__ANALYZER": "bigram",
    # A busy machine must not change what is found.
    "RAG_RERANK__BUDGET_MS": "60000",
    "RAG_SECURITY__ALLOWED_HOSTS": "[127.0.0.1]",
}


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 120.0) -> Any:
    """What `condition` gives, once it gives something. It is asked less often after a while: most ask a busy daemon."""
    end = time.monotonic() + seconds
    pause = 0.02
    while not (value := condition()):
        assert time.monotonic() < end, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(pause)
        pause = min(pause * 1.1, 0.1)
    return value


class Daemon:
    """One `rag serve` on a data directory."""

    def __init__(
        self, data_dir: Path, *, port: int = 0, within: Sequence[str] = (), options: Sequence[str] = (), **environment: str
    ) -> None:
        """`within` is a command that becomes the command that follows it, such as one that first sets limits."""
        self.data_dir = data_dir
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
        home = {"RAG_DATA_DIR": str(data_dir), "RAG_CONFIG_DIR": str(data_dir / "config")}
        # A file, not a pipe: nobody reads while it runs, and a full pipe would stop it.
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [*within, sys.executable, "-m", "ragd", "serve", "--port", str(port), *options],
            env=inherited | LIGHT | home | environment,
            stdout=self._printed,
            stderr=subprocess.STDOUT,
        )

    def info(self) -> dict[str, Any]:
        """What `daemon.json` tells once the daemon is ready."""

        def published() -> dict[str, Any] | None:
            assert self.process.poll() is None, self.output()
            try:
                values: dict[str, Any] = json.loads((self.data_dir / "daemon.json").read_text())
            except FileNotFoundError:
                return None
            return values if "url" in values and values["pid"] == self.process.pid else None

        return dict(wait_for(published, "daemon.json", 120))

    def client(self) -> httpx2.Client:
        info = self.info()
        token = {"Authorization": f"Bearer {info['token']}"}
        return httpx2.Client(base_url=info["url"], headers=token, timeout=60, trust_env=False)

    def output(self) -> str:
        """What it printed, once it has ended."""
        self.process.wait(timeout=180)
        return self.printed()

    def printed(self) -> str:
        """What it has printed so far; read without moving the position, which it shares with us."""
        size = os.fstat(self._printed.fileno()).st_size
        return os.pread(self._printed.fileno(), size, 0).decode("utf-8", "replace")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=180)
        self._printed.close()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=180)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Starts daemons, on `tmp_path / "data"` when nothing else is said; what still runs at the end is killed."""
    started: list[Daemon] = []

    def start_it(data_dir: Path = tmp_path / "data", **options: Any) -> Daemon:
        daemon = Daemon(data_dir, **options)
        started.append(daemon)
        return daemon

    yield start_it
    for daemon in started:
        daemon.close()


@pytest.fixture(scope="session")
def samples_data(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A data directory that holds data/samples as a user has them: the real model, texts and descriptions of pictures.

    Made once in a run, not once in each of pytest's workers: it takes a processor more than a minute. To be copied before it
    is opened.
    """
    folder = tmp_path_factory.getbasetemp()
    run = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    shared = run / "samples-data"
    with FileLock(run / "samples-data.lock"):
        if not shared.exists():
            making = tmp_path_factory.mktemp("samples") / "data"
            _ingest_samples(making, models_dir)
            making.rename(shared)
    return shared


def _ingest_samples(data: Path, models: Path) -> None:
    app = Application(load_settings(ROOT / "config", environment={}), Directories(data, models, ROOT / "config"))
    try:
        app.runner.start()
        job = app.documents.ingest([str(ROOT / "data" / "samples")])
        # Descriptions of pictures come behind.
        while app.jobs.unfinished():
            app.runner.wait_for_change(0.5)
        ended = app.jobs.get(job.job_id)
        assert (ended.status, (ended.result or {}).get("failed")) == ("completed", []), ended
        assert {other.status for other in app.jobs.page()[0]} == {"completed"}
    finally:
        app.close()


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder whose ingestion takes some seconds."""
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(150):
        words = " ".join(f"word{number}x{index}" for index in range(200))
        (folder / f"{number:04}.md").write_text(f"# Note {number}\n\n{words}\n")
    return folder


def ended(client: httpx2.Client, job_id: str) -> dict[str, Any]:
    def finished() -> dict[str, Any] | None:
        job: dict[str, Any] = client.get(f"/api/jobs/{job_id}").json()
        return job if job["status"] in {"completed", "failed", "cancelled"} else None

    return dict(wait_for(finished, f"job {job_id}", 240))
