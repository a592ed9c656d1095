"""Traces."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page
from ragd.app.replays.explanation import End
from ragd.core.tracing import Status as TraceStatus
from ragd.core.tracing import TraceType


class ReadDocument(BaseModel):
    doc_id: str
    source: str


class TraceRow(BaseModel):
    trace_id: str
    trace_type: TraceType
    status: TraceStatus
    started_at: str
    ended_at: str
    latency_ms: int
    strategy_config_id: str
    job_id: str | None
    request_id: str | None
    question: str | None = Field(description="As far as observability.detail_level keeps it.")
    results: int | None = Field(description="Of a question: the passages of its answer.")
    degraded: list[str] = Field(description="Stages that were worked without.")
    document: ReadDocument | None = Field(
        description="Of an ingestion: what it read, where whoever asks may see it, and it is there."
    )


class TracePage(Page[TraceRow]): ...


class Trace(BaseModel):
    """A whole trace; `core/schemas/trace.schema.json` in the package has every detail."""

    trace_id: str
    trace_type: TraceType
    status: TraceStatus
    started_at: str
    ended_at: str
    strategy_config_id: str
    build: str
    spans: list[dict[str, Any]]
    events: list[dict[str, Any]]
    aggregates: dict[str, Any]
    links: dict[str, Any]


class FlowList(BaseModel):
    """A ranked list of a question, in the order of the stages."""

    name: Literal["dense", "sparse", "feedback", "fusion", "rerank", "context"]
    listed: int = Field(description="Candidates that the trace keeps.")
    found: int | None = Field(description="How many there were, where that is recorded.")
    is_cut: bool = Field(description="Whether there may have been more than the trace keeps.")


class FlowPosition(BaseModel):
    rank: int
    score: float | None


class FlowDocument(BaseModel):
    doc_id: str
    source: str
    title: str
    place: str


class FlowCandidate(BaseModel):
    """A passage that some list held. `document` and `excerpt` are there where whoever asks may see them, and it is there."""

    chunk_id: str
    positions: dict[str, FlowPosition]
    end: End = Field(description="How far it came.")
    live: bool
    document: FlowDocument | None
    excerpt: str | None


class Flow(BaseModel):
    """How each passage moved from list to list; those of the answer first."""

    trace_id: str
    query: str | None
    lists: list[FlowList]
    candidates: list[FlowCandidate]


class Reason(BaseModel):
    code: str = Field(description="A document's state, `filtered`, `collection_not_asked` …, or an `end` of a passage.")
    values: dict[str, Any]


class DocumentWhereabouts(BaseModel):
    doc_id: str
    source: str
    title: str
    collection: str
    in_answer: bool
    chunk_ids: list[str]
    reasons: list[Reason]


class Whereabouts(BaseModel):
    """Why documents are in the answer or not: the first five whose id, path or title was named."""

    total: int
    documents: list[DocumentWhereabouts]
