"""Filters that people type into a question: `type:pdf path:guides/ tag:ops lang:ja source:a.md after:2026-01-01 section:"A > B"`,
`picture:chart` (passages with a chart), `picture:yes` and `picture:no` (with any picture, with none).

Only known names with a value right behind the colon count, outside of quotes and not inside of code. A known name with a value
that can't be a filter stays in the text, with a warning. An operator that is typed several times gives alternatives.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ragd.core.errors import ValidationFailed
from ragd.core.query import Filters
from ragd.language.identifiers import quoted_spans
from ragd.retrieve.filters import parse_filters

_OPERATORS: Final = {
    "type": "doc_type",
    "path": "path_prefix",
    "tag": "tags",
    "lang": "language",
    "source": "source",
    "after": "updated_after",
    "before": "updated_before",
    "section": "section",
    "picture": "image_type",
}
"""Name in a question -> filter."""

_LISTS: Final = ("doc_type", "tags", "language", "source", "image_type")
# Values of the others can be anything.
_CHECKED: Final = ("doc_type", "language", "updated_after", "updated_before", "image_type")
_ANY_PICTURE: Final = {"yes": True, "no": False}
# What stands in code is no operator: an unquoted value holds no brackets or quotes, and does not begin with a second colon.
_OPERATOR: Final = re.compile(
    rf"(?<!\S)(?P<name>{'|'.join(_OPERATORS)}):"
    r"(?:\"(?P<quoted>[^\"\n]+)\"|(?P<plain>[^\s:,\"'`()\[\]{}<>;=|][^\s\"'`()\[\]{}<>;=|]*))(?!\S)",
    re.IGNORECASE,
)


def take_operators(text: str) -> tuple[str, Filters, tuple[str, ...]]:
    """The text without its operators, the filters that they are, and warnings for those that can't be used."""
    values: dict[str, Any] = {}
    warnings: list[str] = []
    cut: list[tuple[int, int]] = []
    quotes = quoted_spans(text)
    for match in _OPERATOR.finditer(text):
        if any(start < match.start() < end for start, end in quotes):
            continue
        name = _OPERATORS[match["name"].lower()]
        if name not in _CHECKED and (match["plain"] or "").endswith(","):
            continue  # a parameter of a function: `path:str, mode:int`
        try:
            # A question's own mark may stand right behind.
            _take(name, match["quoted"] or match["plain"].rstrip("?!,"), values, quoted=match["quoted"] is not None)
        except ValidationFailed as error:
            warnings.append(f"'{match.group()}' was searched as text: {error.message}")
        else:
            cut.append(match.span())
    for start, end in reversed(cut):
        text = f"{text[:start]} {text[end:]}"
    return (re.sub(r"[ \t]{2,}", " ", text).strip() if cut else text), parse_filters(values), tuple(warnings)


def _take(name: str, value: str, values: dict[str, Any], *, quoted: bool) -> None:
    """Add a value, after it was checked by itself. Raises `ValidationFailed`."""
    if name == "image_type" and value.lower() in _ANY_PICTURE:
        _take_once("has_image", _ANY_PICTURE[value.lower()], values)
    elif name in _LISTS:
        items = [value] if quoted else [item for item in value.split(",") if item]
        parse_filters({name: items})
        values[name] = [*values.get(name, ()), *items]
    else:
        _take_once(name, value, values)


def _take_once(name: str, value: Any, values: dict[str, Any]) -> None:
    if name in values:
        raise ValidationFailed("It may stand there only once.")
    parse_filters({name: value})
    values[name] = value
