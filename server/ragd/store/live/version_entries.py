"""The index entries of versions in memory. A version's entries change only when it is made ready anew, at another time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from ragd.core.storage import Entries
from ragd.store.database.repository import rows_in
from ragd.store.database.schema import occurrences, versions

# Chunks whose entries are kept, some 200 bytes each.
_MOST_CHUNKS: Final = 250_000


@dataclass(frozen=True, slots=True)
class _Kept:
    ready_at: str | None
    entries: Entries


class VersionEntries:
    """Entries by version, those that were asked for last. Safe to use from several threads.

    When entries may have been written, each version's moment of being made ready is compared with the database's, out of an
    index: a look at a version's own row takes long, since its text stands there.
    """

    def __init__(self, most_chunks: int = _MOST_CHUNKS) -> None:
        self._most_chunks = most_chunks
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._chunks = 0
        self._revision: int | None = None

    def of(self, connection: Connection, version_ids: Iterable[str], revision: int) -> list[Entries]:
        """The entries of each of these versions, in any order.

        `revision` is a number, taken before the transaction began, that differs whenever entries may have been written.
        """
        found: list[Entries] = []
        unknown: list[str] = []
        with self._lock:
            if self._revision != revision:
                self._forget_rewritten(connection)
                self._revision = revision
            for version_id in version_ids:
                if (kept := self._kept.get(version_id)) is None:
                    unknown.append(version_id)
                else:
                    self._kept.move_to_end(version_id)
                    found.append(kept.entries)
        if unknown:
            read = _read(connection, unknown)
            found += (kept.entries for kept in read.values())
            self._keep(read, revision)
        return found

    def _forget_rewritten(self, connection: Connection) -> None:
        now = ready_moments(connection)
        for version_id, kept in list(self._kept.items()):
            if version_id not in now or now[version_id] != kept.ready_at:
                del self._kept[version_id]
                self._chunks -= len(kept.entries.dense)

    def _keep(self, read: dict[str, _Kept], revision: int) -> None:
        with self._lock:
            if self._revision != revision:
                return  # read before what somebody else has seen since
            for version_id, kept in read.items():
                if version_id not in self._kept:
                    self._kept[version_id] = kept
                    self._chunks += len(kept.entries.dense)
            while self._chunks > self._most_chunks and self._kept:
                self._chunks -= len(self._kept.popitem(last=False)[1].entries.dense)


def ready_moments(connection: Connection) -> dict[str, str | None]:
    """When each version that is ready was made so."""
    ready = select(versions.c.version_id, versions.c.ready_at).where(versions.c.status == "ready")
    return {row[0]: row[1] for row in connection.execute(ready)}


def _read(connection: Connection, version_ids: Sequence[str]) -> dict[str, _Kept]:
    """Those of the versions that exist; one without chunks has no entries."""
    moments = select(versions.c.version_id, versions.c.ready_at)
    ready = {row[0]: row[1] for row in rows_in(connection, moments, versions.c.version_id, version_ids)}
    rows: dict[str, tuple[list[str], list[str]]] = {version_id: ([], []) for version_id in ready}
    query = select(occurrences.c.version_id, occurrences.c.dense_id, occurrences.c.sparse_id)
    for version_id, dense_id, sparse_id in rows_in(connection, query, occurrences.c.version_id, ready):
        dense, sparse = rows[version_id]
        dense.append(dense_id)
        sparse.append(sparse_id)
    return {
        version_id: _Kept(ready[version_id], Entries(tuple(dense), tuple(sparse))) for version_id, (dense, sparse) in rows.items()
    }
