"""Sources: folders that are read again and again, and followed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, WithJsonSchema

from rag_assistant.api.common import Core, Pages, collection_available
from rag_assistant.api.schemas import FailedFile, JobStarted, Page, RequestBody
from rag_assistant.app import App
from rag_assistant.logs import request_id
from rag_assistant.sources.service import State
from rag_assistant.sources.syncs import Leave
from rag_assistant.store.sources import Source as StoredSource

router = APIRouter(prefix="/api/sources", tags=["sources"])


class FolderConfig(RequestBody):
    """What a source of type `folder` is asked to do. Globs are written as in a `.gitignore`, and match in any case."""

    path: str = Field(description="Absolute path of the folder.")
    include: list[str] = Field(default=[], description="Only files that match one of these.")
    exclude: list[str] = Field(default=[], description="No file or folder that matches one of these.")
    gitignore: bool = Field(default=True, description="Leave out what `.gitignore` files name.")
    watch: bool = Field(default=True, description="Follow changes while the daemon runs.")
    poll: bool | None = Field(default=None, description="Find changes by looking; null: on network drives only.")


# Checked by the app, which tells every wrong field at once; the schema is here for those who read it.
_SCHEMA = FolderConfig.model_json_schema()
Config = Annotated[dict[str, Any], WithJsonSchema(_SCHEMA)]
PartOfConfig = Annotated[dict[str, Any], WithJsonSchema({key: value for key, value in _SCHEMA.items() if key != "required"})]


class SourceCreate(RequestBody):
    type: str = Field(description="`folder`")
    name: str | None = Field(default=None, description="Else the folder's name, with a number when that is taken.")
    collection: str | None = None
    config: Config
    schedule: None = Field(default=None, description="Folders have none: they are followed.")


class SourceChange(RequestBody):
    name: str | None = None
    config: PartOfConfig | None = Field(default=None, description="Only what is to change.")
    enabled: bool | None = None


class SyncBody(RequestBody):
    allow_empty: bool = Field(default=False, description="A folder that is found empty is meant to be: delete its documents.")


class SourceResult(BaseModel):
    """What the last reading did. With `everything` false only what had changed was looked at."""

    added: int
    updated: int
    unchanged: int
    moved: int
    deleted: int
    skipped: int
    ignored: int
    failed_count: int
    failed: list[FailedFile]
    chunks: int
    embedded: int
    reused: int
    everything: bool
    job_id: str


class Source(BaseModel):
    id: str
    type: str
    name: str
    collection: str
    config: dict[str, Any]
    schedule: str | None
    enabled: bool
    state: State
    followed: bool
    polling: bool
    notice: str | None
    document_count: int
    job_id: str | None
    last_started_at: str | None
    last_finished_at: str | None
    last_result: SourceResult | None
    last_error: str | None
    created_at: str
    updated_at: str


class SourcePreview(BaseModel):
    """What a source would read: counts, the first names, and the first of what can't be read."""

    files: int
    by_type: dict[str, int]
    names: list[str]
    skipped: int
    ignored: int
    failed_count: int
    failed: list[FailedFile]


class SourcePage(Page[Source]): ...


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
