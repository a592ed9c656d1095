"""What a connection may cost before it has shown the token: a real server, raw sockets."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from ragd.access.authentication import Authenticator
from ragd.api import connections
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.security import MAX_ADDRESS_BYTES, MAX_HEAD_BYTES, MAX_HEADERS, AuthMiddleware
from ragd.api.server import ApiServer, listening
from ragd.config.service import LimitsSettings

TOKEN = b"a-token-for-tests"
HOST = b"Host: 127.0.0.1\r\n"
SHOWN = HOST + b"Authorization: Bearer " + TOKEN + b"\r\n"
PATIENCE_S = 20.0


async def _answer_all(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@dataclass
class Running:
    """A server in front of an application that says ok, behind the daemon's own middleware."""

    server: ApiServer
    port: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_S)

    def ask(self, head: bytes) -> bytes:
        """What is answered to one request, until the connection ends or the answer's `ok`."""
        with self.connect() as connection:
            connection.sendall(head)
            return read(connection)

    def wait_for(self, condition: Callable[[set[Any]], bool]) -> None:
        """Wait until the open connections are as wished."""
        end = time.monotonic() + PATIENCE_S
        while not condition(set(self.server.server_state.connections)):
            assert time.monotonic() < end, f"{len(self.server.server_state.connections)} connections"
            time.sleep(0.01)


def read(connection: socket.socket) -> bytes:
    said = b""
    while not said.endswith((b"ok", b"}")):
        try:
            piece = connection.recv(65_536)
        except ConnectionError:
            break
        if not piece:
            break
        said += piece
    return said


