"""What goes wrong on demand at the double."""

from __future__ import annotations

import json
import ssl
import time
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from ....atlassian_server import Served, World, serve
from .conftest import Caller, get


def test_faults_are_counted_down_and_noted(world: World, caller: Caller) -> None:
    world.reset_requests()
    world.faults.fail(r"/api/v2/spaces", status=429, times=2, retry_after="3")
    world.faults.fail(r"/myself$", status=503, times=1, after=1)
    answers = [caller.wiki("/api/v2/spaces") for _ in range(3)]
    assert [(answer.status_code, answer.headers.get("retry-after")) for answer in answers] == [
        (429, "3"),
        (429, "3"),
        (200, None),
    ]
    assert [caller.jira("/rest/api/3/myself").status_code for _ in range(3)] == [200, 503, 200]
    assert [status for _, path, status in world.requests if path.endswith("spaces")] == [429, 429, 200]


def test_a_storm_comes_and_goes_by_count(world: World, caller: Caller) -> None:
    world.faults.storm(every=3, length=2)
    assert [caller.wiki("/api/v2/spaces").status_code for _ in range(10)] == [200, 200, 200, 429, 429] * 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["reset", "cut"])
def test_an_answer_may_break_off_midway(world: World, caller: Caller, kind: Any) -> None:
    world.faults.fail(r"/api/v2/pages", times=1, kind=kind)
    with pytest.raises((httpx2.RemoteProtocolError, httpx2.ReadError)):
        caller.wiki("/api/v2/pages")
    assert caller.wiki("/api/v2/pages").status_code == 200


def test_an_answer_may_be_slow_html_or_no_json(world: World, caller: Caller) -> None:
    world.faults.fail(r"/user/current", times=1, kind="slow", delay_s=0.001)
    start = time.monotonic()
    assert caller.wiki("/rest/api/user/current").json()["displayName"] == "Reader"
    assert time.monotonic() - start > 0.1
    world.faults.fail(r"/user/current", times=1, kind="html")
    assert "os_username" in caller.wiki("/rest/api/user/current").text
    world.faults.fail(r"/user/current", times=1, kind="garbled")
    with pytest.raises(json.JSONDecodeError):
        caller.wiki("/rest/api/user/current").json()


def test_a_broken_item_breaks_every_answer_with_its_content(world: World, caller: Caller) -> None:
    page, issue = world.readable_pages(caller.token, "DEV")[0], world.issue("PROJ-3")
    world.faults.break_item(f"page/{page.id}")
    world.faults.break_item(f"issue/{issue.id}")
    assert caller.wiki("/api/v2/pages").status_code == 200
    assert caller.wiki("/api/v2/pages", **{"body-format": "storage"}).status_code == 500
    body = {"issueIdsOrKeys": [world.issue("PROJ-2").id, issue.id], "fields": ["summary"]}
    assert caller.post("/rest/api/3/issue/bulkfetch", body).status_code == 500
    assert caller.jira("/rest/api/3/search/jql", jql="project = PROJ").status_code == 200
    world.faults.clear()
    assert caller.post("/rest/api/3/issue/bulkfetch", body).status_code == 200


def test_tls_comes_with_its_own_authority_and_a_redirect_from_http(world: World) -> None:
    world.token("admin", admin=True)
    with serve(world, tls=True) as served:
        context = ssl.create_default_context(cafile=served.authority)
        assert get(f"{served.base}/rest/api/3/serverInfo", context=context).json()["deploymentType"] == "Cloud"
        answer = get(f"{served.plain}/wiki/api/v2/pages?limit=1")
        assert answer.headers["location"] == f"{served.base}/wiki/api/v2/pages?limit=1"
        with pytest.raises(httpx2.ConnectError):
            get(served.base, ssl.create_default_context())


def test_an_old_address_may_redirect(world: World) -> None:
    with serve(world, redirect_from="/old") as served:
        assert get(f"{served.base}/old/rest/api/3/serverInfo").headers["location"] == "/rest/api/3/serverInfo"


def test_the_server_tells_the_time_of_the_world(world: World, served: Served) -> None:
    world.clock.advance(timedelta(days=2).total_seconds())
    told = get(f"{served.base}/rest/api/3/serverInfo").headers["date"]
    assert told == world.clock.now().strftime("%a, %d %b %Y %H:%M:%S GMT")
