"""The client for programs that do several things at a time: MCP's tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2

from ragd.client.errors import checked
from ragd.client.requests import MAX_PAGE_SIZE, request
from ragd.core.sse import parse_events


class Connection(Protocol):
    """Carries a request to the API and its whole answer back. It adds the address and the token."""

    async def send(self, request: httpx2.Request) -> httpx2.Response:
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

    async def rows(self, path: str, limit: int, **params: Any) -> tuple[list[dict[str, Any]], int]:
        """The first rows of a list, `limit` at most, and how many there are."""
        rows: dict[str, dict[str, Any]] = {}
        for page in range(1, limit // MAX_PAGE_SIZE + 1):
            found = await self.get(path, page=page, page_size=MAX_PAGE_SIZE, **params)
            # A row that moved to the next page while the pages were read is there once.
            rows |= {row.get("id") or row["chunk_id"]: row for row in found["items"]}
            if page * MAX_PAGE_SIZE >= found["total"]:
                break
        return list(rows.values()), found["total"]

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

    async def _send(self, method: str, path: str, **parts: Any) -> httpx2.Response:
        response = await self._connection.send(request(method, path, self._headers, **parts))
        self.trace_id = response.headers.get("X-Request-ID", "")
        return checked(response)
