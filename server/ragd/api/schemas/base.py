"""What all families share: how a body is read, the one shape of errors, one page of a list."""

from __future__ import annotations

import json
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    items: list[T]
    total: int
    page: int
    page_size: int


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, values: Any) -> Any:
        # JSON can write half of a surrogate pair; nothing behind can store or hash it.
        try:
            json.dumps(values, ensure_ascii=False, default=repr).encode()
        except UnicodeEncodeError as error:
            raise ValueError("Text must be valid Unicode; half of a surrogate pair was found") from error
        return values


class Problem(BaseModel):
    field: str
    code: str
    message: str


class ErrorInfo(BaseModel):
    code: str
    message: str
    request_id: str
    details: list[Problem]


class ErrorBody(BaseModel):
    error: ErrorInfo


class Trouble(BaseModel):
    code: str
    message: str


class Where(BaseModel):
    """A place in a source. Pages, slides and lines count from 1; a range holds its ends.

    `bbox` is left, top, right, bottom as fractions (0..1) of the page.
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    cell_range: str | None = None
    line_range: tuple[int, int] | None = None
    bbox: tuple[float, float, float, float] | None = None
    anchor: str | None = Field(default=None, description="Put behind `source_uri`, it opens a web page at this place.")


class StreamEnd(BaseModel):
    """Why a stream of events ends though more could come; the event `stopping`, the last one. Ask again: another may answer."""

    reason: str
