"""What every tool, resource and prompt has in hand: a way to ask, and the bounds of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp.server.mcpserver import Context

from rag_assistant.mcp.rest import Caller, Connection, source_tokens
from rag_assistant.settings import McpSettings

Ctx = Context[Any, Any]


@dataclass(frozen=True, slots=True)
class Library:
    """The index as agents see it. `headers` go with every request: the tokens of the person who runs `rag mcp`."""

    connection: Connection
    settings: McpSettings
    allowed_roots: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def caller(self, ctx: Ctx) -> Caller:
        """Asks for one call of a tool, with the tokens for cloud sources that came with it."""
        return Caller(self.connection, {**self.headers, **source_tokens(ctx.headers)})
