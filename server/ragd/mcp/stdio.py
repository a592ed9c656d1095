"""MCP by stdio: one client, whose messages come on stdin. Stdout carries answers and nothing else."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import anyio
import httpx2
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage

from ragd.client.asynchronous import Connection
from ragd.client.connection import DaemonConnection, TokenHeaders
from ragd.client.launch import LaunchedDaemon
from ragd.config.loading import Directories
from ragd.config.policy import mcp_verdict
from ragd.config.service import McpSettings
from ragd.config.settings import Settings
from ragd.core.errors import CollectionUnavailable
from ragd.core.files import own_folder
from ragd.core.logs import CLI_LOG, logging_to
from ragd.mcp.library import Library
from ragd.mcp.server import LibraryServer

log = logging.getLogger(__name__)


def serve(settings: Settings, directories: Directories, token_headers: TokenHeaders | None = None) -> None:
    """Answer the client until it closes stdin; calls that are open then are given up."""
    own_folder(directories.data)
    # Before there is a server: the SDK would log to stderr, which clients show as an error.
    with logging_to(directories.logs, CLI_LOG, settings.observability.log_level), _ended_by_interrupt():
        log.info("serving agents by stdio")
        try:
            asyncio.run(_serve(settings, directories, token_headers))
        except* (BrokenPipeError, ConnectionResetError):
            log.info("the client has gone without taking its answers")


async def _serve(settings: Settings, directories: Directories, token_headers: TokenHeaders | None) -> None:
    launch = partial(LaunchedDaemon, directories, settings.mcp.daemon_idle_s)
    connection = DaemonConnection(directories.data, launch, token_headers)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(connection.stay)
            # From here on whatever else is printed goes to stderr: the SDK has stdout for itself.
            async with stdio_server() as (received, sent):
                messages = _Messages(received)
                library = Library(
                    Permitted(connection, settings.mcp), settings.mcp, settings.security.allowed_roots, ending=messages.have_ended
                )
                server = LibraryServer(library)._lowlevel_server
                await server.run(messages, sent, server.create_initialization_options())
            group.cancel_scope.cancel()
    finally:
        await connection.close()


@dataclass(frozen=True, slots=True)
class Permitted:
    """A connection for as long as MCP is on: a policy that comes meanwhile counts from then on."""

    connection: Connection
    settings: McpSettings

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        """Raises `CollectionUnavailable` when MCP has become forbidden."""
        verdict = mcp_verdict(self.settings, "stdio")
        if not verdict.on:
            raise CollectionUnavailable(verdict.reason)
        return await self.connection.send(request)


class _Messages:
    """What comes from the client, as the SDK reads it, and whether it has ended: calls are then cut off that nobody cancelled."""

    def __init__(self, received: ReadStream[SessionMessage | Exception]) -> None:
        self._received = received
        self._ended = False

    def have_ended(self) -> bool:
        return self._ended

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await self._received.receive()
        except anyio.EndOfStream:
            self._ended = True
            raise

    def __aiter__(self) -> _Messages:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        await self._received.aclose()

    async def __aenter__(self) -> _Messages:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@contextmanager
def _ended_by_interrupt() -> Generator[None, None, None]:
    """Ctrl-C ends the process at once: a thread waits for the next line of stdin, and Python would wait for the thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
