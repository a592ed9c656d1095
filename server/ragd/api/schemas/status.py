"""Whether the daemon lives, what it has loaded, and what has changed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import StreamEnd
from ragd.api.schemas.jobs import Job
from ragd.core.checks import Check


class Health(BaseModel):
    status: Literal["ok"]


class ModelInfo(BaseModel):
    id: str
    provider: str
    revision: str | None = None
    dim: int | None = None
    device: str | None = None


class RerankerInfo(BaseModel):
    provider: str
    name: str | None = Field(default=None, description="What the setting came to, once it is open.")
    profile: str | None = None
    device: str | None = Field(default=None, description="Of a reranker that runs a model here.")


class LlmInfo(BaseModel):
    provider: str
    model: str


class StoresInfo(BaseModel):
    facts: str
    dense: str
    sparse: str


class TokenIndexProgress(BaseModel):
    done: int
    total: int = Field(description="Documents; 0 until they are counted.")


class TokenIndexInfo(BaseModel):
    provider: str = Field(description="`none` where no token vectors are kept.")
    building: TokenIndexProgress | None = Field(description="Of the job that makes what is missing, while there is one.")


class Counts(BaseModel):
    collections: int
    documents: int
    chunks: int


class Status(BaseModel):
    version: str
    ready: bool
    model: ModelInfo
    reranker: RerankerInfo
    llm: LlmInfo
    stores: StoresInfo
    token_index: TokenIndexInfo
    counts: Counts
    data_dir: str
    disk_free: int = Field(description="Bytes that are free where the data directory is.")
    mcp: bool = Field(description="Whether agents are served at `/mcp`.")
    mcp_forbidden: str | None = Field(description="The policy of the machine that forbids it, whatever the settings say.")
    notices: list[str]


class Growth(BaseModel):
    total: int
    day: int = Field(description="Of these, what came within 24 hours.")
    month: int = Field(description="Of these, what came within 30 days.")


class Activity(BaseModel):
    count: int
    p50_ms: int | None
    p95_ms: int | None
    failed: int
    degraded: int = Field(description="Those that worked without some stage.")
    nothing_found: int


class Activities(BaseModel):
    day: Activity
    month: Activity


class CacheUse(BaseModel):
    """Of the newest 200 files that were read: vectors that were there already, and those that were made."""

    hits: int
    misses: int


class DaemonOverview(BaseModel):
    """What the daemon holds and did, as far as `observability.keep_traces` goes back."""

    documents: Growth
    chunks: Growth
    pictures: Growth
    queries: Activities
    ingestions: Activities
    cache: CacheUse


class Setting(BaseModel):
    """A setting that one question may change."""

    name: str
    value: Any = Field(description="As the settings have it.")
    default: Any
    rule: dict[str, Any] = Field(description="JSON Schema of its values.")


class SettingList(BaseModel):
    items: list[Setting]


class Checks(BaseModel):
    """What `rag doctor` reports of the database, the model and the indexes."""

    checks: list[Check]


class DaemonState(BaseModel):
    """What an editor shows all the time; the event `state` of `/api/events`."""

    version: str
    counts: Counts
    failed_documents: int
    unfinished_jobs: int
    jobs: list[Job] = Field(description="The first 50 of those that wait or run, oldest first.")
    changes: str = Field(description="Differs whenever documents, collections or sources have changed.")


class DaemonEvents(BaseModel):
    """The events of `GET /api/events`, and the data of each."""

    state: DaemonState
    stopping: StreamEnd


class Stopping(BaseModel):
    stopping: Literal[True]
