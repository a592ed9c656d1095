"""A library of a module's own, with documents of every kind of permission, for what agents read by address and complete."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from ragd.client.asgi import AsgiConnection
from ragd.config.service import McpSettings
from ragd.mcp.library import Library
from ragd.mcp.server import LibraryServer

from ..api.asked_cloud import Cloud, cloud_in, opened, picture
from .test_names import error_of

Conversation = Callable[[Client], Awaitable[Any]]

PICTURE = base64.b64decode(picture().partition(",")[2])

NAMES = ("経費 規程", "HR..policies", "C: 100% [a]?#")
"""Collections beside `default`, by names that mean something in addresses, paths or Markdown."""


class Bearing(AsgiConnection):
    """A connection of one person, with the headers that they send."""

    def __init__(self, api: Any, headers: Mapping[str, str]) -> None:
        super().__init__(api, "a-token-for-tests")
        self._headers = headers

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        request.headers.update(self._headers)
        return await super().send(request)


@dataclass
class Reader:
    """What reads, with or without the token that may read the restricted page."""

    cloud: Cloud
    max_chars: int = 2_000
    servers: dict[str | None, LibraryServer] = field(default_factory=dict)

    def server(self, token: str | None) -> LibraryServer:
        """The server of a person with this token."""
        if token not in self.servers:
            connection = Bearing(self.cloud.client.app, self.cloud.headers(token))
            self.servers[token] = LibraryServer(Library(connection, McpSettings(max_chars=self.max_chars)))
        return self.servers[token]

    def talk(self, conversation: Conversation, token: str | None = None, **options: Any) -> Any:
        async def connected() -> Any:
            async with Client(self.server(token), **options) as client:
                return await conversation(client)

        return anyio.run(connected)

    def contents(self, uri: str, token: str | None = None) -> Any:
        """What stands at an address."""

        async def conversation(client: Client) -> Any:
            return (await client.read_resource(uri)).contents

        (found,) = self.talk(conversation, token)
        assert found.uri == uri
        return found

    def refusal(self, uri: str, token: str | None = None, **options: Any) -> MCPError:
        """The error of an address that must not be read."""

        async def conversation(client: Client) -> MCPError:
            return await error_of(client.read_resource(uri))

        error: MCPError = self.talk(conversation, token, **options)
        return error

    def read(self, paths: list[Path], collection: str = "default") -> None:
        """Take documents in, by REST."""
        body = {"paths": list(map(str, paths)), "collection": collection}
        self.cloud.finish(self.cloud.client.post("/api/ingest", json=body).json()["job_id"])

    def ids(self, collection: str = "") -> dict[str, str]:
        """Source -> id of the documents that anybody may read."""
        found = self.cloud.client.get(
            "/api/documents", params={"page_size": 100} | ({"collection": collection} if collection else {})
        )
        return {row["source"]: row["id"] for row in found.json()["items"] if not row.get("restricted")}


@contextmanager
def reading(folder: Path) -> Iterator[Reader]:
    with opened(folder) as (client, app), cloud_in(client, app) as cloud:
        reader = Reader(cloud)
        texts = folder / "texts"
        texts.mkdir()
        (texts / "photo.png").write_bytes(PICTURE)
        long = "".join(f"Line {number} of a long text.\n\n" for number in range(200))
        (texts / "shown.md").write_text("# Shown [1]\n\nA picture.\n\n![photo](photo.png)\n", encoding="utf-8")
        (texts / "long.md").write_text(f"# Long\n\n{long}", encoding="utf-8")
        reader.read([texts / "shown.md", texts / "long.md"])
        for name in NAMES:
            client.post("/api/collections", json={"name": name, "description": f"About *{name}*."})
        (texts / "経費.md").write_text("# 経費\n\n経費の精算は月末までに申請する。\n", encoding="utf-8")
        reader.read([texts / "経費.md"], NAMES[0])
        yield reader
