"""Collections."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page, RequestBody


class CollectionCreate(RequestBody):
    name: str
    description: str = Field(default="", max_length=2000)


class CollectionChange(RequestBody):
    name: str | None = None
    description: str | None = Field(default=None, max_length=2000)
    status: Literal["enabled", "disabled"] | None = None


class Collection(BaseModel):
    id: str
    name: str
    description: str
    status: Literal["enabled", "disabled", "deleted"]
    document_count: int
    chunk_count: int
    created_at: str
    updated_at: str


class CollectionPage(Page[Collection]): ...
