"""MCP by Streamable HTTP at `/mcp` of the daemon, behind the same door as REST: Host, Origin, token, readiness, body size."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import httpx
from anyio.abc import TaskStatus
from fastapi import FastAPI
from starlette.types import ASGIApp

from rag_assistant.mcp.library import Library
from rag_assistant.mcp.server import LibraryServer
from rag_assistant.settings import Settings

PATH: Final = "/mcp"

_LOOK_EVERY: Final = 0.2
"""Seconds between two looks whether the daemon is to end."""


class InProcess:
    """A connection to an API of this process, asked through ASGI instead of a socket."""

    def __init__(self, api: ASGIApp, token: str) -> None:
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(api, raise_app_exceptions=False), timeout=None)
        self._authorization = f"Bearer {token}"

    async def send(self, request: httpx.Request) -> httpx.Response:
        request.headers["Authorization"] = self._authorization
        return await self._http.send(request)


def serve_agents(api: FastAPI, rest: ASGIApp, token: str, settings: Settings, stopping: threading.Event) -> None:
    """Add `/mcp` to `api`. Its tools ask `rest`, another front of the same engine, with `token`.

    Sessions end when `stopping` is set, so that no open stream keeps the daemon from ending.
    """
    server = LibraryServer(Library(InProcess(rest, token), settings.mcp, settings.security.allowed_roots))
    door = server.streamable_http_app(streamable_http_path=PATH, max_request_body_size=settings.limits.max_body_size)
    api.router.routes.extend(door.routes)
    sessions = server.session_manager

    async def serve(*, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        async with sessions.run():
            task_status.started()
            while not stopping.is_set():
                await anyio.sleep(_LOOK_EVERY)

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            await group.start(serve)
            yield
            group.cancel_scope.cancel()

    api.router.lifespan_context = lifespan
