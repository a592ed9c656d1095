"""A double of Confluence with one face to read, and what the tests of the source do with it again and again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ragd.sources.base import Fetched, HttpOptions, Listed, Unfetched
from ragd.sources.confluence.source import ConfluenceSource

from ....atlassian_server import Page, World, serve

LIMIT = 50 << 20
DEPLOYMENTS = ("cloud", "data_center")


@dataclass
class Site:
    """A world, one face of it, and sources that read it."""

    world: World
    base_url: str
    deployment: str
    opened: list[ConfluenceSource]

    def token(self, name: str, *rights: str) -> str:
        kind = "api_token" if self.deployment == "cloud" else "pat"
        token = self.world.token(name, kind=kind)
        self.world.grant(token, *rights)
        return token

    def open(self, token: str = "", email: str = "indexer@example.com", **config: Any) -> ConfluenceSource:
        token = token or self.token("indexer", "space:*")
        http = HttpOptions(pause=lambda _seconds: None, requests_per_minute=100_000, attempts=2, allowed_hosts=("*",))
        source = ConfluenceSource(ConfluenceSource.parse_config(self.config(email=email, **config)), token, http)
        self.opened.append(source)
        return source

    def config(self, email: str = "indexer@example.com", **more: Any) -> dict[str, Any]:
        auth = {"kind": "api_token", "email": email} if self.deployment == "cloud" else {"kind": "pat"}
        return {"base_url": self.base_url, "deployment": self.deployment, "auth": {**auth, "token": "request"}, **more}

    def asked(self) -> int:
        return len(self.world.requests)

    def page(self, wanted: Callable[[Page], object] = lambda _page: True) -> Page:
        """A page that anybody may read and that is no space's home."""
        open_pages = (page for page in self.world.pages.values() if page.kind == "page" and page.readers is None and page.parent)
        return next(page for page in open_pages if wanted(page))

    def close(self) -> None:
        for source in self.opened:
            source.close()


def opened_site(deployment: str) -> Iterator[Site]:
    """A small world, served."""
    world = World(seed=3, spaces=2, pages=90, projects=0, issues=0)
    with serve(world) as served:
        base = served.confluence_cloud if deployment == "cloud" else served.confluence_dc
        made = Site(world, base, deployment, [])
        yield made
        made.close()


def stored(items: Iterator[Listed] | list[Listed]) -> list[Listed]:
    """Items as the ledger gives them back: without fingerprints, hints through JSON."""
    return [replace(item, fingerprint=None, hint=json.loads(json.dumps(item.hint))) for item in items if not item.left_out]


def fetched(source: ConfluenceSource, *items: Listed) -> dict[str, Fetched]:
    answers = list(source.fetch(stored(list(items))))
    assert [answer for answer in answers if isinstance(answer, Unfetched)] == []
    return {answer.id: answer for answer in answers if isinstance(answer, Fetched)}


def content(answer: Fetched) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(answer.load(LIMIT))
    return made


def by_id(items: Iterator[Listed]) -> dict[str, Listed]:
    found = list(items)
    assert len({item.id for item in found}) == len(found)
    return {item.id: item for item in found}
