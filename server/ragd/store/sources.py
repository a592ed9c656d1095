"""Sources in the database: what is read again and again into a collection, and how that went the last time."""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from ragd.core.errors import FieldProblem, SourceNameConflict, SourceNotFound, ValidationFailed
from ragd.core.storage import CollectionStatus, LiveMode
from ragd.core.tracing import utc_now
from ragd.store.database.repository import Repository, count_of
from ragd.store.database.schema import collections, documents, source_items, sources, sync_cycles

# Control characters, and halves of surrogate pairs, which no database takes.
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_NAME = 255


@dataclass(frozen=True, slots=True)
class Source:
    """A place that documents come from, as it stands. `last_result` and `last_error` are of the last time it was read."""

    source_id: str
    type: str
    name: str
    kb_id: str
    collection: str
    collection_status: CollectionStatus
    config: Mapping[str, Any]
    schedule: str | None
    enabled: bool
    created_at: str
    updated_at: str
    last_started_at: str | None
    last_finished_at: str | None
    last_result: Mapping[str, Any] | None
    last_error: str | None
    document_count: int
    live: LiveMode = "off"
    public: bool = True
    due_at: str | None = None


class Sources(Repository):
    def add(
        self,
        type_: str,
        name: str,
        kb_id: str,
        config: Mapping[str, Any],
        *,
        enabled: bool = True,
        schedule: str | None = None,
        live: LiveMode = "off",
        public: bool = True,
    ) -> Source:
        """A new source. Raises `SourceNameConflict` for a name in use and `ValidationFailed` for one that is none."""
        name = _checked_name(name)
        source_id = uuid.uuid4().hex
        now = utc_now()
        row = {"source_id": source_id, "type": type_, "name": name, "kb_id": kb_id, "config": dict(config), "enabled": enabled}
        row |= {"schedule": schedule, "live": live, "public": public}
        try:
            self._write(sources.insert().values(**row, created_at=now, updated_at=now))
        except IntegrityError as error:
            raise SourceNameConflict(f"There is already a source named '{name}'. Choose another name.") from error
        return self.get(source_id)

    def get(self, source_id: str) -> Source:
        """The source. Raises `SourceNotFound`."""
        found = self._select(sources.c.source_id == source_id)
        if not found:
            raise SourceNotFound(f"There is no source '{_printable(source_id)}'. See `rag sources list`.")
        return found[0]

    def page(self, page: int = 1, page_size: int = 20, among: Collection[str] | None = None) -> tuple[list[Source], int]:
        """One page of sources by name, of collections among these ids if any are given, and how many there are in all."""
        where = [] if among is None else [sources.c.kb_id.in_(among)]
        with self._reader.connect() as connection:
            found = _read(connection, *where, limit=page_size, offset=(page - 1) * page_size)
            return found, count_of(connection, select(sources).where(*where))

    def all(self, kb_id: str | None = None) -> list[Source]:
        """Every source, of one collection or of all, by name."""
        return self._select(*([sources.c.kb_id == kb_id] if kb_id else []))

    def free_name(self, wished: str) -> str:
        """The name, or the name with the first number that makes it a new one."""
        base = _FORBIDDEN.sub("", _normal(wished))[: _MAX_NAME - 8].strip() or "source"
        taken = {source.name for source in self.all()}
        names = (base if number == 1 else f"{base} {number}" for number in range(1, len(taken) + 2))
        return next(name for name in names if name not in taken)

    def change(
        self,
        source_id: str,
        *,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        enabled: bool | None = None,
        access: Mapping[str, Any] | None = None,
    ) -> Source:
        """Rename a source, give it another configuration, switch it on or off. Raises as `get` and `add` do.

        `access` holds those of `schedule`, `live` and `public` that change.
        """
        self.get(source_id)
        values: dict[str, Any] = {"updated_at": utc_now()}
        values |= {} if name is None else {"name": _checked_name(name)}
        values |= {} if config is None else {"config": dict(config)}
        values |= {} if enabled is None else {"enabled": enabled}
        values |= access or {}
        try:
            self._update(source_id, values)
        except IntegrityError as error:
            raise SourceNameConflict(f"There is already a source named '{name}'. Choose another name.") from error
        return self.get(source_id)

    def note_due(self, source_id: str, due_at: str | None) -> None:
        """Note when the source is to be read next by itself; None: not by itself."""
        self._update(source_id, {"due_at": due_at})

    def note_start(self, source_id: str) -> None:
        self._update(source_id, {"last_started_at": utc_now()})

    def note_result(self, source_id: str, *, result: Mapping[str, Any] | None = None, error: str | None = None) -> None:
        """Note that reading the source has ended: with a result, or with an error beside the last result there was."""
        values: dict[str, Any] = {"last_finished_at": utc_now(), "last_error": error}
        values |= {} if result is None else {"last_result": dict(result)}
        self._update(source_id, values)

    def remove(self, source_id: str) -> None:
        """Remove a source with its ledger; its documents are the caller's concern."""
        with self._engine.begin() as connection:
            _remove(connection, sources.c.source_id == source_id)

    @staticmethod
    def remove_all_within(connection: Connection, kb_id: str) -> list[tuple[str, str]]:
        """Remove the sources of a collection, in a transaction of the caller's. Returns the id and the type of each."""
        where = sources.c.kb_id == kb_id
        gone = connection.execute(select(sources.c.source_id, sources.c.type).where(where)).all()
        _remove(connection, where)
        return [(row.source_id, row.type) for row in gone]

    def _update(self, source_id: str, values: Mapping[str, Any]) -> None:
        self._write(update(sources).where(sources.c.source_id == source_id).values(**values))

    def _select(self, *where: ColumnElement[bool]) -> list[Source]:
        with self._reader.connect() as connection:
            return _read(connection, *where)


def _remove(connection: Connection, where: ColumnElement[bool]) -> None:
    for table in (source_items, sync_cycles):
        connection.execute(delete(table).where(table.c.source_id.in_(select(sources.c.source_id).where(where))))
    connection.execute(delete(sources).where(where))


def _read(
    connection: Connection, *where: ColumnElement[bool], limit: int | None = None, offset: int | None = None
) -> list[Source]:
    named = (collections.c.name.label("collection"), collections.c.status.label("collection_status"))
    query = select(sources, *named).join(collections, collections.c.kb_id == sources.c.kb_id).where(*where)
    rows = connection.execute(query.order_by(sources.c.name).limit(limit).offset(offset)).all()
    counts = _document_counts(connection, rows)
    return [Source(**row._mapping, document_count=counts.get(row.source_id, 0)) for row in rows]


def _document_counts(connection: Connection, rows: Sequence[Row[Any]]) -> dict[str, int]:
    counted = connection.execute(
        select(documents.c.source_id, func.count())
        .where(documents.c.source_id.in_([row.source_id for row in rows]), documents.c.status != "deleted")
        .group_by(documents.c.source_id)
    )
    return {source_id: count for source_id, count in counted if source_id is not None}


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


def _printable(name: str) -> str:
    return _FORBIDDEN.sub("\ufffd", name)[:80]


def _checked_name(name: str) -> str:
    normal = _normal(name)
    if not normal or len(normal) > _MAX_NAME or _FORBIDDEN.search(normal):
        problem = FieldProblem("name", "invalid", f"1 to {_MAX_NAME} characters, without control characters.")
        raise ValidationFailed(f"'{_printable(normal)}' can't be a source's name: {problem.message}", details=[problem])
    return normal
