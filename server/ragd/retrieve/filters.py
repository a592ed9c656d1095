"""Hard filters as a request gives them, checked: a filter that can't be executed is an error, never ignored."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

from ragd.core.documents import DocType
from ragd.core.errors import FieldProblem, ValidationFailed, did_you_mean
from ragd.core.query import Among, Filters
from ragd.core.tracing import utc_text
from ragd.formats.registry import doc_types_called
from ragd.language.detection import DOCUMENT_LANGUAGES, language_called
from ragd.vision.description import IMAGE_TYPES

# A document has one of each of these; it may have several tags, and passes a language filter while its language is not known.
_SINGLE = ("doc_type", "source", "doc_id", "version_id")
# In a type, files of a language of code: they may be of the type `code`, and of another pattern, too.
_PATTERN = "*"
_BETWEEN_HEADINGS = re.compile(r"(?<=\s)[/>](?=\s)")

Parser = Callable[[Any, str, list[FieldProblem]], Any]
"""`(value, field, problems)` to what is meant; a value that can't be used adds a problem."""


def parse_filters(values: Mapping[str, Any] | None) -> Filters:
    """Filters from a JSON object: lists or single strings for names, a string for `path_prefix`, ISO 8601 for times.

    `section` and `section_prefix` are a list of headings, or a string in which ` > ` or ` / ` stands between them. Raises as
    `parse_fields`.
    """
    return Filters(**parse_fields(values, "filters", "filter", _PARSERS))


def parse_fields(values: Mapping[str, Any] | None, group: str, noun: str, parsers: Mapping[str, Parser]) -> dict[str, Any]:
    """The fields of a JSON object that are not null, each by its parser. Raises `ValidationFailed` with each wrong one."""
    parsed: dict[str, Any] = {}
    problems: list[FieldProblem] = []
    for name, value in (values or {}).items():
        field = f"{group}.{name}"
        if name not in parsers:
            problems.append(FieldProblem(field, "unknown", f"There is no {noun} '{name}'.{nearest(name, parsers)}"))
        elif value is not None:
            parsed[name] = parsers[name](value, field, problems)
    if problems:
        raise ValidationFailed(" ".join(problem.message for problem in problems), details=problems)
    return parsed


def combined(request: Filters, typed: Filters) -> Filters:
    """Filters that let pass what both let pass: those of a request, and those typed into its question."""
    if not typed:
        return request
    if not request:
        return typed
    if any(getattr(request, name) and getattr(typed, name) for name in _PARSERS):
        return replace(request, also=(*request.also, typed))
    return replace(request, **{name: getattr(typed, name) for name in _PARSERS if getattr(typed, name)})


def contradictions(filters: Filters) -> tuple[str, ...]:
    """Warnings for filters that no document can pass together."""
    every = (filters, *filters.also)
    found: list[str] = []
    for name in _SINGLE:
        asked = [set(getattr(one, name)) for one in every if getattr(one, name)]
        if len(asked) > 1 and not set.intersection(*asked) and not any(_PATTERN in value for values in asked for value in values):
            found.append(f"{name} {' and '.join('|'.join(sorted(values)) for values in asked)}")
    prefixes = sorted({one.path_prefix for one in every if one.path_prefix}, key=len)
    if prefixes and not all(prefixes[-1].startswith(prefix) for prefix in prefixes):
        found.append(f"path_prefix {' and '.join(prefixes)}")
    after = [one.updated_after for one in every if one.updated_after]
    before = [one.updated_before for one in every if one.updated_before]
    if after and before and max(after) >= min(before):
        found.append(f"updated_after {max(after)} and updated_before {min(before)}")
    return tuple(f"Nothing can be found: the filters contradict each other ({what})." for what in found)


def nearest(name: str, known: Collection[str]) -> str:
    """What to say after "there is no …": the nearest known name, or all of them."""
    return did_you_mean(name, known) or f" Known: {', '.join(known)}."


def strings(value: Any, field: str, problems: list[FieldProblem]) -> tuple[str, ...]:
    """A string, or a list of strings that is not empty, as a tuple; else one more problem."""
    values = [value] if isinstance(value, str) else value
    if isinstance(values, list | tuple) and values and all(isinstance(item, str) and item for item in values):
        return tuple(values)
    problems.append(FieldProblem(field, "invalid", "Must be a string or a list of strings that is not empty."))
    return ()


