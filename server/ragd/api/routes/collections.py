"""Collections: named sets of documents."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from ragd.api.common import Access, App, CallerOf, Pages
from ragd.api.schemas.collections import Collection, CollectionChange, CollectionCreate, CollectionPage
from ragd.api.schemas.documents import CollectionGuide
from ragd.core.storage import Collection as Stored
from ragd.core.storage import named

router = APIRouter(prefix="/api/collections", tags=["collections"])


def _exists(name: str, app: App) -> None:
    """The collection in the address must exist."""
    app.collections.get(name)


@router.get("", response_model=CollectionPage)
def list_collections(app: App, paging: Pages, caller: CallerOf) -> dict[str, Any]:
    """Collections by name, with their counts."""
    found, total = app.collections.page(paging.page, paging.page_size, caller.readable)
    return paging.answer([_collection_response(item) for item in found], total)


@router.post("", response_model=Collection, status_code=201)
def create_collection(body: CollectionCreate, app: App, caller: CallerOf) -> dict[str, Any]:
    """Make a collection."""
    return _collection_response(app.keys.made(caller, app.collections.create(body.name, body.description)))


@router.get("/{name}/guide", response_model=CollectionGuide, dependencies=[Depends(_exists)])
def get_collection_guide(name: str, app: App, access: Access) -> dict[str, Any]:
    """What a collection is about: topics, documents, and questions that they answer."""
    return app.guides.collection(name, app.collections.get(name).kb_id, access.readable)


@router.patch("/{name}", response_model=Collection, dependencies=[Depends(_exists)])
def change_collection(name: str, body: CollectionChange, app: App) -> dict[str, Any]:
    """Rename, describe, enable or disable a collection."""
    changed = app.collections.change(name, new_name=body.name, description=body.description, status=body.status)
    return _collection_response(changed)


@router.delete("/{name}", status_code=204)
def delete_collection(name: str, app: App) -> None:
    """Delete a collection with everything in it."""
    app.documents.delete_collection(name)


def _collection_response(collection: Stored) -> dict[str, Any]:
    """A collection with its counts."""
    names = ("name", "description", "status", "document_count", "chunk_count", "created_at", "updated_at")
    return {"id": collection.kb_id, **named(collection, *names)}
