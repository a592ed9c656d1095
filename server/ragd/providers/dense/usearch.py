"""Dense search by usearch's HNSW over the vectors that `ExactStore` keeps; a collection too small to need a graph has none.

Filters come as sets of allowed ids: a small set is scored exactly, and so is any in a collection that one product goes through
in the time of a few searches of the graph. Else the graph is asked for more and more neighbours, of which the allowed stay.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from ragd.core.results import Scored
from ragd.providers.dense.exact import ExactStore
from ragd.providers.dense.graph import NeighbourGraph
from ragd.providers.dense.vector_log import VectorLog
from ragd.providers.protocols import Vectors

# How much more to ask for than would do if the allowed entries lay evenly among the neighbours; and how much more each next time.
_OVERFETCH = 1.5
_OVERFETCH_GROWTH = 4


class UsearchStore(ExactStore):
    """Owns `folder`: `vectors/` is what it acknowledged, `graphs/` is derived from it and may be missing or damaged at any time.

    From `graph_least` entries on a collection has a graph, whose search is `ef_search` wide. A filter of at most
    `exact_filter_max` entries is answered exactly, and so is each one in a collection of at most `product_max`: 100,000 take
    10 ms. In the graph a filter for half takes 18 ms, and finds two of three, where the allowed are not the nearest.
    """

    name = "usearch"

    def __init__(
        self,
        folder: Path,
        *,
        exact_filter_max: int = 20_000,
        ef_search: int = 200,
        graph_least: int = 10_000,
        product_max: int = 150_000,
    ) -> None:
        _take_over_chroma(folder)
        super().__init__(folder / "vectors")
        self._graphs_folder = folder / "graphs"
        self._exact_filter_max = exact_filter_max
        self._ef_search = ef_search
        self._graph_least = graph_least
        self._product_max = product_max
        self._graphs: dict[str, NeighbourGraph] = {}

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        with self._lock:
            self._log(kb_id)  # a saved graph belongs to the log before it grows
            super().upsert(kb_id, ids, vectors)
            self._changed(kb_id, ids)

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        with self._lock:
            super().delete(kb_id, ids)
            self._changed(kb_id, ids)

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        log = self._log(kb_id)
        graph = self._graphs.get(kb_id)
        if log is None or graph is None or k <= 0:
            return []
        if allowed is None and (found := graph.search(vector, k)) is not None:
            return found
        entries = len(log.matrix)
        if allowed and len(allowed) > self._exact_filter_max and entries > self._product_max:
            wanted = int(k * entries / len(allowed) * _OVERFETCH) + 1
            while wanted < entries and wanted <= self._exact_filter_max:
                if (found := graph.search(vector, wanted, allowed)) is None:
                    break
                if len(found) >= k:
                    return found[:k]
                wanted *= _OVERFETCH_GROWTH
        return log.matrix.search(vector, k, allowed)

    def pending(self, kb_id: str) -> int:
        """Entries that the collection's graph is still to be given, where it has one."""
        return graph.pending if (graph := self._graphs.get(kb_id)) else 0

    def drop(self, kb_id: str) -> None:
        with self._lock:
            if self._log(kb_id) is not None:
                self._graphs.pop(kb_id).close(None)
            super().drop(kb_id)

    def close(self) -> None:
        with self._lock:
            for kb_id, graph in self._graphs.items():
                graph.close(self._logs[kb_id].size)
            self._graphs.clear()
            super().close()

    def _log(self, kb_id: str) -> VectorLog | None:
        if (log := super()._log(kb_id)) is not None and kb_id not in self._graphs:
            with self._lock:
                if kb_id not in self._graphs:
                    path = self._graphs_folder / f"{kb_id}.usearch"
                    graph = NeighbourGraph(log.matrix, path, least=self._graph_least, ef_search=self._ef_search)
                    graph.open(log.size)
                    self._graphs[kb_id] = graph
        return log

    def _changed(self, kb_id: str, ids: Sequence[str]) -> None:
        if len(ids) and self._log(kb_id) is not None:
            self._graphs[kb_id].changed(ids)


def _take_over_chroma(folder: Path) -> None:
    """Vectors that were embedded when this place was Chroma's: it kept the same files beside its own."""
    former = folder.with_name(folder.name.replace("usearch", "chroma"))
    if not folder.exists() and former != folder and (former / "vectors").is_dir():
        folder.mkdir(parents=True)
        (former / "vectors").rename(folder / "vectors")
        shutil.rmtree(former, ignore_errors=True)
