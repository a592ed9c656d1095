"""The API's description of itself: whole, and the same at every start."""

from __future__ import annotations

from typing import Any, Final, Literal

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from ragd.api.event_streams import REF
from ragd.api.schemas.chat import ChatEvents
from ragd.api.schemas.jobs import IngestBody, JobEvents
from ragd.api.schemas.query import FiltersBody, PreferBody, TurnBody
from ragd.api.schemas.sources import FolderConfig
from ragd.api.schemas.status import DaemonEvents

# Models that no route names to the framework: data of events, and parts of requests that the app checks by itself.
_EVENTS: Final = (ChatEvents, JobEvents, DaemonEvents)
_PARTS: Final = (FiltersBody, PreferBody, TurnBody, IngestBody, FolderConfig)

Mode = Literal["validation", "serialization"]


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
            for name, schema in sorted(_schemas().items()):
                known.setdefault(name, schema)
        assert self.openapi_schema is not None
        return self.openapi_schema


def _schemas() -> dict[str, Any]:
    models: list[tuple[type[BaseModel], Mode]] = [(model, "serialization") for model in _EVENTS]
    models += [(model, "validation") for model in _PARTS]
    found: dict[str, Any] = models_json_schema(models, ref_template=REF)[1]["$defs"]
    return found
