"""Exact dense search: every vector in memory, a log on disk for each collection. The oracle, and it needs only numpy."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from pathlib import Path

from ragd.core.results import Scored
from ragd.providers.dense.vector_log import VectorLog
from ragd.providers.protocols import Vectors

_SUFFIX = ".vec"


class ExactStore:
    """One vector file for each `kb_id` in `folder`, read when first used. Settings of approximate indexes change nothing here."""

    name = "exact"

    def __init__(self, folder: Path, *, exact_filter_max: int = 0, ef_search: int = 0) -> None:  # noqa: ARG002 - see above
        self._folder = folder
        self._lock = threading.RLock()
        self._logs: dict[str, VectorLog] = {}

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        if len(ids):
            with self._lock:
                log = self._log(kb_id) or self._begin(kb_id, vectors.shape[1])
                log.upsert(ids, vectors)

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        with self._lock:
            log = self._log(kb_id)
            if log is not None and len(ids):
                log.delete(ids)

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        log = self._log(kb_id)
        return [] if log is None else log.matrix.search(vector, k, allowed)

    def vectors(self, kb_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        log = self._log(kb_id)
        return {} if log is None else dict(zip(*log.matrix.rows(ids), strict=True))

    def ids(self, kb_id: str) -> set[str]:
        log = self._log(kb_id)
        return set() if log is None else log.matrix.ids()

    def drop(self, kb_id: str) -> None:
        with self._lock:
            log = self._logs.pop(kb_id, None)
            if log is not None:
                log.close()
            self._path(kb_id).unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            for log in self._logs.values():
                log.close()
            self._logs.clear()

    def _path(self, kb_id: str) -> Path:
        return self._folder / f"{kb_id}{_SUFFIX}"

    def _log(self, kb_id: str) -> VectorLog | None:
        if (log := self._logs.get(kb_id)) is not None:
            return log  # a search does not wait for a writer's fsync
        with self._lock:
            if kb_id not in self._logs:
                if not self._path(kb_id).exists():
                    return None
                self._logs[kb_id] = VectorLog(self._path(kb_id))
            return self._logs[kb_id]

    def _begin(self, kb_id: str, dimension: int) -> VectorLog:
        log = self._logs[kb_id] = VectorLog(self._path(kb_id), dimension)
        return log
