"""Values in Jira's JSON, whose fields may be missing, empty, or of another kind than on the next site."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ragd.core.errors import SourceUnavailable

_SPRINT: Final = re.compile(r"^com\.atlassian\.greenhopper\..*?\bname=([^,\]]*)")


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def text_of(value: Any, name: str) -> str:
    """A text in an object; empty when there is none."""
    found = mapping(value).get(name)
    return "" if found is None or isinstance(found, dict | list) else str(found)


def needed(value: Any, name: str) -> str:
    """A text that is always there. Raises `SourceUnavailable`: what answers without it is no Jira."""
    if found := text_of(value, name):
        return found
    raise SourceUnavailable(
        f"Jira gave an issue without '{name}'. Try again; if it stays, something on the way changes its answers."
    )


def moment(stated: str) -> str:
    """A time in UTC (`2026-01-02T03:04:05.000Z`). Jira tells it in the zone of the account, so the same one reads otherwise for
    another person. What is no time stays as it is."""
    try:
        found = datetime.fromisoformat(stated)
    except ValueError:
        return stated
    if found.tzinfo is None:
        return stated
    return found.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def person(value: Any) -> str:
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
