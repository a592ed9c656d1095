"""A question, and the passages that answer it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema, model_validator

from ragd.api.schemas.base import RequestBody, Where
from ragd.core.documents import DocType
from ragd.core.errors import ValidationFailed
from ragd.core.logs import request_id
from ragd.core.query import Mode, QueryRequest
from ragd.retrieve.filters import parse_filters
from ragd.retrieve.history import MAX_TURN_CHARS, MAX_TURNS, parse_history
from ragd.retrieve.preferences import parse_preferences
from ragd.vision.description import ImageType


class AmongBody(RequestBody):
    """Documents that are chosen: one passes that is in any of these. 200 of each at most."""

    collection: str | list[str] | None = Field(default=None, description="Names of collections.")
    source_id: str | list[str] | None = Field(default=None, description="Sources, by id: followed folders, spaces, projects.")
    doc_id: str | list[str] | None = None
    path_prefix: str | list[str] | None = Field(default=None, description="Beginnings of paths, as shown or absolute.")


class FiltersBody(RequestBody):
    """Hard filters; what is not named does not filter."""

    doc_type: DocType | list[DocType] | None = Field(
        default=None, description="Extensions (`md`, `docx`) and languages of code (`py`, `python`) are understood, too."
    )
    source: str | list[str] | None = None
    doc_id: str | list[str] | None = None
    version_id: str | list[str] | None = Field(
        default=None, description="Only live versions can be searched; another one is an error."
    )
    language: str | list[str] | None = Field(default=None, description="en, ja or zh.")
    tags: str | list[str] | None = Field(default=None, description="A document without any tags is not shut out.")
    path_prefix: str | None = None
    # Written out: the schema of the filters stands inside of others, where a reference would lead nowhere.
    among: Annotated[AmongBody | None, WithJsonSchema({"anyOf": [AmongBody.model_json_schema(), {"type": "null"}]})] = None
    section: str | list[str] | None = Field(
        default=None, description="Headings that follow each other anywhere in a section's path: a list, or 'Guide > Setup'."
    )
    section_prefix: str | list[str] | None = Field(
        default=None, description="The first headings of a section's path: a list, or a string such as 'Guide > Setup'."
    )
    updated_after: str | None = Field(default=None, description="ISO 8601")
    updated_before: str | None = Field(default=None, description="ISO 8601")
    has_image: bool | None = Field(default=None, description="Only passages that show a picture, or only those that show none.")
    image_type: ImageType | list[ImageType] | None = Field(
        default=None, description="Only passages with a picture that its description takes for one of these."
    )


class PreferBody(RequestBody):
    """Soft preferences: they move passages up and never drop one."""

    recent: bool | None = None
    source: str | list[str] | None = Field(default=None, description="Sources, or beginnings of them.")
    has_image: bool | None = None


class TurnBody(RequestBody):
    role: Literal["user", "assistant"]
    text: str = Field(max_length=MAX_TURN_CHARS)


FILTERS = FiltersBody.model_json_schema()
HISTORY = {"type": "array", "maxItems": MAX_TURNS, "items": TurnBody.model_json_schema()}


class QueryBody(RequestBody):
    query: str
    collection: str | Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None, description="One, or several; without it every enabled collection is searched."
    )
    # The upper end is a setting, and a missing collection comes before a number out of range: the search service checks both.
    top_k: int | None = Field(default=None, json_schema_extra={"minimum": 1})
    strategy: str | None = Field(default=None, description="hybrid, dense_only, sparse_only, or a named strategy.")
    rerank: bool | None = None
    # `request` checks these, since it knows the nearest right name; the schemas are for those who read the description.
    filters: Annotated[dict[str, Any] | None, WithJsonSchema(FILTERS)] = None
    prefer: Annotated[dict[str, Any] | None, WithJsonSchema(PreferBody.model_json_schema())] = None
    history: Annotated[list[Any] | None, WithJsonSchema(HISTORY)] = Field(
        default=None, description="The turns before the question, oldest first; they make a follow-up self-contained."
    )
    explain: bool = Field(default=False, description="Whether the answer tells how the question was understood.")
    max_context_tokens: int | None = Field(default=None, ge=1)
    evaluation: str | None = Field(
        default=None, pattern="^[0-9a-f]{32}$", description="The evaluation run that asks; the trace links to it."
    )

    def request(self, source_tokens: Mapping[str, str], readable: frozenset[str] | None = None) -> QueryRequest:
        """The request as the services take it. Raises `ValidationFailed` for a filter, a preference or a turn that is wrong."""
        return QueryRequest(**self._fields(source_tokens, readable))

    def _fields(self, source_tokens: Mapping[str, str], readable: frozenset[str] | None) -> dict[str, Any]:
        return self.model_dump(include={"top_k", "strategy", "max_context_tokens", "evaluation"}) | {
            "collection": tuple(self.collection) if isinstance(self.collection, list) else self.collection,
            "text": self.query,
            "rerank": self.rerank is not False,
            "filters": parse_filters(self.filters),
            "prefer": parse_preferences(self.prefer),
            "history": parse_history(self.history),
            "request_id": request_id.get(),
            "source_tokens": source_tokens,
            "readable": readable,
        }


class ImageBody(RequestBody):
    """A picture as a question, or a part of one."""

    data: str | None = Field(
        default=None, description="The picture's file in base64; the whole request is within limits.max_body_size."
    )
    asset_id: str | None = Field(default=None, pattern="^[0-9a-f]{32}$", description="A picture of a document that you may see.")

    @model_validator(mode="after")
    def _one_of_both(self) -> ImageBody:
        if (self.data is None) == (self.asset_id is None):
            raise ValueError("either data or asset_id is needed, and not both")
        return self

    def content(self) -> bytes | None:
        """The bytes that were sent, None for an asset. Raises `ValidationFailed` for what is no base64."""
        if self.data is None:
            return None
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError as error:
            raise ValidationFailed.of_field("image.data", "not_base64", "The picture is not in base64.") from error


class QuestionBody(QueryBody):
    """A question in words, by a picture, or both."""

    query: str = Field(description="May be empty beside a picture.")
    image: ImageBody | None = Field(
        default=None,
        description="Its words, what rules say of it, and where it is shown already, in whatever size: such passages come first.",
    )


_AS_OF: Any = Field(
    default=None, description="The day on which this text was fetched, when it was not held against what is there now."
)
_LIVE_VERSION: Any = Field(
    default=None, description="The version that this text was taken from, when that is newer than the index."
)


_MERMAID: Any = Field(
    default=None, description="Drawings of the passage's diagrams, in Mermaid: derived from them, not the document's words."
)


class Image(BaseModel):
    asset_id: str
    url: str
    mime: str
    caption: str | None = None
    text: str | None = Field(default=None, description="What was read in the picture.")
    image_type: ImageType | None = Field(default=None, description="What the picture was taken for.")
    description: str | None = Field(default=None, description="What a captioner says of it: no words of the document.")
    described_by: str | None = Field(default=None, description="Which captioner, and which model.")
    mermaid: str | None = Field(default=None, description="The diagram that it shows, as Mermaid text.")
    same_as: str | None = Field(
        default=None, description="A picture that shows the same, of which the description was made: one of them need be shown."
    )


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
    mermaid: list[str] | None = _MERMAID
    metadata: dict[str, Any]
    as_of: str | None = _AS_OF
    live_version: str | None = _LIVE_VERSION


class Citation(Where):
    """What a number in the context stands for: all that is needed to show the passage, or to build a prompt of one's own."""

    id: int
    chunk_id: str
    chunk_ids: list[str] | None = Field(default=None, description="Of neighbours that were joined, best first.")
    doc_id: str
    collection: str
    content: str = Field(description="The passage as it stands in the context, neighbours joined.")
    highlights: list[tuple[int, int]] | None = Field(
        default=None,
        description="Characters (code points) of `content`, `[start, end)`: the sentences that bear out the question or, in a "
        "finished answer, the answer.",
    )
    doc_type: DocType
    title: str
    source: str
    source_uri: str
    section_path: list[str]
    images: list[Image]
    mermaid: list[str] | None = _MERMAID
    as_of: str | None = _AS_OF
    live_version: str | None = _LIVE_VERSION


