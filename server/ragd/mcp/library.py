"""What every tool, resource and prompt has in hand: a way to ask, and the bounds of an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context
from starlette.datastructures import Headers

from ragd.api.middleware.headers import SOURCE_TOKEN
from ragd.client.asynchronous import AsyncClient, Connection
from ragd.config.service import McpSettings

Ctx = Context[Any, Any]


@dataclass(frozen=True, slots=True)
class Library:
    """The index as agents see it.

    `ending` says whether this process is about to end: then calls are cut off that nobody has cancelled.
    """

    connection: Connection
    settings: McpSettings
    allowed_roots: tuple[str, ...] = ()
    ending: Callable[[], bool] = lambda: False

    def client(self, ctx: Ctx | None = None) -> AsyncClient:
        """Asks for one call of a tool, as whoever sent it, with the tokens for cloud sources that came with it."""
        return AsyncClient(self.connection, _credentials(ctx.headers if ctx else None))

    def room(self, max_chars: int | None) -> int:
        """Characters of the text of one result: what a call asks for, and never more than the setting allows."""
        return min(max_chars or self.settings.max_chars, self.settings.max_chars)


def _credentials(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Of the headers that a client sent, those that say what it may see: a token for each of several sources may be repeated."""
    if not isinstance(headers, Headers):
        return {}
    given = headers.getlist(SOURCE_TOKEN)
    shown = {name: headers[name] for name in ("Authorization",) if name in headers}
    return shown | ({SOURCE_TOKEN: ",".join(given)} if given else {})
