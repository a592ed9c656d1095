"""A model service on this machine that speaks the real wire formats, and misbehaves when it is told to."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ragd.config.indexing import EmbeddingSettings
from ragd.providers.fakes import FakeEmbedder

DIMENSION = 64
KEY = "sk-abcd-0123456789-secret-wxyz"


@dataclass
class Reply:
    """What is answered. `cut`: the connection ends after so many bytes; `drip`: that event is waited for midway."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    drip: threading.Event | None = None


@dataclass
class Asked:
    """What was asked for."""

    path: str
    headers: dict[str, str]
    body: Any


class ModelService:
    """Answers by `answer`, but first with the replies that are waiting in `replies`."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.replies: deque[Reply] = deque()
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Reply] = speak
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        # Closing waits for the threads, so that no connection outlives a test.
        self._server.daemon_threads = False
        self._scheme = "https" if tls else "http"
        if tls:
            # The handshake is made by the thread that reads, so that a client that refuses it stops nobody.
            listening = self._server.socket
            self._server.socket = tls.wrap_socket(listening, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 10

            def handle(self) -> None:
                # Who gave up, or does not trust our certificate, is gone without a word.
                with suppress(OSError):
                    super().handle()

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(data))
                service.asked.append(asked)
                reply = service.replies.popleft() if service.replies else service.answer(asked)
                self._send(reply)

            def _send(self, reply: Reply) -> None:
                data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
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


_MODEL = FakeEmbedder(EmbeddingSettings(dimension=DIMENSION))


def vectors_of(texts: list[str]) -> list[list[float]]:
    """Vectors that mean something, three times as long as a unit."""
    return [[float(3 * number) for number in row] for row in _MODEL.embed_passages(texts)]


def speak(asked: Asked) -> Reply:
    """The three interfaces."""
    if asked.path.endswith("/embeddings"):
        vectors = vectors_of(asked.body["input"])
        rows = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(vectors)]
        return Reply({"object": "list", "data": rows, "model": asked.body["model"], "usage": {"prompt_tokens": 1}})
    if asked.path == "/api/embed":
        return Reply({"model": asked.body["model"], "embeddings": vectors_of(asked.body["input"]), "total_duration": 1})
    if asked.path.endswith("/rerank"):
        query, *rows = _MODEL.embed_passages([asked.body["query"], *asked.body["documents"]])
        scores = [(place, max(0.0, float(query @ row))) for place, row in enumerate(rows)]
        best_first = sorted(scores, key=lambda item: -item[1])
        return Reply({"results": [{"index": place, "relevance_score": min(1.0, score)} for place, score in best_first]})
    return Reply({"error": {"message": f"no such address {asked.path}"}}, 404)
