"""Whether facts, views, vectors and files agree."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ragd.api.schemas.base import RequestBody


class VerifyBody(RequestBody):
    collection: str | None = Field(default=None, description="Without it, every enabled collection.")


class DocumentsAndViews(BaseModel):
    """Documents that something is wrong with; at most fifty are named."""

    count: int
    doc_ids: list[str]


class CollectionReport(BaseModel):
    collection: str
    ok: bool
    documents: int
    chunks: int
    surplus_entries: dict[str, int]
    damaged_facts: DocumentsAndViews
    missing_from_views: DocumentsAndViews
    outdated_profile: DocumentsAndViews
    missing_vectors: DocumentsAndViews


class MissingPictures(BaseModel):
    count: int
    asset_ids: list[str]


class VerifyReport(BaseModel):
    """Whether facts, views, vectors and files agree, and where they do not."""

    ok: bool
    collections: list[CollectionReport]
    missing_pictures: MissingPictures
