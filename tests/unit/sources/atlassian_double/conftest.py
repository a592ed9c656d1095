"""Somebody with a token for each deployment who asks the double over real sockets."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from ....atlassian_server import Served, World, serve

NEVER = "9999999"


def get(url: str, context: ssl.SSLContext | None = None, **options: Any) -> httpx2.Response:
    """As somebody new. Without a context no certificates are loaded, which takes longer than the answer."""
    return httpx2.get(url, verify=context or False, timeout=300, **options)


class Caller:
    """Somebody with a token for each deployment who asks the double."""

    def __init__(self, world: World, served: Served, name: str = "reader", *rights: str) -> None:
        self.served = served
        self.token = world.token(name)
        self.pat = world.token(f"{name}-pat", kind="pat")
        for token in (self.token, self.pat):
            world.grant(token, *rights)
        self.cloud = httpx2.Client(verify=False, timeout=300, auth=(f"{name}@example.com", self.token))
        self.dc = httpx2.Client(verify=False, timeout=300, headers={"Authorization": f"Bearer {self.pat}"})

    def wiki(self, path: str, **params: Any) -> httpx2.Response:
        return self.cloud.get(self.served.confluence_cloud + path, params=params or None)

    def confluence(self, path: str, **params: Any) -> httpx2.Response:
        return self.dc.get(self.served.confluence_dc + path, params=params or None)

    def jira(self, path: str, **params: Any) -> httpx2.Response:
        return self.cloud.get(self.served.jira_cloud + path, params=params or None)

    def jira_dc(self, path: str, **params: Any) -> httpx2.Response:
        return self.dc.get(self.served.jira_dc + path, params=params or None)

    def post(self, path: str, body: Any) -> httpx2.Response:
        return self.cloud.post(self.served.jira_cloud + path, json=body)

    def every(self, path: str, **params: Any) -> list[Any]:
        """All pages of a v2 listing."""
        answer = self.wiki(path, **params).json()
        found = answer["results"]
        while following := answer["_links"].get("next"):
            assert following.startswith("/wiki/api/v2/")
            answer = self.cloud.get(self.served.base + following).json()
            found += answer["results"]
        return list(found)

    def cql(self, query: str) -> set[str]:
        answer = self.wiki("/rest/api/content/search", cql=query, limit=250)
        assert answer.status_code == 200, answer.text
        assert "next" not in answer.json()["_links"], "more than one page"
        return {result["id"] for result in answer.json()["results"]}

    def jql(self, query: str) -> set[str]:
        answer = self.jira("/rest/api/3/search/jql", jql=query, maxResults=5000)
        assert answer.status_code == 200, answer.text
        return {issue["id"] for issue in answer.json()["issues"]}

    def close(self) -> None:
        self.cloud.close()
        self.dc.close()


@pytest.fixture
def world() -> World:
    return World(seed=1, spaces=2, pages=120, projects=2, issues=130)


@pytest.fixture
def served(world: World) -> Iterator[Served]:
    with serve(world) as addresses:
        yield addresses


@pytest.fixture
def caller(world: World, served: Served) -> Iterator[Caller]:
    opened = Caller(world, served, "reader", "space:*", "project:*")
    yield opened
    opened.close()
