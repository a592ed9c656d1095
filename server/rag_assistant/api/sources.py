"""Sources: folders that are read again and again, and followed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse

from rag_assistant.api.common import Core, Pages, collection_available
from rag_assistant.api.schemas.jobs import JobStarted
from rag_assistant.api.schemas.sources import Source, SourceChange, SourceCreate, SourcePage, SourcePreview, SyncBody
from rag_assistant.app import App
from rag_assistant.logs import request_id
from rag_assistant.sources.syncs import Leave
from rag_assistant.store.sources import Source as StoredSource

router = APIRouter(prefix="/api/sources", tags=["sources"])


def source_in_path(source_id: str, core: Core) -> None:
    """The source in the address must exist."""
    core.sources.get(source_id)


_PREVIEW: dict[int | str, dict[str, Any]] = {200: {"model": SourcePreview, "description": "With `dry_run`: what would be read."}}


@router.get("", response_model=SourcePage)
def list_sources(core: Core, paging: Pages) -> dict[str, Any]:
    """Sources by name, as they stand."""
    found, total = core.sources.page(paging.page, paging.page_size)
    return paging.answer([_answer(core, source) for source in found], total)


@router.post("", response_model=Source, status_code=201, responses=_PREVIEW, dependencies=[Depends(collection_available)])
def add_source(body: SourceCreate, core: Core, dry_run: Annotated[bool, Query()] = False) -> Any:
    """Add a source, which is read at once (`job_id`) and followed from then on."""
    if dry_run:
        return JSONResponse(asdict(core.sources.preview(body.type, body.config)))
    added = core.sources.add(body.type, body.config, name=body.name, collection=body.collection, request_id=request_id.get())
    return _answer(core, added)


@router.get("/{source_id}", response_model=Source)
def get_source(source_id: str, core: Core) -> dict[str, Any]:
    """One source as it stands."""
    return _answer(core, core.sources.get(source_id))


@router.patch("/{source_id}", response_model=Source, dependencies=[Depends(source_in_path)])
def change_source(source_id: str, body: SourceChange, core: Core) -> dict[str, Any]:
    """Rename a source, change its configuration, switch it on or off. What is read in another way is read again at once."""
    changed = core.sources.change(
        source_id, name=body.name, values=body.config, enabled=body.enabled, request_id=request_id.get()
    )
    return _answer(core, changed)


@router.delete("/{source_id}", status_code=204, dependencies=[Depends(source_in_path)])
def remove_source(source_id: str, core: Core, documents: Annotated[Leave, Query()] = "delete") -> None:
    """Remove a source, with its documents or without them. The files themselves stay."""
    core.sources.remove(source_id, documents, request_id.get())


@router.post("/{source_id}/sync", response_model=JobStarted, status_code=202, dependencies=[Depends(source_in_path)])
def sync_source(source_id: str, core: Core, body: SyncBody | None = None) -> dict[str, str]:
    """Look at everything that the source has."""
    allow_empty = body.allow_empty if body else False
    return {"job_id": core.sources.sync(source_id, allow_empty=allow_empty, request_id=request_id.get()).job_id}


def _answer(core: App, source: StoredSource) -> dict[str, Any]:
    names = (
        *("type", "name", "collection", "config", "schedule", "enabled", "document_count"),
        *("last_started_at", "last_finished_at", "last_result", "last_error", "created_at", "updated_at"),
    )
    return {"id": source.source_id, **{name: getattr(source, name) for name in names}, **asdict(core.sources.status(source))}
