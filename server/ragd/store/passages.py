"""What may be served: from entries of the indexes to live chunks, and the reading side of documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, Text, case, cast, func, or_, select

from ragd.core.documents import Place
from ragd.core.errors import DocumentDeleted, DocumentNotFound, FieldProblem, ValidationFailed
from ragd.core.ids import canonical
from ragd.core.query import Filters
from ragd.core.results import ImageRef, Passage
from ragd.store.database.engine import batches, reading
from ragd.store.database.schema import (
    assets,
    chunks,
    collections,
    document_tags,
    documents,
    occurrences,
    sections,
    version_assets,
    versions,
)
from ragd.store.origins import LEFT

Side = Literal["dense", "sparse"]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The entries that a hard filter leaves, of both views."""

    dense: frozenset[str]
    sparse: frozenset[str]


@dataclass(frozen=True, slots=True)
class PreferenceFacts:
    """What soft preferences look at. `updated_at` is ISO 8601 in UTC."""

    updated_at: str
    source: str
    has_image: bool


class Passages:
    """Reads live facts only: ready versions of documents that are not deleted, in collections that are enabled."""

    def __init__(self, engine: Engine) -> None:
        self._reader = reading(engine)

    def resolve(self, side: Side, entry_ids: Sequence[str], filters: Filters) -> dict[str, str]:
        """entry id -> chunk id, for the entries that may be served and pass the filters; the others are absent."""
        column = occurrences.c.dense_id if side == "dense" else occurrences.c.sparse_id
        found: dict[str, str] = {}
        with self._reader.connect() as connection:
            for batch in batches(entry_ids):
                query = _live(select(column, occurrences.c.chunk_id)).where(column.in_(batch), *_conditions(filters))
                found.update((row._mapping[column], row.chunk_id) for row in _in_section(connection, query, filters))
        return found

    def allowed(self, kb_id: str, filters: Filters) -> Allowed:
        """Every entry of a collection that passes the filters."""
        query = _live(select(occurrences.c.dense_id, occurrences.c.sparse_id)).where(
            documents.c.kb_id == kb_id, *_conditions(filters)
        )
        rows: list[Row[Any]] = []
        with self._reader.connect() as connection:
            if _section_prefixes(filters):
                # Whole documents are told apart by their sections, which are fewer than their chunks.
                for batch in batches(_versions_in_section(connection, kb_id, filters)):
                    rows += _in_section(connection, query.where(occurrences.c.version_id.in_(batch)), filters)
            else:
                rows += connection.execute(query)
        # By position: a row's columns by name take seven times as long, and a wide filter leaves half of all chunks.
        return Allowed(frozenset(map(itemgetter(0), rows)), frozenset(map(itemgetter(1), rows)))

    def require_live_versions(self, version_ids: Sequence[str]) -> None:
        """Raises `ValidationFailed` unless all of these versions can be searched: older ones have left the indexes."""
        live: set[str] = set()
        with self._reader.connect() as connection:
            for batch in batches(version_ids):
                query = select(documents.c.version_id).join(collections, collections.c.kb_id == documents.c.kb_id)
                ready = documents.c.status == "ready", collections.c.status == "enabled"
                live.update(connection.scalars(query.where(documents.c.version_id.in_(batch), *ready)))
        if missing := [version_id for version_id in version_ids if version_id not in live]:
            message = (
                f"The version '{missing[0]}' can't be searched: only the live version of a document can, whose id "
                "GET /api/documents tells. Filter by doc_id to search whatever version is live."
            )
            raise ValidationFailed(message, details=[FieldProblem("filters.version_id", "not_live", message)])

    def preference_facts(self, chunk_ids: Sequence[str]) -> dict[str, PreferenceFacts]:
        """chunk id -> what soft preferences look at, for the live chunks among these."""
        columns = (occurrences.c.chunk_id, occurrences.c.image_refs, documents.c.updated_at, documents.c.source)
        found: dict[str, PreferenceFacts] = {}
        with self._reader.connect() as connection:
            for batch in batches(chunk_ids):
                for row in connection.execute(_live(select(*columns)).where(occurrences.c.chunk_id.in_(batch))):
                    found[row.chunk_id] = PreferenceFacts(row.updated_at, row.source, bool(row.image_refs))
        return found

    def languages(self, chunk_ids: Sequence[str]) -> dict[str, str | None]:
        """chunk id -> the language of its document, for the live chunks among these."""
        return self._of_chunks(documents.c.language, chunk_ids)

    def dense_keys(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """chunk id -> the key of its vector, for the live chunks among these."""
        return self._of_chunks(occurrences.c.dense_key, chunk_ids)

    def _of_chunks(self, column: ColumnElement[Any], chunk_ids: Sequence[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        with self._reader.connect() as connection:
            for batch in batches(chunk_ids):
                query = _live(select(occurrences.c.chunk_id, column)).where(occurrences.c.chunk_id.in_(batch))
                found.update((chunk_id, value) for chunk_id, value in connection.execute(query))
        return found

    def passages(self, chunk_ids: Sequence[str]) -> dict[str, Passage]:
        """The live chunks among these, with their documents."""
        columns = (
            occurrences.c.chunk_id,
            occurrences.c.version_id,
            occurrences.c.ordinal,
            occurrences.c.place,
            occurrences.c.tokens,
            occurrences.c.image_refs,
            occurrences.c.enrichment,
            chunks.c.text,
            chunks.c.section_path,
            documents.c.doc_id,
            documents.c.source,
            documents.c.source_uri,
            documents.c.doc_type,
            documents.c.title,
            collections.c.name,
        )
        found: dict[str, Passage] = {}
        with self._reader.connect() as connection:
            for batch in batches(chunk_ids):
                query = _live(select(*columns).join(chunks, chunks.c.chunk_id == occurrences.c.chunk_id))
                rows = connection.execute(query.where(occurrences.c.chunk_id.in_(batch))).all()
                shown = _images(connection, {row.version_id for row in rows if row.image_refs})
                for row in rows:
                    found[row.chunk_id] = _passage(row, shown.get(row.version_id, {}))
        return found

    def counts(self) -> dict[str, int]:
        """How many collections, documents and chunks are there to be served."""
        with self._reader.connect() as connection:
            alive = collections.c.status != "deleted"
            kept = connection.execute(
                select(func.count(), func.coalesce(func.sum(versions.c.chunk_count), 0))
                .select_from(documents)
                .join(collections, collections.c.kb_id == documents.c.kb_id)
                .join(versions, versions.c.version_id == documents.c.version_id)
                .where(alive, documents.c.status == "ready")
            ).one()
            total = connection.scalar(select(func.count()).select_from(collections).where(alive)) or 0
        return {"collections": total, "documents": kept[0], "chunks": int(kept[1])}


class DocumentReader:
    """Documents as people and programs ask for them."""

    def __init__(self, engine: Engine) -> None:
        self._reader = reading(engine)

    def page(
        self,
        kb_id: str | None = None,
        status: str | None = None,
        page: int = 1,
        page_size: int = 20,
        *,
        unnamed: Collection[str] = (),
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of documents by source, and how many there are in all; deleted ones only when asked for.

        Documents of the sources `unnamed` come last, by id: their place among the others would tell what they are called. So
        do deleted ones that came from elsewhere.
        """
        where: list[ColumnElement[bool]] = [collections.c.status != "deleted"]
        where.append(documents.c.status == status if status else documents.c.status != "deleted")
        if kb_id:
            where.append(documents.c.kb_id == kb_id)
        with self._reader.connect() as connection:
            counted = select(func.count()).select_from(documents).join(collections, collections.c.kb_id == documents.c.kb_id)
            total = connection.scalar(counted.where(*where)) or 0
            hidden = or_(documents.c.source_id.in_(unnamed), LEFT)
            name = case((hidden, ""), else_=documents.c.source)
            query = _described().where(*where).order_by(case((hidden, 1), else_=0), name, documents.c.doc_id)
            rows = connection.execute(query.limit(page_size).offset((page - 1) * page_size))
            return [_summary(row) for row in rows], total

    def get(self, doc_id: str) -> dict[str, Any]:
        """One document with its versions. Raises `DocumentNotFound`, or `DocumentDeleted` for one that is gone."""
        with self._reader.connect() as connection:
            found = _described().where(documents.c.doc_id == doc_id, collections.c.status != "deleted")
            row = connection.execute(found).first()
            if row is None:
                raise no_document(doc_id)
            if row.status == "deleted":
                raise DocumentDeleted(f"The document '{row.source}' was deleted.")
            names = ("version_id", "status", "content_hash", "profile_id", "loader", "loader_version", "parser", "md_sha256")
            counted = ("size", "section_count", "section_hash", "chunk_count", "chunk_hash", "created_at", "ready_at")
            columns = [versions.c[name] for name in (*names, *counted)]
            newest = versions.c.created_at.desc()
            history = [
                dict(version._mapping)
                for version in connection.execute(
                    select(*columns).where(versions.c.doc_id == doc_id, versions.c.status != "pending").order_by(newest)
                )
            ]
            # The live one first, whenever it was read.
            history.sort(key=lambda version: version["version_id"] != row.version_id)
            live = select(versions.c.metadata, versions.c.warnings, versions.c.enrichment)
            known = connection.execute(live.where(versions.c.version_id == row.version_id)).first()
            keywords = (known.enrichment or {}).get("keywords", []) if known else []
            return _summary(row) | {
                "versions": history,
                "metadata": known.metadata if known else {},
                "warnings": known.warnings if known else [],
                "keywords": keywords,
            }

    def content(self, doc_id: str) -> str:
        """The Markdown facts of the live version; empty for a document that has none. Raises as `get` does."""
        version_id = self.get(doc_id)["version_id"]
        with self._reader.connect() as connection:
            return connection.scalar(select(versions.c.markdown).where(versions.c.version_id == version_id)) or ""

    def sections(self, doc_id: str) -> list[dict[str, Any]]:
        """The section tree of the live version, in order. Raises as `get` does."""
        version_id = self.get(doc_id)["version_id"]
        with self._reader.connect() as connection:
            rows = connection.execute(select(sections).where(sections.c.version_id == version_id).order_by(sections.c.ordinal))
            return [
                {
                    "section_id": row.section_id,
                    "section_path": row.path,
                    "start": row.start,
                    "end": row.end,
                    "section_hash": row.section_hash,
                }
                for row in rows
            ]

    def boxes(self, doc_id: str, chunk_ids: Sequence[str], page: int) -> list[tuple[float, float, float, float]]:
        """Rectangles of passages of the live version on one of its pages, as fractions of the page. Raises as `get` does."""
        version_id = self.get(doc_id)["version_id"]
        of_chunks = occurrences.c.version_id == version_id, occurrences.c.chunk_id.in_(chunk_ids)
        with self._reader.connect() as connection:
            places = [Place.from_dict(place) for place in connection.scalars(select(occurrences.c.place).where(*of_chunks))]
        return [place.bbox for place in places if place.bbox and place.page == page]

    def chunks(self, doc_id: str, page: int = 1, page_size: int = 20) -> tuple[list[dict[str, Any]], int]:
        """One page of the live version's chunks in order, and how many there are in all. Raises as `get` does."""
        version_id = self.get(doc_id)["version_id"]
        of_version = occurrences.c.version_id == version_id
        with self._reader.connect() as connection:
            total = connection.scalar(select(func.count()).select_from(occurrences).where(of_version)) or 0
            rows = connection.execute(
                select(occurrences.c.ordinal, occurrences.c.place, occurrences.c.image_refs, occurrences.c.enrichment, chunks)
                .join(chunks, chunks.c.chunk_id == occurrences.c.chunk_id)
                .where(of_version)
                .order_by(occurrences.c.ordinal)
                .limit(page_size)
                .offset((page - 1) * page_size)
            )
            return [
                {
                    "chunk_id": row.chunk_id,
                    "ordinal": row.ordinal,
                    "section_id": row.section_id,
                    "section_path": row.section_path,
                    "content": row.text,
                    "image_refs": row.image_refs or [],
                    "enrichment": row.enrichment,
                    **row.place,
                }
                for row in rows
            ], total


def no_document(doc_id: str) -> DocumentNotFound:
    """The error for an id that no document has, or none that may be seen by whoever asks."""
    return DocumentNotFound(f"There is no document '{doc_id}'. See `rag documents list`.")


def _live(query: Select[Any]) -> Select[Any]:
    return (
        query.join(documents, documents.c.version_id == occurrences.c.version_id)
        .join(collections, collections.c.kb_id == documents.c.kb_id)
        .where(documents.c.status == "ready", collections.c.status == "enabled")
    )


def _conditions(filters: Filters) -> list[ColumnElement[bool]]:
    """What the columns can tell; `_in_section` does the rest."""
    conditions: list[ColumnElement[bool]] = [condition for one in filters.also for condition in _conditions(one)]
    for name in ("doc_type", "source", "doc_id", "version_id"):
        if values := getattr(filters, name):
            conditions.append(documents.c[name].in_(values))
    if filters.language:
        # A document's language is derived; one whose language is not known is not shut out.
        conditions.append(or_(documents.c.language.in_(filters.language), documents.c.language.is_(None)))
    if filters.tags:
        # Tags are derived, too: a document without any is not shut out.
        tagged = select(document_tags.c.doc_id).where(document_tags.c.tag.in_(filters.tags))
        any_tag = select(document_tags.c.doc_id).where(document_tags.c.doc_id == documents.c.doc_id).exists()
        conditions.append(or_(documents.c.doc_id.in_(tagged), ~any_tag))
    if filters.path_prefix:
        # Not LIKE: that ignores case on SQLite and minds it on PostgreSQL.
        conditions.append(func.substr(documents.c.source, 1, len(filters.path_prefix)) == filters.path_prefix)
    if filters.updated_after:
        conditions.append(documents.c.updated_at >= filters.updated_after)
    if filters.updated_before:
        conditions.append(documents.c.updated_at < filters.updated_before)
    if filters.without:
        conditions.append(or_(documents.c.source_id.not_in(filters.without), documents.c.source_id.is_(None)))
    return conditions


def _section_prefixes(filters: Filters) -> list[tuple[str, ...]]:
    return [one.section_prefix for one in (filters, *filters.also) if one.section_prefix]


def _versions_in_section(connection: Connection, kb_id: str, filters: Filters) -> list[str]:
    """Live versions of a collection with a section that the filters ask for."""
    path = cast(sections.c.path, Text)
    query = select(sections.c.version_id, path).join(documents, documents.c.version_id == sections.c.version_id)
    rows = connection.execute(query.where(documents.c.kb_id == kb_id, *_conditions(filters)))
    within = _within(_section_prefixes(filters))
    return list(dict.fromkeys(version_id for version_id, written in rows if within(written)))


def _in_section(connection: Connection, query: Select[Any], filters: Filters) -> Sequence[Row[Any]]:
    """Rows of a query over occurrences that stand in the sections that the filters ask for.

    Headings are compared in canonical form and without case, which no two databases do alike; so it is done here. Many rows share
    a path, and each path is looked at once.
    """
    prefixes = _section_prefixes(filters)
    if not prefixes:
        return connection.execute(query).all()
    path = cast(chunks.c.section_path, Text)
    rows = connection.execute(query.join(chunks, chunks.c.chunk_id == occurrences.c.chunk_id).add_columns(path))
    within = _within(prefixes)
    return [row for row in rows if within(row[-1])]


def _within(prefixes: Sequence[Sequence[str]]) -> Callable[[str], bool]:
    """Whether a section path, as JSON, begins with every one of the prefixes, heading by heading."""
    folded = [_folded(prefix) for prefix in prefixes]

    @cache
    def within(path: str) -> bool:
        headings = _folded(json.loads(path))
        return all(headings[: len(prefix)] == prefix for prefix in folded)

    return within


def _folded(headings: Sequence[str]) -> list[str]:
    return [" ".join(canonical(heading).casefold().split()) for heading in headings]


def _described() -> Select[Any]:
    return (
        select(documents, collections.c.name.label("collection"), versions.c.chunk_count)
        .join(collections, collections.c.kb_id == documents.c.kb_id)
        .outerjoin(versions, versions.c.version_id == documents.c.version_id)
    )


def _summary(row: Row[Any]) -> dict[str, Any]:
    error = {"code": row.error_code, "message": row.error_message} if row.error_code else None
    names = ("collection", "source", "source_uri", "title", "doc_type", "language", "status", "size", "version_id")
    described = {"id": row.doc_id, **{name: row._mapping[name] for name in names}}
    described |= {"chunk_count": row.chunk_count or 0, "updated_at": row.updated_at, "summary": row.summary, "tags": row.tags}
    return described | ({"error": error} if error else {})


def _images(connection: Connection, version_ids: Collection[str]) -> dict[str, dict[str, ImageRef]]:
    """version id -> asset id -> the picture as a passage shows it."""
    found: dict[str, dict[str, ImageRef]] = {}
    for batch in batches(list(version_ids)):
        columns = (version_assets.c.version_id, version_assets.c.alt, assets.c.asset_id, assets.c.mime, assets.c.text)
        shown = select(*columns).join(assets, assets.c.asset_id == version_assets.c.asset_id)
        for row in connection.execute(shown.where(version_assets.c.version_id.in_(batch))):
            found.setdefault(row.version_id, {})[row.asset_id] = ImageRef(row.asset_id, row.mime, row.alt, row.text)
    return found


def _passage(row: Row[Any], images: Mapping[str, ImageRef]) -> Passage:
    return Passage(
        chunk_id=row.chunk_id,
        doc_id=row.doc_id,
        version_id=row.version_id,
        collection=row.name,
        content=row.text,
        source=row.source,
        source_uri=row.source_uri,
        doc_type=row.doc_type,
        title=row.title,
        section_path=tuple(row.section_path),
        place=Place.from_dict(row.place),
        ordinal=row.ordinal,
        tokens=row.tokens,
        images=tuple(images[asset_id] for asset_id in row.image_refs or () if asset_id in images),
        enrichment=row.enrichment or {},
    )