class LiveCounts(BaseModel):
    """Passages of cloud sources, by what became of them."""

    checked: int = Field(description="Admitted: they may be read by whoever asked.")
    refreshed: int = Field(description="Of those, taken from a version that is newer than the index.")
    forbidden: int = Field(description="Left out: the token may not read them, or was refused.")
    gone: int = Field(description="Left out: what they said is no longer there.")
    unverified: int = Field(description="Left out: they could not be checked in time.")
    no_token: int = Field(description="Left out: no token came for their source.")


class Effective(BaseModel):
    strategy: Mode
    reranked: bool
    rerank_scored: int
    degraded: list[str]
    live: LiveCounts | None = Field(default=None, description="When passages of cloud sources were among those found.")


class StageRank(BaseModel):
    rank: int
    score: float


class Feature(BaseModel):
    feature: str
    value: float
    weight: float
    contribution: float = Field(description="Value times weight; the fused score is the sum of these, scaled to 0..1.")


class Explained(BaseModel):
    chunk_id: str
    stages: dict[str, StageRank] = Field(
        description="dense, sparse, fusion, and what ran of feedback, rerank, prefer and diversity."
    )
    moves: list[str]
    features: list[Feature] | None = Field(default=None, description="What the learned fusion made the score of.")


class AskedPicture(BaseModel):
    image_type: ImageType
    description: str = Field(description="By rules, whatever captioner the settings name.")
    text: str = Field(description="What was read in it.")
    alike: list[str] = Field(description="Pictures that look the same, by asset id, the nearest first.")


class QueryAnswer(BaseModel):
    trace_id: str
    query: str
    picture: AskedPicture | None = Field(default=None, description="What was seen in the picture that was asked with.")
    results: list[Result]
    context: str
    citations: list[Citation]
    latency_ms: float
    timings_ms: dict[str, float]
    effective: Effective
    warnings: list[str]
    confidence: float = Field(description="0..1: how sure it is that the best passages answer the question.")
    found: bool = Field(description="Whether that is enough for an answer: `answer.min_confidence` is reached.")
    plan: dict[str, Any] | None = Field(default=None, description="How the question was understood; with `explain` only.")
    explanation: list[Explained] | None = Field(
        default=None, description="Why these passages, one entry each; with `explain` only."
    )
