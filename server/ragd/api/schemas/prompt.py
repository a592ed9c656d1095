"""A question for a model of the client's own, and the messages that the model should get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import RequestBody
from ragd.api.schemas.query import QueryAnswer, QueryBody
from ragd.core.query import Attachment, PromptRequest

MAX_ATTACHMENTS = 20
MAX_ATTACHMENT_CHARS = 100_000


class AttachmentBody(RequestBody):
    """A file or a selection that the user attached to the question."""

    name: str = Field(min_length=1, max_length=500)
    text: str = Field(max_length=MAX_ATTACHMENT_CHARS)


class PromptBody(QueryBody):
    """A question to be answered by a model of the client; its history goes to the model, too."""

    max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens of all messages together, by the daemon's estimate, which counts rather too many; without it what "
        "`llm.context_tokens` and `llm.max_output_tokens` leave.",
    )
    attachments: list[AttachmentBody] = Field(default_factory=list, max_length=MAX_ATTACHMENTS)

    def request(self, source_tokens: Mapping[str, str]) -> PromptRequest:
        """The request as the services take it. Raises as a query's does."""
        attachments = tuple(Attachment(item.name, item.text) for item in self.attachments)
        return PromptRequest(**self._fields(source_tokens), max_tokens=self.max_tokens, attachments=attachments)


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
