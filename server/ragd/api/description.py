"""The API's description of itself: whole, with the events of its streams, and the same at every start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from ragd.api.schemas.chat import ChatEvents
from ragd.api.schemas.jobs import IngestBody, JobEvents
from ragd.api.schemas.openai import ChatCompletionChunk
from ragd.api.schemas.query import FiltersBody, PreferBody, TurnBody
from ragd.api.schemas.sources import FolderConfig
from ragd.api.schemas.status import DaemonEvents

# Models that no route names to the framework: data of events, and parts of requests that the app checks by itself.
_EVENTS: Final[tuple[type[BaseModel], ...]] = (ChatEvents, JobEvents, DaemonEvents)
_PARTS: Final = (FiltersBody, PreferBody, TurnBody, IngestBody, FolderConfig)
COMPLETIONS: Final = "/v1/chat/completions"
_REF: Final = "#/components/schemas/{model}"


def operation_id(route: APIRoute) -> str:
    """The name of a route's function, which stays when its path is changed."""
    return route.name


class Described(FastAPI):
    """FastAPI, whose OpenAPI has every model among its components."""

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        if self.openapi_schema is None:
            described = super().openapi()
            known = described["components"]["schemas"]
            # The editor's description is without OpenAI's interface.
            beside = [ChatCompletionChunk] if COMPLETIONS in described["paths"] else []
            for name, schema in sorted(_schemas([*_EVENTS, *beside]).items()):
                known.setdefault(name, schema)
        assert self.openapi_schema is not None
        return self.openapi_schema


def _schemas(events: Sequence[type[BaseModel]]) -> dict[str, Any]:
    models: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        *((model, "serialization") for model in events),
        *((model, "validation") for model in _PARTS),
    ]
    found: dict[str, Any] = models_json_schema(models, ref_template=_REF)[1]["$defs"]
    return found


def binary(media_type: str, description: str) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that gives bytes of a type.

    `application/octet-stream` stands beside it: generators of clients know bytes by no other name, and leave the answer out.
    """
    schema = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"content": {media_type: schema, "application/octet-stream": schema}, "description": description}}


def event_stream(events: type[BaseModel], failure: str = "Any failure") -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that sends events: the names of the fields of `events`, each with its value as JSON data.

    The framework describes the events of a stream by one model for all.
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
                    "contentSchema": {"$ref": _REF.format(model=field.annotation.__name__)},
                },
            },
        }
        for name, field in events.model_fields.items()
        if field.annotation is not None
    ]
    return {
        200: {"content": {"text/event-stream": {"itemSchema": {"oneOf": kinds}}}},
        # A failure is JSON here too, which the framework would describe as an event.
        "default": {
            "description": failure,
            "content": {"application/json": {"schema": {"$ref": _REF.format(model="ErrorBody")}}},
        },
    }
