"""Feedback: what people say of an answer, kept as a case for evaluation."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from ragd.api.schemas.base import Page, RequestBody
from ragd.api.schemas.chat import MAX_ANSWER_CHARS, ChunkId
from ragd.api.schemas.query import FILTERS, HISTORY, TurnBody
from ragd.store.feedback import Verdict

MAX_QUESTION_CHARS = 20_000
MAX_COMMENT_CHARS = 10_000
MAX_CHUNKS = 100


class FeedbackBody(RequestBody):
    """`chunk_ids` are the passages that were shown, best those that the answer cites. Their places are kept, not the ids."""

    question: str = Field(max_length=MAX_QUESTION_CHARS)
    verdict: Verdict
    collection: str | None = Field(default=None, description="The collection that was asked; without it, every enabled one.")
    filters: Annotated[dict[str, Any] | None, WithJsonSchema(FILTERS)] = None
    history: Annotated[list[Any] | None, WithJsonSchema(HISTORY)] = None
    chunk_ids: list[ChunkId] = Field(max_length=MAX_CHUNKS)
    answer: str | None = Field(default=None, max_length=MAX_ANSWER_CHARS)
    comment: str | None = Field(default=None, max_length=MAX_COMMENT_CHARS)
    trace_id: str | None = Field(default=None, pattern="^[0-9a-f]{32}$")


class RelevantTo(BaseModel):
    """A document, and the place in it that was shown, written as in a dataset of `rag eval`."""

    source: str
    place: dict[str, str | int | list[int]]


class Feedback(BaseModel):
    id: str
    created_at: str
    question: str
    verdict: Verdict
    collection: str | None
    filters: dict[str, Any] | None
    history: list[TurnBody]
    relevant: list[RelevantTo]
    answer: str | None
    comment: str | None
    trace_id: str | None


class FeedbackPage(Page[Feedback]): ...
