"""Labels: marks of passages, the questions that have some, and how far those agree who gave them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page, RequestBody
from ragd.api.schemas.chat import ChunkId
from ragd.app.replays.explanation import End
from ragd.evaluation.labels.labelling import State


class LabelBody(RequestBody):
    """What somebody says of a passage for a question.

    0: it does not answer; 1: it has to do with it; 2: it answers it; null takes back what was said.
    """

    question: str = Field(max_length=20_000)
    collection: str = Field(description="That of the passage.")
    chunk_id: ChunkId
    grade: int | None = Field(ge=0, le=2)
    author: str | None = Field(
        default=None,
        max_length=255,
        description="Who judges, where the daemon's own token asks; a key or a person signed on judges by their own name.",
    )
    trace_id: str | None = Field(default=None, pattern="^[0-9a-f]{32}$")


class Label(BaseModel):
    """A mark that counts, and its passage as it stands today.

    `restricted`: whoever asks may not see the document, so nothing of it is said. `text` is that of the passage while `state` is
    `there`. The place is written as in a dataset of `rag eval`.
    """

    label_id: str
    question_id: str
    question: str
    collection: str
    author: str
    position: int = Field(description="Counts the marks of one author about one question: the newest one has the highest.")
    grade: Literal[0, 1, 2] | None
    created_at: str
    trace_id: str | None
    restricted: bool
    state: State
    doc_id: str
    title: str
    source: str
    section: str
    place: dict[str, str | int | list[int]]
    chunk_id: str | None
    text: str | None


class LabelPage(Page[Label]): ...


class LabelledQuestion(BaseModel):
    question_id: str
    question: str
    collection: str
    authors: dict[str, int] = Field(description="How many passages each author has judged.")
    last_at: str


class LabelledQuestionPage(Page[LabelledQuestion]): ...


class AuthorAgreement(BaseModel):
    """Cohen's kappa of two authors over the passages that both have judged, with its 95 % interval; null where it has no value,
    as both gave one grade to everything. `table[i][j]` counts those with grade i by the first and j by the second."""

    first: str
    second: str
    passages: int
    agreed: float
    kappa: float | None
    low: float | None
    high: float | None
    weighted_kappa: float | None
    table: list[list[int]]


class LabelAgreement(BaseModel):
    pairs: list[AuthorAgreement]


class TracePassage(BaseModel):
    chunk_id: str
    doc_id: str
    collection: str
    source: str
    title: str
    place: str
    text: str
    end: End


class TracePassages(BaseModel):
    """The passages that a question's lists held, as far as whoever asks may see them; those of the answer first."""

    trace_id: str
    query: str | None
    passages: list[TracePassage]
