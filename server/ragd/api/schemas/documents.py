"""Documents, and what they became."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page, Trouble, Where
from ragd.core.documents import DocType
from ragd.core.storage import DocumentStatus


class Document(BaseModel):
    id: str
    collection: str
    source: str
    source_uri: str
    title: str
    doc_type: DocType
    language: str | None
    status: DocumentStatus
    error: Trouble | None = None
    size: int
    chunk_count: int
    version_id: str | None
    updated_at: str
    summary: str
    tags: list[str]
    restricted: bool | None = Field(
        default=None, description="True when it needs a token that may read it: then nothing here says what it is."
    )


class DocumentPage(Page[Document]): ...


class DocumentVersion(BaseModel):
    version_id: str
    status: str
    content_hash: str
    profile_id: str
    loader: str
    loader_version: str
    parser: str
    md_sha256: str
    size: int
    section_count: int
    section_hash: str
    chunk_count: int
    chunk_hash: str
    created_at: str
    ready_at: str | None


class DocumentDetail(Document):
    versions: list[DocumentVersion] = Field(description="The live one first, then older ones, the newest first.")
    metadata: dict[str, Any]
    warnings: list[str]
    keywords: list[str]


class DocumentContent(BaseModel):
    id: str
    markdown: str


class Section(BaseModel):
    section_id: str
    section_path: list[str]
    start: int
    end: int
    section_hash: str


class SectionPage(Page[Section]): ...


class Chunk(Where):
    chunk_id: str
    ordinal: int
    section_id: str
    section_path: list[str]
    content: str
    image_refs: list[str]
    enrichment: dict[str, Any] | None = None


class ChunkPage(Page[Chunk]): ...
