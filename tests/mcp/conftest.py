"""One real daemon that serves agents, with documents in it, for all tests from outside; and daemons of a test's own."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from ..e2e.conftest import LIGHT, Daemon, ended, start, wait_for
from .messages import TODAY

__all__ = ["LIGHT", "TODAY", "Daemon", "Served", "start", "wait_for"]

ON = {"RAG_MCP__ENABLED": "true", "RAG_OCR__PROVIDER": "none"}
"""Added to the light settings of every daemon here."""


@dataclass(frozen=True)
class Served:
    """A running daemon whose `/mcp` is on. `documents` is the folder that agents may use, `agents` the address for them."""

    daemon: Daemon
    url: str
    token: str
    documents: Path

    @property
    def agents(self) -> str:
        return f"{self.url}/mcp"

    @property
    def data_dir(self) -> Path:
        return self.daemon.data_dir

    @property
    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def rest(self) -> httpx2.Client:
        return self.daemon.client()

    @asynccontextmanager
    async def agent(self, protocol: str = "auto", **headers: str) -> AsyncIterator[Client]:
        """The official client by Streamable HTTP, in one version of the protocol: `TODAY`, or `legacy` for the newest of 2025."""
        async with (
            httpx2.AsyncClient(headers=self.authorization | headers, timeout=60, trust_env=False) as http,
            Client(streamable_http_client(self.agents, http_client=http), mode=protocol) as client,
        ):
            yield client

    def log(self) -> str:
        """The daemon's log so far."""
        return (self.data_dir / "logs" / "daemon.jsonl").read_text(encoding="utf-8")

    def read(self, *paths: Path, collection: str = "default") -> None:
        """Take documents in, by REST."""
        with self.rest() as rest:
            body = {"paths": list(map(str, paths)), "collection": collection}
            job = ended(rest, rest.post("/api/ingest", json=body).raise_for_status().json()["job_id"])
            assert job["status"] == "completed", job
            assert job["result"]["failed"] == [], job


def write_documents(folder: Path, pictures: Path) -> None:
    """Documents in English and Japanese, one with a picture. `pictures` is tests/data/image."""
    folder.mkdir(parents=True)
    install = "# Install Kestrel\n\nRun `kestrel setup` once.\n\n## Proxy\n\nSet HTTPS_PROXY before the first start.\n"
    backup = "# Backup\n\nSnapshots are kept for 35 days. Restoring takes ten minutes.\n\n## Off site\n\nCopies go to Osaka.\n"
    expenses = "# 経費精算\n\n経費の精算は月末までに申請する。領収書を添付すること。\n\n## 承認\n\n課長が承認する。\n"
    picture = "# Parts table\n\nThe table of parts is shown below.\n\n![Table of parts](table.png)\n"
    for name, text in {"install.md": install, "backup.md": backup, "経費.md": expenses, "parts.md": picture}.items():
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(pictures / "table.png", folder / "table.png")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, project_root: Path) -> Iterator[Served]:
    """The daemon of the session. A test may add collections of its own; the documents of `default` are to stay."""
    base = tmp_path_factory.mktemp("served")
    documents = base / "documents"
    write_documents(documents, project_root / "tests" / "data" / "image")
    daemon = Daemon(base / "data", **ON, RAG_SECURITY__ALLOWED_ROOTS=f'["{documents}"]')
    try:
        info = daemon.info()
        served = Served(daemon, info["url"], info["token"], documents)
        served.read(documents)
        yield served
    finally:
        daemon.close()


@pytest.fixture
def serve(start: Callable[..., Daemon], tmp_path: Path) -> Callable[..., Served]:
    """Starts daemons of the test's own that serve agents, with no documents."""

    def serve_it(**environment: Any) -> Served:
        documents = tmp_path / "documents"
        documents.mkdir(exist_ok=True)
        daemon = start(**ON | {"RAG_SECURITY__ALLOWED_ROOTS": f'["{documents}"]'} | environment)
        info = daemon.info()
        return Served(daemon, info["url"], info["token"], documents)

    return serve_it
