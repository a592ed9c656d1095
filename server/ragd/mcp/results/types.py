"""The typed fields of results: what programs read beside the text. Each carries `trace_id`; rows are those of REST."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import Where
from ragd.api.schemas.chat import Support
from ragd.api.schemas.collections import Collection
from ragd.api.schemas.documents import Chunk, Document, DocumentDetail, Section
from ragd.api.schemas.jobs import Job
from ragd.core.documents import DocType

Detail = Literal["concise", "full"]
Variant = Literal["thumb", "raw"]
GroupBy = Literal["none", "tag", "doc_type", "collection"]
Format = Literal["markdown", "sections", "chunks"]
Style = Literal["short", "bullet", "detailed"]


class Result(BaseModel):
    """What every result has."""

    trace_id: str = Field(description="Of a question its trace (`rag traces show`), else the id under which the log tells of it.")


class Passage(Where):
    """A passage, best first."""

    chunk_id: str
    doc_id: str
    collection: str
    source: str
    source_uri: str
    doc_type: DocType
    title: str
    section_path: list[str]
    citation: int | None = Field(
        default=None, description="Cite this passage as [citation]. Missing where it was too long for the citations."
    )
    score: float = Field(description="0..1")
    content: str
    truncated: bool = Field(description="Whether `content` was cut; get_document has the whole.")
    asset_ids: list[str] = Field(description="Its pictures, for query_assets.")
    mermaid: list[str] = Field(default=[], description="Its diagrams in Mermaid: derived from the drawings, to be shown as such.")
    as_of: str | None = Field(
        default=None, description="The day on which the text was fetched, when it was not checked just now."
    )


class CitationRow(Where):
    """What `[id]` in the text stands for. Give `id` and `chunk_ids` to verify_answer."""

    id: int
    chunk_ids: list[str]
    doc_id: str
    collection: str
    source: str
    source_uri: str
    title: str
    section_path: list[str]
    place: str = Field(description="The place in the source as people say it.")
    as_of: str | None = None


class Found(Result):
    """Passages for a question."""

    query: str
    note: str = Field(description="How to read the passages.")
    results: list[Passage]
    citations: list[CitationRow]
    found: bool = Field(description="Whether the passages answer the question, as far as can be said without reading them.")
    confidence: float = Field(description="0..1: how sure it is that the best passages answer the question.")
    degraded: list[str] = Field(description="What was left out because a part did not work.")
    warnings: list[str]
    full: dict[str, Any] | None = Field(default=None, description="The whole answer of POST /api/query; with detail=full only.")


class Checked(Result):
    """An answer held against its passages."""

    answer: str = Field(description="Without references to passages that were never given.")
    removed_citations: int
    supported: int = Field(description="Sentences that the passages bear out.")
    unsupported: int
    support: list[Support]
    citations: list[CitationRow]
    full: dict[str, Any] | None = Field(
        default=None, description="The whole answer of POST /api/answers/verify; detail=full only."
    )


class CollectionList(Result):
    """All collections by name."""

    collections: list[Collection]
    total: int


class JobState(Result):
    """A job as it stands."""

    finished: bool = Field(description="When false the job goes on: look again with get_job.")
    job: Job = Field(description="As GET /api/jobs/{id} tells it; `result` is there when it is finished.")
    failed_left_out: int = Field(description="Files that failed beyond those in `job.result.failed`.")


class DeletedDocument(Result):
    """What is no longer in the index. Its file is where it was."""

    doc_id: str
    title: str
    source: str
    source_uri: str
    collection: str


class Picture(BaseModel):
    """A picture that was sent. The pictures of a result come in this order."""

    asset_id: str
    mime: str
    size: int = Field(description="Bytes, before they are coded for the transport.")
    variant: Variant


class MissingPicture(BaseModel):
    """A picture that can't be sent, and why."""

    asset_id: str
    code: str
    message: str


class OmittedPicture(BaseModel):
    """A picture that did not fit into `max_bytes`."""

    asset_id: str
    mime: str
    size: int


class Pictures(Result):
    """Pictures by their ids."""

    assets: list[Picture]
    missing: list[MissingPicture]
    omitted: list[OmittedPicture]


class FoundPicture(BaseModel):
    """A picture and the document that shows it, best first. `description` and `mermaid` are no words of the document."""

    asset_id: str
    image_type: str | None = None
    caption: str | None = Field(default=None, description="What the document says of it.")
    description: str | None = None
    described_by: str | None = Field(default=None, description="Which captioner, and which model.")
    text: str | None = Field(default=None, description="What was read in it.")
    mermaid: str | None = None
    more: int = Field(description="Other pictures found that show the same.")
    chunk_id: str
    doc_id: str
    collection: str
    source: str
    title: str
    place: str


class FoundPictures(Result):
    """Pictures for a question."""

    pictures: list[FoundPicture]
    found: bool = Field(description="Whether one of them answers the question, as far as can be said.")
    confidence: float
    degraded: list[str]
    warnings: list[str]


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
