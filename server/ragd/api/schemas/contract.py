"""The service contract's requests and answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel, StringConstraints

from ragd.api.schemas.base import Page, RequestBody

Status = Literal["enabled", "disabled", "deleted"]
TaskStatus = Literal["pending", "running", "completed", "failed"]
UploadStatus = Literal["processing", "completed", "failed", "deleted"]


class KnowledgeBaseCreate(RequestBody):
    name: str
    description: str = Field(default="", max_length=2000)


class KnowledgeBaseChange(RequestBody):
    name: str | None = None
    description: str | None = Field(default=None, max_length=2000)
    status: Literal["enabled", "disabled"] | None = None


class KnowledgeBase(BaseModel):
    """A collection. One that is `deleted` stays listed; its name is free again."""

    id: str
    name: str
    description: str
    status: Status
    document_count: int
    chunk_count: int
    created_at: str
    updated_at: str


class KnowledgeBasePage(Page[KnowledgeBase]): ...


class CleanupStarted(BaseModel):
    cleanup_task_id: str


class CleanupProgress(BaseModel):
    """Documents that are removed. `total` and `percentage` (0 to 1) are null as long as nobody has counted them."""

    processed: int
    total: int | None
    percentage: float | None


class CleanupTask(BaseModel):
    """The removal of what a deleted knowledge base held.

    An attempt that failed is followed by up to three others, after 1, 2 and 4 minutes (`jobs.cleanup_retries_s`); until then the
    task is `pending`, with the reason in `error_message`.
    """

    task_id: str
    knowledge_base_id: str
    status: TaskStatus
    progress: CleanupProgress
    error_message: str | None
    created_at: str
    updated_at: str


class DocumentAccepted(BaseModel):
    document_id: str
    status: Literal["processing"]


class DocumentMetadata(BaseModel):
    ocr_skipped: bool = Field(
        description="Whether pictures or scanned pages were left unread because no text recognition is there."
    )


class KnowledgeBaseDocument(BaseModel):
    """A document as of its newest upload: while that is read, and when it failed, an earlier version stays searchable.

    `filename` is empty where only a token for its source may name it (`X-RAG-Source-Token`), and of documents that were deleted
    with their knowledge base.
    """

    id: str
    knowledge_base_id: str
    filename: str
    status: UploadStatus
    error_message: str | None
    chunk_count: int
    metadata: DocumentMetadata
    created_at: str
    updated_at: str


class KnowledgeBaseDocumentPage(Page[KnowledgeBaseDocument]): ...


class SearchBody(RequestBody):
    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    knowledge_base_id: str
    top_k: int | None = Field(default=None, ge=1, description="`retrieval.top_k` (5) when left out, at most RAG_MAX_TOP_K (20).")


class SearchResult(BaseModel):
    """A passage. `chunk_index` counts from 0 within its document."""

    chunk_text: str
    score: float = Field(
        ge=0,
        le=1,
        description="The answer's header `X-Score` says what it is. `cross_encoder`: the sigmoid 1 / (1 + exp(-raw score)) of "
        "the cross-encoder `rerank.model`, which is used where its files are there. `confidence`: the calibrated confidence "
        "(0..1) that the best passages answer the query, times the passage's score among them. `remote`, `llm`: what that "
        "reranker gave, as 0..1.",
    )
    document_id: str
    filename: str
    chunk_index: int


class SearchResults(RootModel[list[SearchResult]]):
    """Passages, best first."""


class Readiness(BaseModel):
    status: Literal["ready"]
