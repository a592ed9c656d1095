"""Server-sent events in OpenAPI: which events a stream has, and what each carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

REF = "#/components/schemas/{model}"

Responses = dict[int | str, dict[str, Any]]


def event_stream(events: Mapping[str, type[BaseModel]], failure: str = "Any failure") -> Responses:
    """The `responses` of a route that sends these events, each with its model as JSON data.

    The framework describes the events of a stream by one model for all; the models here are put among the components by
    `described.Described`.
    """
    kinds = [
        {
            "type": "object",
            "required": ["event", "data"],
            "properties": {
                "event": {"const": name},
                "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": _ref(model)},
            },
        }
        for name, model in events.items()
    ]
    return {
        200: {"content": {"text/event-stream": {"itemSchema": {"oneOf": kinds}}}},
        # A failure is JSON here too, which the framework would describe as an event.
        "default": {"description": failure, "content": {"application/json": {"schema": {"$ref": REF.format(model="ErrorBody")}}}},
    }


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REF.format(model=model.__name__)}
