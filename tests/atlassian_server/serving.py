"""Real servers on real sockets of 127.0.0.1: the double, the media host that attachments come from, and what goes wrong there."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .app import create_app
from .faults import Fault
from .media import create_media
from .store import Asked
from .world import World

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

_PATIENCE_S = 20.0
_SLOW_PIECES = 500
_RATE = {"limit": "100", "remaining": "0", "fillrate": "10", "interval-seconds": "1"}
LOGIN_PAGE = b"""<!DOCTYPE html><html><head><title>Log in</title></head>
<body><form action="/login"><input name="os_username"></form></body></html>"""


@dataclass(frozen=True, slots=True)
class Served:
    """Addresses without trailing slash. `plain` redirects to `base` by http, and `authority` is the certificate of the CA (PEM
    file); both are "" without TLS.
    """

    base: str
    media: str
    plain: str = ""
    authority: str = ""

    @property
    def confluence_cloud(self) -> str:
        return f"{self.base}/wiki"

    @property
    def confluence_dc(self) -> str:
        return f"{self.base}/confluence"

    @property
    def jira_cloud(self) -> str:
        return self.base

    @property
    def jira_dc(self) -> str:
        return f"{self.base}/jira"


@contextmanager
def serve(world: World, *, tls: bool = False, redirect_from: str | None = None, port: int = 0) -> Iterator[Served]:
    """Serve until the end of the `with`. `redirect_from` ("/old"): addresses below it redirect to those without it."""
    with ExitStack() as stack:
        certificate = authority = ""
        if tls:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            certificate, authority = _certificates(folder)
        main, media = (_listen(number) for number in (port, 0))
        scheme = "https" if tls else "http"
        served = Served(f"{scheme}://127.0.0.1:{main.getsockname()[1]}", f"{scheme}://127.0.0.1:{media.getsockname()[1]}")
        apps: list[tuple[App, socket.socket, str]] = [
            (_Outer(create_app(world, served.media), world, redirect_from), main, certificate),
            (_Outer(create_media(world), world, None), media, certificate),
        ]
        if tls:
            plain = _listen(0)
            apps.append((_redirecting(served.base), plain, ""))
            served = Served(served.base, served.media, f"http://127.0.0.1:{plain.getsockname()[1]}", authority)
        servers = [stack.enter_context(_running(*parts)) for parts in apps]
        try:
            yield served
        finally:
            for server in servers:
                server.should_exit = True


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(128)
    return listening


def _certificates(folder: Path) -> tuple[str, str]:
    import trustme

    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    authority.issue_cert("127.0.0.1", "localhost").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    return str(folder / "server.pem"), str(folder / "ca.pem")


@contextmanager
def _running(app: App, listening: socket.socket, certificate: str) -> Iterator[uvicorn.Server]:
    config = uvicorn.Config(
        app,
        http=_Protocol,
        loop="asyncio",
        log_config=None,
        access_log=False,
        lifespan="off",
        date_header=False,
        server_header=False,
        ssl_certfile=certificate or None,
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join(_PATIENCE_S)
        listening.close()
        assert not thread.is_alive(), "the double did not end"


class _Server(uvicorn.Server):
    """uvicorn, ended within milliseconds: hundreds of tests do."""

    async def main_loop(self) -> None:
        while not self.should_exit:
            await asyncio.sleep(0.005)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        for task in list(self.server_state.tasks):
            task.cancel()
        end = time.monotonic() + _PATIENCE_S / 2
        while (self.server_state.connections or self.server_state.tasks) and time.monotonic() < end:
            await asyncio.sleep(0.005)


_transports: dict[tuple[str, int], asyncio.Transport] = {}


class _Protocol(H11Protocol):
    """Remembers the transport of each connection, so that a fault can break it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.client is not None:
            _transports[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self.client is not None:
            _transports.pop(self.client, None)
        super().connection_lost(exc)


def _redirecting(target: str) -> App:
    async def app(scope: Message, receive: Any, send: Any) -> None:
        query = "?" + scope["query_string"].decode() if scope["query_string"] else ""
        await _answer(send, 301, b"", [("location", target + scope["raw_path"].decode() + query)])

    return app


class _Outer:
    """Around an app: notes each request, tells the world's time, and does what `Faults` says."""

    def __init__(self, app: App, world: World, redirect_from: str | None) -> None:
        self._app = app
        self._world = world
        self._redirect_from = redirect_from

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
        target = f"{path}?{query}" if query else path
        noted = False

        def note(status: int) -> None:
            nonlocal noted
            noted = True
            with self._world.lock:
                self._world.requests.append((scope["method"], path, status))
                self._world.asked.append(Asked(scope["method"], path, query, status))

        async def outward(message: Message) -> None:
            if message["type"] == "http.response.start":
                # Before it is sent: who has an answer finds its request noted.
                note(message["status"])
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"date", format_datetime(self._world.clock.now(), True).encode()),
                ]
            await send(message)

        with self._world.lock:
            fault = self._world.faults.take(target)
        try:
            if self._redirect_from and path.startswith(self._redirect_from + "/"):
                await _answer(outward, 302, b"", [("location", target.removeprefix(self._redirect_from))])
            elif fault is None:
                await self._app(scope, receive, outward)
            else:
                await self._fail(fault, scope, receive, outward)
        finally:
            if not noted:
                note(0)

    async def _fail(self, fault: Fault, scope: Message, receive: Any, send: Any) -> None:
        if fault.kind == "status":
            headers = [("content-type", "application/json")]
            if fault.retry_after is not None:
                headers.append(("retry-after", fault.retry_after))
            if fault.status == 429:
                headers += [(f"x-ratelimit-{name}", value) for name, value in _RATE.items()]
            message = "Rate limit exceeded." if fault.status == 429 else "The server failed as it was asked to."
            await _answer(send, fault.status, json.dumps({"message": message, "status-code": fault.status}).encode(), headers)
        elif fault.kind == "html":
            await _answer(send, 200, LOGIN_PAGE, [("content-type", "text/html;charset=UTF-8")])
        elif fault.kind == "delay":
            await asyncio.sleep(fault.delay_s)
            await self._app(scope, receive, send)
        else:
            start, body = await _collected(self._app, scope, receive)
            await self._spoil(fault, scope, send, start, body)

    async def _spoil(self, fault: Fault, scope: Message, send: Any, start: Message, body: bytes) -> None:
        if fault.kind == "garbled":
            body = body[: len(body) // 2]
            start["headers"] = [pair for pair in start["headers"] if pair[0] != b"content-length"]
        await send(start)
        if fault.kind == "garbled":
            await send({"type": "http.response.body", "body": body})
        elif fault.kind == "slow":
            piece = len(body) // _SLOW_PIECES + 1
            for index in range(0, len(body), piece):
                await send({"type": "http.response.body", "body": body[index : index + piece], "more_body": True})
                await asyncio.sleep(fault.delay_s)
            await send({"type": "http.response.body", "body": b""})
        else:
            await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
            _break(scope["client"], reset=fault.kind == "reset")
            # What the protocol still wants to hear goes nowhere.
            await send({"type": "http.response.body", "body": body[len(body) // 2 :]})


async def _collected(app: App, scope: Message, receive: Any) -> tuple[Message, bytes]:
    start: Message = {}
    body = b""

    async def keep(message: Message) -> None:
        nonlocal start, body
        if message["type"] == "http.response.start":
            start = message
        else:
            body += message.get("body", b"")

    await app(scope, receive, keep)
    return start, body


async def _answer(send: Any, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in [*headers, ("content-length", str(len(body)))]]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _break(client: tuple[str, int], *, reset: bool) -> None:
    transport = _transports[tuple(client)]  # type: ignore[index]
    found = transport.get_extra_info("socket")
    if reset and found is not None:
        # Closing with this option sends RST in place of FIN.
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0))
        transport.abort()
    else:
        transport.close()


__all__ = ["Served", "serve"]
