"""What a Jira source takes as its configuration, and how it says what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.sources.jira.source import JiraSource

AUTH = {"kind": "api_token", "email": "mara@tarnwood.example", "token": "env:JIRA_TOKEN"}
SITE = {"base_url": "https://tarnwood.atlassian.net", "auth": AUTH}


def problems(**values: Any) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as caught:
        JiraSource.parse_config({**SITE, **values})
    return {problem.field: problem.message for problem in caught.value.details}


def test_a_site_alone_is_completed() -> None:
    assert JiraSource.parse_config(SITE) == {
        "base_url": "https://tarnwood.atlassian.net", "deployment": "cloud", "auth": AUTH, "projects": [], "jql": "",
        "custom_fields": [], "attachments": True, "comments": True, "include": [], "exclude": [],
    }  # fmt: skip


def test_project_keys_are_taken_in_any_case_and_once() -> None:
    assert JiraSource.parse_config({**SITE, "projects": ["kes", " KES ", "OPS_2"]})["projects"] == ["KES", "OPS_2"]


@pytest.mark.parametrize(
    ("values", "field", "said"),
    [
        ({"project": ["KES"]}, "config.project", "Did you mean 'projects'?"),
        ({"unheard": 1}, "config.unheard", "It has: base_url"),
        ({"projects": "KES"}, "config.projects", "a list of texts"),
        ({"projects": ["KES", "KES-12"]}, "config.projects[1]", "no project key"),
        ({"projects": ['A") OR (x = "']}, "config.projects[0]", "no project key"),
        ({"jql": "labels = x ORDER  BY key"}, "config.jql", "leave out 'ORDER BY'"),
        ({"jql": 7}, "config.jql", "a text of at most"),
        ({"jql": "x" * 2001}, "config.jql", "a text of at most"),
        ({"custom_fields": [""]}, "config.custom_fields", "a list of texts"),
        ({"attachments": "yes"}, "config.attachments", "true or false"),
        ({"include": ["["]}, "config.include[0]", "no glob"),
    ],
)
def test_each_wrong_field_is_named(values: dict[str, Any], field: str, said: str) -> None:
    found = problems(**values)
    assert list(found) == [field]
    assert said in found[field]


def test_a_wrong_address_is_named_with_what_else_is_wrong() -> None:
    assert {"config.base_url", "config.jql"} <= set(problems(base_url="", jql=7))


def test_several_wrong_fields_are_named_at_once() -> None:
    assert set(problems(projects=[1], jql="a order by b", exclude=3)) == {"config.projects", "config.jql", "config.exclude"}


def test_order_by_in_a_text_that_is_searched_for_is_no_order() -> None:
    assert JiraSource.parse_config({**SITE, "jql": 'summary ~ "order by hand"'})["jql"] == 'summary ~ "order by hand"'
