"""The ledger of cloud sources: each item that the remote side has, what became of it, and how each cycle went.

Items are the work list, too: what is `pending` is still to be fetched, so a cycle that was cut off goes on where it was.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Row, and_, delete, func, select, update

from ragd.core.tracing import utc_now
from ragd.store.database.engine import batches
from ragd.store.database.repository import Repository, forget_oldest
from ragd.store.database.schema import documents, source_items, sync_cycles

ItemState = Literal["pending", "indexed", "skipped", "held"]
"""`held`: no longer on the remote side, but kept, because too much went at once."""

CycleKind = Literal["full", "incremental", "items"]
Phase = Literal["listing", "fetching", "done", "failed"]

# Cycles kept of each source; the oldest go first.
KEPT_CYCLES = 50


@dataclass(frozen=True, slots=True)
class LedgerItem:
    """One item as the ledger has it. `fingerprint`, `version` and `fetched_at` are of what was fetched last."""

    item_id: str
    kind: str
    title: str
    container: str
    state: ItemState
    owner: str | None = None
    hint: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None
    message: str | None = None
    fingerprint: str | None = None
    version: str | None = None
    doc_id: str | None = None
    remote_updated_at: str | None = None
    fetched_at: str | None = None


@dataclass(frozen=True, slots=True)
class Cycle:
    """One reading of a source. `complete`: every item is accounted for, `remote = indexed + skipped`.

    `kind` says what was compared: everything with its version (`full`), everything and what changed (`incremental`), or some
    items alone. `active_s` counts the time it was at work, pauses for other jobs left out.
    """

    cycle_id: str
    source_id: str
    job_id: str | None
    kind: CycleKind
    phase: Phase
    started_at: str
    finished_at: str | None = None
    remote: int = 0
    indexed: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0
    skipped: int = 0
    held: int = 0
    embedded: int = 0
    requests: int = 0
    throttled_s: float = 0.0
    active_s: float = 0.0
    complete: bool = False
    notice: str | None = None


ITEM_COLUMNS: Final = tuple(column for column in source_items.c if column.name not in ("source_id", "cycle_id"))
"""What `LedgerItem` has by the same names."""


class Ledger(Repository):
    # Items

    def items(self, source_id: str, state: ItemState | None = None) -> dict[str, LedgerItem]:
        """By id, every item of a source, or those in one state."""
        where = [source_items.c.source_id == source_id] + ([source_items.c.state == state] if state else [])
        return {row.item_id: _item(row) for row in self._rows(select(*ITEM_COLUMNS).where(*where))}

    def some(self, source_id: str, item_ids: Sequence[str]) -> dict[str, LedgerItem]:
        """By id, these items; unknown ones are absent."""
        query = select(*ITEM_COLUMNS).where(source_items.c.source_id == source_id)
        return {row.item_id: _item(row) for row in self._rows_in(query, source_items.c.item_id, item_ids)}

    def of_documents(self, doc_ids: Sequence[str]) -> dict[str, tuple[str, LedgerItem]]:
        """doc_id -> (source_id, item), for documents that came from a cloud source."""
        rows = self._rows_in(select(source_items.c.source_id, *ITEM_COLUMNS), source_items.c.doc_id, doc_ids)
        return {row.doc_id: (row.source_id, _item(row)) for row in rows}

    def lost(self, source_id: str) -> list[str]:
        """Ids of items that are said to be indexed, and whose documents are not there: somebody deleted them."""
        missing = and_(source_items.c.state == "indexed", documents.c.doc_id.is_(None))
        joined = source_items.outerjoin(
            documents, and_(documents.c.doc_id == source_items.c.doc_id, documents.c.status != "deleted")
        )
        query = select(source_items.c.item_id).select_from(joined)
        return self._values(query.where(source_items.c.source_id == source_id, missing))

    def page_of_items(self, source_id: str, state: ItemState, page: int, page_size: int) -> tuple[list[LedgerItem], int]:
        """One page of the items in a state, by id, and how many there are."""
        where = source_items.c.source_id == source_id, source_items.c.state == state
        return self._page(select(*ITEM_COLUMNS).where(*where).order_by(source_items.c.item_id), page, page_size, _item)

    def counts(self, source_id: str) -> dict[str, int]:
        """state -> how many items; of `indexed` only those whose document is there."""
        there = source_items.outerjoin(documents, documents.c.doc_id == source_items.c.doc_id)
        query = (
            select(source_items.c.state, func.count())
            .select_from(there)
            .where(
                source_items.c.source_id == source_id,
                (source_items.c.state != "indexed") | (documents.c.status != "deleted"),
            )
            .group_by(source_items.c.state)
        )
        return {row[0]: row[1] for row in self._rows(query)}

    def put(self, source_id: str, items: Collection[LedgerItem], cycle_id: str) -> None:
        """Write items as they are now, new or known."""
        names = [column.name for column in ITEM_COLUMNS]
        with self._engine.begin() as connection:
            for batch in batches(list(items)):
                ids = [item.item_id for item in batch]
                ours = source_items.c.source_id == source_id, source_items.c.item_id.in_(ids)
                connection.execute(delete(source_items).where(*ours))
                rows = [{name: getattr(item, name) for name in names} | {"hint": dict(item.hint)} for item in batch]
                connection.execute(source_items.insert(), [row | {"source_id": source_id, "cycle_id": cycle_id} for row in rows])

    def drop(self, source_id: str, item_ids: Sequence[str]) -> None:
        with self._engine.begin() as connection:
            for batch in batches(item_ids):
                connection.execute(
                    delete(source_items).where(source_items.c.source_id == source_id, source_items.c.item_id.in_(batch))
                )

    def ask_again(self, source_id: str, item_ids: Sequence[str] | None = None) -> list[str]:
        """Let skipped items, all or these, be fetched once more; gives their ids. What a rule left out stays left out."""
        where = [source_items.c.source_id == source_id, source_items.c.state == "skipped", source_items.c.reason != "filtered"]
        found = self._values(select(source_items.c.item_id).where(*where))
        wanted = found if item_ids is None else [item_id for item_id in found if item_id in set(item_ids)]
        self.make_pending(source_id, wanted)
        return wanted

    def make_pending(self, source_id: str, item_ids: Sequence[str]) -> None:
        """Have known items fetched in the next cycle, whatever their version."""
        with self._engine.begin() as connection:
            for batch in batches(item_ids):
                ours = source_items.c.source_id == source_id, source_items.c.item_id.in_(batch)
                connection.execute(update(source_items).where(*ours).values(state="pending"))

    # Cycles

    def begin(self, source_id: str, kind: CycleKind, job_id: str | None) -> Cycle:
        """A new cycle. One that was not ended before, because its job was cancelled, is closed."""
        cycle = Cycle(uuid.uuid4().hex, source_id, job_id, kind, "listing", utc_now())
        with self._engine.begin() as connection:
            open_ones = sync_cycles.c.source_id == source_id, sync_cycles.c.phase.in_(("listing", "fetching"))
            stopped = {"phase": "failed", "finished_at": cycle.started_at, "notice": "It was stopped before its end."}
            connection.execute(update(sync_cycles).where(*open_ones).values(**stopped))
            connection.execute(sync_cycles.insert().values(**_cycle_values(cycle)))
            of_source = sync_cycles.c.source_id == source_id
            forget_oldest(connection, sync_cycles.c.cycle_id, sync_cycles.c.started_at, KEPT_CYCLES, of_source)
        return cycle

    def unfinished(self, source_id: str, job_id: str) -> Cycle | None:
        """The cycle that this job has begun and not ended: it was cut off, or yielded to another job."""
        where = sync_cycles.c.job_id == job_id, sync_cycles.c.phase.in_(("listing", "fetching"))
        found = self._cycles(source_id, *where, limit=1)
        return found[0] if found else None

    def save(self, cycle: Cycle) -> None:
        self._write(update(sync_cycles).where(sync_cycles.c.cycle_id == cycle.cycle_id).values(**_cycle_values(cycle)))

    def cycles(self, source_id: str, limit: int = KEPT_CYCLES) -> list[Cycle]:
        """The last cycles of a source, newest first."""
        return self._cycles(source_id, limit=limit)

    def last_complete(self, source_id: str, kind: CycleKind | None = None) -> Cycle | None:
        """The newest cycle that compared everything and came to its end, or that of one kind.

        One that began in the future began by a clock that was ahead: what changed since then can't be asked for.
        """
        done = sync_cycles.c.phase == "done", sync_cycles.c.started_at <= utc_now()
        found = self._cycles(source_id, *done, sync_cycles.c.kind.in_((kind,) if kind else ("full", "incremental")), limit=1)
        return found[0] if found else None

    def _cycles(self, source_id: str, *where: ColumnElement[bool], limit: int) -> list[Cycle]:
        query = select(sync_cycles).where(sync_cycles.c.source_id == source_id, *where)
        newest = query.order_by(sync_cycles.c.started_at.desc(), sync_cycles.c.cycle_id)
        return [Cycle(**row._mapping) for row in self._rows(newest.limit(limit))]


def _item(row: Row[Any]) -> LedgerItem:
    return LedgerItem(**{column.name: row._mapping[column] for column in ITEM_COLUMNS})


def _cycle_values(cycle: Cycle) -> dict[str, Any]:
    return {column.name: getattr(cycle, column.name) for column in sync_cycles.c}
