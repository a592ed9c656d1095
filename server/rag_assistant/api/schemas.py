"""Requests and answers of REST as models: what OpenAPI says, and what the extension's types are generated from.

Answers are sent without the fields that were not set, so that a place names only what it has.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from rag_assistant.retrieve.history import MAX_TURN_CHARS, MAX_TURNS
from rag_assistant.store.jobs import JobStatus
from rag_assistant.tracing import Status as TraceStatus
from rag_assistant.tracing import TraceType
from rag_assistant.types import DocType, DocumentStatus, Mode

T = TypeVar("T")

# Requests


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, values: Any) -> Any:
        # JSON can write half of a surrogate pair; nothing behind can store or hash it.
        try:
            json.dumps(values, ensure_ascii=False, default=repr).encode()
        except UnicodeEncodeError as error:
            raise ValueError("Text must be valid Unicode; half of a surrogate pair was found") from error
        return values


class FiltersBody(RequestBody):
    """Hard filters; what is not named does not filter."""

    doc_type: DocType | list[DocType] | None = None
    source: str | list[str] | None = None
    doc_id: str | list[str] | None = None
    version_id: str | list[str] | None = Field(
        default=None, description="Only live versions can be searched; another one is an error."
    )
    language: str | list[str] | None = None
    tags: str | list[str] | None = Field(default=None, description="A document without any tags is not shut out.")
    path_prefix: str | None = None
    section_prefix: str | list[str] | None = Field(
        default=None, description="The first headings of a section's path: a list, or a string such as 'Guide > Setup'."
    )
    updated_after: str | None = Field(default=None, description="ISO 8601")
    updated_before: str | None = Field(default=None, description="ISO 8601")


class PreferBody(RequestBody):
    """Soft preferences: they move passages up and never drop one."""

    recent: bool | None = None
    source: str | list[str] | None = Field(default=None, description="Sources, or beginnings of them.")
    has_image: bool | None = None


class TurnBody(RequestBody):
    role: Literal["user", "assistant"]
    text: str = Field(max_length=MAX_TURN_CHARS)


_HISTORY = {"type": "array", "maxItems": MAX_TURNS, "items": TurnBody.model_json_schema()}


class QueryBody(RequestBody):
    query: str
    collection: str | None = Field(default=None, description="Without it every enabled collection is searched.")
    # The upper end is a setting, and a collection that does not exist is told before a number out of range: the app checks.
    top_k: int | None = Field(default=None, json_schema_extra={"minimum": 1})
    strategy: str | None = Field(default=None, description="hybrid, dense_only, sparse_only, or a named strategy.")
    rerank: bool | None = None
    # Checked by the app, which knows the nearest right name; the schemas are here for those who read them.
    filters: Annotated[dict[str, Any] | None, WithJsonSchema(FiltersBody.model_json_schema())] = None
    prefer: Annotated[dict[str, Any] | None, WithJsonSchema(PreferBody.model_json_schema())] = None
    history: Annotated[list[Any] | None, WithJsonSchema(_HISTORY)] = Field(
        default=None, description="The turns before the question, oldest first; they make a follow-up self-contained."
    )
    explain: bool = Field(default=False, description="Whether the answer tells how the question was understood.")
    max_context_tokens: int | None = Field(default=None, ge=1)
    evaluation: str | None = Field(
        default=None, pattern="^[0-9a-f]{32}$", description="The evaluation run that asks; the trace links to it."
    )


class ChatBody(QueryBody):
    """A question to be answered in words; its history goes to the model, too."""


class CollectionCreate(RequestBody):
    name: str
    description: str = Field(default="", max_length=2000)


class CollectionChange(RequestBody):
    name: str | None = None
    description: str | None = Field(default=None, max_length=2000)
    status: Literal["enabled", "disabled"] | None = None


class IngestBody(RequestBody):
    paths: list[Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]*$")]] = Field(
        min_length=1, max_length=10_000, description="Absolute paths of files and folders."
    )
    collection: str | None = None
    force: bool = Field(default=False, description="Read again what has not changed.")
    recursive: bool = True
    gitignore: bool = Field(default=True, description="In folders, leave out what `.gitignore` files name.")


class VerifyBody(RequestBody):
    collection: str | None = Field(default=None, description="Without it, every enabled collection.")


class ReindexBody(RequestBody):
    collection: str | None = None


# Answers


class Problem(BaseModel):
    field: str
    code: str
    message: str


class ErrorInfo(BaseModel):
    code: str
    message: str
    request_id: str
    details: list[Problem]


class ErrorBody(BaseModel):
    error: ErrorInfo


class Page(BaseModel, Generic[T]):
    items: list[T]
    total: int
    page: int
    page_size: int


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
    counts: Counts
    data_dir: str
    mcp: bool
    notices: list[str]


class Where(BaseModel):
    """A place in a source. Pages, slides and lines count from 1; a range holds its ends.

    `bbox` is left, top, right, bottom as fractions (0..1) of the page.
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    cell_range: str | None = None
    line_range: tuple[int, int] | None = None
    bbox: tuple[float, float, float, float] | None = None


