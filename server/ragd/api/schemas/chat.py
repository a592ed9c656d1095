"""A question that is answered in words, the events of the answer, and an answer that is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import ErrorBody, RequestBody
from ragd.api.schemas.query import Citation, QueryAnswer, QueryBody
from ragd.core.query import ChatRequest

MAX_ANSWER_CHARS = 100_000
MAX_CITATIONS = 100
MAX_CHUNKS = 50

ChunkId = Annotated[str, Field(min_length=1, max_length=64)]


class ChatBody(QueryBody):
    """A question to be answered in words; its history goes to the model, too."""

    extractive: bool = Field(
        default=False, description="Answer with the passages' own sentences, also where a language model is set."
    )

    def request(self, source_tokens: Mapping[str, str]) -> ChatRequest:
        """The request as the services take it. Raises as a query's does."""
        return ChatRequest(**self._fields(source_tokens), extractive=self.extractive)


class ChatDelta(BaseModel):
    """The next piece of the answer."""

    text: str


class Support(BaseModel):
    """How well a sentence is borne out by the passages. `start` and `end` are characters (code points) of the answer."""

    start: int
    end: int
    text: str
    score: float
    supported: bool
    citations: list[int] = Field(description="Numbers of the passages that bear it out, best first.")


class ChatDone(BaseModel):
    """The whole answer. `citations` are those that it refers to."""

    trace_id: str
    answer: str
    provider: str = Field(description="`extractive` for the passages' own sentences.")
    model: str
    found: bool
    removed_citations: int = Field(description="References to passages that were never given.")
    finish: Literal["complete", "length", "cut_off", "cancelled"]
    citations: list[Citation]
    support: list[Support]
    usage: dict[str, Any]
    degraded: list[str]
    warnings: list[str]


class ChatEvents(BaseModel):
    """The events of `POST /api/chat`, and the data of each."""

    retrieval: QueryAnswer
    delta: ChatDelta
    done: ChatDone
    error: ErrorBody


class GivenCitation(RequestBody):
    """A number that was given to a model, and the passages that stood under it: the `chunk_ids` of a citation."""

    id: int = Field(ge=1, le=999)
    chunk_ids: list[ChunkId] = Field(min_length=1, max_length=MAX_CHUNKS)


class AnswerVerifyBody(RequestBody):
    """An answer that somebody else's model wrote from passages of ours."""

    answer: str = Field(max_length=MAX_ANSWER_CHARS)
    citations: list[GivenCitation] = Field(max_length=MAX_CITATIONS)


class VerifiedAnswer(BaseModel):
    """The answer without references to what was not given. `citations` are those that it refers to."""

    answer: str
    found: bool = Field(description="False for an answer that says only that nothing was found.")
    removed_citations: int
    support: list[Support]
    citations: list[Citation]
