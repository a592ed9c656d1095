"""Datasets of questions that the daemon keeps, and changes to them."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from ragd.api.schemas.base import Page, RequestBody

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


class QuestionChange(RequestBody):
    """One change to the version whose digest is `base`: exactly one of `put`, `remove` and `restore`."""

    base: Digest
    put: dict[str, Any] | None = Field(
        default=None,
        description="A question as a file has it. In `relevant`, a `chunk_id` stands for the place of a passage.",
    )
    replaces: str | None = Field(default=None, description="The id of the question that is put in its place; none adds one.")
    remove: str | None = Field(default=None, description="The id of a question that is left out from now on.")
    restore: Digest | None = Field(default=None, description="An older version, which counts again.")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(value is not None for value in (self.put, self.remove, self.restore)) != 1:
            raise ValueError("give exactly one of put, remove and restore")
        return self


class NumberedQuestion(BaseModel):
    """A question as it is written in the file, and its place there, from 1."""

    number: int
    question: dict[str, Any]


class Dataset(BaseModel):
    """A version of a dataset, its questions page by page; `versions` are all that are kept, newest first."""

    version: DatasetRow
    versions: list[DatasetRow]
    questions: Page[NumberedQuestion]


class DatasetText(BaseModel):
    name: str
    digest: str
    text: str
