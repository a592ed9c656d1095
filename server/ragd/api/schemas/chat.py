"""Questions that are answered in words, here or by a model of the client's own, and answers that are checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import ErrorBody, RequestBody
from ragd.api.schemas.query import Citation, QueryAnswer, QueryBody
from ragd.core.query import Attachment, ChatRequest, PromptRequest

MAX_ANSWER_CHARS = 100_000
MAX_CITATIONS = 100
_MAX_CHUNKS = 50
_MAX_ATTACHMENTS = 20
_MAX_ATTACHMENT_CHARS = 100_000

ChunkId = Annotated[str, Field(min_length=1, max_length=64)]


class ChatBody(QueryBody):
    """A question to be answered in words; its history goes to the model, too."""

    extractive: bool = Field(
        default=False, description="Answer with the passages' own sentences, also where a language model is set."
    )

    def request(self, source_tokens: Mapping[str, str], readable: frozenset[str] | None = None) -> ChatRequest:
        """The request as the services take it. Raises as a query's does."""
        return ChatRequest(**self._fields(source_tokens, readable), extractive=self.extractive)


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
    chunk_ids: list[ChunkId] = Field(min_length=1, max_length=_MAX_CHUNKS)


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


class AttachmentBody(RequestBody):
    """A file or a selection that the user attached to the question."""

    name: str = Field(min_length=1, max_length=500)
    text: str = Field(max_length=_MAX_ATTACHMENT_CHARS)


class PromptBody(QueryBody):
    """A question to be answered by a model of the client; its history goes to the model, too."""

    max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens of all messages together, by the daemon's estimate, which counts rather too many; without it what "
        "`llm.context_tokens` and `llm.max_output_tokens` leave.",
    )
    attachments: list[AttachmentBody] = Field(default_factory=list, max_length=_MAX_ATTACHMENTS)

    def request(self, source_tokens: Mapping[str, str], readable: frozenset[str] | None = None) -> PromptRequest:
        """The request as the services take it. Raises as a query's does."""
        attachments = tuple(Attachment(item.name, item.text) for item in self.attachments)
        return PromptRequest(**self._fields(source_tokens, readable), max_tokens=self.max_tokens, attachments=attachments)


class PromptMessage(BaseModel):
    role: Literal["system", "user", "assistant"]
    text: str


class PromptAnswer(QueryAnswer):
    """What `/api/query` answers, and the messages for the model, by the rules of `config/prompts/answer.md`.

    Without messages there is nothing to answer from: neither are passages found nor is anything attached. `not_found` is the
    answer then, and the phrase that the model is to say when the passages do not hold the answer.
    """

    messages: list[PromptMessage]
    tokens: int = Field(description="Tokens of all messages, by the daemon's estimate.")
    given: list[int] = Field(description="Numbers of the citations that are in the messages; the others had no room.")
    attachments: list[Literal["whole", "beginning", "none"]] = Field(description="How much of each attachment is in them.")
    turns_left_out: int = Field(description="Earlier turns for which there was no room.")
    not_found: str
