"""Replays: what differs between what was done then and what is done now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import RequestBody, Where
from ragd.app.replays.query import ReplayRequest
from ragd.core.logs import request_id
from ragd.core.tracing import TraceType

_QUERY = "Of a query."
_INGESTION = "Of an ingestion."


class ReplayBody(RequestBody):
    """What is to be otherwise than it was; an ingestion is repeated without any."""

    query: str | None = Field(default=None, description="The question as it was asked, where the trace does not hold it.")
    strategy: str | None = Field(default=None, description="As for a query, instead of the one that was asked for.")
    settings: dict[str, Any] = Field(
        default={}, description="Values by dotted name, such as rerank.top_n: of retrieval, rerank, and answer.min_confidence."
    )

    def request(self, source_tokens: Mapping[str, str], readable: frozenset[str] | None) -> ReplayRequest:
        return ReplayRequest(self.query, self.strategy, self.settings, request_id.get(), source_tokens, readable)


class Changed(BaseModel):
    """Something with another value; null where one side has none."""

    name: str
    before: Any
    after: Any


class ComparedList(BaseModel):
    """A ranked list then and now; null where it was not made or is not kept."""

    name: Literal["dense", "sparse", "feedback", "fusion", "rerank", "context"]
    before: int | None
    after: int | None
    kept: int
    entered: list[str]
    left: list[str]
    moved: int = Field(description="Of those that were kept, how many have another rank.")
    score_drift: float = Field(description="The greatest difference of a score among those that were kept.")


class Position(BaseModel):
    rank: int
    score: float | None


class CandidateDocument(BaseModel):
    doc_id: str
    source: str
    title: str
    place: str


class ReplayedCandidate(BaseModel):
    chunk_id: str
    before: dict[str, Position]
    after: dict[str, Position]
    live: bool = Field(description="Whether the passage is there to be found now.")
    document: CandidateDocument | None = Field(description="Where whoever asks may see it, and it is there.")


class ReplayedDocument(BaseModel):
    doc_id: str
    source: str
    state: Literal["same", "new", "changed", "gone"]


class Since(BaseModel):
    """Documents of the collections that were searched, by what became of them since the trace."""

    new: int
    changed: int
    gone: int


class PlacedChunk(Where):
    chunk_id: str
    section_path: list[str]


class ReplayedChunks(BaseModel):
    before: int | None
    after: int
    named: bool = Field(description="Whether the stored chunks are those of the trace, so that it can be said which differ.")
    kept: int | None = None
    new: list[PlacedChunk] | None = None
    gone: list[PlacedChunk] | None = None


class Replay(BaseModel):
    trace_id: str
    trace_type: TraceType
    recorded_at: str
    same: bool
    notes: list[str] = Field(description="What can't be compared, and why.")
    providers: list[Changed] | None = Field(default=None, description="By stage: type, id and profile.")
    times: list[Changed] | None = Field(default=None, description="Milliseconds by stage; `total` is the last.")
    replay: str | None = Field(default=None, description=f"{_QUERY} The trace that the replay left.")
    query: str | None = Field(default=None, description=f"{_QUERY} The question as it was searched.")
    warnings: list[str] | None = Field(default=None, description=f"{_QUERY} As a query has them.")
    settings: list[Changed] | None = Field(default=None, description=f"{_QUERY} Null is the default.")
    request: list[Changed] | None = Field(default=None, description=_QUERY)
    plan: list[Changed] | None = Field(default=None, description=f"{_QUERY} How it was understood otherwise.")
    lists: list[ComparedList] | None = Field(default=None, description=f"{_QUERY} In the order of the stages.")
    candidates: list[ReplayedCandidate] | None = Field(default=None, description=f"{_QUERY} Those of today's context first.")
    documents: list[ReplayedDocument] | None = Field(default=None, description=f"{_QUERY} Those of the candidates.")
    since: Since | None = Field(default=None, description=_QUERY)
    confidence: dict[str, float | None] | None = Field(default=None, description=f"{_QUERY} before, after.")
    document: dict[str, Any] | None = Field(default=None, description=_INGESTION)
    failed: dict[str, Any] | None = Field(default=None, description=f"{_INGESTION} Errors before and after; null for none.")
    values: list[Changed] | None = Field(default=None, description=f"{_INGESTION} What the stages counted otherwise.")
    chunks: ReplayedChunks | None = Field(default=None, description=_INGESTION)
