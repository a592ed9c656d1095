"""Requests to an API in this process, through ASGI instead of a socket.

The transport of httpx2 hands an answer over only when it is whole; `_Exchange` hands it over as it comes.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import httpx2

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message

_Part = tuple[int, list[tuple[bytes, bytes]]] | bytes | None

# Seconds of one wait for the next part: on Windows, Ctrl-C does not end a longer one.
_POLL_S: Final = 0.2
# Seconds that an app may take to notice that nobody listens any more.
_CLOSE_TIMEOUT_S: Final = 10.0


class _Exchange(httpx2.SyncByteStream):
    """One request that the app answers in the loop's thread, and the parts of the answer that have come."""

    def __init__(self, api: ASGIApp, request: httpx2.Request, loop: asyncio.AbstractEventLoop) -> None:
        self._parts: queue.SimpleQueue[_Part] = queue.SimpleQueue()
        self._loop = loop
        self._gone = asyncio.Event()
        self._running = asyncio.run_coroutine_threadsafe(self._serve(api, request), loop)
        self._running.add_done_callback(lambda _: self._parts.put(None))

    def begin(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Status and headers. Raises `RemoteProtocolError` when the app fails before them."""
        part = self._next()
        if not isinstance(part, tuple):
            raise httpx2.RemoteProtocolError("The service ended before it answered.")
        return part

    def __iter__(self) -> Iterator[bytes]:
        while isinstance(part := self._next(), bytes):
            yield part

    def close(self) -> None:
        """Signal the app that nobody listens any more, and wait until it has noticed."""
        self._loop.call_soon_threadsafe(self._gone.set)
        concurrent.futures.wait([self._running], _CLOSE_TIMEOUT_S)

    def _next(self) -> _Part:
        while True:
            try:
                return self._parts.get(timeout=_POLL_S)
            except queue.Empty:
                continue

    async def _serve(self, api: ASGIApp, request: httpx2.Request) -> None:
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


class AsgiConnection:
    """A connection for an `AsyncClient`."""

    def __init__(self, api: ASGIApp, token: str | None = None) -> None:
        """Without `token` each request brings its own."""
        self._http = _http_client(api)
        self._authorization = token and f"Bearer {token}"

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        if self._authorization:
            request.headers["Authorization"] = self._authorization
        return await self._http.send(request)


class AsgiTransport:
    """A transport for a `Client`. The app runs in an event loop of its own thread."""

    def __init__(self, api: ASGIApp) -> None:
        self._api = api
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="rag-api", daemon=True)
        self._thread.start()
        self._http = _http_client(api)

    def send(self, request: httpx2.Request, *, stream: bool = False) -> httpx2.Response:
        if not stream:
            return asyncio.run_coroutine_threadsafe(self._http.send(request), self._loop).result()
        exchange = _Exchange(self._api, request, self._loop)
        try:
            status, headers = exchange.begin()
        except BaseException:
            exchange.close()
            raise
        return httpx2.Response(status, headers=headers, stream=exchange, request=request)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._http.aclose(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _http_client(api: ASGIApp) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(api, raise_app_exceptions=False), timeout=None)
