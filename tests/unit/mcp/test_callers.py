"""Agents in server mode: each message is asked as whoever sent it, whoever opened the session."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.mcp.http import serve_agents

from ...mcp.messages import Session, today

pytestmark = pytest.mark.slow

TOKEN = "a-token-for-tests"
LIGHT = {
    "embedding.provider": "fake",
    "dense.backend": "exact",
    "sparse.backend": "fts5",
    "sparse.analyzer": "bigram",
    "mcp.enabled": True,
    "security.mode": "server",
}


@pytest.fixture
def service(tmp_path: Path, migrated: Path) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """The daemon's application, and the keys of two collections that are named like their owners."""
    (tmp_path / "data").mkdir(mode=0o700)
    shutil.copy(migrated, tmp_path / "data")
    settings = load_settings(tmp_path / "config", environment={}, explicit=LIGHT)
    app = Application(settings, Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config"))
    api = create_api(app, token=TOKEN)
    serve_agents(api, create_api(app, token=TOKEN, counted=False), app.settings, threading.Event())
    keys = {}
    for name in ("walrus", "ostrich"):
        app.collections.create(name)
        keys[name] = app.keys.create(name, "reader", [name])[1]
    with TestClient(api, base_url="http://127.0.0.1:8765") as client:
        yield client, keys
    app.close()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


ASKED = {
    "tool": ("tools/call", {"name": "list_collections", "arguments": {}}),
    "resources": ("resources/list", {}),
    "completion": (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "collection://{name}"}, "argument": {"name": "name", "value": ""}},
    ),
}


@pytest.mark.parametrize("kind", ASKED)
def test_a_key_sees_its_own_collections_by_each_kind_of_request(service: tuple[TestClient, dict[str, str]], kind: str) -> None:
    client, keys = service
    method, params = ASKED[kind]
    for own, other in (("walrus", "ostrich"), ("ostrich", "walrus")):
        request = today(method, **params)
        request["headers"] |= bearer(keys[own])
        text = client.post("/mcp", **request).text
        assert own in text
        assert other not in text


def test_a_tool_says_what_its_caller_may_not(service: tuple[TestClient, dict[str, str]]) -> None:
    client, keys = service
    request = today("tools/call", name="query_knowledge_hub", arguments={"query": "x", "collection": "ostrich"})
    request["headers"] |= bearer(keys["walrus"])
    assert "FORBIDDEN" in client.post("/mcp", **request).text


def test_a_session_that_another_key_opened_shows_only_ones_own(service: tuple[TestClient, dict[str, str]]) -> None:
    client, keys = service
    client.headers |= bearer(keys["walrus"])
    session = Session(client)
    bare = session.headers
    for own, other in (("ostrich", "walrus"), ("walrus", "ostrich")):
        session.headers = bare | bearer(keys[own])
        text = session.ask("tools/call", name="list_collections", arguments={}).text
        assert own in text
        assert other not in text


def test_nobody_asks_without_a_key(service: tuple[TestClient, dict[str, str]]) -> None:
    client, _keys = service
    assert client.post("/mcp", **today("tools/list")).status_code == 401
