"""What a Confluence source is asked to do, and whether what a person wrote makes sense."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from rag_assistant.errors import FieldProblem, ValidationFailed
from rag_assistant.ingest.file_rules import check_globs
from rag_assistant.sources.atlassian.site import parse_site

_FIELDS: Final = ("base_url", "deployment", "auth", "spaces", "cql", "attachments", "comments", "include", "exclude")
_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MOST_CQL = 1000


def parse_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration, complete and JSON-ready. Raises `ValidationFailed` that names every wrong field."""
    problems = [_unknown(name) for name in values if name not in _FIELDS]
    site = parse_site(
        {name: values[name] for name in ("base_url", "deployment", "auth") if name in values}, problems, product="confluence"
    )
    config = {
        **site,
        "spaces": list(dict.fromkeys(_texts(values, "spaces", problems))),
        "cql": _cql(values, problems),
        "attachments": _flag(values, "attachments", problems),
        "comments": _flag(values, "comments", problems),
        "include": _globs(values, "include", problems),
        "exclude": _globs(values, "exclude", problems),
    }
    if problems:
        raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
    return config


def _unknown(name: str) -> FieldProblem:
    shown = str(name)[:80]
    near = get_close_matches(shown, _FIELDS, 1)
    hint = f"Did you mean '{near[0]}'?" if near else f"It has: {', '.join(_FIELDS)}."
    return FieldProblem(f"config.{shown}", "unknown", f"A Confluence source has no '{shown}'. {hint}")


def _invalid(name: str, message: str) -> FieldProblem:
    return FieldProblem(f"config.{name}", "invalid", message)


def _texts(values: Mapping[str, Any], name: str, problems: list[FieldProblem]) -> list[str]:
    given = values.get(name, [])
    if not isinstance(given, list | tuple) or not all(isinstance(text, str) and text.strip() for text in given):
        problems.append(_invalid(name, f"'{name}' is a list of texts that are not empty."))
        return []
    return [text.strip() for text in given]


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


def _cql(values: Mapping[str, Any], problems: list[FieldProblem]) -> str:
    given = values.get("cql", "")
    if not isinstance(given, str) or len(given) > _MOST_CQL:
        problems.append(_invalid("cql", f"'cql' is a text of at most {_MOST_CQL} characters, such as: label = \"howto\""))
        return ""
    if _ORDER.search(_STRING.sub("", given)):
        problems.append(_invalid("cql", "'cql' is a filter alone: leave out 'order by'."))
    return given.strip()