def _doc_types(value: Any, field: str, problems: list[FieldProblem]) -> tuple[str, ...]:
    found = {name: doc_types_called(name) for name in strings(value, field, problems)}
    if unknown := [name for name, types in found.items() if not types]:
        known = ", ".join(get_args(DocType))
        message = f"There is no document type '{unknown[0]}'. Known: {known}, and extensions such as md or py."
        problems.append(FieldProblem(field, "invalid", message))
    return tuple(dict.fromkeys(one for types in found.values() for one in types))


def _languages(value: Any, field: str, problems: list[FieldProblem]) -> tuple[str, ...]:
    found = {name: language_called(name) for name in strings(value, field, problems)}
    if unknown := [name for name, code in found.items() if code is None]:
        known = ", ".join(f"{code} ({names[0]})" for code, names in DOCUMENT_LANGUAGES.items())
        message = f"No document is known to be in the language '{unknown[0][:40]}'. Known: {known}."
        problems.append(FieldProblem(field, "invalid", message))
    return tuple(dict.fromkeys(code for code in found.values() if code))


def _image_types(value: Any, field: str, problems: list[FieldProblem]) -> tuple[str, ...]:
    found = strings(value, field, problems)
    if unknown := [name for name in found if name not in IMAGE_TYPES]:
        message = f"There is no type of picture '{unknown[0][:40]}'.{nearest(unknown[0], IMAGE_TYPES)}"
        problems.append(FieldProblem(field, "invalid", message))
    return found


def flag(value: Any, field: str, problems: list[FieldProblem]) -> bool:
    """True or false; else one more problem."""
    if not isinstance(value, bool):
        problems.append(FieldProblem(field, "invalid", "Must be true or false."))
    return value is True


def _text(value: Any, field: str, problems: list[FieldProblem]) -> str | None:
    if isinstance(value, str):
        return value or None
    problems.append(FieldProblem(field, "invalid", "Must be a string."))
    return None


def _headings(value: Any, field: str, problems: list[FieldProblem]) -> tuple[str, ...]:
    if isinstance(value, str):
        if not value.strip():
            return ()
        value = _BETWEEN_HEADINGS.split(value)
    if isinstance(value, list | tuple) and value and all(isinstance(heading, str) for heading in value):
        if all(heading.strip() for heading in value):
            return tuple(heading.strip() for heading in value)
        problems.append(FieldProblem(field, "invalid", "Must hold headings, such as 'Guide > Setup', none of them empty."))
        return ()
    return strings(value, field, problems)


def _time(value: Any, field: str, problems: list[FieldProblem]) -> str | None:
    try:
        moment = datetime.fromisoformat(value)
        return utc_text(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (TypeError, ValueError, OverflowError):
        problems.append(FieldProblem(field, "invalid", "Must be a time in ISO 8601, such as 2026-01-31T09:00:00Z."))
        return None


_MOST_CHOSEN = 200
"""Of each kind: enough for what people tick, and a bound on the query that it becomes."""


def _among(value: Any, field: str, problems: list[FieldProblem]) -> Among | None:
    if not isinstance(value, Mapping):
        problems.append(FieldProblem(field, "invalid", "Must be an object with lists, such as {'doc_id': ['…']}."))
        return None
    found: dict[str, tuple[str, ...]] = {}
    for name, chosen in value.items():
        inner = f"{field}.{name}"
        if name not in _CHOSEN:
            problems.append(FieldProblem(inner, "unknown", f"There is no choice '{name}'.{nearest(name, _CHOSEN)}"))
        elif chosen:
            found[name] = strings(chosen, inner, problems)
            if len(found[name]) > _MOST_CHOSEN:
                problems.append(
                    FieldProblem(inner, "invalid", f"May hold {_MOST_CHOSEN} at most; choose a folder or a collection.")
                )
    return Among(**found) if found and not problems else None


_CHOSEN = ("collection", "source_id", "doc_id", "path_prefix")

_PARSERS: Mapping[str, Parser] = {
    "among": _among,
    "doc_type": _doc_types,
    **dict.fromkeys(("source", "doc_id", "version_id", "tags"), strings),
    "language": _languages,
    "path_prefix": _text,
    "section": _headings,
    "section_prefix": _headings,
    "updated_after": _time,
    "updated_before": _time,
    "has_image": flag,
    "image_type": _image_types,
}
