"""Server-sent events in OpenAPI: which events a stream has, and what each carries."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

REF = "#/components/schemas/{model}"

Responses = dict[int | str, dict[str, Any]]


def event_stream(events: type[BaseModel], failure: str = "Any failure") -> Responses:
    """The `responses` of a route that sends events: the names of the fields of `events`, each with its value as JSON data.

    The framework describes the events of a stream by one model for all; the models here are put among the components by
    `models.Described`.
    """
    kinds = [
        {
            "type": "object",
            "required": ["event", "data"],
            "properties": {
                "event": {"const": name},
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": {"$ref": REF.format(model=field.annotation.__name__)},
                },
            },
        }
        for name, field in events.model_fields.items()
        if field.annotation is not None
    ]
    return {
        200: {"content": {"text/event-stream": {"itemSchema": {"oneOf": kinds}}}},
        # A failure is JSON here too, which the framework would describe as an event.
        "default": {"description": failure, "content": {"application/json": {"schema": {"$ref": REF.format(model="ErrorBody")}}}},
    }
