"""`rag` in this process, with providers that need no model, on a data directory of the test's own."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result

from ragd import __version__
from ragd.cli import cli
from ragd.core.instance import DaemonInfo, Ownership

LIGHT = {
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_DENSE__BACKEND": "exact",
    "RAG_SPARSE__BACKEND": "fts5",
    "RAG_SPARSE__ANALYZER": "bigram",
    # A busy machine must not change what is found.
    "RAG_RERANK__BUDGET_MS": "60000",
    "RAG_SECURITY__ALLOWED_HOSTS": "[127.0.0.1, localhost]",
}

Rag = Callable[..., Result]

TOKEN = "secret-token"


class Answering(BaseHTTPRequestHandler):
    """Healthy; what the test has put into `answers` for a path, else `body`."""

    status, body = 200, b"{}"
    answers: ClassVar[dict[str, Any]] = {}

    def do_GET(self) -> None:
        healthy = self.path == "/health"
        assert healthy or self.headers["Authorization"] == f"Bearer {TOKEN}"
        self.send_response(200 if healthy else self.status)
        self.end_headers()
        known = {"/health": {"status": "ok"}, **self.answers}.get(self.path.partition("?")[0])
        self.wfile.write(self.body if known is None else json.dumps(known).encode())

    def log_message(self, *_: object) -> None:
        """Nothing on stderr, where the test reads."""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[tuple[type[Answering], Ownership, str]]:
    """A server that owns the data directory as a daemon does."""
    handler = type("Handler", (Answering,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    ownership = Ownership(tmp_path / "data")
    url = f"http://127.0.0.1:{server.server_address[1]}"
    ownership.publish(DaemonInfo(1, __version__, url, TOKEN))
    yield handler, ownership, url
    ownership.release()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def rag(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Rag:
    """Runs one command. The exit code must be `code`, 0 unless the test says otherwise."""
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RAG_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(cli, arguments, input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Three small documents: two English, one Japanese."""
    return _written(tmp_path / "docs")


@pytest.fixture(scope="session")
def ingested_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the three documents."""
    root = tmp_path_factory.mktemp("ingested")
    env = {**LIGHT, "RAG_CONFIG_DIR": str(root / "config"), "RAG_DATA_DIR": str(root / "data")}
    result = CliRunner(env=env).invoke(cli, ["ingest", str(_written(root / "docs"))])
    assert result.exit_code == 0, result.output
    return root / "data"


@pytest.fixture
def ingested(tmp_path: Path, ingested_once: Path) -> None:
    """The test's data directory holds the three documents."""
    shutil.copytree(ingested_once, tmp_path / "data")


def _written(folder: Path) -> Path:
    (folder / "guide").mkdir(parents=True)
    (folder / "guide" / "backup.md").write_text(
        "# Operations\n\nIntroduction.\n\n## Restore\n\nRun `restore --from snapshot` and wait.\n", encoding="utf-8"
    )
    (folder / "queues.txt").write_text("A queue keeps jobs in the order in which they came.\n", encoding="utf-8")
    (folder / "休暇規程.md").write_text("# 休暇規程\n\n有給休暇は五営業日前までに申請する。\n", encoding="utf-8")
    return folder
