"""The double pages as the real ones do, or tests of paging mean nothing."""

from __future__ import annotations

import pytest

from ....atlassian_server import Served, World, serve
from .conftest import Caller


def test_v2_caps_a_page_at_250_and_gives_cursors_below_wiki(caller: Caller) -> None:
    world = World(spaces=1, pages=300, projects=0, issues=0)
    with serve(world) as served:
        reader = Caller(world, served, "r", "space:*")
        first = reader.wiki("/api/v2/pages", limit=1000).json()
        assert len(first["results"]) <= 250
        assert first["_links"]["next"].startswith("/wiki/api/v2/pages?")
        assert first["_links"]["base"] == served.confluence_cloud
        found = {page["id"] for page in reader.every("/api/v2/pages", limit=1000)}
        found |= {post["id"] for post in reader.every("/api/v2/blogposts")}
        assert found == {page.id for page in world.readable_pages(reader.token)}
        reader.close()


def test_a_cursor_is_good_for_its_own_address_until_it_expires(world: World, served: Served, caller: Caller) -> None:
    following = caller.wiki("/api/v2/pages", limit=10).json()["_links"]["next"]
    assert caller.cloud.get(served.base + following).status_code == 200
    assert caller.cloud.get(served.base + following.replace("/pages", "/blogposts")).status_code == 400
    world.faults.expire_cursors()
    assert caller.cloud.get(served.base + following).status_code == 400


def test_the_next_of_v1_search_on_cloud_is_relative_to_the_base(caller: Caller) -> None:
    answer = caller.wiki("/rest/api/search", cql="type = page", limit=10).json()
    assert answer["_links"]["next"].startswith("/rest/api/search?")
    assert answer["totalSize"] > 10
    following = caller.cloud.get(answer["_links"]["base"] + answer["_links"]["next"]).json()
    assert {hit["content"]["id"] for hit in following["results"]}.isdisjoint(hit["content"]["id"] for hit in answer["results"])
    # Who counts by `start` reads the first page for ever.
    assert caller.wiki("/rest/api/search", cql="type = page", limit=10, start=10).json()["results"] == answer["results"]


def test_a_large_page_of_cloud_search_may_be_short_and_yet_not_the_last(caller: Caller, world: World) -> None:
    answer = caller.wiki("/rest/api/content/search", cql="type in (page, blogpost)", limit=60).json()
    assert answer["size"] < 60
    assert "totalSize" not in answer
    found = answer["results"]
    while following := answer["_links"].get("next"):
        answer = caller.cloud.get(answer["_links"]["base"] + following).json()
        found += answer["results"]
    assert sorted(entry["id"] for entry in found) == sorted(page.id for page in world.readable_pages(caller.token))


@pytest.mark.parametrize(("expand", "cap"), [("body.storage,version", 50), ("version", 200), ("", 1000)])
def test_data_center_caps_a_search_by_what_is_expanded(expand: str, cap: int) -> None:
    world = World(spaces=1, pages=1100, projects=0, issues=0)
    with serve(world) as served:
        reader = Caller(world, served, "r", "space:*")
        answer = reader.confluence("/rest/api/content/search", cql="type=page", limit=5000, expand=expand).json()
        assert (answer["limit"], answer["size"]) == (cap, cap)
        assert answer["_links"]["next"].startswith("/rest/api/content/search?")
        reader.close()


def test_a_page_of_data_center_may_be_short_and_yet_not_the_last(caller: Caller, world: World) -> None:
    page = next(iter(world.readable_pages(caller.pat, "DEV")))
    world.deny(caller.pat, f"page/{page.id}")
    answer = caller.confluence("/rest/api/content", spaceKey="DEV", limit=5).json()
    assert answer["size"] < 5
    assert "next" in answer["_links"]


def test_data_center_refuses_a_start_beyond_its_cap(caller: Caller) -> None:
    assert caller.confluence("/rest/api/content", start=100_000).json()["results"] == []
    assert caller.confluence("/rest/api/content", start=100_001).status_code == 400


def test_jira_cloud_gives_ids_in_large_pages_and_contents_in_small_ones(caller: Caller, world: World) -> None:
    assert len(caller.jql("project in (PROJ, WEB)")) == len(world.readable_issues(caller.token))
    answer = caller.jira("/rest/api/3/search/jql", jql="project in (PROJ, WEB)", maxResults=5000, fields="summary").json()
    assert len(answer["issues"]) == 100
    assert "total" not in answer
    following = caller.post(
        "/rest/api/3/search/jql",
        {"jql": "project in (PROJ, WEB)", "nextPageToken": answer["nextPageToken"], "fields": ["summary"]},
    ).json()
    assert following["isLast"] is True
    assert {issue["id"] for issue in following["issues"]}.isdisjoint(issue["id"] for issue in answer["issues"])


@pytest.mark.slow
def test_a_page_token_of_jira_lives_seven_days(caller: Caller, world: World) -> None:
    token = caller.jira("/rest/api/3/search/jql", jql="project = PROJ", maxResults=5).json()["nextPageToken"]
    world.clock.advance(8 * 86_400)
    assert caller.jira("/rest/api/3/search/jql", jql="project = PROJ", nextPageToken=token).status_code == 400


def test_jira_data_center_says_to_what_it_capped(caller: Caller) -> None:
    answer = caller.jira_dc("/rest/api/2/search", jql="project in (PROJ, WEB)", maxResults=500, fields="summary").json()
    assert (answer["maxResults"], len(answer["issues"])) == (100, 100)
    assert answer["total"] > 100
    ids = caller.jira_dc("/rest/api/2/search", jql="project in (PROJ, WEB)", maxResults=5000, fields="id").json()
    assert (ids["maxResults"], len(ids["issues"])) == (1000, ids["total"])
