"""Messages of the protocol as they go over the wire, for clients that keep to no rule."""

from __future__ import annotations

import json
from typing import Any

import httpx2

TODAY = "2026-07-28"
BEFORE = "2025-11-25"

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": TODAY,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}

INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": BEFORE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def today(method: str, **params: Any) -> dict[str, Any]:
    """Headers and JSON of a request of 2026-07-28, which needs no session."""
    headers = ACCEPT | {"MCP-Protocol-Version": TODAY, "Mcp-Method": method}
    if name := params.get("name") or params.get("uri"):
        headers["Mcp-Name"] = name
    return {"headers": headers, "json": message(method, **params, _meta=_ENVELOPE)}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A call of a tool, in 2026-07-28."""
    return today("tools/call", name=tool, arguments=arguments)


def message(method: str, message_id: int | None = 1, **params: Any) -> dict[str, Any]:
    """A request; a notification where `message_id` is None."""
    known = {} if message_id is None else {"id": message_id}
    return {"jsonrpc": "2.0", **known, "method": method, "params": params}


class Session:
    """A session of 2025, spoken by hand."""

    def __init__(self, http: httpx2.Client, url: str = "/mcp") -> None:
        self._http = http
        self._url = url
        answer = http.post(url, headers=ACCEPT, json=INITIALIZE).raise_for_status()
        self.id = answer.headers["Mcp-Session-Id"]
        self.headers = ACCEPT | {"Mcp-Session-Id": self.id, "MCP-Protocol-Version": BEFORE}
        assert self.tell("notifications/initialized").status_code == 202

    def ask(self, method: str, message_id: int = 1, **params: Any) -> httpx2.Response:
        return self._http.post(self._url, headers=self.headers, json=message(method, message_id, **params))

    def tell(self, method: str, **params: Any) -> httpx2.Response:
        return self._http.post(self._url, headers=self.headers, json=message(method, None, **params))

    def end(self) -> httpx2.Response:
        return self._http.delete(self._url, headers=self.headers)


def reply(answer: httpx2.Response) -> dict[str, Any]:
    """The message of an answer, whether it came as JSON or as the last of a stream's events."""
    text = answer.text
    if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
        text = [line for line in text.splitlines() if line.startswith("data:")][-1].removeprefix("data:")
    return dict(json.loads(text))
