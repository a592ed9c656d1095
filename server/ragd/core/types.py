"""The shapes that cross stages. Frozen, typed, and without behaviour beyond what their own fields say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

DocType = Literal[
    "pdf", "docx", "xlsx", "pptx", "markdown", "html", "text", "code", "image", "csv", "notebook", "email", "confluence", "jira"
]
Mode = Literal["hybrid", "dense_only", "sparse_only"]
DocumentStatus = Literal["ready", "processing", "failed", "deleted"]
JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
CollectionStatus = Literal["enabled", "disabled", "deleted"]
LiveMode = Literal["live", "cached", "off"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage stands in its source. Pages, slides and lines count from 1; ranges are inclusive.

    `cell_range` is of the sheet, as spreadsheets write it (`A5:F40`). `bbox` is left, top, right and bottom of a rectangle on
    the page, as fractions (0..1) of the page as it is shown, from its upper left corner. `anchor` is what is put behind a web
    page's address to open it at the passage (`#Install`, `?focusedCommentId=12`).
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    cell_range: str | None = None
    line_range: tuple[int, int] | None = None
    bbox: tuple[float, float, float, float] | None = None
    anchor: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields that are set, as JSON-ready values (ranges as lists)."""
        values = {
            "page": self.page,
            "slide": self.slide,
            "sheet": self.sheet,
            "cell_range": self.cell_range,
            "line_range": self.line_range,
            "bbox": self.bbox,
            "anchor": self.anchor,
        }
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items() if value is not None}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Place:
        """The inverse of `as_dict`."""
        fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        return Place(**fields)


@dataclass(frozen=True, slots=True)
class Mark:
    """From character `offset` of the facts on, until the next mark, the source is at `place`."""

    offset: int
    place: Place


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading found by a loader: `[start, end)` are its characters in the facts, `level` counts from 1."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of text that was recognised in a picture. `score` is 0..1; `box` is left, top, right, bottom as fractions (0..1)."""

    text: str
    score: float
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PictureText:
    """What was read in a picture, in reading order. `skipped` says why it was not read; then there are no lines."""

    lines: tuple[OcrLine, ...] = ()
    skipped: str | None = None

    @property
    def text(self) -> str:
        """The lines, one below the other."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a loader found, as its bytes stand in the file. The facts refer to it as `![alt](link)`.

    `asset_id` is the hash of the bytes. `link` is `asset://<asset_id>`, or what the source itself has where the facts are the
    source. A picture that stands in several places is listed for each of them.
    """

    asset_id: str
    data: bytes
    link: str
    alt: str = ""
    place: Place = Place()


READ_IN_FACTS: Final = "facts"
"""`ocr_profile` of a picture that is the document, or a scanned page of it: what was read in it stands in the facts."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A picture that is kept: once for all documents that show it. `text` is what OCR read in it.

    `ocr_skipped` says why it was not read, else None. `data` and `thumbnail` are files of the types `mime` and image/webp;
    both are empty when the picture is kept already.
    """

    asset_id: str
    mime: str
    width: int
    height: int
    text: str
    ocr_skipped: str | None
    ocr_profile: str
    data: bytes = b""
    thumbnail: bytes = b""


@dataclass(frozen=True, slots=True)
class PictureLink:
    """The facts refer to a kept picture by `link`."""

    link: str
    asset_id: str
    alt: str
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Document:
    """What a loader read: Markdown facts with places.

    `markdown` is what is stored, chunked and cited. When `verbatim` is true it is the source itself, line for line, and lines
    are found by counting; else `marks` (sorted by offset) say where each part stands. `headings` (sorted, not overlapping)
    give the section tree. `furniture` are ranges of the facts (sorted, apart) that are page headers, footers and page numbers:
    read, but no part of the text. `pictures` are handed on to become assets; they are not stored with the facts. `parser` names
    the library that read the file, with its version.
    """

    doc_type: DocType
    title: str
    markdown: str
    loader: str
    loader_version: str
    parser: str = ""
    verbatim: bool = False
    marks: tuple[Mark, ...] = ()
    headings: tuple[Heading, ...] = ()
    furniture: tuple[tuple[int, int], ...] = ()
    pictures: tuple[Picture, ...] = ()
    language: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch `[start, end)` of the facts under one heading, its subsections excluded. The root section has an empty path."""

    section_id: str
    path: tuple[str, ...]
    start: int
    end: int
    section_hash: str


@dataclass(frozen=True, slots=True)
class Enrichment:
    """What rules or a model say about a document or a chunk, kept beside the facts. `provider` says who said it.

    `fallback` is set when another provider was asked for and failed.
    """

    provider: str
    title: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document's text, cut by the chunker: a chunk before its views are made.

    `tokens` counts the dense view by the embedding model's tokenizer, prefix and special tokens excluded. `heading` is the line
    above the text in the dense view, `heading_path` what it was made of. `shown_text` is the text with what its pictures say in
    place of references to them; `image_refs` are the pictures' asset ids.
    """

    chunk_id: str
    section_id: str
    section_path: tuple[str, ...]
    ordinal: int
    text: str
    tokens: int
    place: Place
    heading: str
    heading_path: tuple[str, ...]
    image_refs: tuple[str, ...] = ()
    shown_text: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage and its two views. `text` is the fact that is cited; the views are what is embedded and indexed.

    `tokens` counts the dense view by the embedding model's tokenizer, prefix and special tokens excluded.

    `dense_key` is sha256(canonical(dense view)), the vector cache's key. `dense_id` and `sparse_id` are the ids of the
    entries in the two indexes: hash(chunk_id, view).
    """

    chunk_id: str
    section_id: str
    section_path: tuple[str, ...]
    ordinal: int
    text: str
    tokens: int
    place: Place
    dense_view: str
    sparse_tokens: tuple[str, ...]
    dense_key: str
    dense_id: str
    sparse_id: str
    image_refs: tuple[str, ...] = ()
    enrichment: Enrichment | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """One entry of an index with its score (higher is better; cosine for dense, BM25 for sparse)."""

    entry_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in a ranked list. `rank` counts from 1; `source` names the list (dense, sparse, fusion, rerank)."""

    chunk_id: str
    score: float
    rank: int
    source: str

    def as_dict(self) -> dict[str, Any]:
        """The shape of a candidate in a trace."""
        return {"chunk_id": self.chunk_id, "score": round(self.score, 6), "rank": self.rank, "source": self.source}


