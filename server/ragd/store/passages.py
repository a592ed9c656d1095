"""What may be served: from entries of the indexes to live chunks."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any, Final

from sqlalchemy import CTE, ColumnElement, Connection, Engine, FromClause, Row, Select, Text, and_, cast, func, or_, select

from ragd.core.documents import DiagramText, Place
from ragd.core.errors import ValidationFailed
from ragd.core.files import uri_prefix
from ragd.core.query import Among, Filters
from ragd.core.results import ImageRef, Passage
from ragd.core.storage import Entries
from ragd.store.database.engine import batches
from ragd.store.database.repository import Repository, any_of, count_of, rows_of
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import (
    chunks,
    collections,
    document_tags,
    documents,
    occurrences,
    sections,
    version_assets,
    versions,
)
from ragd.store.live.entry_table import EntryTable, LiveChunk, Side
from ragd.store.live.headings import within
from ragd.store.live.pictured import asks_for_pictures, shown
from ragd.store.live.version_entries import VersionEntries
from ragd.store.pictures.shown import images_of
from ragd.store.places import DIAGRAMS

# What each left may be half a million ids.
_REMEMBERED_FILTERS: Final = 2


@dataclass(frozen=True, slots=True)
class Allowed:
    """The entries that a hard filter leaves, of both indexes. `revision` is another one once that may have changed."""

    dense: frozenset[str]
    sparse: frozenset[str]
    revision: int = -1


@dataclass(frozen=True, slots=True)
class PreferenceFields:
    """What soft preferences look at. `updated_at` is ISO 8601 in UTC."""

    updated_at: str
    source: str
    has_image: bool


class Passages(Repository):
    """Reads live chunks only: of ready versions of documents that are not deleted, in collections that are enabled."""

    def __init__(self, engine: Engine, background: Executor | None = None) -> None:
        """`background` keeps a table of all live entries up to date; without it each question asks the database."""
        super().__init__(engine)
        self._entries = VersionEntries()
        self._revisions = Revisions.shared(engine)
        self._table = EntryTable(self._reader, background) if background else None
        self._allowed: OrderedDict[tuple[str, Filters], Allowed] = OrderedDict()
        self._lock = threading.Lock()

    def resolve(
        self, side: Side, entry_ids: Sequence[str], filters: Filters, allowed: Iterable[Allowed] = ()
    ) -> dict[str, LiveChunk]:
        """The chunks of the entries that may be served and pass the filters, by entry id; the others are absent.

        `allowed` is what the filters left, where all of these entries are among that: they need not be asked again.
        """
        revision = self._revision()
        passed = [one.revision == revision for one in allowed]
        if self._table and (not filters or (passed and all(passed))):
            known = self._table.find(side, entry_ids, revision)
            if known is not None:
                return known
        column = f"{side}_id"
        found: dict[str, LiveChunk] = {}
        with self._reader.connect() as connection:
            for batch in batches(entry_ids):
                chosen = _first(occurrences.c[column].in_(batch))
                columns = (chosen.c[column], chosen.c.chunk_id, chosen.c.dense_id, documents.c.language)
                query = _live(select(*columns), chosen).where(*_conditions(filters), *shown(filters, chosen))
                for row in _in_section(connection, query, filters, chosen):
                    found[row[0]] = LiveChunk(row.chunk_id, row.dense_id, row.language)
        return found

    def allowed(self, kb_id: str, filters: Filters) -> Allowed:
        """Every entry of a collection that passes the filters. The last few are remembered until something is written."""
        if asks_for_pictures(filters):  # which follow tables that the revision does not
            return self._read_allowed(kb_id, filters)
        asked, revision = (kb_id, filters), self._revision()
        known = self._allowed.get(asked)
        if known is None or known.revision != revision:
            known = self._read_allowed(kb_id, filters)
            with self._lock:
                self._allowed.pop(asked, None)
                self._allowed[asked] = known
                while len(self._allowed) > _REMEMBERED_FILTERS:
                    self._allowed.popitem(last=False)
        return known

    def passes(self, doc_id: str, kb_id: str, filters: Filters) -> bool:
        """Whether anything of a document passes the filters."""
        with self._reader.connect() as connection:
            if _sections(filters):
                return bool(_versions_in_section(connection, kb_id, Filters(doc_id=(doc_id,), also=(filters,))))
            query = select(1).where(documents.c.doc_id == doc_id, *_conditions(filters))
            if asks_for_pictures(filters):
                query = query.join(occurrences, occurrences.c.version_id == documents.c.version_id).where(*shown(filters))
            return connection.execute(query).first() is not None

    def _read_allowed(self, kb_id: str, filters: Filters) -> Allowed:
        revision, of_entries = self._revision(), self._revisions.of(occurrences)
        with self._reader.connect() as connection:
            if _sections(filters) or asks_for_pictures(filters):
                entries = [_entries_in_section(connection, kb_id, filters)]
            else:
                # Filters look at documents, which are few; what hangs on their versions is remembered.
                passing = _served(select(documents.c.version_id)).where(documents.c.kb_id == kb_id, *_conditions(filters))
                entries = self._entries.of(connection, connection.scalars(passing), of_entries)
        dense, sparse = (frozenset().union(*map(attrgetter(side), entries)) for side in ("dense", "sparse"))
        return Allowed(dense, sparse, revision)

    def _revision(self) -> int:
        """A number that differs whenever what may be served may have changed."""
        return self._revisions.of(occurrences, documents, collections)

    def require_live_versions(self, version_ids: Sequence[str]) -> None:
        """Raises `ValidationFailed` unless all of these versions can be searched: older ones have left the indexes."""
        if not version_ids:
            return
        query = select(documents.c.version_id).join(collections, collections.c.kb_id == documents.c.kb_id)
        ready = query.where(documents.c.status == "ready", collections.c.status == "enabled")
        live = {row.version_id for row in self._rows_in(ready, documents.c.version_id, version_ids)}
        if missing := [version_id for version_id in version_ids if version_id not in live]:
            message = (
                f"The version '{missing[0]}' can't be searched: only the live version of a document can, whose id "
                "GET /api/documents tells. Filter by doc_id to search whatever version is live."
            )
            raise ValidationFailed.of_field("filters.version_id", "not_live", message)

    def preference_fields(self, chunk_ids: Sequence[str]) -> dict[str, PreferenceFields]:
        """chunk id -> what soft preferences look at, for the live chunks among these."""
        columns = (occurrences.c.chunk_id, occurrences.c.image_refs, documents.c.updated_at, documents.c.source)
        return {
            row.chunk_id: PreferenceFields(row.updated_at, row.source, bool(row.image_refs))
            for row in self._rows_in(_live(select(*columns)), occurrences.c.chunk_id, chunk_ids)
        }

    def passages(self, chunk_ids: Sequence[str]) -> dict[str, Passage]:
        """The live chunks among these, with their documents."""
        found: dict[str, Passage] = {}
        with self._reader.connect() as connection:
            rows = list(rows_of(connection, _PASSAGES, chunk_ids))
            pictures = images_of(connection, {row.version_id for row in rows if row.image_refs})
            for row in rows:
                found[row.chunk_id] = _passage(row, pictures.get(row.version_id, {}))
        return found

    def showing(self, asset_ids: Sequence[str], kb_ids: Sequence[str], filters: Filters) -> list[str]:
        """Live chunks that show these pictures and pass the filters, in the order of the pictures."""
        columns = (version_assets.c.asset_id, occurrences.c.chunk_id, documents.c.source)
        refs = func.coalesce(cast(occurrences.c.image_refs, Text), "")
        query = _live(select(*columns).join(version_assets, version_assets.c.version_id == occurrences.c.version_id)).where(
            version_assets.c.asset_id.in_(asset_ids), refs.contains('"' + version_assets.c.asset_id + '"'),
            documents.c.kb_id.in_(kb_ids), *_conditions(filters), *shown(filters),
        )  # fmt: skip
        with self._reader.connect() as connection:
            rows = _in_section(connection, query, filters)
        return [row.chunk_id for row in sorted(rows, key=lambda row: (asset_ids.index(row.asset_id), row.source, row.chunk_id))]

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
            total = count_of(connection, select(collections).where(alive))
        return {"collections": total, "documents": kept[0], "chunks": int(kept[1])}


def _first(condition: ColumnElement[bool]) -> CTE:
    """Occurrences that are looked for before anything else. PostgreSQL takes the few collections there are, of which it has no
    statistics, for one that holds next to nothing, and would begin with every document of it."""
    return select(occurrences).where(condition).cte("chosen").prefix_with("MATERIALIZED", dialect="postgresql")


def _live(query: Select[Any], rows: FromClause = occurrences) -> Select[Any]:
    """Of occurrences, or those among them that `rows` are, those that may be served."""
    return _served(query.join(documents, documents.c.version_id == rows.c.version_id))


def _served(query: Select[Any]) -> Select[Any]:
    """Of documents, those that may be served."""
    return query.join(collections, collections.c.kb_id == documents.c.kb_id).where(
        documents.c.status == "ready", collections.c.status == "enabled"
    )


_OF_OCCURRENCES: Final = ("chunk_id", "version_id", "ordinal", "place", "tokens", "image_refs", "enrichment")
_OF_DOCUMENTS: Final = ("doc_id", "source", "source_uri", "doc_type", "title")
_CHOSEN: Final = _first(any_of(occurrences.c.chunk_id))
_PASSAGES: Final = _live(
    select(
        *(_CHOSEN.c[name] for name in _OF_OCCURRENCES),
        chunks.c.text,
        chunks.c.section_path,
        *(documents.c[name] for name in _OF_DOCUMENTS),
        collections.c.name,
    ).join(chunks, chunks.c.chunk_id == _CHOSEN.c.chunk_id),
    _CHOSEN,
)
_AS_STORED: Final = ("chunk_id", "version_id", "ordinal", "tokens", *_OF_DOCUMENTS)
"""Columns that are a passage's fields as they are."""


