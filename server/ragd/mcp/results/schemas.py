"""The schemas of tools as they are published: without the noise of the generator, and with the shape of a failure.

A list of tools goes into the context of a model with every question, so each name that is said twice costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_NULL: Final = {"type": "null"}

# What `build.failed` gives, in few words, since it stands in the schema of every tool.
_FAILURE: Final = {
    "type": "object",
    "properties": {"error": {"type": "object", "required": ["code", "message", "details"]}},
    "required": ["trace_id", "error", "retryable"],
}


def slim(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema without titles made from names, and without `null` for what may as well be left out."""
    kept = {name: _slimmed(name, value) for name, value in schema.items() if not _is_noise(name, value)}
    if kept.get("default", _NULL) is None:
        del kept["default"]
        if _NULL in (choices := kept.get("anyOf", [])):
            del kept["anyOf"]
            choices = [choice for choice in choices if choice != _NULL]
            kept = {**choices[0], **kept} if len(choices) == 1 else {"anyOf": choices, **kept}
    if _is_uniform(kept):
        kept["items"] = kept.pop("prefixItems")[0]
    return kept


def with_failure(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A result's schema that also fits a failure: clients hold the typed fields of either against it."""
    result = slim(schema)
    named = {"$defs": result.pop("$defs")} if "$defs" in result else {}
    return {"type": "object", "anyOf": [result, _FAILURE], **named}


def _is_uniform(schema: Mapping[str, Any]) -> bool:
    """A list of a fixed length, all of one kind: older validators know no `prefixItems`."""
    items = schema.get("prefixItems", [])
    return bool(items) and schema.get("minItems") == len(items) and all(item == items[0] for item in items)


def _is_noise(name: str, value: Any) -> bool:
    return name == "title" and isinstance(value, str)


def _slimmed(name: str, value: Any) -> Any:
    if name in ("properties", "$defs", "patternProperties"):
        # Here the names are those of fields and models: one may be called `title`.
        return {key: slim(item) for key, item in value.items()}
    if isinstance(value, dict) and name not in ("default", "const", "enum", "examples"):
        return slim(value)
    if isinstance(value, list) and name in ("anyOf", "allOf", "oneOf", "prefixItems"):
        return [slim(item) for item in value]
    return value
