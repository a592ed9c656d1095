"""Hard filters as a request gives them, checked: a filter that can't be executed is an error, never ignored."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, get_args

from rag_assistant.errors import FieldProblem, ValidationFailed
from rag_assistant.types import DocType, Filters

_LISTS = ("doc_type", "source", "doc_id", "language", "tags")
_TIMES = ("updated_after", "updated_before")
_KNOWN = tuple(field.name for field in fields(Filters))


def parse_filters(values: Mapping[str, Any] | None) -> Filters:
    """Filters from a JSON object: lists or single strings for names, a string for `path_prefix`, ISO 8601 for times.

    Raises `ValidationFailed` with one detail for each field that is unknown or has a wrong value.
    """
    parsed: dict[str, Any] = {}
    problems: list[FieldProblem] = []
    for name, value in (values or {}).items():
        field = f"filters.{name}"
        if name not in _KNOWN:
            close = difflib.get_close_matches(name, _KNOWN, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else f" Known: {', '.join(_KNOWN)}."
            problems.append(FieldProblem(field, "unknown", f"There is no filter '{name}'.{hint}"))
        elif value is None:
            continue
        elif name in _LISTS:
            parsed[name] = _strings(value, field, problems)
        elif name in _TIMES:
            parsed[name] = _time(value, field, problems)
        elif isinstance(value, str):
            parsed[name] = value or None
        else:
            problems.append(FieldProblem(field, "invalid", "Must be a string."))
    unknown = [value for value in parsed.get("doc_type") or () if value not in get_args(DocType)]
    if unknown:
        message = f"There is no document type '{unknown[0]}'. Known: {', '.join(get_args(DocType))}."
        problems.append(FieldProblem("filters.doc_type", "invalid", message))
    if problems:
        raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
    return Filters(**parsed)


def _strings(value: Any, field: str, problems: list[FieldProblem]) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if isinstance(values, list | tuple) and values and all(isinstance(item, str) for item in values):
        return tuple(values)
    problems.append(FieldProblem(field, "invalid", "Must be a string or a list of strings that is not empty."))
    return ()


def _time(value: Any, field: str, problems: list[FieldProblem]) -> str | None:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        problems.append(FieldProblem(field, "invalid", "Must be a time in ISO 8601, such as 2026-01-31T09:00:00Z."))
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
