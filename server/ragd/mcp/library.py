"""What every tool, resource and prompt has in hand: a way to ask, and the bounds of an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context

from ragd.client.rest import Caller, Connection, source_tokens
from ragd.config.settings import McpSettings

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

    def caller(self, ctx: Ctx | None = None) -> Caller:
        """Asks for one call of a tool, with the tokens for cloud sources that came with it."""
        return Caller(self.connection, source_tokens(ctx.headers if ctx else None))

    def room(self, max_chars: int | None) -> int:
        """Characters of the text of one result: what a call asks for, and never more than the setting allows."""
        return min(max_chars or self.settings.max_chars, self.settings.max_chars)