def _conditions(filters: Filters) -> list[ColumnElement[bool]]:
    """What the columns can decide; `_in_section` does the rest."""
    conditions: list[ColumnElement[bool]] = [condition for one in filters.also for condition in _conditions(one)]
    for name in ("source", "doc_id", "version_id"):
        if values := getattr(filters, name):
            conditions.append(documents.c[name].in_(values))
    if filters.doc_type:
        ends = [documents.c.source.iendswith(kind[1:], autoescape=True) for kind in filters.doc_type if kind.startswith("*")]
        by_name = [and_(documents.c.doc_type == "code", or_(*ends))] if ends else []
        conditions.append(or_(documents.c.doc_type.in_(filters.doc_type), *by_name))
    if filters.language:
        # A document's language is derived; one whose language is not known is not shut out.
        conditions.append(or_(documents.c.language.in_(filters.language), documents.c.language.is_(None)))
    if filters.tags:
        # Tags are derived, too: a document without any is not shut out.
        tagged = select(document_tags.c.doc_id).where(document_tags.c.tag.in_(filters.tags))
        any_tag = select(document_tags.c.doc_id).where(document_tags.c.doc_id == documents.c.doc_id).exists()
        conditions.append(or_(documents.c.doc_id.in_(tagged), ~any_tag))
    if filters.path_prefix:
        conditions.append(_begins(filters.path_prefix))
    if filters.among:
        conditions.append(_is_among(filters.among))
    if filters.updated_after:
        conditions.append(documents.c.updated_at >= filters.updated_after)
    if filters.updated_before:
        conditions.append(documents.c.updated_at < filters.updated_before)
    if filters.without:
        conditions.append(or_(documents.c.source_id.not_in(filters.without), documents.c.source_id.is_(None)))
    return conditions


