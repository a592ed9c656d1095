"""Server-sent events as our own API sends them: a name, and JSON as data (WHATWG HTML, 9.2.6)."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from typing import Any


def parse_events(texts: Iterable[str]) -> Generator[tuple[str, Any]]:
    """Name and data of each event of a stream that comes in pieces, as soon as its last line is there."""
    name, data = "message", []
    for line in _lines(texts):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield name, json.loads("\n".join(data))
            name, data = "message", []


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Not by `splitlines`: JSON may hold what is a line's end elsewhere, such as U+2028."""
    rest = ""
    for text in texts:
        *lines, rest = (rest + text).split("\n")
        yield from (line.removesuffix("\r") for line in lines)
