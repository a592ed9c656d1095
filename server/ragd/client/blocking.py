"""The client for programs that wait for each answer: the command line and tests."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol

import httpx2

from ragd.client.discovery import Daemon
from ragd.client.errors import checked, unanswered
from ragd.client.requests import MAX_PAGE_SIZE, request
from ragd.core.sse import parse_events

# A query may wait for a batch of an ingestion; a deletion for thousands of entries.
_ANSWER_TIMEOUT_S: Final = 120.0


class _Transport(Protocol):
    """Carries one request to the API and its answer back."""

    def send(self, request: httpx2.Request, *, stream: bool = False) -> httpx2.Response:
        """The answer; with `stream` as soon as it begins, its body as it comes. Closing it then ends the request."""
        ...

    def close(self) -> None: ...


class Client:
    """Requests by path. Every method raises `ApiError`, or `ServiceUnavailable` when nobody answers."""

    def __init__(self, transport: _Transport, base_url: str, headers: Mapping[str, str], *, is_daemon: bool) -> None:
        self._transport = transport
        self._headers = dict(headers)
        self.address = base_url
        self.is_daemon = is_daemon
        """Whether a daemon answers; else the work is done by this process and ends with it."""

    @classmethod
    def of(cls, daemon: Daemon) -> Client:
        http = httpx2.Client(trust_env=False, timeout=_ANSWER_TIMEOUT_S)
        return cls(http, str(daemon.url).rstrip("/"), daemon.headers, is_daemon=True)

    def send_along(self, headers: Mapping[str, str]) -> None:
        """Headers that go with every request from now on."""
        self._headers.update(headers)

    def close(self) -> None:
        self._transport.close()

    def get(self, path: str, **params: Any) -> Any:
        return self._json("GET", path, params=params)

    def post(self, path: str, body: Mapping[str, Any] | None = None, **params: Any) -> Any:
        return self._json("POST", path, params=params, body=body)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._json("PATCH", path, body=body)

    def delete(self, path: str, **params: Any) -> Any:
        return self._json("DELETE", path, params=params)

    def events(self, path: str, body: Mapping[str, Any]) -> Generator[tuple[str, Any]]:
        """Server-sent events as they come: name and data. Closing the iterator ends the request."""
        response = self._send("POST", path, body=body, stream=True)
        try:
            yield from parse_events(response.iter_text())
        finally:
            response.close()

    @contextmanager
    def download(self, path: str) -> Iterator[httpx2.Response]:
        """An answer whose body comes as it is read. Nobody knows how long the first of it takes."""
        response = self._send("GET", path, stream=True, patient=True)
        try:
            yield response
        except httpx2.TransportError as error:
            raise unanswered(error) from error
        finally:
            response.close()

    def pages(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Every item of a list, page by page."""
        page = 1
        while True:
            found = self.get(path, page=page, page_size=MAX_PAGE_SIZE, **params)
            yield from found["items"]
            if not found["items"] or page * found["page_size"] >= found["total"]:
                return
            page += 1

    def _json(self, method: str, path: str, **parts: Any) -> Any:
        response = self._send(method, path, **parts)
        return response.json() if response.content else None

    def _send(self, method: str, path: str, *, stream: bool = False, patient: bool = False, **parts: Any) -> httpx2.Response:
        sent = request(method, path, self._headers, base_url=self.address, **parts)
        if patient:
            sent.extensions["timeout"] = {}
        try:
            response = self._transport.send(sent, stream=stream)
            if response.is_error:
                response.read()
        except httpx2.TransportError as error:
            raise unanswered(error) from error
        return checked(response)
