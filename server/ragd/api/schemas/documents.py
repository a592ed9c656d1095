"""Documents, what they became, and whether the database, the indexes and the files agree."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Page, RequestBody, Trouble, Where
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
    has_unprocessed_images: bool = Field(
        description="Whether it shows pictures that nothing is said of: not described yet, or not at all."
    )
    restricted: bool | None = Field(
        default=None, description="True when it needs a token that may read it: then nothing here says what it is."
    )


class DocumentPage(Page[Document]): ...


class Folder(BaseModel):
    name: str
    path: str = Field(description="As `path_prefix` takes it, without a slash at its end.")
    documents: int = Field(description="In it and below.")
    failed: int
    processing: int


class FolderPage(Page[Folder]): ...


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


class OutlineEntry(BaseModel):
    title: str
    level: int = Field(description="1 for the headings of the first level.")


class OutlinePlace(BaseModel):
    title: str
    level: int = Field(description="1 for the headings of the first level.")
    start: int = Field(description="The character of the content at which the heading begins.")
    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    bbox: tuple[float, float, float, float] | None = Field(default=None, description="Where the heading stands on its page.")


class OutlinePage(Page[OutlinePlace]): ...


class SheetRow(BaseModel):
    start: int = Field(description="The character of the content at which its text begins, with that of a header above it.")
    top: int
    bottom: int = Field(description="The row itself; `top` is another where a header is said with it.")
    left: str = Field(description="The first column of its table, as `A`.")
    right: str


class SheetRows(BaseModel):
    items: list[SheetRow]


class MergedTableCell(BaseModel):
    start: int = Field(description="The character of the content at which its row begins.")
    column: int = Field(description="From 0, among the cells of the row.")
    rows: int = Field(description="How many rows it extends over: this one and those below.")
    columns: int
    level: int | None = Field(default=None, description="Of a header that was read from several rows: which of them, from 0.")
    text: str | None = Field(default=None, description="What the cell of such a header says.")


class MergedTableCells(BaseModel):
    items: list[MergedTableCell]


class SlideBlock(BaseModel):
    start: int
    end: int = Field(description="Behind the last character of the content that is part of it.")
    bbox: tuple[float, float, float, float] = Field(
        description="Left, top, right, bottom as fractions of the slide; they may reach beyond it."
    )


class SlidePlaces(BaseModel):
    slide: int
    ratio: float = Field(description="Its width by its height.")
    blocks: list[SlideBlock]


class SlidePlacesPage(Page[SlidePlaces]): ...


class PageContent(BaseModel):
    page: int
    text: str = Field(description="As it was printed: no Markdown.")


class PageContentPage(Page[PageContent]): ...


class PageWord(BaseModel):
    text: str
    bbox: tuple[float, float, float, float] | None = Field(
        description="Left, top, right, bottom as fractions (0..1) of the page as shown."
    )


class PageLine(BaseModel):
    words: list[PageWord] = Field(description="One for the whole line where text was recognised in a scan.")
    paragraph: bool = Field(description="Whether it begins a paragraph.")


class PageParagraph(BaseModel):
    kind: Literal["text", "heading", "table", "code"]
    text: str = Field(
        description="The lines of a paragraph are joined; items of a list and labels stay lines, as do rows (tabs between cells)."
    )


class PageText(BaseModel):
    page: int
    recognised: bool = Field(description="The page is a scan, and this was recognised on it.")
    lines: list[PageLine] = Field(description="As they are printed, in reading order.")
    paragraphs: list[PageParagraph] = Field(description="What was read on the page, as it is read.")


class SuggestedQuestion(BaseModel):
    text: str
    kind: str = Field(description="What it was made of: faq, definition, heading, table, or model.")


class DocumentGuide(BaseModel):
    id: str
    title: str
    source: str
    language: str | None
    summary: str = Field(description="Sentences of the document without licences and imprints; a model's where `by` says so.")
    by: Literal["rules", "model"]
    outline: list[OutlineEntry] = Field(description="The headings in order, 200 at most.")
    topics: list[str]
    questions: list[SuggestedQuestion]


class GuidedDocument(BaseModel):
    id: str
    title: str
    source: str


class CollectionGuide(BaseModel):
    collection: str
    document_count: int
    documents: list[GuidedDocument] = Field(description="Those that may be seen, 200 at most.")
    topics: list[str]
    questions: list[SuggestedQuestion]


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
    missing_tokens: DocumentsAndViews
    damaged_tokens: DocumentsAndViews


class MissingPictures(BaseModel):
    count: int
    asset_ids: list[str]


class VerifyReport(BaseModel):
    """Whether stored content, indexes, vectors and files agree, and where they do not."""

    ok: bool
    collections: list[CollectionReport]
    missing_pictures: MissingPictures
