"""Searches and batches of both deployments, over answers that are made by hand: what only goes wrong in rare moments."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from ragd.core.errors import SourceUnavailable
from ragd.sources.atlassian.client import AtlassianClient, Auth
from ragd.sources.atlassian.responses import RequestRefused, Unanswered
from ragd.sources.base import HttpOptions, Skip
from ragd.sources.jira.api import LONGEST_RUN, JiraApi, Patience, in_batches
from ragd.sources.jira.cloud import JiraCloud
from ragd.sources.jira.dc import JiraDataCenter

Answer = Callable[[httpx2.Request], httpx2.Response]


def over(answer: Answer, api: type[JiraApi]) -> JiraApi:
    http = HttpOptions(pause=lambda _seconds: None, attempts=2, allowed_hosts=("*",))
    transport = httpx2.MockTransport(answer)
    return api(AtlassianClient("https://jira.tarnwood.example", Auth("pat", "t0ken"), http, product="jira", transport=transport))


def cloud(answer: Answer) -> JiraApi:
    return over(answer, JiraCloud)


def issues(*numbers: int) -> list[dict[str, str]]:
    return [{"id": str(number), "key": f"KES-{number}"} for number in numbers]


def found(api: JiraApi) -> list[str]:
    return [str(issue["id"]) for issue in api.search("project = KES")]


def test_cloud_is_asked_for_keys_by_the_thousand() -> None:
    asked: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        return httpx2.Response(200, json={"issues": issues(1), "isLast": True})

    assert found(cloud(answer)) == ["1"]
    assert asked == [{"jql": "project = KES ORDER BY key ASC", "fields": ["key"], "maxResults": 5000}]


def test_a_page_token_that_ran_out_begins_the_search_once_more() -> None:
    tokens: list[str | None] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        token = json.loads(request.content).get("nextPageToken")
        tokens.append(token)
        if token == "old":
            return httpx2.Response(400, json={"errorMessages": ["The nextPageToken is no longer valid."]})
        first = {"issues": issues(1, 2), "nextPageToken": "old" if len(tokens) == 1 else "new"}
        return httpx2.Response(200, json=first if token is None else {"issues": issues(3)})

    assert found(cloud(answer)) == ["1", "2", "3"]
    assert tokens == [None, "old", None, "new"]


def test_tokens_that_never_hold_end_the_search_with_an_error() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if "nextPageToken" in json.loads(request.content):
            return httpx2.Response(400, json={"errorMessages": ["no"]})
        return httpx2.Response(200, json={"issues": issues(1), "nextPageToken": "t"})

    with pytest.raises(SourceUnavailable, match="own listing"):
        found(cloud(answer))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ({"issues": issues(1), "nextPageToken": "same"}, "in circles"),
        ({"issues": issues(1), "isLast": False}, "too early"),
        ({"issues": None}, "none"),
        (["issues"], "none"),
    ],
)
def test_a_search_of_cloud_that_is_cut_short_raises(page: Any, said: str) -> None:
    with pytest.raises(SourceUnavailable, match=said):
        found(cloud(lambda _request: httpx2.Response(200, json=page)))


def test_a_wrong_jql_is_refused_at_once() -> None:
    with pytest.raises(RequestRefused, match="400") as caught:
        found(cloud(lambda _request: httpx2.Response(400, json={"errorMessages": ["There is no field x"]})))
    assert caught.value.said == "There is no field x"
    assert "no field" not in caught.value.message


class Shifting:
    """A Data Center of 30 issues, ten a page, of which some are deleted while it is listed."""

    def __init__(self, deleted_after: dict[int, list[int]]) -> None:
        self.there = list(range(100, 130))
        self.requests = 0
        self._deleted_after = deleted_after

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        start, size = int(request.url.params["startAt"]), min(10, int(request.url.params["maxResults"]))
        page = {"issues": issues(*self.there[start : start + size]), "total": len(self.there), "startAt": start}
        self.requests += 1
        for number in self._deleted_after.get(self.requests, []):
            self.there.remove(number)
        return httpx2.Response(200, json=page)


@pytest.mark.parametrize(
    "deleted",
    [{}, {1: [100]}, {1: [100, 101, 102, 109], 2: [110]}, {1: list(range(100, 109)), 2: [109]}, {2: list(range(100, 125))}],
)
def test_issues_deleted_meanwhile_hide_no_other_from_a_search_by_position(deleted: dict[int, list[int]]) -> None:
    double = Shifting(deleted)
    listed = found(over(double, JiraDataCenter))
    assert {str(number) for number in double.there} <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    "page", [{"issues": [], "total": 5}, {"issues": issues(1)}, {"issues": None, "total": 1}, {"errorMessages": []}]
)
def test_a_search_of_data_center_that_is_cut_short_raises(page: Any) -> None:
    with pytest.raises(SourceUnavailable):
        found(over(lambda _request: httpx2.Response(200, json=page), JiraDataCenter))


def test_all_comments_are_paged_when_the_issue_holds_only_some() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        start = int(request.url.params["startAt"])
        page = [{"id": str(number)} for number in range(start, min(start + 3, 7))]
        return httpx2.Response(200, json={"comments": page, "total": 7, "startAt": start})

    held = {"id": "1", "fields": {"comment": {"comments": [{"id": "6"}], "total": 7}}}
    assert [comment["id"] for comment in cloud(answer).comments(held)] == [str(number) for number in range(7)]


def test_comments_that_end_too_early_raise() -> None:
    with pytest.raises(SourceUnavailable, match="issue 1 too early"):
        cloud(lambda _request: httpx2.Response(200, json={"comments": [], "total": 2})).comments({"id": "1", "fields": {}})


def test_custom_fields_are_known_by_name_in_any_case_or_by_id_and_equal_names_are_all_meant() -> None:
    fields = [
        {"id": "cf_1", "name": "Root cause", "schema": {"custom": "com.atlassian.jira.plugin.system.customfieldtypes:textarea"}},
        {"id": "cf_2", "name": "重大度", "schema": {"custom": "x:select"}},
        {"id": "cf_3", "name": "Root Cause", "schema": {"custom": "x:textfield"}},
    ]
    known = cloud(lambda _request: httpx2.Response(200, json=fields)).custom_fields(["root Cause", "cf_2", "none"])
    assert {name: [(field.id, field.rich) for field in found] for name, found in known.items()} == {
        "root Cause": [("cf_1", True), ("cf_3", False)],
        "cf_2": [("cf_2", False)],
    }


def test_one_bad_issue_costs_itself_alone() -> None:
    asked: list[Any] = []

    def ask(batch: Any) -> dict[str, Any]:
        asked.append(batch)
        if "63" in batch:
            raise Unanswered("Jira answered 500 at /issue/bulkfetch.", 500)
        return {number: {"id": number} for number in batch if number != "7"}

    answers = dict(in_batches([str(number) for number in range(100)], 100, ask, Patience()))
    assert len(answers) == 100
    skips = {number: answer.reason for number, answer in answers.items() if isinstance(answer, Skip)}
    assert skips == {"63": "failed", "7": "gone"}
    assert sum("63" in batch for batch in asked) == 3
    assert len(asked) == 21


def test_a_site_that_fails_all_the_time_is_not_asked_for_each_issue() -> None:
    asked: list[int] = []

    def ask(batch: Any) -> dict[str, Any]:
        asked.append(len(batch))
        raise Unanswered("Jira answered 503.", 503)

    with pytest.raises(Unanswered):
        list(in_batches([str(number) for number in range(1000)], 100, ask, Patience()))
    assert len(asked) == LONGEST_RUN
