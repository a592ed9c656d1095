"""Sources: what a folder that is followed is told, and how it stands."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from rag_assistant.api.schemas.base import Page, RequestBody
from rag_assistant.api.schemas.jobs import FailedFile
from rag_assistant.sources.service import State


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
