"""A document as it is read and cut: its Markdown content with places, pictures and headings; sections, pieces and chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal

DocType = Literal[
    "pdf", "docx", "xlsx", "pptx", "markdown", "html", "text", "code", "image", "csv", "notebook", "email", "odt", "rtf", "epub",
    "diagram", "confluence", "jira",
]  # fmt: skip


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
        values = {name: getattr(self, name) for name in _PLACE}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items() if value is not None}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Place:
        """The inverse of `as_dict`."""
        parts: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        return Place(**parts)


_PLACE: Final = tuple(part.name for part in fields(Place))


@dataclass(frozen=True, slots=True)
class Mark:
    """From character `offset` of the content on, until the next mark, the source is at `place`."""

    offset: int
    place: Place


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading found by a loader: `[start, end)` are its characters in the content, `level` counts from 1."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class DiagramText:
    """What was made of a diagram: derived text, never the document's own words.

    `mermaid` draws it, `summary` tells it in sentences, `labels` is all that is written in it.
    """

    mermaid: str
    summary: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedDiagram:
    """A diagram that stands at `[start, end)` of the content: its labels, its source, or a reference to its picture."""

    start: int
    end: int
    text: DiagramText


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
    """A picture that a loader found, as its bytes stand in the file, once for each place where it stands: `![alt](link)`.

    `asset_id` is the hash of the bytes. `link` is `asset://<asset_id>`, or what the source itself has where it is the content.
    """

    asset_id: str
    data: bytes
    link: str
    alt: str = ""
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class MergedCell:
    """How the source shows a cell of a table that is merged with others: for display, no part of the text.

    `start` is the character of the content at which the cell's row begins, `column` counts the cells of the row from 0. Over
    `rows` (this one included) and `columns` of its table the source shows one cell. A cell that began in a row above is said
    again with the rows that are left, so that a part of the content can be shown alone. A header that was read from several
    rows is one row of the content: `level` is the row that it was in the source, from 0, and `text` what the cell says there.
    """

    start: int
    column: int
    rows: int
    columns: int
    level: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """Characters `[start, end)` of the content that stand together on a slide. `box` is as a place's, and may reach beyond it."""

    start: int
    end: int
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class SlideLayout:
    """Where the blocks of a slide (from 1) stand on it. `ratio` is its width by its height."""

    slide: int
    ratio: float
    blocks: tuple[PlacedBlock, ...]


READ_IN_CONTENT: Final = "facts"
"""`ocr_profile` of a picture that is the document, or a scanned page of it: what was read in it stands in the content."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a loader read: Markdown content with places.

    `markdown` is what is stored, chunked and cited. When `verbatim` is true it is the source itself, line for line, and lines
    are found by counting; else `marks` (sorted by offset) say where each part stands. `headings` (sorted, not overlapping)
    give the section tree. `boilerplate` are ranges of the content (sorted, apart) of page headers, footers and page numbers:
    read, but no part of the text. `pictures` are handed on to become assets; they are not stored with the content. `diagrams` are
    what loaders understood of drawings in it. `merged` and `slides` are for display alone. `parser` names the library
    that read the file, with its version.
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
    boilerplate: tuple[tuple[int, int], ...] = ()
    pictures: tuple[Picture, ...] = ()
    diagrams: tuple[PlacedDiagram, ...] = ()
    merged: tuple[MergedCell, ...] = ()
    slides: tuple[SlideLayout, ...] = ()
    language: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch `[start, end)` of the content under one heading, its subsections excluded. The root section has an empty path."""

    section_id: str
    path: tuple[str, ...]
    start: int
    end: int
    section_hash: str


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Said of a document or a chunk by the rules or the model `provider`; `fallback`: another was asked for and failed."""

    provider: str
    title: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    fallback: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The fields, ready for JSON. `dataclasses.asdict` copies what can't change, twice for every chunk."""
        return {name: getattr(self, name) for name in _ENRICHMENT}


_ENRICHMENT: Final = tuple(part.name for part in fields(Enrichment))


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document's text, cut by the chunker: a chunk before its views are made.

    `tokens` counts the dense view by the embedding model's tokenizer, prefix and special tokens excluded. `heading` is the line
    above the text in the dense view, `heading_path` what it was made of. `shown_text` is the text with what its pictures say in
    place of references to them, and what was made of its `diagrams` below; `image_refs` are the pictures' asset ids.
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
    diagrams: tuple[DiagramText, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage and its two views. `text` is what is cited; the views are what is embedded and indexed. `tokens` as in `Piece`.

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
    diagrams: tuple[DiagramText, ...] = ()
