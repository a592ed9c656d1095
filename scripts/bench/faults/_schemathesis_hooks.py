"""Hooks of Schemathesis (`SCHEMATHESIS_HOOKS`): half of the calls name what is there, from the JSON of `RAG_KNOWN`."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import schemathesis

_KNOWN: Mapping[str, Sequence[Any]] = json.loads(Path(os.environ["RAG_KNOWN"]).read_text("utf-8"))


def _named(value: Any) -> Any:
    """The same value; of every second one something that is there instead, by its hash, so that a failure can be repeated."""
    if isinstance(value, Mapping):
        return {key: _known(key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_named(inner) for inner in value]
    return value


def _known(key: str, value: Any) -> Any:
    at = zlib.crc32(f"{key} {value!r}".encode("utf-8", "replace"))
    if key in _KNOWN and at % 2:
        return _KNOWN[key][at // 2 % len(_KNOWN[key])]
    return _named(value)


@schemathesis.hook  # type: ignore[untyped-decorator]
def map_path_parameters(_context: Any, path_parameters: Any) -> Any:
    return _named(path_parameters)


@schemathesis.hook  # type: ignore[untyped-decorator]
def map_query(_context: Any, query: Any) -> Any:
    return _named(query)


@schemathesis.hook  # type: ignore[untyped-decorator]
def map_body(_context: Any, body: Any) -> Any:
    return _named(body)
