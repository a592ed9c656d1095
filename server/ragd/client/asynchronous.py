"""The client for programs that do several things at a time: MCP's tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from ragd.client.errors import checked
from ragd.client.requests import request
from ragd.core.sse import parse_events


class Connection(Protocol):
    """Carries a request to the API and its whole answer back. It adds the address and the token."""

    async def send(self, request: httpx.Request) -> httpx.Response:
        """Raises `ServiceUnavailable` when nobody answers."""
        ...


@dataclass(slots=True)
class AsyncClient:
    """Requests by path, with the same headers for each. Every method raises `ApiError`, or `ServiceUnavailable`.

    `trace_id` is that of the last answer: the request's id, under which the daemon's log has more about it.
    """

    _connection: Connection
    _headers: Mapping[str, str]
    trace_id: str = ""

    async def get(self, path: str, **params: Any) -> Any:
        return (await self._send("GET", path, params=params)).json()

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """`body` without what is None."""
        given = {key: value for key, value in body.items() if value is not None}
        return (await self._send("POST", path, body=given)).json()

    async def events(self, path: str, body: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """All server-sent events of an answer, by name, once it is whole."""
        return list(parse_events([(await self._send("POST", path, body=body)).text]))

    async def delete(self, path: str) -> Any:
        response = await self._send("DELETE", path)
        return response.json() if response.content else None

    async def bytes(self, path: str, **params: Any) -> tuple[bytes, str]:
        """The body and its media type."""
        response = await self._send("GET", path, params=params)
        return response.content, response.headers.get("content-type", "").partition(";")[0]

    async def _send(self, method: str, path: str, **parts: Any) -> httpx.Response:
        response = await self._connection.send(request(method, path, self._headers, **parts))
        self.trace_id = response.headers.get("X-Request-ID", "")
        return checked(response)
