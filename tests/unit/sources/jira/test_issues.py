"""From Jira's JSON to the envelope: the same for everybody, complete, and without what only some may read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragd.core.errors import SourceUnavailable
from ragd.formats.jira.loader import JiraLoader
from ragd.sources.jira.issues import CustomField, envelope, moment, shown

DOC = {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": "説明 Text"}]}]}

BLOCKS = {"inward": "is blocked by", "outward": "blocks"}


def person(name: str, account: str = "5b1") -> dict[str, Any]:
    return {"accountId": account, "displayName": name, "emailAddress": "hidden@tarnwood.example"}


def issue(**fields: Any) -> dict[str, Any]:
    return {"id": "10012", "key": "KES-12", "self": "https://tarnwood.example/rest/api/3/issue/10012", "fields": {
        "summary": "It stops", "issuetype": {"name": "Bug"}, "status": {"name": "To Do"}, "priority": {"name": "High"},
        "resolution": None, "assignee": person("Mara Lindqvist"), "reporter": person("林 美咲", "5b2"), "labels": ["a", "b"],
        "components": [{"name": "storage-engine"}], "fixVersions": [{"name": "2.1"}], "versions": [{"name": "2.0"}],
        "duedate": "2026-03-01", "created": "2026-01-02T12:00:00.000+0900", "updated": "2026-01-03T12:00:00.000+0900",
        "parent": {"key": "KES-1", "fields": {"summary": "Secret parent"}},
        "subtasks": [{"key": "KES-13", "fields": {"summary": "Secret subtask"}}],
        "issuelinks": [
            {"type": BLOCKS, "outwardIssue": {"key": "SEC-2", "fields": {"summary": "Secret link"}}},
            {"type": BLOCKS, "inwardIssue": {"key": "KES-3"}},
        ],
        "description": DOC, "environment": None, "project": {"key": "KES", "name": "Kestrel"},
        "attachment": [{"id": "5", "filename": "b.log", "size": 3}, {"id": "4", "filename": "a.log", "size": 2}],
        **fields,
    }}  # fmt: skip


def comment(number: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "author": person("Joan Abara", "5b3"),
        "created": f"2026-01-0{number}T09:00:00.000+0000",
        "body": text,
    } | more


def made(given: dict[str, Any], *comments: dict[str, Any], custom: list[CustomField] | None = None) -> dict[str, Any]:
    url = "https://tarnwood.example/browse/KES-12"
    return dict(json.loads(envelope(given, comments, custom or [], deployment="cloud", url=url)))


def test_all_fields_are_named_in_one_order() -> None:
    assert made(issue())["fields"] == [
        ["Type", "Bug"], ["Status", "To Do"], ["Priority", "High"], ["Assignee", "Mara Lindqvist"], ["Reporter", "林 美咲"],
        ["Labels", "a, b"], ["Components", "storage-engine"], ["Fix versions", "2.1"], ["Affects versions", "2.0"],
        ["Due", "2026-03-01"], ["Created", "2026-01-02"], ["Parent", "KES-1"], ["Subtasks", ["KES-13"]],
        ["Links", ["blocks SEC-2", "is blocked by KES-3"]],
    ]  # fmt: skip


def test_other_issues_are_named_by_their_key_alone() -> None:
    """They have readers of their own: who may read this issue may not know what those are about."""
    assert "Secret" not in json.dumps(made(issue()))


def test_comments_for_a_role_and_internal_ones_are_left_out_and_counted() -> None:
    found = made(
        issue(),
        comment("2", "second"),
        comment("1", "first", jsdPublic=True),
        comment("3", "for admins", visibility={"type": "role", "value": "Administrators"}),
        comment("4", "internal", jsdPublic=False),
    )
    assert [entry["body"]["value"] for entry in found["comments"]] == ["first", "second"]
    assert found["withheld"] == 2


def test_the_bytes_are_the_same_in_every_zone_of_an_account() -> None:
    mine = envelope(issue(), [comment("1", "x")], [], deployment="cloud", url="u")
    theirs = issue(created="2026-01-01T22:00:00.000-0500", updated="2026-01-03T03:00:00.000+0000")
    theirs["fields"]["attachment"].reverse()
    assert envelope(theirs, [comment("1", "x")], [], deployment="cloud", url="u") == mine
    assert json.loads(mine)["updated"] == "2026-01-03T03:00:00.000Z"


def test_an_email_address_never_gets_in() -> None:
    assert "hidden@tarnwood.example" not in json.dumps(made(issue(), comment("1", "x")))


def test_names_are_known_by_whatever_a_mention_calls_people() -> None:
    found = made(issue(assignee={"name": "mlind", "key": "JIRAUSER1", "displayName": "Mara Lindqvist"}))
    assert found["users"] == {"mlind": "Mara Lindqvist", "JIRAUSER1": "Mara Lindqvist", "5b2": "林 美咲"}


def test_rich_custom_fields_become_texts_and_the_others_lines() -> None:
    custom = [CustomField("cf_1", "Root cause", True), CustomField("cf_2", "Severity", False), CustomField("cf_3", "根拠", False)]
    found = made(issue(cf_1="h2. *wiki*", cf_2={"value": "S1", "child": {"value": "night"}}, cf_3=DOC), custom=custom)
    assert [name for name, _ in found["texts"]] == ["Description", "Root cause", "根拠"]
    assert found["fields"][-1] == ["Severity", "S1 / night"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""), (3.0, "3"), (2.5, "2.5"), (True, "yes"), ("text", "text"), (["x", {"value": "y"}, None], "x, y"),
        ({"displayName": "Mara"}, "Mara"), ({"name": "Sprint 5", "state": "active"}, "Sprint 5"),
        (["com.atlassian.greenhopper.service.sprint.Sprint@1f[id=3,name=Mai 2,state=ACTIVE]"], "Mai 2"), ({}, ""),
    ],
)  # fmt: skip
def test_values_of_custom_fields_read_as_people_see_them(value: Any, expected: str) -> None:
    assert shown(value) == expected


def test_an_issue_with_nothing_but_its_key_can_be_read() -> None:
    data = envelope({"id": "1", "key": "KES-1", "fields": {}}, [], [], deployment="cloud", url="u")
    assert JiraLoader().load(data, "KES-1.json").markdown.startswith("# KES-1:")


def test_an_issue_without_a_key_is_no_answer_of_jira() -> None:
    with pytest.raises(SourceUnavailable, match="without 'key'"):
        made({"id": "1", "fields": {}})


def test_what_is_no_time_stays() -> None:
    assert [moment(text) for text in ("", "soon", "2026-01-02T03:04:05")] == ["", "soon", "2026-01-02T03:04:05"]
