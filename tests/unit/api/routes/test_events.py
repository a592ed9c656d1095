"""`GET /api/events` over a socket: what is told and when, and that a window that has gone is noticed."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.api.lifecycle import Lifecycle
from ragd.api.schemas.status import DaemonState
from ragd.app.container import Application

_PATIENCE = 15.0


@dataclass(frozen=True)
class Served:
    client: httpx2.Client
    life: Lifecycle
    port: int


@pytest.fixture
def server(app: Application) -> Iterator[Served]:
    """The API behind a real socket."""
    life = Lifecycle()
    life.ready.set()
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    port = listening.getsockname()[1]
    running = uvicorn.Server(uvicorn.Config(create_api(app, token="t", lifecycle=life), log_config=None, lifespan="off"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    with httpx2.Client(
        base_url=f"http://127.0.0.1:{port}", headers={"Authorization": "Bearer t"}, timeout=_PATIENCE, trust_env=False
    ) as client:
        yield Served(client, life, port)
    life.stopping.set()
    running.should_exit = True
    thread.join(_PATIENCE)
    listening.close()


def states(answer: httpx2.Response, ended: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The data of the events `state`, each in the shape that is described; the reason of the end goes into `ended`."""
    name = ""
    for line in answer.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data = json.loads(value)
            if name == "stopping" and ended is not None:
                ended.append(data["reason"])
                continue
            assert name == "state"
            DaemonState.model_validate(data, strict=True)
            assert set(data) == set(DaemonState.model_fields)
            yield data


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end
        threading.Event().wait(0.02)


def is_used(life: Lifecycle) -> bool:
    """Whether a window is open: then the rest does not shrink."""
    return life.rest_s(1000.0) == 1000.0


@pytest.mark.slow
def test_the_state_is_told_at_once_and_whenever_it_has_changed(server: Served, client: TestClient, finish, guide: Path) -> None:
    with server.client.stream("GET", "/api/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        told = states(answer)
        first = next(told)
        assert (first["counts"]["documents"], first["jobs"], first["failed_documents"]) == (0, [], 0)
        (guide / "broken.pdf").write_bytes(b"no pdf")
        job_id = client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"]
        met = []
        for state in told:
            met.append(state)
            if state["counts"]["documents"] == 2 and not state["jobs"]:
                break
        assert {job["job_id"] for state in met for job in state["jobs"]} <= {job_id}
        assert (met[-1]["failed_documents"], met[-1]["unfinished_jobs"]) == (1, 0)
        assert met[-1]["changes"] != first["changes"]


def test_the_stream_ends_when_the_daemon_stops(server: Served) -> None:
    with server.client.stream("GET", "/api/events") as answer:
        ended: list[str] = []
        told = states(answer, ended)
        next(told)
        assert server.client.post("/api/stop").status_code == 202
        assert list(told) == []
    assert ended == ["The daemon is about to stop."]
    assert server.life.stopping.is_set()


def test_an_open_stream_is_a_window_until_it_is_closed(server: Served) -> None:
    assert not is_used(server.life)
    with server.client.stream("GET", "/api/events") as answer:
        # Kept, for an iterator that is let go closes its connection.
        told = states(answer)
        next(told)
        assert is_used(server.life)
        with server.client.stream("GET", "/api/events") as second:
            next(states(second))
        assert is_used(server.life)
        told.close()
    wait_for(lambda: not is_used(server.life))


def test_a_window_that_was_killed_is_noticed(server: Served) -> None:
    head = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer t\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), _PATIENCE) as connection:
        connection.sendall(head.encode())
        wait_for(lambda: is_used(server.life))
        # What the system does with the sockets of a process that is killed: no farewell, what is unread is lost.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    wait_for(lambda: not is_used(server.life))


def test_a_request_that_is_refused_is_no_window(server: Served) -> None:
    assert httpx2.get(f"http://127.0.0.1:{server.port}/api/events", trust_env=False, timeout=300).status_code == 401
    assert not is_used(server.life)
