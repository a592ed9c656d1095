"""At a hit, over the double: each person sees what the site lets their own token read, at this moment."""

from __future__ import annotations

import time

import pytest

from ragd.core.query import QueryRequest
from ragd.retrieve.pipeline import QueryResult

from .conftest import Cloud, Opened

pytestmark = pytest.mark.slow

FACES = ("confluence_cloud", "confluence_dc", "jira_cloud", "jira_dc")
MARKER = "zebrafishledger"


def person(cloud: Cloud, name: str) -> str:
    """A new person who may read everything; the token as it comes with a question."""
    world = cloud.world
    token = world.token(name, kind="api_token" if cloud.deployment == "cloud" else "pat")
    world.grant(token, "space:*", "project:*")
    return token


def as_asked(cloud: Cloud, token: str, name: str) -> str:
    return f"{name}@example.com:{token}" if cloud.deployment == "cloud" else token


def one_item(cloud: Cloud) -> tuple[str, str]:
    """An item with a word of its own: its id in the ledger, and what the double calls it."""
    world = cloud.world
    if cloud.is_confluence:
        page = next(page for page in world.pages.values() if page.kind == "page")
        world.edit_page(page.id, body=f"<p>The {MARKER} is kept in the north tower.</p>")
        return f"page/{page.id}", page.id
    issue = next(iter(world.issues.values()))
    world.edit_issue(issue.key, description=f"The {MARKER} is kept in the north tower.")
    return f"issue/{issue.id}", issue.key


def change(cloud: Cloud, name: str, text: str) -> None:
    if cloud.is_confluence:
        cloud.world.edit_page(name, body=f"<p>{text}</p>")
    else:
        cloud.world.edit_issue(name, description=text)


@pytest.mark.parametrize("face", FACES)
def test_a_person_sees_what_their_own_token_reads_now(open_cloud: Opened, face: str) -> None:
    # Room for a busy machine; that the budget bounds a question is another test's concern.
    cloud = open_cloud(face, pages=25, issues=25, settings={"live.budget_ms": 10_000, "live.cache_ttl": 0})
    item_id, name = one_item(cloud)
    source = cloud.add()
    reader, other = person(cloud, "reader"), person(cloud, "other")
    cloud.world.deny(other, item_id)

    def ask(token: str | None, who: str) -> QueryResult:
        tokens = {source.source_id: as_asked(cloud, token, who)} if token else {}
        return cloud.app.search.query(QueryRequest(f"Where is the {MARKER} kept?", source_tokens=tokens))

    def found(result: QueryResult) -> list[str]:
        return [hit.passage.content for hit in result.hits if MARKER in hit.passage.content]

    first = ask(reader, "reader")
    assert "north tower" in found(first)[0]
    assert not first.live["unverified"]
    assert not first.live["forbidden"]
    assert found(ask(None, "")) == []
    denied = ask(other, "other")
    assert found(denied) == []
    assert denied.live["forbidden"] >= 1

    change(cloud, name, f"The {MARKER} is kept in the cellar now.")
    newer = ask(reader, "reader")
    assert "cellar" in found(newer)[0]
    assert newer.live["refreshed"] >= 1

    cloud.world.deny(reader, item_id)
    assert found(ask(reader, "reader")) == []


def test_asking_adds_less_than_the_budget(open_cloud: Opened) -> None:
    # The other side answers far later than a client would wait: only the budget of 0.8 s can end a question.
    cloud = open_cloud("confluence_cloud", pages=25, settings={"live.cache_ttl": 0, "sync.timeout_s": 300.0})
    one_item(cloud)
    source = cloud.add()
    token = as_asked(cloud, person(cloud, "reader"), "reader")
    cloud.world.faults.fail("/api/v2/pages", kind="delay", delay_s=600.0)
    for _ in range(2):
        began = time.monotonic()
        result = cloud.app.search.query(QueryRequest(f"Where is the {MARKER} kept?", source_tokens={source.source_id: token}))
        assert time.monotonic() - began < 120
        assert result.live["unverified"]
        assert "live_unverified" in result.degraded
