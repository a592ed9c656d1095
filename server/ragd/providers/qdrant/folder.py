"""Qdrant's engine inside this process (https://qdrant.tech/edge/): the same segments, graphs and filters, and no server.

Each change is flushed to the disk before it counts. What a server does in the background is begun here: a thread turns large
segments into indexed ones, while searches and changes go on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragd.core.errors import IndexDamaged, RagError, ServiceUnavailable, SettingsError
from ragd.providers.qdrant.points import DENSE, ENTRY, GRAPH, KB, PAGE, SPARSE, TERMS, Point, Points, Question, point_id

log = logging.getLogger(__name__)

# Points put between two looks at what could be indexed: half of what the engine leaves unindexed in a segment (10 MB).
_OPTIMIZE_AFTER = 3_000
_PASSING_TROUBLE = ("no space", "read-only", "permission denied", "quota", "too many open files", "lock")


class FolderPoints(Points):
    """Owns `folder`, which one process can have open."""

    def __init__(self, folder: Path) -> None:
        try:
            import qdrant_edge
        except ImportError as error:
            raise SettingsError(
                "The back end qdrant needs packages that are not installed. Run: rag extras add qdrant"
            ) from error
        self.library = qdrant_edge
        self._folder = folder
        self._lock = threading.Lock()
        self._shard: Any = None
        self._put_since = 0
        self._optimizer: threading.Thread | None = None

    def find(self, questions: Sequence[Question]) -> list[list[Any]]:
        library, shard = self.library, self._open()
        if shard is None:
            return [[] for _ in questions]
        with self._translated():
            requests = [
                library.QueryRequest(
                    limit=question.limit,
                    query=library.Query.Nearest(self._vector(question.vector), using=_name(question.vector)),
                    filter=question.filter,
                    with_payload=list(question.payload),
                    with_vector=question.with_vector,
                    params=library.SearchParams(**question.params),
                )
                for question in questions
            ]
            found: list[list[Any]] = shard.query_batch(library.QueryBatchRequest(requests))
        return found

    def fetch(self, kb_id: str, entry_ids: Sequence[str]) -> Iterable[Any]:
        shard = self._open()
        if shard is None or not entry_ids:
            return []
        with self._translated():
            wanted = [point_id(kb_id, entry_id) for entry_id in entry_ids]
            found: Iterable[Any] = shard.retrieve(wanted, with_payload=[ENTRY], with_vector=True)
        return found

    def entry_ids(self, kb_id: str) -> set[str]:
        shard, offset = self._open(), None
        found: set[str] = set()
        while shard is not None:
            with self._translated():
                request = self.library.ScrollRequest(
                    offset=offset, limit=PAGE, filter=self.within(kb_id), with_payload=[ENTRY], with_vector=False
                )
                records, offset = shard.scroll(request)
            found.update(record.payload[ENTRY] for record in records)
            if offset is None:
                break
        return found

    def count(self, selected: Any) -> int:
        if (shard := self._open()) is None:
            return 0
        with self._translated():
            return int(shard.count(self.library.CountRequest(exact=True, filter=selected)))

    def idf_within(self, corpus: Any) -> Any:
        return self.library.IdfParams(corpus=corpus)

    def with_terms(self) -> Any:
        return self.library.HasVectorCondition(SPARSE)

    def drop(self, kb_id: str) -> None:
        self._update(lambda changes: changes.delete_points_by_filter(self.within(kb_id)))

    def close(self) -> None:
        if (optimizer := self._optimizer) is not None:
            optimizer.join()
        with self._lock:
            if self._shard is not None:
                self._shard.close()
                self._shard = None

    def _put(self, rows: Sequence[tuple[str, Point, dict[str, str]]]) -> None:
        _, first, _ = rows[0]
        with self._lock:
            if self._load() is None:
                with self._translated():
                    self._shard = self._create(0 if isinstance(first.vector, dict) else len(first.vector))
        points = [
            self.library.Point(point, {_name(row.vector): self._vector(row.vector)} if row.vector else {}, payload)
            for point, row, payload in rows
        ]
        self._update(lambda changes: changes.upsert_points(points))
        self._put_since += len(rows)
        if self._put_since >= _OPTIMIZE_AFTER:
            self._put_since = 0
            self._optimize()

    def _remove(self, point_ids: list[str]) -> None:
        self._update(lambda changes: changes.delete_points(point_ids))

    def _named(self, point_ids: set[str]) -> Any:
        return self.library.HasIdCondition(point_ids)

    def _vector(self, vector: Any) -> Any:
        return self.library.SparseVector(list(vector), list(vector.values())) if isinstance(vector, dict) else vector

    def _update(self, change: Callable[[Any], Any]) -> None:
        if (shard := self._open()) is not None:
            with self._translated():
                shard.update(change(self.library.UpdateOperation))
                shard.flush()

    def _open(self) -> Any:
        if self._shard is not None:
            return self._shard
        with self._lock:
            return self._load()

    def _load(self) -> Any:
        if self._shard is None and self._folder.is_dir() and any(self._folder.iterdir()):
            with self._translated():
                self._shard = self.library.EdgeShard.load(str(self._folder))
            self._optimize()
        return self._shard

    def _create(self, dimension: int) -> Any:
        library = self.library
        self._folder.mkdir(parents=True, exist_ok=True)
        dense = {DENSE: library.EdgeVectorParams(size=dimension, distance=library.Distance.Cosine)} if dimension else None
        sparse = None if dimension else {SPARSE: library.EdgeSparseVectorParams(modifier=library.Modifier.Idf)}
        graph = library.HnswIndexConfig(full_scan_threshold=10_000, **GRAPH)
        config = library.EdgeConfig(vectors=dense, sparse_vectors=sparse, hnsw_config=graph)
        shard = library.EdgeShard.create(str(self._folder), config)
        changes = library.UpdateOperation
        shard.update(changes.create_field_index(KB, library.KeywordIndexParams(is_tenant=True)))
        if not dimension:
            words = library.TokenizerType.Whitespace
            index = library.TextIndexParams(tokenizer=words, lowercase=False, phrase_matching=True)
            shard.update(changes.create_field_index(TERMS, index))
        shard.flush()
        return shard

    def _optimize(self) -> None:
        if self._optimizer is None or not self._optimizer.is_alive():
            self._optimizer = threading.Thread(target=self._run_optimizer, args=(self._shard,), name="qdrant optimizer")
            self._optimizer.start()

    def _run_optimizer(self, shard: Any) -> None:
        try:
            shard.optimize()
        except Exception:  # searches go on without it, over every point
            log.exception("qdrant did not index a segment", extra={"folder": str(self._folder)})

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """The engine's errors (bare exceptions, and panics, which are no `Exception`) in our tree."""
        try:
            yield
        except RagError:
            raise
        except BaseException as error:
            if type(error) is not Exception and type(error).__name__ != "PanicException":
                raise
            if any(sign in str(error).lower() for sign in _PASSING_TROUBLE):
                raise ServiceUnavailable(f"The index {self._folder} could not be used: {error}") from error
            raise IndexDamaged(
                f"The index {self._folder} (qdrant) can't be used: {error}. Rebuild it with 'rag reindex'."
            ) from error


def _name(vector: Any) -> str:
    return SPARSE if isinstance(vector, dict) else DENSE
