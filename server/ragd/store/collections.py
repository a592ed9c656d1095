"""Collections in the database."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Collection as Ids
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, func, select, update
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import (
    CollectionDeleted,
    CollectionNameConflict,
    CollectionNotFound,
    CollectionUnavailable,
    FieldProblem,
    ValidationFailed,
)
from ragd.core.storage import Collection, CollectionStatus
from ragd.core.tracing import utc_now
from ragd.store.database.repository import Repository
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import collections, documents, versions

DEFAULT = "default"

# Control characters, slashes, and halves of surrogate pairs, which no database takes.
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f/\\\ud800-\udfff]")


class Collections(Repository):
    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._revisions = Revisions.shared(engine)
        self._enabled: tuple[int, list[Collection]] | None = None
        self._counts: tuple[int, dict[str, tuple[int, int]]] = (-1, {})

    def ensure_default(self) -> None:
        """Make the collection `default`, which always exists; it may be disabled."""
        try:
            self.get(DEFAULT)
        except CollectionNotFound:
            with suppress(CollectionNameConflict):  # another process has just made it
                self.create(DEFAULT)

    def create(self, name: str, description: str = "") -> Collection:
        """A new, enabled collection. Raises `CollectionNameConflict` for a name in use."""
        name = _checked_name(name)
        now = utc_now()
        row = Collection(uuid.uuid4().hex, name, description, "enabled", now, now)
        try:
            self._write(collections.insert().values({column.name: getattr(row, column.name) for column in collections.c}))
        except IntegrityError as error:
            raise CollectionNameConflict(f"There is already a collection named '{name}'. Choose another name.") from error
        return row

    def get(self, name: str) -> Collection:
        """The collection of that name; its counts are left out, as every query comes by here. Raises `CollectionNotFound`."""
        with self._reader.connect() as connection:
            return _collection(_row(connection, name))

    def by_id(self, kb_id: str) -> Collection:
        """The collection of that id with its counts, also one that is deleted. Raises `CollectionNotFound`."""
        with self._reader.connect() as connection:
            row = _row_by_id(connection, kb_id)
        return self._with_counts([row])[0]

    def counted(self, name: str) -> Collection:
        """The collection of that name with its counts. Raises `CollectionNotFound`."""
        with self._reader.connect() as connection:
            row = _row(connection, name)
        return self._with_counts([row])[0]

    def available(self, name: str) -> Collection:
        """The collection of that name, which must be enabled, else `CollectionUnavailable`."""
        found = self.get(name)
        if found.status != "enabled":
            raise CollectionUnavailable(f"The collection '{name}' is disabled. Enable it to use it.")
        return found

    def page(self, page: int = 1, page_size: int = 100, among: Ids[str] | None = None) -> tuple[list[Collection], int]:
        """One page of the collections that are not deleted, among these ids if any are given, by name, and how many there are."""
        return self._counted_page(page, page_size, collections.c.status != "deleted", *_among(among))

    def find(
        self,
        page: int,
        page_size: int,
        *,
        name_contains: str | None,
        status: CollectionStatus | None,
        among: Ids[str] | None = None,
    ) -> tuple[list[Collection], int]:
        """As `page`, deleted ones included: those of a status, and with these characters in their name, in either case."""
        where: list[ColumnElement[bool]] = [collections.c.status == status] if status else []
        if name_contains:
            where.append(collections.c.name.icontains(_normal(_printable(name_contains)), autoescape=True))
        return self._counted_page(page, page_size, *where, *_among(among))

    def _counted_page(self, page: int, page_size: int, *where: ColumnElement[bool]) -> tuple[list[Collection], int]:
        query = select(collections).where(*where).order_by(collections.c.name, collections.c.created_at, collections.c.kb_id)
        rows, total = self._page(query, page, page_size, lambda row: row)
        return self._with_counts(rows), total

    def _with_counts(self, found: Sequence[Row[Any]]) -> list[Collection]:
        """Counts look at every document of a collection, so they are kept until a document changes, whoever asks for them."""
        # Looked at before the rows are counted: what changes meanwhile is counted the next time.
        revision = self._revisions.of(documents, versions)
        if self._counts[0] != revision:
            self._counts = revision, {}
        known = self._counts[1]
        if unknown := [row.kb_id for row in found if row.kb_id not in known]:
            counted = self._rows(
                select(documents.c.kb_id, func.count(), func.coalesce(func.sum(versions.c.chunk_count), 0))
                .select_from(documents.outerjoin(versions, (versions.c.version_id == documents.c.version_id)))
                .where(documents.c.kb_id.in_(unknown), documents.c.status == "ready")
                .group_by(documents.c.kb_id)
            )
            known.update(dict.fromkeys(unknown, (0, 0)) | {kb_id: (count, chunks) for kb_id, count, chunks in counted})
        return [_collection(row, *known[row.kb_id]) for row in found]

    def enabled(self) -> list[Collection]:
        """Every collection that a query without a collection searches; counts are left out."""
        revision = self._revisions.of(collections)
        known = self._enabled
        if known is None or known[0] != revision:
            query = select(collections).where(collections.c.status == "enabled").order_by(collections.c.name)
            known = self._enabled = revision, [_collection(row) for row in self._rows(query)]
        return list(known[1])

    def live_ids(self) -> list[str]:
        """The ids of the collections that are not deleted."""
        return self._values(select(collections.c.kb_id).where(collections.c.status != "deleted"))

    def change(
        self, name: str, *, new_name: str | None = None, description: str | None = None, status: CollectionStatus | None = None
    ) -> Collection:
        """Rename, describe, enable or disable. Raises as `get` and `create` do; `default` keeps its name."""
        return self.change_by_id(self.get(name).kb_id, new_name=new_name, description=description, status=status)

    def change_by_id(
        self, kb_id: str, *, new_name: str | None = None, description: str | None = None, status: CollectionStatus | None = None
    ) -> Collection:
        """As `change`. Raises `CollectionDeleted` for one that is deleted."""
        found = self.by_id(kb_id)
        values: dict[str, str] = {"updated_at": utc_now()}
        if new_name is not None:
            values["name"] = _checked_name(new_name)
            if found.name == DEFAULT and values["name"] != DEFAULT:
                raise ValidationFailed("The collection 'default' can't be renamed: it is what is used when none is named.")
        if description is not None:
            values["description"] = description
        if status is not None:
            values["status"] = status
        try:
            live = collections.c.kb_id == kb_id, collections.c.status != "deleted"
            if not self._write(update(collections).where(*live).values(**values)):
                raise CollectionDeleted(f"The collection '{found.name}' is deleted. It can't be changed or brought back.")
        except IntegrityError as error:
            raise CollectionNameConflict(f"There is already a collection named '{new_name}'. Choose another name.") from error
        return self.by_id(kb_id)

    def tombstone(self, kb_id: str, within: Connection) -> Collection:
        """Mark as deleted, in a transaction of the caller's: gone from every answer at once, its name free again.

        Raises `CollectionNotFound`, `CollectionDeleted`, or `ValidationFailed` for `default`.
        """
        # Of the same connection: who holds the writers' turn must not wait for a connection that others hold who wait for theirs.
        found = _collection(_row_by_id(within, kb_id))
        if found.name == DEFAULT:
            raise ValidationFailed("The collection 'default' can't be deleted; delete its documents instead.")
        live = collections.c.kb_id == kb_id, collections.c.status != "deleted"
        gone = update(collections).where(*live).values(status="deleted", updated_at=utc_now())
        if not within.execute(gone).rowcount:
            raise CollectionDeleted(f"The collection '{found.name}' is already deleted.")
        return found


def _among(kb_ids: Ids[str] | None) -> list[ColumnElement[bool]]:
    return [] if kb_ids is None else [collections.c.kb_id.in_(kb_ids)]


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


def _printable(name: str) -> str:
    return _FORBIDDEN.sub("\ufffd", name)


def _checked_name(name: str) -> str:
    normal = _normal(name)
    if not normal or len(normal) > 255 or _FORBIDDEN.search(normal):
        problem = FieldProblem("name", "invalid", "1 to 255 characters, without control characters, '/' and '\\'.")
        raise ValidationFailed(f"'{_printable(name)[:80]}' can't be a collection's name: {problem.message}", details=[problem])
    return normal


def _collection(row: Row[Any], documents_count: int = 0, chunks_count: int = 0) -> Collection:
    return Collection(**row._mapping, document_count=documents_count, chunk_count=chunks_count)


def _row(connection: Connection, name: str) -> Row[Any]:
    named = collections.c.name == _printable(_normal(name))
    row = connection.execute(select(collections).where(named, collections.c.status != "deleted")).first()
    if row is None:
        raise CollectionNotFound(f"There is no collection '{_printable(name)}'. See `rag collections list`.")
    return row


def _row_by_id(connection: Connection, kb_id: str) -> Row[Any]:
    row = connection.execute(select(collections).where(collections.c.kb_id == _printable(kb_id))).first()
    if row is None:
        raise CollectionNotFound(f"There is no knowledge base with the id '{_printable(kb_id)}'.")
    return row
