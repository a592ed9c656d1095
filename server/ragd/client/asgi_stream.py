"""An answer of an ASGI app as it comes. The transport of httpx hands it over only when it is whole."""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import httpx

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message

_Part = tuple[int, list[tuple[bytes, bytes]]] | bytes | None

# Seconds of one wait for the next part: on Windows, Ctrl-C does not end a longer one.
_LOOK_EVERY: Final = 0.2
# Seconds that an app may take to notice that nobody listens any more.
_PATIENCE: Final = 10.0


class _Exchange(httpx.SyncByteStream):
    """One request that the app answers in the loop's thread, and the parts of the answer that have come."""

    def __init__(self, api: ASGIApp, request: httpx.Request, loop: asyncio.AbstractEventLoop) -> None:
        self._parts: queue.SimpleQueue[_Part] = queue.SimpleQueue()
        self._loop = loop
        self._gone = asyncio.Event()
        self._running = asyncio.run_coroutine_threadsafe(self._serve(api, request), loop)
        self._running.add_done_callback(lambda _: self._parts.put(None))

    def begin(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Status and headers. Raises `RemoteProtocolError` when the app fails before them."""
        part = self._next()
        if not isinstance(part, tuple):
            raise httpx.RemoteProtocolError("The service ended before it answered.")
        return part

    def __iter__(self) -> Iterator[bytes]:
        while isinstance(part := self._next(), bytes):
            yield part

    def close(self) -> None:
        """Tell the app that nobody listens any more, and wait until it has noticed."""
        self._loop.call_soon_threadsafe(self._gone.set)
        concurrent.futures.wait([self._running], _PATIENCE)

    def _next(self) -> _Part:
        while True:
            try:
                return self._parts.get(timeout=_LOOK_EVERY)
            except queue.Empty:
                continue

    async def _serve(self, api: ASGIApp, request: httpx.Request) -> None:
        unread = [request.read()]

        async def receive() -> Message:
            if unread:
                return {"type": "http.request", "body": unread.pop(), "more_body": False}
            await self._gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._parts.put((message["status"], list(message.get("headers", ()))))
            elif message["type"] == "http.response.body" and message.get("body"):
                self._parts.put(message["body"])

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "server": (request.url.host, request.url.port),
            "client": ("127.0.0.1", 0),
        }
        await api(scope, receive, send)


def open_stream(api: ASGIApp, request: httpx.Request, loop: asyncio.AbstractEventLoop) -> httpx.Response:
    """The answer as soon as it begins; its body is read as it comes, and closing it ends the request."""
    exchange = _Exchange(api, request, loop)
    try:
        status, headers = exchange.begin()
    except BaseException:
        exchange.close()
        raise
    return httpx.Response(status, headers=headers, stream=exchange, request=request)