@pytest.fixture
def running() -> Iterator[Running]:
    life = Lifecycle()
    life.ready.set()
    app = AuthMiddleware(_answer_all, callers=Authenticator(TOKEN.decode()), lifecycle=life, limits=LimitsSettings())
    with listening() as (listener, _url):
        server = ApiServer(app, life, 1)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield Running(server, listener.getsockname()[1])
        server.stop()
        thread.join(PATIENCE_S)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"GET / HTTP/1.1\r\n" + HOST + b"X: ", b"a" * 65_536),
        (b"GET / HTTP/1.1\r\n" + HOST, b"a: b\r\n" * 10_000),
        (b"GET /", b"a" * 65_536),
        (b"G", b"E" * 65_536),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n" * 10_000),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a" * 65_536),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n", b"1" * 65_536),
    ],
    ids=["a header", "headers", "address", "method", "trailers", "extension of a chunk", "size of a chunk"],
)
def test_an_endless_head_ends_its_connection(running: Running, begin: bytes, piece: bytes) -> None:
    sent = 0
    with running.connect() as connection, contextlib.suppress(ConnectionError):
        connection.sendall(begin)
        while sent < 1 << 26:
            connection.sendall(piece)
            sent += len(piece)
    # What the two buffers of the system hold is sent before the end is seen.
    assert sent < 1 << 25
    assert running.ask(b"GET / HTTP/1.1\r\n" + SHOWN + b"\r\n").endswith(b"ok")


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n" + SHOWN + b"X: " + b"a" * MAX_HEAD_BYTES + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + SHOWN + b"a: b\r\n" * MAX_HEADERS + b"\r\n",
        b"GET /" + b"a" * MAX_ADDRESS_BYTES + b" HTTP/1.1\r\n" + SHOWN + b"\r\n",
        b"GET /?" + b"a" * MAX_ADDRESS_BYTES + b" HTTP/1.1\r\n" + SHOWN + b"\r\n",
        b"no HTTP\r\n\r\n",
    ],
    ids=["bytes", "number", "path", "query", "no HTTP"],
)
def test_a_head_that_is_too_large_is_said_in_the_shape_of_every_error(running: Running, head: bytes) -> None:
    start, _, body = running.ask(head).partition(b"\r\n\r\n")
    assert start.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["error"]["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        b"GET / HTTP/1.1\r\nHos",
        b"GET / HTTP/1.1\r\n" + SHOWN + b"\r\nGET / HTTP",
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n1",
    ],
    ids=["silent", "half of a head", "half of a second head", "half of a body that nobody reads"],
)
def test_who_does_not_finish_is_closed(running: Running, begin: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_TIMEOUT_S", 0.1)
    with running.connect() as connection:
        connection.sendall(begin)
        running.wait_for(lambda still: len(still) == 1)
        running.wait_for(lambda still: not still)


@pytest.mark.slow
@pytest.mark.parametrize("begin", [b"", b"GET / HTTP/1.1\r\nHo"], ids=["silent", "half-sent"])
def test_strangers_lock_nobody_out(running: Running, begin: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_TIMEOUT_S", 600)  # a machine under load may need long for as many connections
    with ExitStack() as strangers, running.connect() as known:
        known.sendall(b"GET / HTTP/1.1\r\n" + SHOWN + b"\r\n")
        assert read(known).endswith(b"ok")
        for _ in range(2 * connections.MAX_UNAUTHENTICATED + 100):
            stranger = strangers.enter_context(running.connect())
            stranger.sendall(begin)
        running.wait_for(lambda still: len(still) <= connections.MAX_UNAUTHENTICATED + 1)
        assert running.ask(b"GET / HTTP/1.1\r\n" + SHOWN + b"\r\n").endswith(b"ok")
        # Who has shown the token is not put out by those who have not.
        known.sendall(b"GET / HTTP/1.1\r\n" + SHOWN + b"\r\n")
        assert read(known).endswith(b"ok")


def test_a_wrong_token_makes_nobody_known(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_UNAUTHENTICATED", 1)
    with running.connect() as one:
        one.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"Authorization: Bearer wrong\r\n\r\n")
        assert read(one).startswith(b"HTTP/1.1 401")
        running.wait_for(lambda still: all(other._deadline for other in still))
        with running.connect() as other:
            assert read(one) == b""
            other.sendall(b"GET / HTTP/1.1\r\n" + SHOWN + b"\r\n")
            assert read(other).endswith(b"ok")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_a_daemon_takes_as_many_open_files_as_it_may_have() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
    try:
        connections.raise_open_files()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert hard == before[1]
        assert soft > 512
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_connection_sends_at_once_what_is_answered() -> None:
    """asyncio switches Nagle's algorithm off only for a socket that names its protocol."""
    with listening() as (listener, _url):
        assert listener.proto == socket.IPPROTO_TCP


def test_an_address_with_too_many_connections_gets_no_further_one() -> None:
    life = Lifecycle()
    life.ready.set()
    app = AuthMiddleware(_answer_all, callers=Authenticator(TOKEN.decode()), lifecycle=life, limits=LimitsSettings())
    asked: list[tuple[str, int]] = []

    def may_connect(address: str, count: int) -> bool:
        asked.append((address, count))
        return count <= 1

    with listening() as (listener, _url):
        server = ApiServer(app, life, 1, may_connect=may_connect)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        running = Running(server, listener.getsockname()[1])
        request = b"GET / HTTP/1.1\r\n" + SHOWN + b"\r\n"
        with running.connect() as first:
            first.sendall(request)
            assert read(first).endswith(b"ok")
            with running.connect() as second, contextlib.suppress(ConnectionError):
                second.sendall(request)
                assert read(second) == b""
            first.sendall(request)
            assert read(first).endswith(b"ok")
        server.stop()
        thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert asked == [("127.0.0.1", 1), ("127.0.0.1", 2)]


def test_a_service_listens_where_it_is_told_and_says_how_this_machine_calls_it() -> None:
    with listening(host="0.0.0.0") as (listener, url):
        assert listener.getsockname()[0] == "0.0.0.0"
        assert url == f"http://127.0.0.1:{listener.getsockname()[1]}"
