"""How tools ask the REST contract, wherever it is answered: in this process, or by a daemon elsewhere on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

import httpx
from starlette.datastructures import Headers

from ragd.api.middleware.headers import SOURCE_TOKEN
from ragd.core.errors import FieldProblem, RagError, ServiceUnavailable
from ragd.core.sse import parse_events

MAX_PAGE_SIZE = 100


def path(family: str, *segments: str) -> str:
    """The path of one thing of a family: `path("/api/documents", doc_id, "content")`.

    Agents choose ids, and the API decodes a path before it looks for the route. So it is not enough to quote an id: `%2F` would
    come out as a slash and lead to another route (`get_document_summary("ID/content")`), and `..` is resolved before it is sent.
    Here a slash arrives as the text `%2F`, which no id holds, and dots are quoted; the API then says that there is no such thing.
    """
    told = [quote(segment.replace("/", "%2F"), safe="", errors="replace").replace(".", "%2E") for segment in segments]
    return "/".join([family, *told])


class Connection(Protocol):
    """Carries a request to the API and its whole answer back. It adds the address and the token."""

    async def send(self, request: httpx.Request) -> httpx.Response:
        """Raises `ServiceUnavailable` when nobody answers."""
        ...


class Refused(RagError):
    """The API answered with an error: it has that error's code, status, details and request id."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        details = [FieldProblem(item["field"], item["code"], item["message"]) for item in error.get("details") or ()]
        super().__init__(error["message"], details=details)
        self.code = error["code"]
        self.status = status
        self.retryable = status == ServiceUnavailable.status
        self.request_id: str = error.get("request_id") or ""


@dataclass(slots=True)
class Caller:
    """Asks the API on behalf of one call of a tool. Every method raises `Refused`, or `ServiceUnavailable`.

    `trace_id` is that of the last answer: the request's id, under which the daemon's log tells about it.
    """

    _connection: Connection
    _headers: Mapping[str, str]
    trace_id: str = ""

    async def get(self, path: str, **params: Any) -> Any:
        return (await self._send("GET", path, params=params)).json()

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """`body` without what is None."""
        return (await self._send("POST", path, json={key: value for key, value in body.items() if value is not None})).json()

    async def events(self, path: str, body: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """All server-sent events of an answer, by name, once it is whole."""
        answer = await self._send("POST", path, json=body)
        return list(parse_events([answer.text]))

    async def delete(self, path: str) -> Any:
        answer = await self._send("DELETE", path)
        return answer.json() if answer.content else None

    async def bytes(self, path: str, **params: Any) -> tuple[bytes, str]:
        """The body and its media type."""
        answer = await self._send("GET", path, params=params)
        return answer.content, answer.headers.get("content-type", "").partition(";")[0]

    async def _send(self, method: str, path: str, *, params: Mapping[str, Any] | None = None, json: Any = None) -> httpx.Response:
        query = {name: value for name, value in (params or {}).items() if value is not None}
        # The connection knows the real address; this one only makes the request well-formed.
        request = httpx.Request(method, f"http://127.0.0.1{path}", params=query, json=json, headers=dict(self._headers))
        answer = await self._connection.send(request)
        self.trace_id = answer.headers.get("X-Request-ID", "")
        if answer.is_error:
            raise _refused(answer)
        return answer


def source_tokens(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Of the headers that a client sent, those that say what it may see: a token for each of several sources may be repeated."""
    given = headers.getlist(SOURCE_TOKEN) if isinstance(headers, Headers) else []
    return {SOURCE_TOKEN: ",".join(given)} if given else {}


def _refused(answer: httpx.Response) -> RagError:
    try:
        return Refused(answer.status_code, answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return ServiceUnavailable(f"The daemon answered with status {answer.status_code} and nothing that can be read.")
