"""Datasets of questions that the daemon keeps, and changes to them."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from ragd.api.schemas.base import Page, RequestBody
from ragd.app.evaluations.sampling import SampleWanted, Which

DatasetName = Annotated[str, Field(pattern=r"^\w[\w.-]*$", max_length=64)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


class DatasetRow(BaseModel):
    """A version of a dataset; `digest` is what a run names as `dataset_hash`, `position` counts the versions from 1."""

    name: str
    position: int
    digest: str
    questions: int
    author: str
    created_at: str


class DatasetPage(Page[DatasetRow]): ...


class DatasetBody(RequestBody):
    """A dataset to be kept. `text` is a file's, as `rag eval run --dataset` reads it; without one it begins empty."""

    name: DatasetName
    text: str = Field(default="", max_length=20_000_000)


_Day = Annotated[date | None, Field(strict=False)]


class SampleBody(RequestBody):
    """A dataset to be made of questions that people asked, each once, drawn from the traces by a `seed`; it waits for labels.

    Days are of UTC, and both are included. `which`: those for which nothing was found, that took a second or more, that were
    worked without something, that failed, or with feedback, a thumb up or down.
    """

    name: DatasetName
    count: int = Field(default=50, ge=1, le=10_000, description="Questions at most.")
    seed: int = Field(default=1, ge=0, le=2**53)
    since: _Day = None
    until: _Day = None
    collection: str | None = Field(default=None, description="Only what was asked of it, alone or with others.")
    which: Which = "all"
    consent: Literal[True] = Field(
        description="That those who asked agree: what they wrote is kept until the dataset is deleted."
    )

    def wanted(self) -> SampleWanted:
        """As the service takes it."""
        return SampleWanted(**{one.name: getattr(self, one.name) for one in fields(SampleWanted)})


class QuestionChange(RequestBody):
    """One change to the version whose digest is `base`: exactly one of `put`, `remove`, `restore` and `take_labels`."""

    base: Digest
    put: dict[str, Any] | None = Field(
        default=None,
        description="A question as a file has it. In `relevant`, a `chunk_id` stands for the place of a passage.",
    )
    replaces: str | None = Field(default=None, description="The id of the question that is put in its place; none adds one.")
    remove: str | None = Field(default=None, description="The id of a question that is left out from now on.")
    restore: Digest | None = Field(default=None, description="An older version, which counts again.")
    take_labels: Literal[True] | None = Field(
        default=None, description="Give the questions that wait for labels the passages that people have labelled by now."
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(value is not None for value in (self.put, self.remove, self.restore, self.take_labels)) != 1:
            raise ValueError("give exactly one of put, remove, restore and take_labels")
        return self


class NumberedQuestion(BaseModel):
    """A question as it is written in the file, and its place there, from 1."""

    number: int
    question: dict[str, Any]


class Dataset(BaseModel):
    """A version of a dataset, its questions page by page; `versions` are all that are kept, newest first.

    `unlabelled` counts its questions of which nobody has said yet what answers them: they are not asked.
    """

    version: DatasetRow
    versions: list[DatasetRow]
    unlabelled: int
    questions: Page[NumberedQuestion]


class DatasetText(BaseModel):
    name: str
    digest: str
    text: str