@dataclass(frozen=True, slots=True)
class ImageRef:
    """A picture that a passage shows. `alt` is what its document says of it, `text` what was read in it."""

    asset_id: str
    mime: str
    alt: str
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A live chunk with its document, as the facts store tells it. `tokens` is the chunk's: its heading counts, too.

    `span` is the number of chunks from `ordinal` on that it holds: more than one where neighbours were joined. `enrichment`
    holds what rules or a model say about the chunk, as it is stored. `as_of` is the day (ISO 8601, UTC) on which the text was
    fetched, where it comes from elsewhere and was not held against what is there now; `live_version` is the version, as the
    remote side calls it, that the text was taken from where that is newer than the index.
    """

    chunk_id: str
    doc_id: str
    version_id: str
    collection: str
    content: str
    source: str
    source_uri: str
    doc_type: DocType
    title: str
    section_path: tuple[str, ...]
    place: Place
    ordinal: int
    tokens: int
    images: tuple[ImageRef, ...] = ()
    enrichment: Mapping[str, Any] = field(default_factory=dict)
    span: int = 1
    as_of: str | None = None
    live_version: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with its scores. `score` is shown: 0..1. `scores` holds what each stage gave, where it ran."""

    passage: Passage
    score: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Citation:
    """Number `id` in the context stands for this passage. `chunk_ids` are all that it was joined from, best first."""

    id: int
    passage: Passage
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """Numbered passages for a model, at most `max_tokens` long; `citations` lists what was put in, in order."""

    text: str
    tokens: int
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of documents, also called a knowledge base. `kb_id` never changes; people may rename.

    The counts are of documents that can be found, not of those that failed.
    """

    kb_id: str
    name: str
    description: str
    status: CollectionStatus
    created_at: str
    updated_at: str
    document_count: int = 0
    chunk_count: int = 0


@dataclass(frozen=True, slots=True)
class Filters:
    """Hard filters of a query; a field that is None or empty does not filter. Times are ISO 8601 in UTC.

    `section_prefix` is the beginning of a section path, one heading an item. What passes must pass each of `also`, too.
    `without` are sources, by id, whose documents do not pass: no request sets it.
    """

    doc_type: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    doc_id: tuple[str, ...] = ()
    version_id: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path_prefix: str | None = None
    section_prefix: tuple[str, ...] = ()
    updated_after: str | None = None
    updated_before: str | None = None
    also: tuple[Filters, ...] = ()
    without: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be ingested, or was left out, and why."""

    source: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingestion did, counted in documents; `embedded` and `reused` count vectors.

    `moved` are documents that were found again under another name or path. `drift` says how the structure of rebuilt
    documents differs from what it was.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    deleted: int = 0
    skipped: int = 0
    failed: tuple[Failure, ...] = ()
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    drift: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """Everything that one reading of one file gave, ready to be stored. `content_hash` is of the file's bytes."""

    kb_id: str
    doc_id: str
    version_id: str
    profile_id: str
    source: str
    source_uri: str
    content_hash: str
    size: int
    document: Document
    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    enrichment: Enrichment
    assets: tuple[Asset, ...] = ()
    picture_links: tuple[PictureLink, ...] = ()
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of the two views of one collection, by id."""

    dense: tuple[str, ...] = ()
    sparse: tuple[str, ...] = ()
