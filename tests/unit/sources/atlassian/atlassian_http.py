"""A plain web server on this machine that answers what a test says, and the time that only waiting moves."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ragd.sources.base import HttpOptions, Usage

TOKEN = "ATATT3xFfGF0-secret-token-0123456789"


@dataclass
class Reply:
    """What is answered. `cut`: the connection ends after so many bytes; `drip`: that event is waited for after the first byte."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    drip: threading.Event | None = None


@dataclass
class Asked:
    """What was asked for; the path is whole, with its query."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class SiteServer:
    """Answers by `answer`, one call for each request, and remembers what was `asked`."""

    def __init__(self, answer: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        # Closing waits for the threads, so that no connection outlives a test.
        self._server.daemon_threads = False
        self._scheme = "https" if tls else "http"
        if tls:
            listening = self._server.socket
            self._server.socket = tls.wrap_socket(listening, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 10

            def handle(self) -> None:
                # Who gave up, or does not trust our certificate, is gone without a word.
                with suppress(OSError):
                    super().handle()

            def do_GET(self) -> None:
                self._reply(b"")

            def do_HEAD(self) -> None:
                self._reply(b"")

            def do_POST(self) -> None:
                self._reply(self.rfile.read(int(self.headers["Content-Length"])))

            def do_CONNECT(self) -> None:
                self._reply(b"")

            def _reply(self, body: bytes) -> None:
                asked = Asked(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                site.asked.append(asked)
                reply = site.answer(asked)
                data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                kind = "application/json" if not isinstance(reply.body, bytes) else "application/octet-stream"
                for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command == "HEAD":
                    return
                if reply.drip is not None:
                    self.wfile.write(data[:1])
                    self.wfile.flush()
                    reply.drip.wait(10)
                    data = data[1:]
                self.wfile.write(data[: reply.cut])
                self.wfile.flush()
                if reply.cut is not None:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                """Silent."""

        return Handler


class Time:
    """A clock that only pausing moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def clock(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def http_options(time: Time, **values: Any) -> HttpOptions:
    """With a usage of its own, and a budget that no test reaches by chance."""
    return HttpOptions(
        **{
            "pause": time.pause,
            "requests_per_minute": 60_000,
            "usage": Usage(),
            "allowed_hosts": ("*",),
            **values,
        }
    )
