"""The typed fields of results: what programs read beside the text. Each carries `trace_id`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Problem, Where
from ragd.api.schemas.chat import Support
from ragd.api.schemas.collections import Collection
from ragd.api.schemas.jobs import Job
from ragd.core.documents import DocType

Detail = Literal["concise", "full"]
Variant = Literal["thumb", "raw"]


class Result(BaseModel):
    """What every result has."""

    trace_id: str = Field(description="Of a question its trace (`rag traces show`), else the id under which the log tells of it.")


class Passage(Where):
    """A passage, best first."""

    chunk_id: str
    doc_id: str
    collection: str
    source: str
    source_uri: str
    doc_type: DocType
    title: str
    section_path: list[str]
    citation: int | None = Field(
        default=None, description="Cite this passage as [citation]. Missing where it was too long for the citations."
    )
    score: float = Field(description="0..1")
    content: str
    truncated: bool = Field(description="Whether `content` was cut; get_document has the whole.")
    asset_ids: list[str] = Field(description="Its pictures, for query_assets.")
    as_of: str | None = Field(
        default=None, description="The day on which the text was fetched, when it was not checked just now."
    )


class CitationRow(Where):
    """What `[id]` in the text stands for. Give `id` and `chunk_ids` to verify_answer."""

    id: int
    chunk_ids: list[str]
    doc_id: str
    collection: str
    source: str
    source_uri: str
    title: str
    section_path: list[str]
    place: str = Field(description="The place in the source as people say it.")
    as_of: str | None = None


class Found(Result):
    """Passages for a question."""

    query: str
    note: str = Field(description="How to read the passages.")
    results: list[Passage]
    citations: list[CitationRow]
    confidence: float = Field(description="0..1: how sure it is that the best passages answer the question.")
    degraded: list[str] = Field(description="What was left out because a part did not work.")
    warnings: list[str]
    full: dict[str, Any] | None = Field(default=None, description="The whole answer of POST /api/query; with detail=full only.")


class Checked(Result):
    """An answer held against its passages."""

    answer: str = Field(description="Without references to passages that were never given.")
    removed_citations: int
    supported: int = Field(description="Sentences that the passages bear out.")
    unsupported: int
    support: list[Support]
    citations: list[CitationRow]
    full: dict[str, Any] | None = Field(
        default=None, description="The whole answer of POST /api/answers/verify; detail=full only."
    )


class CollectionList(Result):
    """All collections by name."""

    collections: list[Collection]
    total: int


class Failure(BaseModel):
    """Why a call failed."""

    code: str
    message: str
    details: list[Problem]


class Failed(BaseModel):
    """The typed part of a result that is an error."""

    trace_id: str
    error: Failure
    retryable: bool


class JobState(Result):
    """A job as it stands."""

    finished: bool = Field(description="When false the job goes on: look again with get_job.")
    job: Job = Field(description="As GET /api/jobs/{id} tells it; `result` is there when it is finished.")
    failed_left_out: int = Field(description="Files that failed beyond those in `job.result.failed`.")


class DeletedDocument(Result):
    """What is no longer in the index. Its file is where it was."""

    doc_id: str
    title: str
    source: str
    source_uri: str
    collection: str


class Picture(BaseModel):
    """A picture that was sent. The pictures of a result come in this order."""

    asset_id: str
    mime: str
    size: int = Field(description="Bytes, before they are coded for the transport.")
    variant: Variant


class MissingPicture(BaseModel):
    """A picture that can't be sent, and why."""

    asset_id: str
    code: str
    message: str


class OmittedPicture(BaseModel):
    """A picture that did not fit into `max_bytes`."""

    asset_id: str
    mime: str
    size: int


class Pictures(Result):
    """Pictures by their ids."""

    assets: list[Picture]
    missing: list[MissingPicture]
    omitted: list[OmittedPicture]