def _begins(path: str) -> ColumnElement[bool]:
    """Whether a document's path begins so, as it is shown or absolute."""
    # Not LIKE: that ignores case on SQLite and respects it on PostgreSQL.
    prefixes = [(documents.c.source, path)]
    if uri := uri_prefix(path):
        prefixes.append((documents.c.source_uri, uri))
    return or_(*(func.substr(column, 1, len(prefix)) == prefix for column, prefix in prefixes))


def _is_among(among: Among) -> ColumnElement[bool]:
    """Whether a document is one of those that were chosen."""
    chosen: list[ColumnElement[bool]] = list(map(_begins, among.path_prefix))
    if among.collection:
        named = select(collections.c.kb_id).where(collections.c.name.in_(among.collection))
        chosen.append(documents.c.kb_id.in_(named))
    for column, values in ((documents.c.source_id, among.source_id), (documents.c.doc_id, among.doc_id)):
        if values:
            chosen.append(column.in_(values))
    return or_(*chosen)


def _sections(filters: Filters) -> list[tuple[tuple[str, ...], bool]]:
    """Runs of headings that are asked for, each with whether the path must begin with it."""
    every = (filters, *filters.also)
    runs = [(run, begins) for one in every for run, begins in ((one.section, False), (one.section_prefix, True))]
    return [(run, begins) for run, begins in runs if run]


