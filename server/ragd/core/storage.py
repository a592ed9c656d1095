"""What is stored: collections, and one version of a document with its sections, chunks and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragd.core.documents import Chunk, Document, Enrichment, OcrLine, Place, Section

DocumentStatus = Literal["ready", "processing", "failed", "deleted"]
UploadStatus = Literal["processing", "completed", "failed", "deleted"]
"""How a document stands for whoever uploaded it: `processing` until the newest upload of it was read."""
CollectionStatus = Literal["enabled", "disabled", "deleted"]
LiveMode = Literal["live", "cached", "off"]


@dataclass(frozen=True, slots=True)
class Asset:
    """A picture that is kept: once for all documents that show it. `text` is what OCR read in it.

    `words` are its lines with their places, None where that is not known. `ocr_skipped` says why it was not read, else None.
    `phash` tells whether another looks the same (`vision.likeness`), None where that is not known.
    `data` and `thumbnail` are files of the types `mime` and image/webp; both are empty when the picture is kept already.
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
    words: tuple[OcrLine, ...] | None = None
    phash: str | None = None


def pack_words(words: Sequence[OcrLine] | None) -> list[list[Any]] | None:
    """Lines that were read in a picture, ready for JSON."""
    return None if words is None else [[line.text, round(line.score, 3), *line.box] for line in words]


def unpack_words(rows: Iterable[Sequence[Any]] | None) -> tuple[OcrLine, ...] | None:
    """The inverse of `pack_words`."""
    return None if rows is None else tuple(OcrLine(row[0], row[1], (row[2], row[3], row[4], row[5])) for row in rows)


@dataclass(frozen=True, slots=True)
class PictureLink:
    """The content refers to a kept picture by `link`."""

    link: str
    asset_id: str
    alt: str
    place: Place
    description_id: str | None = None
    """What the views hold of the picture's description; None: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionContent:
    """What one reading of a file gave; chunks and index entries are made of it. `content_hash` is of the file's bytes."""

    kb_id: str
    doc_id: str
    version_id: str
    profile_id: str
    source: str
    source_uri: str
    content_hash: str
    size: int
    document: Document
    assets: tuple[Asset, ...] = ()
    picture_links: tuple[PictureLink, ...] = ()
    source_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version(VersionContent):
    """A reading with all that was made of it, ready to be stored."""

    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    enrichment: Enrichment


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of the indexes of one collection, by id. `tokens` are those of the token index beside the ones of `dense`."""

    dense: tuple[str, ...] = ()
    sparse: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of documents (knowledge base). `kb_id` never changes. The counts are of documents that can be found."""

    kb_id: str
    name: str
    description: str
    status: CollectionStatus
    created_at: str
    updated_at: str
    document_count: int = 0
    chunk_count: int = 0


def named(value: object, *names: str) -> dict[str, Any]:
    """Attributes of an object by their names, for JSON."""
    return {name: getattr(value, name) for name in names}
