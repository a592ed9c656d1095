"""An open app behind the REST interface and an MCP server in front of it, all in this process; providers that need no model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp.client import Client
from mcp.types import CallToolResult
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.client.asgi import AsgiConnection
from ragd.config.loading import Directories, load_settings
from ragd.mcp.library import Library
from ragd.mcp.server import LibraryServer

TOKEN = "a-token-for-tests"
T = TypeVar("T")


@dataclass
class Agent:
    """An agent that is connected to the server in memory, and the REST interface beside it."""

    server: LibraryServer
    rest: TestClient
    app: Application

    def talk(self, conversation: Callable[[Client], Any], **options: Any) -> Any:
        """What a conversation (`async def`) with a fresh client gives."""

        async def connected() -> Any:
            async with Client(self.server, **options) as client:
                return await conversation(client)

        return anyio.run(connected)

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """The result of one call of a tool."""

        async def conversation(client: Client) -> CallToolResult:
            return await client.call_tool(tool, arguments)

        result: CallToolResult = self.talk(conversation)
        return result

    def fields(self, tool: str, /, **arguments: Any) -> Mapping[str, Any]:
        """The typed fields of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content

    def failure(self, tool: str, /, **arguments: Any) -> Mapping[str, Any]:
        """The `error` of a call that must fail."""
        result = self.call(tool, **arguments)
        assert result.is_error, result.content
        assert result.structured_content is not None
        error: Mapping[str, Any] = result.structured_content["error"]
        return error

    def text(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call, which comes first."""
        return text_of(self.call(tool, **arguments))

    def read(self, paths: list[Path], collection: str = "default") -> None:
        """Take documents in, by REST."""
        job_id = self.rest.post("/api/ingest", json={"paths": list(map(str, paths)), "collection": collection}).json()["job_id"]
        end = time.monotonic() + 600
        while (job := self.rest.get(f"/api/jobs/{job_id}").json())["status"] in {"queued", "running"}:
            assert time.monotonic() < end, f"job did not end: {job}"
            self.app.runner.wait_for_change(0.2)
        assert job["result"]["failed"] == [], job


def text_of(result: CallToolResult) -> str:
    """The text of a result, which comes first."""
    first = result.content[0]
    assert first.type == "text"
    return first.text


@pytest.fixture
def changes() -> dict[str, Any]:
    """Settings that a test module changes, by overriding this fixture."""
    return {}


@pytest.fixture
def agent(tmp_path: Path, changes: dict[str, Any]) -> Iterator[Agent]:
    """`security.allowed_roots` is the test's own folder, unless `changes` says otherwise."""
    quick = {
        "embedding.provider": "fake",
        "dense.backend": "exact",
        "sparse.backend": "fts5",
        "sparse.analyzer": "bigram",
        "rerank.budget_ms": 60_000,
        "mcp.enabled": True,
        "security.allowed_hosts": ["127.0.0.1", "localhost"],
        "security.secret_names": ["*"],
        "security.allowed_roots": [str(tmp_path)],
    }
    settings = load_settings(tmp_path / "config", environment={}, explicit=quick | changes)
    app = Application(settings, Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config"))
    app.runner.start()
    api = create_api(app, token=TOKEN)
    library = Library(AsgiConnection(api, TOKEN), settings.mcp, settings.security.allowed_roots)
    with TestClient(api, base_url="http://127.0.0.1:8765", headers={"Authorization": f"Bearer {TOKEN}"}) as rest:
        yield Agent(LibraryServer(library), rest, app)
    app.close()


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    """A folder with three documents, one of them in Japanese."""
    folder = tmp_path / "guide"
    folder.mkdir()
    install = "# Install\n\nRun `kestrel setup` once.\n\n## Proxy\n\nSet HTTPS_PROXY before the first start.\n"
    (folder / "install.md").write_text(install, encoding="utf-8")
    (folder / "backup.md").write_text("# Backup\n\nSnapshots are kept for 35 days.\n", encoding="utf-8")
    (folder / "経費.md").write_text("# 経費\n\n経費の精算は月末までに申請する。\n", encoding="utf-8")
    return folder
