"""Where documents come from: the source of each, and the item of it that decides who may see the document."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Engine, Row, and_, false, or_, select

from ragd.core.storage import LiveMode
from ragd.store.database.repository import Repository, any_of, rows_of
from ragd.store.database.schema import collections, documents, source_items, sources, version_assets
from ragd.store.ledger import ITEM_COLUMNS, LedgerItem

_IS_FILE: Final = documents.c.source_uri.startswith("file:")

_IS_NAMED: Final = documents.c.source_uri != ""

LEFT: Final = and_(documents.c.status == "deleted", documents.c.source_id.is_(None), ~_IS_FILE, _IS_NAMED)
"""A deleted document that belonged to a source elsewhere, it is not known any more to which. One that was erased says nothing."""

_REMOTE: Final = tuple(sources.c[name] for name in ("type", "name", "config", "live", "public"))


@dataclass(frozen=True, slots=True)
class Remote:
    """A cloud source, as far as asking it at a hit needs it."""

    source_id: str
    type: str
    name: str
    config: Mapping[str, Any] = field(repr=False)
    live: LiveMode
    public: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document comes from, when that is a cloud source.

    `item` is None while the ledger does not have it: then nobody can prove that they may read it. `updated_at` is the document's.
    """

    doc_id: str
    remote: Remote | None
    item: LedgerItem | None
    updated_at: str


class Origins(Repository):
    """Reads where documents come from. Whoever may ask this daemon may read sources of `local_types`."""

    def __init__(self, engine: Engine, local_types: Sequence[str]) -> None:
        super().__init__(engine)
        self._is_remote = sources.c.type.not_in(local_types)
        lost = and_(sources.c.type.is_(None), documents.c.source_id.is_not(None), ~_IS_FILE)
        item = and_(source_items.c.source_id == documents.c.source_id, source_items.c.doc_id == documents.c.doc_id)
        self._of = (
            select(
                documents.c.doc_id,
                documents.c.updated_at,
                documents.c.source_id,
                *_REMOTE,
                *(column.label(f"item_{column.name}") for column in ITEM_COLUMNS),
            )
            .outerjoin(sources, sources.c.source_id == documents.c.source_id)
            .outerjoin(source_items, item)
            .where(or_(self._is_remote, lost, LEFT), any_of(documents.c.doc_id))
        )

    def of(self, doc_ids: Sequence[str]) -> dict[str, Origin]:
        """doc_id -> origin, of those that came from a cloud source; files, uploads and unknown ids are absent.

        What came from a source that is not there is taken for a cloud source's, unless it is a file, or was left to stay.
        """
        with self._reader.connect() as connection:
            rows = list(rows_of(connection, self._of, dict.fromkeys(doc_ids)))
        return {row.doc_id: Origin(row.doc_id, _remote(row), _item(row), row.updated_at) for row in rows}

    def within(self, doc_ids: Sequence[str], kb_ids: Collection[str]) -> list[str]:
        """Those of these documents that are in these collections, in the order given."""
        of_any = select(documents.c.doc_id).where(documents.c.kb_id.in_(kb_ids))
        found = {row.doc_id for row in self._rows_in(of_any, documents.c.doc_id, doc_ids)}
        return [doc_id for doc_id in doc_ids if doc_id in found]

    def remote(self, source_id: str) -> Remote | None:
        """A cloud source; None for a local one, and for an id that there is none for."""
        row = self._first(select(sources.c.source_id, *_REMOTE).where(sources.c.source_id == source_id, self._is_remote))
        return None if row is None else _remote(row)

    def private_ids(self) -> list[str]:
        """Ids of the cloud sources that are not public."""
        return self._values(select(sources.c.source_id).where(self._is_remote, sources.c.public == false()))

    def showing(self, asset_id: str) -> list[str]:
        """Ids of the live documents that show a picture."""
        query = (
            select(documents.c.doc_id)
            .join(version_assets, version_assets.c.version_id == documents.c.version_id)
            .join(collections, collections.c.kb_id == documents.c.kb_id)
            .where(version_assets.c.asset_id == asset_id, documents.c.status == "ready", collections.c.status == "enabled")
        )
        return list(dict.fromkeys(self._values(query)))


def _remote(row: Row[Any]) -> Remote | None:
    if row.type is None:
        return None
    return Remote(row.source_id, row.type, row.name, row.config, row.live, row.public)


def _item(row: Row[Any]) -> LedgerItem | None:
    values = {column.name: row._mapping[f"item_{column.name}"] for column in ITEM_COLUMNS}
    return None if values["item_id"] is None else LedgerItem(**values)
