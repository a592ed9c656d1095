"""The typed fields of the tools about documents. Rows are those of REST."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.documents import Chunk, Document, DocumentDetail, Section
from ragd.mcp.results.types import CitationRow, Result

GroupBy = Literal["none", "tag", "doc_type", "collection"]
Format = Literal["markdown", "sections", "chunks"]
Style = Literal["short", "bullet", "detailed"]


class DocumentName(BaseModel):
    """Of a document that needs a token only `id` says something."""

    id: str
    source: str
    title: str


class DocumentGroup(BaseModel):
    """Documents that have something in common. `documents` are the first ones, `count` is how many there are."""

    key: str = Field(description="Empty for documents without a tag, and for those whose tags need a token.")
    count: int
    documents: list[DocumentName]


class DocumentList(Result):
    """One page of documents by source, and, where asked for, all of them in groups."""

    documents: list[Document]
    total: int = Field(description="Documents that match, on all pages.")
    page: int
    page_size: int
    groups: list[DocumentGroup] | None = Field(default=None, description="The largest first.")
    groups_total: int | None = Field(default=None, description="More than `groups` holds when they did not fit.")
    examined: int | None = Field(
        default=None, description="Documents that were looked at for groups, tag or path_prefix: the first ones by source."
    )
    available: int | None = Field(default=None, description="Documents that there were to look at.")


class DocumentSummary(Result):
    """What one document is."""

    document: DocumentDetail


class SectionList(Result):
    """One page of a document's sections, in order."""

    doc_id: str
    sections: list[Section]
    total: int
    page: int
    page_size: int


class ChunkRow(Chunk):
    """A passage of a document."""

    place: str = Field(description="The place in the source as people say it.")
    truncated: bool = Field(description="Whether `content` was cut; a smaller page_size or a larger max_chars shows the whole.")


class DocumentText(Result):
    """A document, or a part of it. Which fields are there depends on `format`."""

    doc_id: str
    version_id: str | None = Field(default=None, description="Differs when the document changed between two calls.")
    title: str
    source: str
    collection: str
    format: Format
    summary: str | None = Field(default=None, description="With include_summary.")
    markdown: str | None = Field(default=None, description="The characters from `offset` on, exactly as they are stored.")
    offset: int | None = None
    next_offset: int | None = Field(default=None, description="Read on from here; absent at the end.")
    total_chars: int | None = Field(default=None, description="Characters (code points) of the whole document.")
    sections: list[Section] | None = None
    chunks: list[ChunkRow] | None = None
    total: int | None = Field(default=None, description="Sections or chunks on all pages.")
    page: int | None = None
    page_size: int | None = None


class Summarized(Result):
    """A summary, and where what it says stands."""

    doc_id: str
    style: Style
    summary: str
    provider: str = Field(description="`extractive` for the document's own sentences, else the language model's service.")
    citations: list[CitationRow]
    warnings: list[str]
