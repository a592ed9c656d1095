"""Dense search in Chroma (HNSW; Malkov & Yashunin 2016), one collection for each knowledge base, ids and vectors only.

Chroma's own filters cost more the more rows match, so filters come as sets of allowed ids: a small set is scored exactly from a
matrix in memory (with a log of its own), for a large one HNSW is asked for more and more neighbours, of which the allowed stay.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from ragd.core.errors import IndexDamaged, RagError, ServiceUnavailable
from ragd.core.results import Scored
from ragd.providers.dense import chroma_check
from ragd.providers.dense.vector_log import VectorLog
from ragd.providers.protocols import Vectors

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection as ChromaCollection

# How much more to ask for than would do if the allowed entries lay evenly among the neighbours; and how much more each next time.
_OVERFETCH = 1.5
_OVERFETCH_GROWTH = 4
_READ_BACK = 2000
_PASSING_TROUBLE = ("disk is full", "disk full", "readonly", "read-only", "locked", "no space")


class ChromaStore:
    """Owns `folder`; two processes on one folder would see stale results.

    A filter of at most `exact_filter_max` entries is answered exactly; `ef_search` is fixed for a collection when it is made.
    """

    name = "chroma"

    def __init__(self, folder: Path, *, exact_filter_max: int = 50_000, ef_search: int = 100) -> None:
        self._folder = folder / "chroma"
        self._seal = folder / "sealed.json"
        self._logs_folder = folder / "vectors"
        self._exact_filter_max = exact_filter_max
        self._ef_search = ef_search
        self._lock = threading.RLock()
        self._client: Client | None = None
        self._batch = 0
        self._collections: dict[str, ChromaCollection] = {}
        self._logs: dict[str, VectorLog] = {}

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        if not len(ids):
            return
        last = {entry_id: row for row, entry_id in enumerate(ids)}  # Chroma refuses an id given twice
        unique, rows = list(last), np.asarray(vectors, dtype=np.float32)[list(last.values())]
        with self._lock, self._chroma():
            # The log first: what it has more than Chroma after a crash is dropped when it is read.
            self._log(kb_id, rows.shape[1]).upsert(unique, rows)
            collection = self._collection(kb_id) or self._make_collection(kb_id)
            for at in range(0, len(unique), self._batch):
                collection.upsert(ids=unique[at : at + self._batch], embeddings=rows[at : at + self._batch])

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        with self._lock, self._chroma():
            collection = self._collection(kb_id)
            if collection is None or not len(ids) or not (dimension := self._dimension(collection)):
                return
            unique = list(dict.fromkeys(ids))
            log = self._log(kb_id, dimension)
            for at in range(0, len(unique), self._batch):
                collection.delete(ids=unique[at : at + self._batch])
            log.delete(unique)

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        if k <= 0 or (allowed is not None and not allowed):
            return []
        with self._chroma():
            # A search waits for a writer only where something must be opened first.
            if (collection := self._collections.get(kb_id)) is None:
                with self._lock:
                    collection = self._collection(kb_id)
            if collection is None:
                return []
            if allowed is None:
                return self._nearest(collection, vector, k)
            if (log := self._logs.get(kb_id)) is None:
                with self._lock:
                    log = self._log(kb_id, vector.size)
            matrix = log.matrix
            if len(allowed) > self._exact_filter_max:
                entries = len(matrix)
                wanted = int(k * entries / len(allowed) * _OVERFETCH) + 1
                while wanted < entries and wanted <= self._exact_filter_max:
                    kept = [item for item in self._nearest(collection, vector, wanted) if item.entry_id in allowed]
                    if len(kept) >= k:
                        return kept[:k]
                    wanted *= _OVERFETCH_GROWTH
            return matrix.search(vector, k, allowed)

    def ids(self, kb_id: str) -> set[str]:
        with self._lock, self._chroma():
            collection = self._collection(kb_id)
            return set() if collection is None else set(collection.get(include=[])["ids"])

    def drop(self, kb_id: str) -> None:
        with self._lock, self._chroma():
            if self._collection(kb_id) is not None:
                self._opened().delete_collection(kb_id)
                del self._collections[kb_id]
            if (log := self._logs.pop(kb_id, None)) is not None:
                log.close()
            self._log_path(kb_id).unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            for log in self._logs.values():
                log.close()
            self._logs.clear()
            self._collections.clear()
            if self._client is not None:
                self._client.close()
                self._client = None
                chroma_check.seal(self._folder, self._seal)

    def _nearest(self, collection: ChromaCollection, vector: Vectors, k: int) -> list[Scored]:
        from chromadb.errors import NotFoundError

        query = np.asarray(vector, dtype=np.float32).reshape(1, -1)
        try:
            found = collection.query(query_embeddings=query, n_results=k, include=["distances"])
        except NotFoundError:  # dropped since this search began
            return []
        distances = found["distances"]
        if distances is None:
            raise IndexDamaged("Chroma returned no distances. Rebuild the dense index with 'rag reindex'.")
        return [Scored(entry_id, 1.0 - distance) for entry_id, distance in zip(found["ids"][0], distances[0], strict=True)]

    def _opened(self) -> Client:
        if self._client is None:
            import chromadb
            from chromadb.config import Settings

            if reason := chroma_check.damage(self._folder, self._seal):
                raise _damaged(reason)
            self._folder.mkdir(parents=True, exist_ok=True)
            client = cast("Client", chromadb.PersistentClient(str(self._folder), settings=Settings(anonymized_telemetry=False)))
            self._batch = client.get_max_batch_size()
            self._client = client
        return self._client

    def _collection(self, kb_id: str) -> ChromaCollection | None:
        client = self._opened()
        if kb_id not in self._collections:
            from chromadb.errors import NotFoundError

            try:
                self._collections[kb_id] = client.get_collection(kb_id, embedding_function=None)
            except NotFoundError:
                return None
        return self._collections[kb_id]

    def _make_collection(self, kb_id: str) -> ChromaCollection:
        collection = self._opened().create_collection(
            kb_id, embedding_function=None, configuration={"hnsw": {"space": "cosine", "ef_search": self._ef_search}}
        )
        self._collections[kb_id] = collection
        return collection

    def _dimension(self, collection: ChromaCollection) -> int:
        sample = collection.get(limit=1, include=["embeddings"])["embeddings"]
        return 0 if sample is None or not len(sample) else len(sample[0])

    def _log_path(self, kb_id: str) -> Path:
        return self._logs_folder / f"{kb_id}.vec"

    def _log(self, kb_id: str, dimension: int) -> VectorLog:
        """The log with exactly Chroma's entries: what Chroma has not is dropped, what is missing or unreadable comes from it."""
        if (log := self._logs.get(kb_id)) is not None:
            return log
        collection = self._collection(kb_id)
        dimension = (0 if collection is None else self._dimension(collection)) or dimension
        try:
            log = VectorLog(self._log_path(kb_id), dimension)
        except IndexDamaged:
            self._log_path(kb_id).unlink(missing_ok=True)
            log = VectorLog(self._log_path(kb_id), dimension)
        known = set() if collection is None else set(collection.get(include=[])["ids"])
        logged = log.matrix.ids()
        if surplus := logged - known:
            log.delete(sorted(surplus))
        missing = sorted(known - logged)
        for at in range(0, len(missing), _READ_BACK):
            part = collection.get(ids=missing[at : at + _READ_BACK], include=["embeddings"]) if collection is not None else None
            if part is not None and part["embeddings"] is not None:
                log.upsert(part["ids"], np.asarray(part["embeddings"], dtype=np.float32))
        self._logs[kb_id] = log
        return log

    @contextmanager
    def _chroma(self) -> Iterator[None]:
        """Chroma's errors in our tree. A panic of its native part is no `Exception`."""
        try:
            yield
        except RagError:
            raise
        except BaseException as error:
            module = type(error).__module__
            if not (module.startswith("chromadb") or type(error).__name__ == "PanicException"):
                raise
            text = str(error)
            if any(sign in text.lower() for sign in _PASSING_TROUBLE):
                raise ServiceUnavailable(f"The dense index in {self._folder} could not be used: {text}") from error
            raise _damaged(text) from error


def _damaged(reason: str) -> IndexDamaged:
    return IndexDamaged(f"The dense index (Chroma) can't be used: {reason}. Rebuild it with 'rag reindex'.")
