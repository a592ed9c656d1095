"""From a `Version` to rows of the database, and the statements that several operations of `documents.py` share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select, update

from ragd.core.documents import READ_IN_CONTENT, Chunk
from ragd.core.ids import hash32
from ragd.core.storage import Version, pack_words
from ragd.core.tracing import utc_now
from ragd.store.assets import ASSET_COLUMNS
from ragd.store.database.engine import batches
from ragd.store.database.repository import insert_rows, rows_in
from ragd.store.database.schema import assets, chunks, document_tags, occurrences, sections, version_assets, versions
from ragd.store.places import DIAGRAMS, encode_places


@dataclass(frozen=True, slots=True)
class _LiveEntries:
    dense_ids: frozenset[str]
    sparse_ids: frozenset[str]


def live_entries(connection: Connection, doc_ids: Sequence[str]) -> _LiveEntries:
    query = select(occurrences.c.dense_id, occurrences.c.sparse_id)
    of_versions = query.join(versions, versions.c.version_id == occurrences.c.version_id)
    rows = list(rows_in(connection, of_versions, versions.c.doc_id, doc_ids))
    return _LiveEntries(frozenset(row.dense_id for row in rows), frozenset(row.sparse_id for row in rows))


def delete_versions(connection: Connection, version_ids: Sequence[str]) -> None:
    """Remove versions that nothing serves, with what they hold of pictures. Their sections and occurrences are gone before."""
    for batch in batches(version_ids):
        connection.execute(delete(version_assets).where(version_assets.c.version_id.in_(batch)))
        connection.execute(delete(versions).where(versions.c.version_id.in_(batch)))


def drop_versions(connection: Connection, doc_ids: Sequence[str]) -> None:
    """Remove sections and occurrences of every version of these documents; the versions' own rows stay."""
    for batch in batches(doc_ids):
        of_documents = select(versions.c.version_id).where(versions.c.doc_id.in_(batch))
        connection.execute(delete(occurrences).where(occurrences.c.version_id.in_(of_documents)))
        connection.execute(delete(sections).where(sections.c.version_id.in_(of_documents)))


def write_content(connection: Connection, batch: Sequence[Version]) -> None:
    """Write what versions that become ready are made of: their occurrences and sections, texts and tags."""
    _insert_occurrences(connection, batch)
    _refresh_texts(connection, batch)
    _set_tags(connection, batch)


def _refresh_texts(connection: Connection, batch: Sequence[Version]) -> None:
    """Bring the texts of chunks up to date: two texts that differ in their canonical form alone share an id."""
    texts = {chunk.chunk_id: chunk.text for version in batch for chunk in version.chunks}
    for row in list(rows_in(connection, select(chunks.c.chunk_id, chunks.c.text), chunks.c.chunk_id, list(texts))):
        if row.text != texts[row.chunk_id]:
            connection.execute(update(chunks).where(chunks.c.chunk_id == row.chunk_id).values(text=texts[row.chunk_id]))


def _insert_occurrences(connection: Connection, batch: Sequence[Version]) -> None:
    names = ("ordinal", "chunk_id", "tokens", "dense_key", "dense_id", "sparse_id")
    placed = [
        {name: getattr(chunk, name) for name in names}
        | {
            "version_id": version.version_id,
            "place": chunk.place.as_dict(),
            "image_refs": list(chunk.image_refs),
            "enrichment": _said_of(chunk),
        }
        for version in batch
        for chunk in version.chunks
    ]
    insert_rows(connection, occurrences, placed)
    outline = [
        {name: getattr(section, name) for name in ("section_id", "start", "end", "section_hash")}
        | {"version_id": version.version_id, "ordinal": ordinal, "path": list(section.path)}
        for version in batch
        for ordinal, section in enumerate(version.sections)
    ]
    insert_rows(connection, sections, outline)


