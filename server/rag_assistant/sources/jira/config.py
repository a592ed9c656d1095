"""What a Jira source is asked to do, and whether what a person wrote makes sense."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from rag_assistant.errors import FieldProblem, ValidationFailed
from rag_assistant.ingest.file_rules import check_globs
from rag_assistant.sources.atlassian.site import parse_site

_SITE: Final = ("base_url", "deployment", "auth")
_FIELDS: Final = (*_SITE, "projects", "jql", "custom_fields", "attachments", "comments", "include", "exclude")
_KEY: Final = re.compile(r"[A-Z][A-Z0-9_]{0,254}")
_ORDER: Final = re.compile(r"\border\s+by\b", re.IGNORECASE)
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_MOST_JQL: Final = 2000


def parse_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration, complete and JSON-ready. Raises `ValidationFailed` that names every wrong field."""
    problems = [_unknown(str(name)[:80]) for name in values if name not in _FIELDS]
    site = parse_site({name: values[name] for name in _SITE if name in values}, problems, product="jira")
    config = {
        **site,
        "projects": _projects(values, problems),
        "jql": _jql(values, problems),
        "custom_fields": list(dict.fromkeys(_texts(values, "custom_fields", problems))),
        "attachments": _flag(values, "attachments", problems),
        "comments": _flag(values, "comments", problems),
        "include": _globs(values, "include", problems),
        "exclude": _globs(values, "exclude", problems),
    }
    if problems:
        raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
    return config


def _unknown(name: str) -> FieldProblem:
    near = get_close_matches(name, _FIELDS, 1)
    hint = f"Did you mean '{near[0]}'?" if near else f"It has: {', '.join(_FIELDS)}."
    return FieldProblem(f"config.{name}", "unknown", f"A Jira source has no '{name}'. {hint}")


def _invalid(name: str, message: str) -> FieldProblem:
    return FieldProblem(f"config.{name}", "invalid", message)


def _texts(values: Mapping[str, Any], name: str, problems: list[FieldProblem]) -> list[str]:
    given = values.get(name, [])
    if not isinstance(given, list | tuple) or not all(isinstance(text, str) and text.strip() for text in given):
        problems.append(_invalid(name, f"'{name}' is a list of texts that are not empty."))
        return []
    return [text.strip() for text in given]


def _projects(values: Mapping[str, Any], problems: list[FieldProblem]) -> list[str]:
    keys = [key.upper() for key in _texts(values, "projects", problems)]
    for index, key in enumerate(keys):
        if not _KEY.fullmatch(key):
            message = f"'{key[:80]}' is no project key. Write what stands before the number of its issues: PROJ of PROJ-12."
            problems.append(_invalid(f"projects[{index}]", message))
    return list(dict.fromkeys(keys))


def _globs(values: Mapping[str, Any], name: str, problems: list[FieldProblem]) -> list[str]:
    try:
        return list(check_globs(_texts(values, name, problems), f"config.{name}"))
    except ValidationFailed as error:
        problems.extend(error.details)
        return []


def _flag(values: Mapping[str, Any], name: str, problems: list[FieldProblem]) -> bool:
    given = values.get(name, True)
    if not isinstance(given, bool):
        problems.append(_invalid(name, f"'{name}' is true or false."))
        return True
    return given


def _jql(values: Mapping[str, Any], problems: list[FieldProblem]) -> str:
    given = values.get("jql", "")
    if not isinstance(given, str) or len(given) > _MOST_JQL:
        problems.append(_invalid("jql", f"'jql' is a text of at most {_MOST_JQL} characters, such as: labels = howto"))
        return ""
    if _ORDER.search(_STRING.sub("", given)):
        problems.append(_invalid("jql", "'jql' is a filter alone: leave out 'ORDER BY'."))
    return given.strip()
