"""OpenAI's requests and answers, as far as they are served here, and reranking as Jina and Cohere have it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from ragd.api.schemas.base import RequestBody
from ragd.api.schemas.query import FILTERS, Citation
from ragd.core.errors import FieldProblem, ValidationFailed

MAX_TEXTS: Final = 256
"""Texts of one request for vectors."""

# What has no meaning for an answer made of passages, and does no harm where it is left out.
_IGNORED: Final = (
    "Taken and left out of account: the daemon's own settings decide (`llm.temperature`, `llm.max_output_tokens`, …)."
)
# By these a program would get something else than it asked for. What changes nothing is taken.
_NEUTRAL: Final[dict[str, tuple[Any, ...]]] = {
    "n": (1,),
    "tools": ([],),
    "functions": ([],),
    "tool_choice": ("none", "auto"),
    "function_call": ("none", "auto"),
    "response_format": ({"type": "text"},),
    "stop": ([], ""),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "modalities": (["text"],),
    "audio": (),
    "prediction": (),
    "web_search_options": (),
}
_REFUSED: Final = "Not supported: anything but what changes nothing is refused."


class OpenAiError(BaseModel):
    message: str
    type: Literal["invalid_request_error", "authentication_error", "permission_error", "rate_limit_error", "server_error"]
    param: str | None = Field(description="The field that is wrong, where it is one.")
    code: str = Field(description="Our code in small letters; `invalid_api_key` and `model_not_found` as OpenAI calls them.")
    request_id: str | None


class OpenAiErrorBody(BaseModel):
    error: OpenAiError


class OpenAiModel(BaseModel):
    id: str
    object: Literal["model"]
    created: int = Field(description="Seconds since 1970.")
    owned_by: str
    kind: Literal["collection", "embedding", "rerank"] = Field(description="Collections answer chat completions.")
    description: str


class OpenAiModels(BaseModel):
    object: Literal["list"]
    data: list[OpenAiModel]


class TextPart(RequestBody):
    type: Literal["text"]
    text: str


class OpenAiMessage(RequestBody):
    """Only text is read. `system` and `developer` are left out of account: the rules of answers are the daemon's."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart] | None = None
    name: str | None = None
    refusal: str | None = None
    annotations: list[Any] | None = None

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content or ())


class StreamOptions(RequestBody):
    include_usage: bool = False
    include_obfuscation: bool | None = Field(default=None, description=_IGNORED)


_Ignored = Annotated[Any, Field(default=None, description=_IGNORED)]
_Refused = Annotated[Any, Field(default=None, description=_REFUSED)]


class ChatCompletionBody(RequestBody):
    model: str = Field(description="The name of a collection.")
    messages: list[OpenAiMessage] = Field(min_length=1, description="The last one is the user's question.")
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    top_k: int | None = Field(default=None, ge=1, description="Not OpenAI's: passages to answer from.")
    filters: Annotated[dict[str, Any] | None, WithJsonSchema(FILTERS)] = Field(
        default=None, description="Not OpenAI's: as in `POST /api/query`."
    )
    temperature: _Ignored
    top_p: _Ignored
    max_tokens: _Ignored
    max_completion_tokens: _Ignored
    presence_penalty: _Ignored
    frequency_penalty: _Ignored
    seed: _Ignored
    user: _Ignored
    safety_identifier: _Ignored
    prompt_cache_key: _Ignored
    metadata: _Ignored
    store: _Ignored
    service_tier: _Ignored
    parallel_tool_calls: _Ignored
    reasoning_effort: _Ignored
    verbosity: _Ignored
    n: _Refused
    tools: _Refused
    functions: _Refused
    tool_choice: _Refused
    function_call: _Refused
    response_format: _Refused
    stop: _Refused
    logprobs: _Refused
    top_logprobs: _Refused
    logit_bias: _Refused
    modalities: _Refused
    audio: _Refused
    prediction: _Refused
    web_search_options: _Refused

    def require_supported(self) -> None:
        """Raises `ValidationFailed` for what would have to change the answer and can't."""
        if problems := list(self._unsupported()):
            raise ValidationFailed.of_fields("This can't be answered as it is asked.", problems)

    def _unsupported(self) -> Iterator[FieldProblem]:
        for name, neutral in _NEUTRAL.items():
            value = getattr(self, name)
            if value is not None and value not in neutral:
                yield FieldProblem(name, "unsupported", "Is not supported here. Leave it out.")


