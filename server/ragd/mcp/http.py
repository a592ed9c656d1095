"""MCP by Streamable HTTP at `/mcp` of the daemon, behind the middleware that checks REST's requests."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from anyio.abc import TaskStatus
from fastapi import FastAPI
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragd.api.middleware.security import AGENTS_PATH
from ragd.client.asgi import AsgiConnection
from ragd.config.policy import mcp_verdict
from ragd.config.service import McpSettings
from ragd.config.settings import Settings
from ragd.mcp.library import Library
from ragd.mcp.server import LibraryServer

MAX_SESSIONS: Final = 256
"""Sessions of the 2025 protocols at once. One person's programs have a handful, but many clients never end theirs, and each may
hold a connection open: this many fit into the 1,024 files that a process may usually have open. 2026-07-28 knows no sessions."""

SESSION_IDLE_S: Final = 30 * 60.0
"""Seconds after which a session that asks nothing and holds no stream is forgotten. Its client gets 404 and begins a new one."""

_LOOK_EVERY_S: Final = 0.2
_LAST_CALLS_S: Final = 1.5
"""Seconds that a stopping daemon gives to calls that are being answered, before it ends their sessions."""


class _Agents:
    """The SDK's application, which a policy may close at any time, and which counts the calls that it is answering."""

    def __init__(self, app: ASGIApp, settings: McpSettings) -> None:
        self.calls = 0
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A policy that comes while the daemon runs counts from then on, as it would had it been there at the start.
        if not mcp_verdict(self._settings, "http").on:
            raise HTTPException(404)
        call = scope["method"] == "POST"
        self.calls += call
        try:
            await self._app(scope, _whole(receive), send)
        finally:
            self.calls -= call


def _whole(receive: Receive) -> Receive:
    """The body as it comes; raises `ClientDisconnect` when it breaks off, which the SDK would log as a failure of its own."""
    complete = False

    async def whole() -> Message:
        nonlocal complete
        message = await receive()
        if message["type"] == "http.request":
            complete = not message.get("more_body", False)
        elif not complete:
            raise ClientDisconnect
        return message

    return whole


def serve_agents(
    api: FastAPI, rest: ASGIApp, settings: Settings, stopping: threading.Event, *, with_sessions: bool = True
) -> None:
    """Add `/mcp` to `api`, behind its middleware. Its tools ask `rest`, another API of the same app, as their caller.

    Sessions end soon after `stopping` is set, so that no open stream keeps the daemon from ending. Without them each message of
    the 2025 protocols stands alone, and may come to another process: progress comes all the same, a call can't be cancelled.
    """
    connection, roots = AsgiConnection(rest), settings.security.allowed_roots
    server = LibraryServer(Library(connection, settings.mcp, roots, ending=stopping.is_set))
    server.streamable_http_app(
        max_request_body_size=settings.limits.max_body_size,
        stateless_http=not with_sessions,
        max_sessions=MAX_SESSIONS,
        session_idle_timeout=SESSION_IDLE_S,
        # `AuthMiddleware` checks Host and Origin, more strictly. The SDK would refuse some of what it allows, and log headers.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    sessions = server.session_manager
    agents = _Agents(sessions.asgi_app, settings.mcp)
    api.router.routes.append(Route(AGENTS_PATH, endpoint=agents))

    async def serve(*, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        async with sessions.run():
            task_status.started()
            while not stopping.is_set():
                await anyio.sleep(_LOOK_EVERY_S)
            with anyio.move_on_after(_LAST_CALLS_S):
                while agents.calls:
                    await anyio.sleep(_LOOK_EVERY_S / 4)

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            await group.start(serve)
            yield
            group.cancel_scope.cancel()

    api.router.lifespan_context = lifespan