def _entries_in_section(connection: Connection, kb_id: str, filters: Filters) -> Entries:
    """The entries of a collection in the sections, and with the pictures, that the filters ask for."""
    entries = _live(select(occurrences.c.dense_id, occurrences.c.sparse_id))
    query = entries.where(documents.c.kb_id == kb_id, *_conditions(filters), *shown(filters))
    rows: list[Row[Any]] = []
    # Whole documents are told apart by their sections, which are fewer than their chunks.
    if not _sections(filters):
        rows += connection.execute(query)
    else:
        for batch in batches(_versions_in_section(connection, kb_id, filters)):
            rows += _in_section(connection, query.where(occurrences.c.version_id.in_(batch)), filters)
    return Entries(tuple(map(itemgetter(0), rows)), tuple(map(itemgetter(1), rows)))


def _versions_in_section(connection: Connection, kb_id: str, filters: Filters) -> list[str]:
    """Live versions of a collection with a section that the filters ask for."""
    path = cast(sections.c.path, Text)
    query = select(sections.c.version_id, path).join(documents, documents.c.version_id == sections.c.version_id)
    rows = connection.execute(query.where(documents.c.kb_id == kb_id, *_conditions(filters)))
    is_within = within(_sections(filters))
    return list(dict.fromkeys(version_id for version_id, written in rows if is_within(written)))


def _in_section(
    connection: Connection, query: Select[Any], filters: Filters, rows: FromClause = occurrences
) -> Sequence[Row[Any]]:
    """Rows of a query over occurrences, or those among them that `rows` are, that stand in the sections that the filters ask for.

    Headings are compared in canonical form and without case, which no two databases do alike; so it is done here. Many rows share
    a path, and each path is looked at once.
    """
    asked = _sections(filters)
    if not asked:
        return connection.execute(query).all()
    path = cast(chunks.c.section_path, Text)
    found = connection.execute(query.join(chunks, chunks.c.chunk_id == rows.c.chunk_id).add_columns(path))
    is_within = within(asked)
    return [row for row in found if is_within(row[-1])]


def _passage(row: Row[Any], images: Mapping[str, ImageRef]) -> Passage:
    values = row._mapping
    said = dict(row.enrichment or {})
    diagrams = said.pop(DIAGRAMS, ())
    return Passage(
        **{name: values[name] for name in _AS_STORED},
        collection=row.name,
        content=row.text,
        section_path=tuple(row.section_path),
        place=Place.from_dict(row.place),
        images=tuple(images[asset_id] for asset_id in row.image_refs or () if asset_id in images),
        diagrams=tuple(DiagramText(mermaid, summary) for mermaid, summary in diagrams),
        enrichment=said,
    )