class UrlCitation(BaseModel):
    """`start_index` and `end_index` are the characters of a mark such as `[1]` in the message."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(BaseModel):
    type: Literal["url_citation"]
    url_citation: UrlCitation


class AnswerMessage(BaseModel):
    role: Literal["assistant"]
    content: str = Field(description="The answer with marks such as `[1]`, then a rule and what each mark stands for.")
    refusal: None
    annotations: list[Annotation]


class Choice(BaseModel):
    index: Literal[0]
    message: AnswerMessage
    finish_reason: Literal["stop", "length"] = Field(description="`length` for every answer that is not complete.")
    logprobs: None


class Usage(BaseModel):
    """As the language model's service reports it; without one, counted by the tokenizer of the embedding model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    id: str = Field(description="`chatcmpl-` and the id of the trace.")
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    citations: list[Citation] = Field(description="Not OpenAI's: what the marks stand for, as in `POST /api/chat`.")
    found: bool = Field(description="Not OpenAI's: false where the documents do not answer the question.")
    warnings: list[str] = Field(description="Not OpenAI's: for people.")


class ChunkDelta(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None
    annotations: list[Annotation] | None = None


class ChunkChoice(BaseModel):
    index: Literal[0]
    delta: ChunkDelta
    finish_reason: Literal["stop", "length"] | None = None


class ChatCompletionChunk(BaseModel):
    """The data of each event of a stream, whose last one is `[DONE]`. Fields that are not OpenAI's come with `finish_reason`."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Usage | None = Field(default=None, description="In one chunk more, without choices, where it was asked for.")
    citations: list[Citation] | None = None
    found: bool | None = None
    warnings: list[str] | None = None


class EmbeddingsBody(RequestBody):
    model: str
    input: str | list[str] | list[int] | list[list[int]] = Field(
        description=f"A text or up to {MAX_TEXTS}; token ids are refused. None may be longer than the model reads."
    )
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: int | None = Field(default=None, description="The model's own, or left out: its vectors can't be shortened.")
    input_type: Literal["query", "search_query", "passage", "document", "search_document"] | None = Field(
        default=None,
        description="Not OpenAI's: whether the texts are questions or, as without it, passages, for which models have prefixes.",
    )
    user: _Ignored


class Embedding(BaseModel):
    object: Literal["embedding"]
    index: int
    embedding: list[float] | str = Field(description="Of L2 norm 1; as base64 its little-endian float32.")


class EmbeddingsUsage(BaseModel):
    prompt_tokens: int
    total_tokens: int


class Embeddings(BaseModel):
    object: Literal["list"]
    model: str
    data: list[Embedding]
    usage: EmbeddingsUsage


class RerankDocument(RequestBody):
    text: str


class RerankBody(RequestBody):
    model: str
    query: str = Field(min_length=1)
    documents: list[str | RerankDocument] = Field(
        min_length=1, description="At most `limits.max_rerank_candidates` (100); what is longer than the model reads is cut."
    )
    top_n: int | None = Field(default=None, ge=1, description="Results at most.")
    return_documents: bool | None = False


class RerankResult(BaseModel):
    index: int = Field(description="Of the document, from 0.")
    relevance_score: float = Field(ge=0, le=1)
    document: RerankDocument | None = None


class Reranked(BaseModel):
    """Best first."""

    model: str
    results: list[RerankResult]
    usage: EmbeddingsUsage
