"""What is stored: collections, and one version of a document with its sections, chunks and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragd.core.documents import Chunk, Document, Enrichment, Place, Section

DocumentStatus = Literal["ready", "processing", "failed", "deleted"]
UploadStatus = Literal["processing", "completed", "failed", "deleted"]
"""How a document stands for whoever uploaded it: `processing` until the newest upload of it was read."""
CollectionStatus = Literal["enabled", "disabled", "deleted"]
LiveMode = Literal["live", "cached", "off"]


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
    """The content refers to a kept picture by `link`."""

    link: str
    asset_id: str
    alt: str
    place: Place


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
