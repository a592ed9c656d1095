"""An HNSW graph (Malkov & Yashunin 2016) over a `VectorMatrix`, by usearch: derived, filled in the background, never waited for.

Half-precision vectors find the neighbours; their scores come from the matrix. What the graph does not hold yet is scored exactly
beside it, or instead of it while that is much, so that a search sees every entry from the moment its upsert returns. A saved
graph is mapped into memory, and loaded when it is to change.
"""

from __future__ import annotations

import json
import logging
import threading
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragd.core.files import put_in_place
from ragd.core.results import Scored
from ragd.providers.dense.vector_matrix import VectorMatrix
from ragd.providers.protocols import Vectors

if TYPE_CHECKING:
    from usearch.index import Index

log = logging.getLogger(__name__)

_CONNECTIVITY = 16
_EXPANSION_ADD = 128
# Entries added before the lock is given up: some 10 ms, which a search may have to wait.
_BATCH = 64
# More than this share of the entries outside the graph, and a product over the whole matrix is as cheap.
_PENDING_SHARE = 0.1


class NeighbourGraph:
    """Neighbours in `matrix` once it has `least` entries. Thread-safe.

    A writer changes the matrix first, then calls `changed`.
    """

    def __init__(self, matrix: VectorMatrix, path: Path, *, least: int, ef_search: int) -> None:
        self._matrix = matrix
        self._path = path
        self._seal = path.with_suffix(".json")
        self._least = least
        self._ef_search = ef_search
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._is_mapped = False
        self._saved = 0  # CRC-32 of the file
        self._key_of: dict[str, int] = {}
        self._id_of: dict[int, str] = {}
        self._next_key = 0
        self._pending: dict[str, None] = {}
        self._filler: threading.Thread | None = None
        self._closing = threading.Event()

    @property
    def pending(self) -> int:
        """Entries of the matrix that the graph does not hold, once it is filled at all."""
        return len(self._pending)

    def open(self, log_bytes: int) -> None:
        """Take up the saved graph if it is the one of a log of `log_bytes`, else fill a new one."""
        with self._lock:
            self._load(log_bytes)
            self._fill_if_worth_it()

    def changed(self, ids: Iterable[str]) -> None:
        """These entries of the matrix are new, have another vector, or are gone."""
        with self._lock:
            if self._index is not None:
                ids = list(ids)
                self._forget(ids)
                known = set(self._matrix.rows(ids)[0])
                for entry_id in ids:
                    self._pending.pop(entry_id, None)
                self._pending.update(dict.fromkeys(entry_id for entry_id in ids if entry_id in known))
            self._fill_if_worth_it()

    def search(self, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored] | None:
        """The nearest `k`, best first, with their cosines, and of them those in `allowed`.

        None where a search of the whole matrix is as good.
        """
        with self._lock:
            if self._index is None or len(self._pending) > _PENDING_SHARE * len(self._matrix):
                return None
            found = self._index.search(np.ascontiguousarray(vector, dtype=np.float32), k, threads=1)
            near = {self._id_of[key] for key in found.keys.tolist()} | self._pending.keys()
            if allowed is not None:
                near = {entry_id for entry_id in near if entry_id in allowed}
        return self._matrix.search(vector, k, near)

    def close(self, log_bytes: int | None) -> None:
        """Stop filling, and save the graph as that of a closed log of `log_bytes`; None leaves no file behind."""
        self._closing.set()
        if self._filler is not None:
            self._filler.join()
        with self._lock:
            if log_bytes is None or self._index is None:
                self._index = None  # Windows removes no file that is mapped
                self._seal.unlink(missing_ok=True)
                self._path.unlink(missing_ok=True)
            else:
                self._save(self._index, log_bytes)

    def _fill_if_worth_it(self) -> None:
        if self._index is None and len(self._matrix) >= self._least:
            self._index = self._new_index()
            self._pending = dict.fromkeys(self._matrix.ids())
        if self._pending and self._filler is None and not self._closing.is_set():
            self._filler = threading.Thread(target=self._fill, name="neighbour graph", daemon=True)
            self._filler.start()

    def _fill(self) -> None:
        while True:
            with self._lock:
                if self._closing.is_set() or not self._pending or self._index is None:
                    self._filler = None
                    return
                batch = [entry_id for entry_id, _ in zip(self._pending, range(_BATCH), strict=False)]
                ids, rows = self._matrix.rows(batch)
                keys = range(self._next_key, self._next_key + len(ids))
                try:
                    self._changeable().add(np.array(keys, dtype=np.uint64), rows, threads=1)
                except (MemoryError, RuntimeError):
                    # Searches go on without it: by the whole matrix.
                    log.exception("neighbour graph given up", extra={"entries": len(self._matrix)})
                    return
                self._next_key += len(ids)
                self._key_of.update(zip(ids, keys, strict=True))
                self._id_of.update(zip(keys, ids, strict=True))
                for entry_id in batch:
                    del self._pending[entry_id]

    def _forget(self, ids: Iterable[str]) -> None:
        keys = [key for entry_id in ids if (key := self._key_of.pop(entry_id, None)) is not None]
        if keys and self._index is not None:
            self._changeable().remove(np.array(keys, dtype=np.uint64), threads=1)
            for key in keys:
                del self._id_of[key]

    def _changeable(self) -> Index:
        """The graph in memory of its own, where it can change."""
        if self._is_mapped or self._index is None:
            loaded = self._new_index()
            loaded.load(self._path)
            self._seal.unlink(missing_ok=True)
            self._index = loaded
            self._is_mapped = False
        return self._index

    def _new_index(self) -> Index:
        from usearch.index import Index

        return Index(
            ndim=self._matrix.dimension,
            metric="ip",
            dtype="f16",
            connectivity=_CONNECTIVITY,
            expansion_add=_EXPANSION_ADD,
            expansion_search=self._ef_search,
        )

    def _save(self, index: Index, log_bytes: int) -> None:
        if not self._is_mapped:
            temporary = self._path.with_suffix(".new")
            self._path.parent.mkdir(parents=True, exist_ok=True)
            index.save(temporary)
            self._saved = _checksum(temporary)
            put_in_place(temporary, self._path)
        seal = {"log_bytes": log_bytes, "checksum": self._saved, "next_key": self._next_key, "keys": self._key_of}
        self._seal.write_text(json.dumps(seal), encoding="utf-8")

    def _load(self, log_bytes: int) -> None:
        """The seal goes before the graph changes: one that a killed process leaves behind its log has none and is filled anew.

        usearch reads its file unchecked, so nothing but what was written is given to it.
        """
        try:
            seal = json.loads(self._seal.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            seal = None
        if seal is None or seal["log_bytes"] != log_bytes or not self._path.exists() or _checksum(self._path) != seal["checksum"]:
            self._seal.unlink(missing_ok=True)
            return
        self._index = self._new_index()
        self._index.view(self._path)
        self._is_mapped = True
        self._saved = seal["checksum"]
        self._key_of = seal["keys"]
        self._id_of = {key: entry_id for entry_id, key in self._key_of.items()}
        self._next_key = seal["next_key"]
        self._pending = dict.fromkeys(entry_id for entry_id in self._matrix.ids() if entry_id not in self._key_of)


def _checksum(path: Path) -> int:
    """CRC-32 of a file."""
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum
