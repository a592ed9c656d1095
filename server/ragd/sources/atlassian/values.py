"""Values in a site's JSON, whose fields may be missing, empty, or of another kind than on the next site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def dig(value: object, *names: str) -> Any:
    """What lies that deep in JSON objects; None where something is missing on the way."""
    for name in names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def text_of(value: object, *names: str) -> str:
    """A text or number that lies there, as text; "" where there is none."""
    found = dig(value, *names)
    return str(found) if isinstance(found, str | int | float) and not isinstance(found, bool) else ""


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def chunks(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The values in order, at most `size` at a time."""
    return (values[at : at + size] for at in range(0, len(values), size))
