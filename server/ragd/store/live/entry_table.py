"""Every entry of live versions in memory: from an entry of an index to its chunk without asking the database.

Columns of bytes, some 130 bytes an entry, so that 100,000 take 13 MB; as tuples of strings they would take 50. A table is of one
moment. When something was written since, it answers nothing, and is brought up to date in the background: only versions that are
new or were made ready anew are read.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import compress
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, select

from ragd.store.database.engine import batches
from ragd.store.database.repository import rows_in
from ragd.store.database.schema import collections, documents, occurrences
from ragd.store.live.version_entries import ready_moments

log = logging.getLogger(__name__)

Side = Literal["dense", "sparse"]
Ids = NDArray[np.bytes_]

_ID: Final = np.dtype("S32")
# Odd constants that spread the four words of an id (xxHash's primes).
_MIX: Final = np.array([0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], dtype=np.uint64)
# Versions whose entries are read together: what is read stands in memory as rows until it is in columns.
_READ: Final = 200


def _hashes(ids: Ids) -> NDArray[np.uint64]:
    """64 bits of each id. Two of 100,000 ids share theirs once in three thousand million tables; one is then not found."""
    words = np.ascontiguousarray(ids).view(np.uint64).reshape(-1, 4)
    mixed: NDArray[np.uint64] = (words * _MIX).sum(axis=1, dtype=np.uint64)
    return mixed


class LiveChunk(NamedTuple):
    """A chunk that may be served: its entry in the dense index, and the language of its document."""

    chunk_id: str
    dense_id: str
    language: str | None


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Finds rows by id: hashes in order, and the row of each."""

    hashes: NDArray[np.uint64]
    rows: NDArray[np.int32]
    ids: Ids

    @classmethod
    def of(cls, ids: Ids) -> _Lookup:
        hashes = _hashes(ids)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        return cls(hashes[order], order, ids)

    def find(self, wanted: Ids) -> NDArray[np.int32]:
        """The row of each id; -1 for one that is unknown."""
        if not len(self.rows):
            return np.full(len(wanted), -1, np.int32)
        at = np.minimum(np.searchsorted(self.hashes, _hashes(wanted)), len(self.rows) - 1)
        rows = self.rows[at]
        return np.where(self.ids[rows] == wanted, rows, np.int32(-1))


@dataclass(frozen=True, slots=True)
class _Table:
    """`ready_at` and `languages` have an entry for each version, in one order; `owners` for each row the place of its version."""

    revision: int
    ready_at: Mapping[str, str | None]
    languages: Sequence[str | None]
    owners: NDArray[np.int32]
    chunks: Ids
    sides: Mapping[Side, _Lookup]


_EMPTY: Final = _Table(
    -1, {}, (), np.empty(0, np.int32), np.empty(0, _ID), {side: _Lookup.of(np.empty(0, _ID)) for side in ("dense", "sparse")}
)


class EntryTable:
    """The table of all collections that are enabled. Safe to use from several threads."""

    def __init__(self, reader: Engine, background: Executor) -> None:
        self._reader = reader
        self._background = background
        self._table = _EMPTY
        self._lock = threading.Lock()
        self._refreshing = False

    def find(self, side: Side, entry_ids: Sequence[str], revision: int) -> dict[str, LiveChunk] | None:
        """The live chunks of the entries, by entry id; None where that must be asked of the database.

        `revision` is a number that differs whenever occurrences, documents or collections may have changed.
        """
        table = self._table
        if table.revision != revision:
            self._refresh_soon(revision)
            return None
        wanted = np.array(entry_ids, _ID)
        rows = table.sides[side].find(wanted)
        known = np.flatnonzero(rows >= 0)
        rows = rows[known]
        found = zip(
            known.tolist(),
            table.chunks[rows].astype(str).tolist(),
            table.sides["dense"].ids[rows].astype(str).tolist(),
            table.owners[rows].tolist(),
            strict=True,
        )
        return {entry_ids[at]: LiveChunk(chunk_id, dense_id, table.languages[owner]) for at, chunk_id, dense_id, owner in found}

    def _refresh_soon(self, revision: int) -> None:
        with self._lock:
            if self._refreshing:
                return
            self._refreshing = True
        try:
            self._background.submit(self._refresh, revision)
        except RuntimeError:  # the application is being closed
            self._refreshing = False

    def _refresh(self, revision: int) -> None:
        try:
            with self._reader.connect() as connection:
                self._table = _renewed(connection, self._table, revision)
        except Exception:
            # The database answers in its stead, and the next question tries again.
            log.exception("the table of entries could not be brought up to date")
        finally:
            self._refreshing = False


def _renewed(connection: Connection, old: _Table, revision: int) -> _Table:
    """The table as of now. `revision` was taken before, so what is written meanwhile makes it out of date, at worst."""
    served = select(documents.c.version_id, documents.c.language).join(collections, collections.c.kb_id == documents.c.kb_id)
    rows = connection.execute(served.where(documents.c.status == "ready", collections.c.status == "enabled"))
    languages = {version_id: language for version_id, language in rows if version_id is not None}
    now = {version_id: moment for version_id, moment in ready_moments(connection).items() if version_id in languages}
    places = {version_id: place for place, version_id in enumerate(now)}
    kept = [version_id in now and now[version_id] == moment for version_id, moment in old.ready_at.items()]
    moved = np.array(
        [places[version_id] if stays else -1 for version_id, stays in zip(old.ready_at, kept, strict=True)], np.int32
    )
    owners = moved[old.owners]
    stays = owners >= 0
    columns = [[old.chunks[stays]], [old.sides["dense"].ids[stays]], [old.sides["sparse"].ids[stays]]]
    owned = [owners[stays]]
    query = select(occurrences.c.chunk_id, occurrences.c.dense_id, occurrences.c.sparse_id, occurrences.c.version_id)
    held = set(compress(old.ready_at, kept))
    for batch in batches([version_id for version_id in now if version_id not in held], _READ):
        read = list(zip(*rows_in(connection, query, occurrences.c.version_id, batch), strict=True))
        if read:
            for column, values in zip(columns, read, strict=False):
                column.append(np.array(values, _ID))
            owned.append(np.array([places[version_id] for version_id in read[3]], np.int32))
    chunks, dense, sparse = map(np.concatenate, columns)
    sides: dict[Side, _Lookup] = {"dense": _Lookup.of(dense), "sparse": _Lookup.of(sparse)}
    return _Table(revision, now, [languages[version_id] for version_id in now], np.concatenate(owned), chunks, sides)
