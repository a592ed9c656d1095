"""A local service that speaks the wire formats of OpenAI's chat completions and Anthropic's messages, and answers by a script."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final

_LOOK_EVERY: Final = 0.02


@dataclass(frozen=True, slots=True)
class Scripted:
    """How one request is answered.

    `status` other than 200 sends `body` (or an error in the service's own shape). `body` with status 200 is sent in place of
    events. `cut` breaks the connection after the pieces; `hold` waits, after so many pieces, until the client goes away.
    """

    pieces: tuple[str, ...] = ("Hello", " there")
    finish: str = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    message: str = "it went wrong"
    cut: bool = False
    hold: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class ChatServer:
    """Use as a context manager. The scripts are used up in order; the last one answers all further requests."""

    def __init__(self, *scripts: Scripted) -> None:
        self.scripts = list(scripts) or [Scripted()]
        self.asked: list[Asked] = []
        self.gone = threading.Event()
        """Set when a client went away while an answer was held."""
        self.holding = threading.Event()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def take(self, asked: Asked) -> Scripted:
        """Note a request, and give the script that answers it."""
        with self._lock:
            self.asked.append(asked)
            return self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]

    def wait_for_absence(self, connection: socket.socket) -> None:
        """Until the client has gone, or the service is to close."""
        self.holding.set()
        while not self._closing.is_set():
            if select.select([connection], [], [], _LOOK_EVERY)[0] and not connection.recv(1, socket.MSG_PEEK):
                self.gone.set()
                return

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                script = server.take(Asked(self.path, dict(self.headers), body))
                self.close_connection = True
                try:
                    self._answer(script, anthropic=self.path.partition("?")[0].endswith("/messages"))
                except OSError:
                    server.gone.set()

            def _answer(self, script: Scripted, *, anthropic: bool) -> None:
                if script.hold == 0:
                    server.wait_for_absence(self.connection)
                    return
                if script.status != 200 or script.body is not None:
                    error = {"error": {"message": script.message, "type": "some_error"}}
                    text = json.dumps(error) if script.body is None else script.body
                    self._head(script, "application/json" if script.body is None else "text/html")
                    self._chunk(text.encode())
                    self._chunk(b"")
                    return
                self._head(script, "text/event-stream")
                events = _anthropic_events(script) if anthropic else _openai_events(script)
                for number, event in enumerate(events):
                    if script.cut and number > len(script.pieces):
                        self.connection.shutdown(socket.SHUT_RDWR)
                        return
                    if script.hold is not None and number > script.hold:
                        server.wait_for_absence(self.connection)
                        return
                    self._chunk(event.encode())
                self._chunk(b"")

            def _head(self, script: Scripted, content_type: str) -> None:
                self.send_response(script.status)
                for name, value in {"Content-Type": content_type, "Transfer-Encoding": "chunked", **script.headers}.items():
                    self.send_header(name, value)
                self.end_headers()

            def _chunk(self, data: bytes) -> None:
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: a test says what went wrong."""

        return Handler


def _openai_events(script: Scripted) -> Iterator[str]:
    """One event before the pieces, one for each, and those of the end."""

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    for piece in script.pieces:
        yield chunk({"content": piece})
    yield chunk({}, script.finish)
    usage = {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}
    yield f"data: {json.dumps({'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def _anthropic_events(script: Scripted) -> Iterator[str]:
    """As `_openai_events`, in Anthropic's format."""

    def event(kind: str, **data: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"

    usage = {"input_tokens": 11, "output_tokens": 1}
    message = {"id": "m1", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": usage}
    start = event("message_start", message={**message, "stop_reason": None, "stop_sequence": None})
    yield start + event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in script.pieces:
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    stop = {"stop": "end_turn", "length": "max_tokens"}.get(script.finish, script.finish)
    yield event("content_block_stop", index=0)
    yield event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 2})
    yield event("message_stop")
