"""Jira's JSON of an issue as the envelope that the Jira loader reads (`formats/jira/loader.py`).

Rights hold for whole issues: who may read one reads its entry in the index. So nothing goes in that somebody who may read the
issue may not: comments for a role or a group alone, and the summaries of other issues, of which only the keys are named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ragd.core.errors import SourceUnavailable
from ragd.core.tracing import utc_text
from ragd.sources.atlassian.values import mapping, mappings, text_of

TEXT_FIELDS: Final = (
    "summary", "issuetype", "status", "priority", "resolution", "assignee", "reporter", "labels", "components", "fixVersions",
    "versions", "duedate", "created", "updated", "parent", "subtasks", "issuelinks", "description", "environment", "project",
    "attachment",
)  # fmt: skip
"""Fields that an issue's text is made of, without comments and custom fields."""

_NAMED: Final = ("status", "priority", "resolution")
_PEOPLE: Final = ("assignee", "reporter")
_SPRINT: Final = re.compile(r"^com\.atlassian\.greenhopper\..*?\bname=([^,\]]*)")


@dataclass(frozen=True, slots=True)
class CustomField:
    """`rich`: its text is marked up like a description."""

    id: str
    name: str
    rich: bool


def envelope(
    issue: Mapping[str, Any],
    comments: Sequence[Mapping[str, Any]],
    custom: Sequence[CustomField],
    *,
    deployment: str,
    url: str,
) -> bytes:
    """The same bytes for the same issue, whoever asks."""
    fields = mapping(issue.get("fields"))
    readable = [comment for comment in comments if _is_for_all(comment)]
    texts = [("Description", fields.get("description")), ("Environment", fields.get("environment"))]
    texts += [(field.name, fields.get(field.id)) for field in custom if _is_rich(field, fields.get(field.id))]
    components = [text_of(entry, "name") for entry in mappings(fields.get("components"))]
    labels = fields.get("labels")
    content = {
        "format": "jira/1",
        "deployment": deployment,
        "id": needed(issue, "id"),
        "key": needed(issue, "key"),
        "project": {"key": project_of(needed(issue, "key")), "name": text_of(fields.get("project"), "name")},
        "summary": text_of(fields, "summary"),
        "url": url,
        "type": text_of(fields.get("issuetype"), "name"),
        **{name: text_of(fields.get(name), "name") for name in _NAMED},
        **{name: _person(fields.get(name)) for name in _PEOPLE},
        "labels": [str(label) for label in labels] if isinstance(labels, list) else [],
        "components": components,
        **{name: moment(text_of(fields, name)) for name in ("created", "updated")},
        "fields": [[name, value] for name, value in _fields(fields, custom) if value],
        "texts": [[name, body] for name, value in texts if (body := _body(value))],
        "users": _users(fields, readable),
        "comments": [
            {
                "id": needed(comment, "id"),
                "author": _person(comment.get("author")),
                "created": moment(text_of(comment, "created")),
                "body": _body(comment.get("body")) or {"format": "wiki", "value": ""},
            }
            for comment in sorted(readable, key=_age)
        ],
        "withheld": len(comments) - len(readable),
        "attachments": sorted(
            ({"name": text_of(entry, "filename"), "size": entry.get("size")} for entry in mappings(fields.get("attachment"))),
            key=lambda entry: str(entry["name"]),
        ),
    }
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", errors="replace")


def project_of(key: str) -> str:
    """`PROJ` of `PROJ-12`."""
    return key.rpartition("-")[0]


def _fields(fields: Mapping[str, Any], custom: Sequence[CustomField]) -> Iterator[tuple[str, Any]]:
    """What is shown in one line each, in order."""
    yield "Type", text_of(fields.get("issuetype"), "name")
    yield from ((name.capitalize(), text_of(fields.get(name), "name")) for name in _NAMED)
    yield from ((name.capitalize(), _person(fields.get(name))) for name in _PEOPLE)
    yield "Labels", shown(fields.get("labels"))
    yield "Components", shown(fields.get("components"))
    yield "Fix versions", shown(fields.get("fixVersions"))
    yield "Affects versions", shown(fields.get("versions"))
    yield "Due", text_of(fields, "duedate")
    yield "Created", moment(text_of(fields, "created"))[:10]
    yield "Parent", text_of(fields.get("parent"), "key")
    yield "Subtasks", [key for entry in mappings(fields.get("subtasks")) if (key := text_of(entry, "key"))]
    yield "Links", sorted(filter(None, map(_link, mappings(fields.get("issuelinks")))))
    for field in custom:
        if not _is_rich(field, fields.get(field.id)):
            yield field.name, shown(fields.get(field.id))


def _link(link: Mapping[str, Any]) -> str:
    """`blocks PROJ-2`."""
    for relation, other in (("outward", "outwardIssue"), ("inward", "inwardIssue")):
        if key := text_of(link.get(other), "key"):
            return f"{text_of(link.get('type'), relation)} {key}".strip()
    return ""


def _is_rich(field: CustomField, value: Any) -> bool:
    return mapping(value).get("type") == "doc" or (field.rich and isinstance(value, str))


def _body(value: Any) -> dict[str, Any] | None:
    if isinstance(value, Mapping):
        return {"format": "adf", "value": value}
    return {"format": "wiki", "value": value} if isinstance(value, str) and value.strip() else None


def _is_for_all(comment: Mapping[str, Any]) -> bool:
    """Whether a comment is for all who see the issue; `jsdPublic` is of service projects, where customers see less."""
    return not comment.get("visibility") and comment.get("jsdPublic") is not False


def _age(comment: Mapping[str, Any]) -> tuple[str, int, str]:
    number = text_of(comment, "id")
    return moment(text_of(comment, "created")), len(number), number


def _users(fields: Mapping[str, Any], comments: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Display names of those whom the issue itself names, by all that a mention may call them."""
    people = [fields.get(name) for name in (*_PEOPLE, "creator")] + [comment.get("author") for comment in comments]
    return {
        called: _person(one)
        for one in people
        for called in (text_of(one, name) for name in ("accountId", "name", "key"))
        if called and _person(one)
    }


def needed(value: Any, name: str) -> str:
    """A text that is always there. Raises `SourceUnavailable`: what answers without it is no Jira."""
    if found := text_of(value, name):
        return found
    raise SourceUnavailable(
        f"Jira gave an issue without '{name}'. Try again; if it stays, something on the way changes its answers."
    )


def moment(stated: str) -> str:
    """A time in UTC (`2026-01-02T03:04:05.000Z`). Jira gives it in the zone of the account, so the same one reads otherwise for
    another person. What is no time stays as it is."""
    try:
        found = datetime.fromisoformat(stated)
    except ValueError:
        return stated
    if found.tzinfo is None:
        return stated
    return utc_text(found)


def _person(value: Any) -> str:
    return text_of(value, "displayName") or text_of(value, "name")


def shown(value: Any) -> str:
    """The value of a custom field as people see it: an option, a user, a sprint, a number, or several."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(text for entry in value if (text := shown(entry)))
    if isinstance(value, Mapping):
        own = next((text for name in ("displayName", "value", "name", "key") if (text := text_of(value, name))), "")
        child = shown(value.get("child"))
        return f"{own} / {child}" if child else own
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = "" if value is None else str(value)
    sprint = _SPRINT.match(text)
    return sprint[1] if sprint else text