class Image(BaseModel):
    asset_id: str
    url: str
    mime: str
    caption: str | None = None
    text: str | None = Field(default=None, description="What was read in the picture.")


class Scores(BaseModel):
    dense: float | None = None
    sparse: float | None = None
    fused: float | None = None
    rerank: float | None = None


class Result(Where):
    chunk_id: str
    doc_id: str
    version_id: str
    collection: str
    content: str
    source: str
    source_uri: str
    doc_type: DocType
    title: str
    section_path: list[str]
    score: float
    scores: Scores
    images: list[Image]
    metadata: dict[str, Any]


class Citation(Where):
    id: int
    chunk_id: str
    chunk_ids: list[str] | None = Field(default=None, description="Of neighbours that were joined, best first.")
    doc_id: str
    title: str
    source: str
    source_uri: str
    section_path: list[str]


class Effective(BaseModel):
    strategy: Mode
    reranked: bool
    rerank_scored: int
    degraded: list[str]


class StageRank(BaseModel):
    rank: int
    score: float


class Explained(BaseModel):
    chunk_id: str
    stages: dict[str, StageRank] = Field(description="dense, sparse, fusion, and what ran of rerank, prefer and diversity.")
    moves: list[str]


class QueryAnswer(BaseModel):
    trace_id: str
    query: str
    results: list[Result]
    context: str
    citations: list[Citation]
    latency_ms: float
    timings_ms: dict[str, float]
    effective: Effective
    warnings: list[str]
    confidence: float = Field(description="0..1: how sure it is that the best passages answer the question.")
    plan: dict[str, Any] | None = Field(default=None, description="How the question was understood; with `explain` only.")
    explanation: list[Explained] | None = Field(
        default=None, description="Why these passages, one entry each; with `explain` only."
    )


class Collection(BaseModel):
    id: str
    name: str
    description: str
    status: Literal["enabled", "disabled", "deleted"]
    document_count: int
    chunk_count: int
    created_at: str
    updated_at: str


class Trouble(BaseModel):
    code: str
    message: str


class Document(BaseModel):
    id: str
    collection: str
    source: str
    source_uri: str
    title: str
    doc_type: DocType
    language: str | None
    status: DocumentStatus
    error: Trouble | None = None
    size: int
    chunk_count: int
    version_id: str | None
    updated_at: str
    summary: str
    tags: list[str]


class DocumentVersion(BaseModel):
    version_id: str
    status: str
    content_hash: str
    profile_id: str
    loader: str
    loader_version: str
    parser: str
    md_sha256: str
    size: int
    section_count: int
    section_hash: str
    chunk_count: int
    chunk_hash: str
    created_at: str
    ready_at: str | None


class DocumentDetail(Document):
    versions: list[DocumentVersion] = Field(description="The live one first, then older ones, the newest first.")
    metadata: dict[str, Any]
    warnings: list[str]
    keywords: list[str]


class DocumentsAndViews(BaseModel):
    """Documents that something is wrong with; at most fifty are named."""

    count: int
    doc_ids: list[str]


class CollectionReport(BaseModel):
    collection: str
    ok: bool
    documents: int
    chunks: int
    surplus_entries: dict[str, int]
    damaged_facts: DocumentsAndViews
    missing_from_views: DocumentsAndViews
    outdated_profile: DocumentsAndViews
    missing_vectors: DocumentsAndViews


class MissingPictures(BaseModel):
    count: int
    asset_ids: list[str]


class VerifyReport(BaseModel):
    """Whether facts, views, vectors and files agree, and where they do not."""

    ok: bool
    collections: list[CollectionReport]
    missing_pictures: MissingPictures


class DocumentContent(BaseModel):
    id: str
    markdown: str


class Section(BaseModel):
    section_id: str
    section_path: list[str]
    start: int
    end: int
    section_hash: str


class Chunk(Where):
    chunk_id: str
    ordinal: int
    section_id: str
    section_path: list[str]
    content: str
    image_refs: list[str]
    enrichment: dict[str, Any] | None = None


class Progress(BaseModel):
    stage: str
    done: int
    total: int


class FailedFile(BaseModel):
    source: str
    code: str
    message: str


class JobResult(BaseModel):
    added: int
    updated: int
    unchanged: int
    moved: int = 0
    deleted: int = 0
    skipped: int
    failed: list[FailedFile]
    chunks: int
    embedded: int
    reused: int
    drift: dict[str, Any] | None = Field(default=None, description="Of a rebuild: how structure and lengths changed.")


class Job(BaseModel):
    job_id: str
    kind: str
    status: JobStatus
    collection: str
    progress: Progress
    result: JobResult | None
    error: Trouble | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: int = 1
    not_before: str | None = None


class JobStarted(BaseModel):
    job_id: str


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


class Trace(BaseModel):
    """A whole trace; `trace.schema.json` in the package has every detail."""

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


class CollectionPage(Page[Collection]): ...


class DocumentPage(Page[Document]): ...


class SectionPage(Page[Section]): ...


class ChunkPage(Page[Chunk]): ...


class JobPage(Page[Job]): ...


class TracePage(Page[TraceRow]): ...
