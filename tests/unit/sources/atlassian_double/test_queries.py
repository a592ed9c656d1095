"""CQL and JQL of the double, as strict as the real ones, also about minutes and time zones."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ....atlassian_server import World
from .conftest import NEVER, Caller


@pytest.mark.parametrize(
    "query", ["", "type =", "nothing = 3", "type = page and", "lastmodified >= yesterday", "type = poem", "id = abc"]
)
def test_bad_cql_is_400(caller: Caller, query: str) -> None:
    assert caller.wiki("/rest/api/search", cql=query).status_code == 400
    assert caller.confluence("/rest/api/content/search", cql=query).status_code == 400


@pytest.mark.parametrize(
    "query",
    [
        "project =",
        "nothing = 3",
        "project = NOPE",
        "key = PROJ-99999",
        "updated >= '1700000000000'",
        "updated >= '2026-01-01T10:00'",
    ],
)
def test_bad_jql_is_400(caller: Caller, query: str) -> None:
    answer = caller.jira("/rest/api/3/search/jql", jql=query)
    assert answer.status_code == 400
    assert answer.json()["errorMessages"][0]
    assert caller.jira_dc("/rest/api/2/search", jql=query).status_code == 400


@pytest.mark.parametrize("query", ["", "order by updated"])
def test_cloud_refuses_unbounded_jql_which_data_center_takes(caller: Caller, query: str) -> None:
    answer = caller.jira("/rest/api/3/search/jql", jql=query)
    assert answer.status_code == 400
    assert "Unbounded" in answer.json()["errorMessages"][0]
    assert caller.jira_dc("/rest/api/2/search", jql=query).status_code == 200


def test_the_old_search_of_jira_cloud_is_gone(caller: Caller) -> None:
    assert caller.jira("/rest/api/3/search", jql="project = PROJ").status_code == 410
    assert caller.post("/rest/api/3/search", {"jql": "project = PROJ"}).status_code == 410


def test_cql_combines_clauses(caller: Caller, world: World) -> None:
    dev = {page.id for page in world.readable_pages(caller.token, "DEV")}
    assert caller.cql("space = DEV and type in (page, blogpost)") == dev
    assert caller.cql("type in (page, blogpost) and not (space = OPS)") == dev
    labelled = {page.id for page in world.readable_pages(caller.token) if "手順" in page.labels}
    assert caller.cql('label = "手順" and type in (page,blogpost)') == labelled != set()
    home = world.spaces["DEV"].homepage
    below = {page.id for page in world.below(home)} & dev
    assert caller.cql(f"ancestor = {home} and type = page") == below != set()
    one = min(dev)
    assert caller.cql(f"id in ({one}, {NEVER})") == {one}


def test_jql_combines_clauses(caller: Caller, world: World) -> None:
    issues = world.readable_issues(caller.token, "PROJ")
    wanted = {issue.id for issue in issues if issue.status != "Done" and "Bug" in issue.type}
    assert caller.jql('project = PROJ AND status != Done AND issuetype in ("Bug")') == wanted != set()
    code = next(issue for issue in issues if issue.fact and issue.type == "Bug").summary
    assert len(caller.jql(f'project = PROJ and text ~ "{next(word for word in code.split() if word.startswith("E-"))}"')) == 1
    assert caller.jql('cf[10051] = S1 or "Severity" = S1') == caller.jql("Severity in (S1)") != set()


def test_lastmodified_has_minute_precision_in_the_zone_of_the_site(caller: Caller, world: World) -> None:
    world.time_zone = "Asia/Tokyo"
    world.clock.freeze(datetime(2030, 1, 1, 15, 30, 45, tzinfo=UTC))
    page = world.readable_pages(caller.token, "DEV")[3]
    world.edit_page(page.id, body="<p>new</p>")
    assert caller.cql('lastmodified >= "2030-01-02 00:30"') == {page.id}
    assert caller.cql('lastmodified >= "2030-01-02 00:31"') == set()
    # Not even what came 45 seconds after that minute began.
    assert caller.cql('lastmodified > "2030-01-02 00:30"') == set()
    assert page.id in caller.cql('lastmodified >= "2030-01-01 15:30" and type = page')
    assert caller.wiki("/rest/api/search", cql='lastmodified >= "2030-01-02 00:30:45"').status_code == 400


def test_jql_takes_milliseconds_and_dates_in_the_zone_of_the_account(caller: Caller, world: World) -> None:
    world.time_zone = "America/New_York"
    moment = datetime(2030, 7, 1, 12, 0, 30, 500_000, tzinfo=UTC)
    world.clock.freeze(moment)
    issue = world.edit_issue("PROJ-3", summary="changed")
    milliseconds = int(moment.timestamp() * 1000)
    assert caller.jql(f"updated >= {milliseconds}") == {issue.id}
    assert caller.jql(f"updated >= {milliseconds + 1}") == set()
    assert caller.jql('updated >= "2030-07-01 08:00"') == {issue.id}
    assert caller.jql('updated >= "2030-07-01 08:01"') == set()
    assert caller.jql("updated >= -5m") == {issue.id}
    shown = caller.jira(f"/rest/api/3/issue/{issue.key}", fields="updated").json()["fields"]["updated"]
    assert shown == "2030-07-01T08:00:30.500-0400"


@pytest.mark.slow
def test_a_search_index_may_be_late_for_changes_new_items_and_deletions(caller: Caller, world: World) -> None:
    world.index_lag_s = 30
    before = world.clock.now()
    since = f"updated >= {int(before.timestamp() * 1000)}"
    changed = world.edit_issue("PROJ-5", summary="later")
    new = world.add_issue("PROJ", "new")
    world.delete_issue("PROJ-7")
    gone = world.issue("PROJ-7").id
    page = world.add_page("DEV", None, "A new page", "<p>new</p>")
    assert caller.jql(since) == set()
    assert gone in caller.jql("project = PROJ")
    assert caller.post("/rest/api/3/issue/bulkfetch", {"issueIdsOrKeys": [gone]}).json()["issues"] == []
    assert caller.cql('title = "A new page"') == set()
    assert caller.wiki(f"/api/v2/pages/{page.id}").status_code == 200
    world.clock.advance(31)
    assert caller.jql(since) == {changed.id, new.id}
    assert gone not in caller.jql("project = PROJ")
    assert caller.cql('title = "A new page"') == {page.id}
