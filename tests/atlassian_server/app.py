"""The app of the double: four faces, each below its own path."""

from __future__ import annotations

from fastapi import FastAPI

from .confluence_cloud import confluence_cloud
from .confluence_dc import confluence_dc
from .jira_cloud import jira_cloud
from .jira_dc import jira_dc
from .world import World


def create_app(world: World, media: str) -> FastAPI:
    """`media` is the base address of the media host."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    # Jira Cloud is last: it is at the root, and what nobody knows is its to refuse.
    every = (*confluence_cloud(world, media), *confluence_dc(world), *jira_dc(world), *jira_cloud(world, media))
    for face in every:
        app.include_router(face.router)
    return app
