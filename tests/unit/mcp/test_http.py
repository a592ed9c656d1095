"""MCP by HTTP on a real socket, with a REST contract behind it that answers only when it is told to."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from ragd.access.authentication import Authenticator
from ragd.api import errors
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.security import MAX_OPEN_REQUESTS, AuthMiddleware
from ragd.config.policy import VARIABLE
from ragd.config.service import McpSettings
from ragd.config.settings import Settings
from ragd.mcp.http import MAX_SESSIONS, serve_agents

from ...mcp.messages import ACCEPT, INITIALIZE, Session, call, message, reply

TOKEN = "a-token-for-tests"


@dataclass
class SlowRest:
    """Answers each request with no collections, once `go` is set, and notes what began, ended and was cancelled."""

    go: threading.Event = field(default_factory=threading.Event)
    begun: int = 0
    answered: int = 0
    cancelled: int = 0

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        self.begun += 1
        try:
            while not self.go.is_set():
                await anyio.sleep(0.01)
        except anyio.get_cancelled_exc_class():
            self.cancelled += 1
            raise
        self.answered += 1
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": b'{"items": [], "total": 0, "page": 1, "page_size": 100}'})


@dataclass
class Doorway:
    """The interface while it is open."""

    http: httpx2.Client
    rest: SlowRest
    lifecycle: Lifecycle
    port: int

    def leave_midway(self, **request: dict[str, object]) -> None:
        """Ask by a connection that is cut once the question is being answered."""
        before = self.rest.begun
        body = json.dumps(request["json"]).encode()
        headers = {**request["headers"], "Host": "127.0.0.1", "Authorization": f"Bearer {TOKEN}", "Content-Length": len(body)}
        lines = [b"POST /mcp HTTP/1.1", *(f"{name}: {value}".encode() for name, value in headers.items()), b"", body]
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"\r\n".join(lines))
            wait_for(lambda: self.rest.begun > before)


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def doorway() -> Iterator[Doorway]:
    settings = Settings(mcp=McpSettings(enabled=True))
    lifecycle, rest = Lifecycle(), SlowRest()
    lifecycle.ready.set()
    api = FastAPI(redirect_slashes=False)
    errors.install(api)
    api.add_middleware(AuthMiddleware, callers=Authenticator(TOKEN), lifecycle=lifecycle, limits=settings.limits)
    serve_agents(api, rest, settings, lifecycle.stopping)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(api, lifespan="on", log_config=None, ws="none"))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        port = listener.getsockname()[1]
        address, headers = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {TOKEN}"}
        try:
            with httpx2.Client(base_url=address, headers=headers, trust_env=False, timeout=300) as http:
                yield Doorway(http, rest, lifecycle, port)
        finally:
            rest.go.set()
            lifecycle.stopping.set()
            server.should_exit = True
            thread.join(20)
        assert not thread.is_alive()


def test_a_client_of_today_that_leaves_midway_cancels_its_call(doorway: Doorway) -> None:
    doorway.leave_midway(**call("list_collections"))
    wait_for(lambda: doorway.rest.cancelled == 1)
    doorway.rest.go.set()
    assert not reply(doorway.http.post("/mcp", **call("list_collections")))["result"]["isError"]


def test_a_client_of_2025_cancels_its_call_by_saying_so(doorway: Doorway) -> None:
    session = Session(doorway.http)
    answers: list[httpx2.Response] = []
    asking = threading.Thread(target=lambda: answers.append(session.ask("tools/call", 7, name="list_collections", arguments={})))
    asking.start()
    wait_for(lambda: doorway.rest.begun == 1)
    session.tell("notifications/cancelled", requestId=7, reason="no longer needed")
    asking.join(60)
    assert doorway.rest.cancelled == 1
    assert "cancelled" in reply(answers[0])["error"]["message"]


def test_a_client_of_2025_that_leaves_midway_finds_its_session_whole(doorway: Doorway) -> None:
    session = Session(doorway.http)
    lost = message("tools/call", 7, name="list_collections", arguments={})
    doorway.leave_midway(headers=session.headers, json=lost)
    doorway.rest.go.set()
    wait_for(lambda: doorway.rest.answered == 1)
    assert not reply(session.ask("tools/call", 8, name="list_collections", arguments={}))["result"]["isError"]


def test_ending_a_session_ends_its_calls(doorway: Doorway) -> None:
    session = Session(doorway.http)
    doorway.leave_midway(headers=session.headers, json=message("tools/call", 7, name="list_collections", arguments={}))
    assert session.end().status_code == 200
    wait_for(lambda: doorway.rest.cancelled == 1)
    assert session.ask("ping").status_code == 404


@pytest.mark.slow
def test_clients_that_leave_midway_hold_no_place(doorway: Doorway) -> None:
    for _ in range(MAX_OPEN_REQUESTS + 2):
        doorway.leave_midway(**call("list_collections"))
    wait_for(lambda: doorway.rest.cancelled == MAX_OPEN_REQUESTS + 2)
    doorway.rest.go.set()
    assert doorway.http.post("/mcp", **call("list_collections")).status_code == 200


def test_a_body_that_breaks_off_is_no_failure_of_ours(doorway: Doorway, caplog: pytest.LogCaptureFixture) -> None:
    for version in ("", "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"):
        known = "".join(f"{name}: {value}\r\n" for name, value in ACCEPT.items())
        head = f"Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\n{known}{version}"
        with socket.create_connection(("127.0.0.1", doorway.port)) as connection:
            connection.sendall(f'POST /mcp HTTP/1.1\r\n{head}Content-Length: 900\r\n\r\n{{"secret'.encode())
    with caplog.at_level("INFO"):
        assert doorway.http.post("/mcp", headers=ACCEPT, json=INITIALIZE).status_code == 200
    assert [record for record in caplog.records if record.levelname in {"WARNING", "ERROR"}] == []


@pytest.mark.slow
def test_there_are_only_so_many_sessions_and_room_again_when_one_ends(doorway: Doorway) -> None:
    sessions = [Session(doorway.http) for _ in range(MAX_SESSIONS)]
    refused = doorway.http.post("/mcp", headers=ACCEPT, json=INITIALIZE)
    assert refused.status_code == 503
    assert reply(refused)["error"]["message"] == "Too many open sessions"
    assert sessions[0].ask("ping").status_code == 200
    sessions[1].end()
    Session(doorway.http)


@pytest.mark.slow
def test_streams_of_agents_leave_room_for_questions(doorway: Doorway) -> None:
    doorway.rest.go.set()
    with ExitStack() as streams, httpx2.Client(trust_env=False, timeout=300, limits=httpx2.Limits(max_connections=None)) as http:
        http.base_url, http.headers = doorway.http.base_url, doorway.http.headers
        for _ in range(MAX_OPEN_REQUESTS + 1):
            session = Session(doorway.http)
            stream = streams.enter_context(http.stream("GET", "/mcp", headers=session.headers, timeout=300))
            assert stream.status_code == 200
        assert doorway.http.post("/mcp", **call("list_collections")).status_code == 200


def test_what_is_being_answered_is_answered_before_the_daemon_ends(doorway: Doorway) -> None:
    session = Session(doorway.http)
    answers: list[httpx2.Response] = []
    asking = threading.Thread(target=lambda: answers.append(session.ask("tools/call", name="list_collections", arguments={})))
    asking.start()
    wait_for(lambda: doorway.rest.begun == 1)
    doorway.lifecycle.stopping.set()
    refused = doorway.http.post("/mcp", **call("list_collections"))
    assert refused.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
    asking.join(0.6)
    assert asking.is_alive()
    doorway.rest.go.set()
    asking.join(60)
    assert not reply(answers[0])["result"]["isError"]


def test_a_policy_that_comes_later_counts_from_then_on(doorway: Doorway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(doorway.http)
    policy = tmp_path / "policy.yaml"
    policy.write_text("mcp: forbidden\n", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(policy))
    for answer in (session.ask("ping"), doorway.http.post("/mcp", **call("list_collections")), session.end()):
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "NOT_FOUND"
