"""Sources: folders that are followed, and places elsewhere that are read again and again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse

from ragd.access.callers import Role
from ragd.api.common import Access, App, CallerOf, Pages, SourceTokens, collection_available
from ragd.api.middleware.headers import NEW_SOURCE
from ragd.api.schemas.jobs import JobStarted
from ragd.api.schemas.sources import (
    CloudPreview,
    LedgerPage,
    RetryBody,
    Source,
    SourceChange,
    SourceCreate,
    SourceLedger,
    SourcePage,
    SourcePreview,
    SyncBody,
)
from ragd.core.logs import request_id
from ragd.core.storage import named
from ragd.sources.queue import Leave
from ragd.store.ledger import Cycle, ItemState
from ragd.store.sources import Source as StoredSource

router = APIRouter(prefix="/api/sources", tags=["sources"])


def _exists(source_id: str, app: App) -> None:
    """The source in the address must exist."""
    app.sources.get(source_id)


_PREVIEW: dict[int | str, dict[str, Any]] = {
    200: {"model": SourcePreview | CloudPreview, "description": "With `dry_run`: what would be read."}
}
_SKIPPED_SHOWN = 100


@router.get("", response_model=SourcePage)
def list_sources(app: App, paging: Pages, caller: CallerOf) -> dict[str, Any]:
    """Sources by name, as they stand."""
    found, total = app.sources.page(paging.page, paging.page_size, caller.reach(Role.ADMIN))
    return paging.answer([_answer(app, source) for source in found], total)


@router.post("", response_model=Source, status_code=201, responses=_PREVIEW, dependencies=[Depends(collection_available)])
def add_source(body: SourceCreate, app: App, tokens: SourceTokens, dry_run: Annotated[bool, Query()] = False) -> Any:
    """Add a source, which is read at once (`job_id`) and followed, or read by its schedule, from then on.

    With `dry_run` a folder is looked at, or a cloud source's connection is tested, and nothing is stored. A token that comes with
    the request stands under the id `new`.
    """
    if dry_run:
        return JSONResponse(asdict(app.sources.preview(body.type, body.config, tokens.get(NEW_SOURCE))))
    wishes = body.model_dump(exclude={"type", "config"})
    added = app.sources.add(body.type, body.config, request_id=request_id.get(), token=tokens.get(NEW_SOURCE), **wishes)
    return _answer(app, added)


@router.get("/{source_id}", response_model=Source)
def get_source(source_id: str, app: App) -> dict[str, Any]:
    """One source as it stands."""
    return _answer(app, app.sources.get(source_id))


@router.patch("/{source_id}", response_model=Source, dependencies=[Depends(_exists)])
def change_source(source_id: str, body: SourceChange, app: App, tokens: SourceTokens) -> dict[str, Any]:
    """Rename a source, change its configuration, switch it on or off. What is read in another way is read again at once."""
    wishes = body.model_dump(exclude={"config"}) | {"values": body.config}
    changed = app.sources.change(source_id, request_id=request_id.get(), token=tokens.get(source_id), **wishes)
    return _answer(app, changed)


@router.delete("/{source_id}", status_code=204, dependencies=[Depends(_exists)])
def remove_source(source_id: str, app: App, documents: Annotated[Leave, Query()] = "delete") -> None:
    """Remove a source, with its documents or without them. What it was read from stays as it is."""
    app.sources.remove(source_id, documents, request_id.get())


@router.post("/{source_id}/sync", response_model=JobStarted, status_code=202, dependencies=[Depends(_exists)])
def sync_source(source_id: str, app: App, tokens: SourceTokens, body: SyncBody | None = None) -> dict[str, str]:
    """Look at everything that the source has."""
    wishes = (body or SyncBody()).model_dump()
    job = app.sources.sync(source_id, request_id=request_id.get(), token=tokens.get(source_id), **wishes)
    return {"job_id": job.job_id}


@router.post("/{source_id}/retry", response_model=JobStarted, status_code=202, dependencies=[Depends(_exists)])
def retry_items(source_id: str, app: App, tokens: SourceTokens, body: RetryBody | None = None) -> dict[str, str]:
    """Fetch items once more that were left out; what a rule of the source leaves out stays out."""
    items = body.items if body else None
    job = app.sources.retry(source_id, items, token=tokens.get(source_id), request_id=request_id.get())
    return {"job_id": job.job_id}


@router.get("/{source_id}/ledger", response_model=SourceLedger, dependencies=[Depends(_exists)])
def source_ledger(source_id: str, app: App, access: Access) -> dict[str, Any]:
    """The last cycles of a cloud source, each item accounted for. A title needs a token that may read its item."""
    ledger = app.sources.ledger
    skipped, _total = ledger.page_of_items(source_id, "skipped", 1, _SKIPPED_SHOWN)
    readable = access.readable_items(source_id, skipped)
    cycles = ledger.cycles(source_id)
    newest = next((cycle.cycle_id for cycle in cycles if cycle.phase == "done"), None)
    shown = [
        {"id": item.item_id, "title": item.title if item.item_id in readable else None, **named(item, "reason", "message")}
        for item in skipped
    ]
    answers = [_cycle(cycle, shown if cycle.cycle_id == newest else []) for cycle in cycles]
    return {"cycles": answers, "counts": ledger.counts(source_id)}


@router.get("/{source_id}/ledger/items", response_model=LedgerPage, dependencies=[Depends(_exists)])
def ledger_items(
    source_id: str, app: App, paging: Pages, access: Access, state: Annotated[ItemState, Query()] = "skipped"
) -> dict[str, Any]:
    """The items of a cloud source that are in one state, by id. A title needs a token that may read its item."""
    items, total = app.sources.ledger.page_of_items(source_id, state, paging.page, paging.page_size)
    readable = access.readable_items(source_id, items)
    names = ("kind", "container", "owner", "state", "reason", "message", "version", "remote_updated_at", "fetched_at")
    answers = [
        {"id": item.item_id, "title": item.title if item.item_id in readable else None, **named(item, *names)} for item in items
    ]
    return paging.answer(answers, total)


def _cycle(cycle: Cycle, skipped: list[dict[str, Any]]) -> dict[str, Any]:
    values = asdict(cycle)
    count = values.pop("skipped")
    return {**values, "id": cycle.cycle_id, "skipped_count": count, "skipped": skipped}


def _answer(app: App, source: StoredSource) -> dict[str, Any]:
    names = (
        *("type", "name", "collection", "config", "schedule", "live", "public", "due_at", "enabled", "document_count"),
        *("last_started_at", "last_finished_at", "last_result", "last_error", "created_at", "updated_at"),
    )
    waits = app.sources.waits_for_token(source)
    return {"id": source.source_id, **named(source, *names), "waits_for_token": waits, **asdict(app.sources.status(source))}