def _said_of(chunk: Chunk) -> dict[str, Any] | None:
    """What rules or a model say of a chunk, and what its diagrams are."""
    said = chunk.enrichment.as_dict() if chunk.enrichment else {}
    if chunk.diagrams:
        said[DIAGRAMS] = [[diagram.mermaid, diagram.summary] for diagram in chunk.diagrams]
    return said or None


def insert_pictures(connection: Connection, version: Version) -> None:
    """Make the version's references to pictures what they are now; its assets are kept once for all versions."""
    known = existing(connection, assets.c.asset_id, [asset.asset_id for asset in version.assets])
    fresh = [
        {name: getattr(asset, name) for name in ASSET_COLUMNS}
        | {"words": pack_words(asset.words), "size": len(asset.data), "created_at": utc_now()}
        for asset in {asset.asset_id: asset for asset in version.assets}.values()
        if asset.asset_id not in known
    ]
    insert_rows(connection, assets, fresh)
    for asset in version.assets:
        # Read again, under another profile of text recognition; a picture that was not read takes nothing from one that was.
        if asset.asset_id in known and asset.data and asset.ocr_profile != READ_IN_CONTENT:
            names = ("text", "ocr_skipped", "ocr_profile", "phash")
            read = {name: getattr(asset, name) for name in names} | {"words": pack_words(asset.words)}
            connection.execute(update(assets).where(assets.c.asset_id == asset.asset_id).values(**read))
    connection.execute(delete(version_assets).where(version_assets.c.version_id == version.version_id))
    links = [
        {name: getattr(link, name) for name in ("asset_id", "link", "alt", "description_id")}
        | {"version_id": version.version_id, "ordinal": ordinal, "place": link.place.as_dict()}
        for ordinal, link in enumerate(version.picture_links)
    ]
    insert_rows(connection, version_assets, links)


def _set_tags(connection: Connection, batch: Sequence[Version]) -> None:
    """Make the documents' tags, by which they are filtered, those of these versions."""
    for doc_ids in batches([version.doc_id for version in batch]):
        connection.execute(delete(document_tags).where(document_tags.c.doc_id.in_(doc_ids)))
    rows = [
        {"doc_id": version.doc_id, "tag": tag}
        for version in batch
        for tag in dict.fromkeys(tag[:255] for tag in version.enrichment.tags)
    ]
    insert_rows(connection, document_tags, rows)


def existing(connection: Connection, column: Any, ids: Sequence[str]) -> set[str]:
    return {row[0] for row in rows_in(connection, select(column), column, ids)}


def section_hash(version: Version) -> str:
    """Hash of a version's structure: its sections' paths and texts, in order."""
    return hash32(*(section.section_id + section.section_hash for section in version.sections))


def version_values(version: Version) -> dict[str, Any]:
    document = version.document
    names = ("loader", "loader_version", "title", "doc_type", "language", "markdown", "parser")
    return {name: getattr(document, name) for name in names} | {
        "content_hash": version.content_hash,
        "profile_id": version.profile_id,
        "md_sha256": hash32(document.markdown),
        "places": encode_places(document),
        "metadata": dict(document.metadata),
        "warnings": list(document.warnings),
        "size": version.size,
        "section_count": len(version.sections),
        "chunk_count": len(version.chunks),
        "section_hash": section_hash(version),
        "chunk_hash": hash32(*(chunk.chunk_id for chunk in version.chunks)),
        "enrichment": version.enrichment.as_dict(),
    }


def document_values(version: Version) -> dict[str, Any]:
    return {
        "source": version.source,
        "source_uri": version.source_uri,
        "status": "ready",
        "error_code": None,
        "error_message": None,
        "version_id": version.version_id,
        "title": version.document.title,
        "doc_type": version.document.doc_type,
        "language": version.document.language,
        "size": version.size,
        "summary": version.enrichment.summary,
        "tags": list(version.enrichment.tags),
        # A file that is ingested by hand stays with the source that follows it.
        **({"source_id": version.source_id} if version.source_id else {}),
    }
