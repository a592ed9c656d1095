"""Confluence and Jira, Cloud and Data Center, held to the contract of a source over the double."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from tests.atlassian_server import Served, World, serve

from ragd.sources.base import CloudSource
from ragd.sources.confluence.source import ConfluenceSource
from ragd.sources.jira.source import JiraSource
from ragd.testing import CloudSourceContract

pytestmark = pytest.mark.slow

EMAIL = "bot@example.com"


class Remote:
    """One face of the double. Each test adds what it needs; what others added stays."""

    def __init__(self, world: World, base_url: str, deployment: str) -> None:
        cloud = deployment == "cloud"
        kind: Any = "api_token" if cloud else "pat"
        self.world = world
        number = len(world.accounts)
        self.token = world.token(f"bot{number}", email=EMAIL, kind=kind, admin=True)
        reader = world.token(f"reader{number}", email="reader@example.com", kind=kind, admin=True)
        self.own = {self.token: self.token, reader: reader, f"reader@example.com:{reader}": reader}
        self.reader = f"reader@example.com:{reader}" if cloud else reader
        auth = {"kind": kind, "token": "env:SITE_TOKEN"} | ({"email": EMAIL} if cloud else {})
        self.config: dict[str, Any] = {"base_url": base_url, "deployment": deployment, "auth": auth}
        self.wrong: dict[str, dict[str, Any]] = {
            "config.base_url": {**self.config, "base_url": "ftp://wiki.example.com"},
            "config.auth.token": {**self.config, "auth": {**auth, "token": "a-literal-token"}},
            "config.include": {**self.config, "include": 7},
        }

    def now(self) -> datetime:
        now: datetime = self.world.clock.now()
        return now

    def forbid(self, item_id: str, token: str) -> None:
        self.world.deny(self.own[token], item_id)

    def stop(self) -> None:
        self.world.faults.fail(".*", status=503)


class Confluence(Remote):
    def add(self, title: str, text: str) -> str:
        self.world.clock.advance(60)
        space = next(iter(self.world.spaces))
        page = self.world.add_page(space, None, f"{title} {len(self.world.pages)}", f"<p>{text}</p>")
        return f"page/{page.id}"

    def change(self, item_id: str, text: str) -> None:
        self.world.clock.advance(60)
        self.world.edit_page(item_id, body=f"<p>{text}</p>")

    def remove(self, item_id: str) -> None:
        self.world.delete_page(item_id)


class Jira(Remote):
    def add(self, title: str, text: str) -> str:
        self.world.clock.advance(60)
        return f"issue/{self.world.add_issue(next(iter(self.world.projects)), title, text).id}"

    def change(self, item_id: str, text: str) -> None:
        self.world.clock.advance(60)
        self.world.edit_issue(item_id, description=text)

    def remove(self, item_id: str) -> None:
        self.world.delete_issue(item_id)


@pytest.fixture(scope="module")
def world() -> World:
    return World(spaces=2, pages=8, projects=2, issues=6)


@pytest.fixture(scope="module")
def served(world: World) -> Iterator[Served]:
    with serve(world) as served:
        yield served


@pytest.fixture
def calm(world: World) -> Iterator[World]:
    yield world
    world.faults.clear()


class TestConfluenceCloud(CloudSourceContract):
    @pytest.fixture
    def source_class(self) -> type[CloudSource]:
        return ConfluenceSource

    @pytest.fixture
    def remote(self, calm: World, served: Served) -> Remote:
        return Confluence(calm, served.confluence_cloud, "cloud")


class TestConfluenceDataCenter(CloudSourceContract):
    @pytest.fixture
    def source_class(self) -> type[CloudSource]:
        return ConfluenceSource

    @pytest.fixture
    def remote(self, calm: World, served: Served) -> Remote:
        return Confluence(calm, served.confluence_dc, "data_center")


class TestJiraCloud(CloudSourceContract):
    @pytest.fixture
    def source_class(self) -> type[CloudSource]:
        return JiraSource

    @pytest.fixture
    def remote(self, calm: World, served: Served) -> Remote:
        return Jira(calm, served.jira_cloud, "cloud")


class TestJiraDataCenter(CloudSourceContract):
    @pytest.fixture
    def source_class(self) -> type[CloudSource]:
        return JiraSource

    @pytest.fixture
    def remote(self, calm: World, served: Served) -> Remote:
        return Jira(calm, served.jira_dc, "data_center")
