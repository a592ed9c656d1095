"""Unit vectors with ids in one growing float32 matrix, searched exactly: a matrix product and a partial sort."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ragd.core.errors import IndexDamaged
from ragd.core.results import Scored
from ragd.providers.protocols import Vectors

_FIRST_ROWS = 256
_GROWTH = 1.5

# Above this share of all rows, one product over the whole matrix is cheaper than gathering the rows first (measured).
_GATHER_SHARE = 0.3
_GATHER_BLOCK = 1024
# Filters whose rows are remembered.
_REMEMBERED = 2


class VectorMatrix:
    """Entries of one namespace. Rows are normalised when they come in, so that a score is a cosine. Thread-safe."""

    def __init__(self, dimension: int, rows: int = _FIRST_ROWS) -> None:
        self.dimension = dimension
        self._lock = threading.Lock()
        self._data = np.empty((max(rows, 1), dimension), dtype=np.float32)
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._filters: list[tuple[frozenset[str], NDArray[np.intp]]] = []

    def __len__(self) -> int:
        return len(self._ids)

    def ids(self) -> set[str]:
        with self._lock:
            return set(self._ids)

    def snapshot(self) -> tuple[list[str], Vectors]:
        """Every id with its row, as copies."""
        with self._lock:
            return list(self._ids), self._data[: len(self._ids)].copy()

    def rows(self, ids: Iterable[str]) -> tuple[list[str], Vectors]:
        """Those of `ids` that are here, each with its row, as copies."""
        with self._lock:
            known = [entry_id for entry_id in ids if entry_id in self._row_of]
            return known, self._data[[self._row_of[entry_id] for entry_id in known]]

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace entries. Of an id given twice, the last vector counts."""
        self.put(ids, normalised(vectors, self.dimension))

    def put(self, ids: Sequence[str], rows: Vectors) -> None:
        """As `upsert`, of rows that are normalised."""
        with self._lock:
            self._filters.clear()
            begin, end = len(self._ids), len(self._ids) + len(ids)
            self._reserve(end)
            if self._row_of.keys().isdisjoint(ids) and len(set(ids)) == len(ids):
                self._data[begin:end] = rows
                self._row_of.update(zip(ids, range(begin, end), strict=True))
                self._ids.extend(ids)
                return
            for entry_id, row in zip(ids, rows, strict=True):
                position = self._row_of.get(entry_id)
                if position is None:
                    position = self._row_of[entry_id] = len(self._ids)
                    self._ids.append(entry_id)
                self._data[position] = row

    def delete(self, ids: Sequence[str]) -> None:
        """Remove entries; unknown ids are ignored. The last row moves into each gap."""
        with self._lock:
            self._filters.clear()
            for entry_id in ids:
                position = self._row_of.pop(entry_id, None)
                if position is None:
                    continue
                last = self._ids.pop()
                if last != entry_id:
                    self._ids[position] = last
                    self._row_of[last] = position
                    self._data[position] = self._data[len(self._ids)]

    def search(self, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        """The `k` entries of greatest cosine, best first; equal scores by id, so that the order is always the same."""
        query = normalised(vector.reshape(1, -1), self.dimension)[0]
        with self._lock:
            rows: NDArray[np.intp] | None = None
            if allowed is not None:
                rows = self._rows_of(allowed)
            data = self._data[: len(self._ids)]
            if rows is None:
                scores = data @ query
            elif len(rows) > _GATHER_SHARE * len(data):
                scores = (data @ query)[rows]
            else:
                scores = _scores_of(data, rows, query)
            best = _best(scores, k)
            picked = best if rows is None else rows[best]
            ids = [self._ids[row] for row in picked.tolist()]
        return [Scored(entry_id, -negative) for negative, entry_id in sorted(zip((-scores[best]).tolist(), ids, strict=True))]

    def _rows_of(self, allowed: Collection[str]) -> NDArray[np.intp]:
        """The rows of those that are here. Of a filter, which never changes, they are remembered until the matrix does."""
        for known, rows in self._filters:
            if known is allowed:
                return rows
        rows = np.array([row for row in map(self._row_of.get, allowed) if row is not None], dtype=np.intp)
        if isinstance(allowed, frozenset):
            self._filters = [(allowed, rows), *self._filters[: _REMEMBERED - 1]]
        return rows

    def _reserve(self, rows: int) -> None:
        if rows > len(self._data):
            grown = np.empty((max(rows, int(len(self._data) * _GROWTH)), self.dimension), dtype=np.float32)
            grown[: len(self._ids)] = self._data[: len(self._ids)]
            self._data = grown


def normalised(vectors: Vectors, dimension: int) -> Vectors:
    """Rows of L2 norm 1 as contiguous float32; a zero row stays zero. Raises `IndexDamaged` for another dimension."""
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != dimension:
        raise IndexDamaged(
            f"The dense index holds vectors of {dimension} numbers, but was given an array of shape {rows.shape}. "
            "The embedding model was changed: rebuild the index with 'rag reindex'."
        )
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    norms[norms == 0] = 1
    unit: Vectors = (rows / norms).astype(np.float32, copy=False)
    return unit


def _scores_of(data: Vectors, rows: NDArray[np.intp], query: Vectors) -> NDArray[np.float32]:
    """Products of some rows, gathered in blocks that stay in the cache: one large copy costs twice the time."""
    scores = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _GATHER_BLOCK):
        block = rows[start : start + _GATHER_BLOCK]
        scores[start : start + len(block)] = data[block] @ query
    return scores


def _best(scores: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    if k >= len(scores):
        return np.arange(len(scores))
    return np.argpartition(-scores, k - 1)[:k] if k > 0 else np.empty(0, dtype=np.intp)
