"""Qdrant as a dense and as a sparse index."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragd.config.indexing import IndexServerSettings
from ragd.core.results import Scored
from ragd.providers.depth import best_of_all
from ragd.providers.protocols import AllowedIds, Vectors
from ragd.providers.qdrant.points import DENSE, ENTRY, SPARSE, TERMS, Point, Points, Question
from ragd.providers.sparse.weighted_terms import WeightedTermStore, dimension, weighted

_HERE = IndexServerSettings()
# Questions in one request.
_BATCH = 256


class _QdrantStore:
    name = "qdrant"
    needs_server = True

    def __init__(self, points: Points) -> None:
        self._points = points

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        self._points.remove(kb_id, ids)

    def ids(self, kb_id: str) -> set[str]:
        return self._points.entry_ids(kb_id)

    def drop(self, kb_id: str) -> None:
        self._points.drop(kb_id)

    def close(self) -> None:
        self._points.close()


class QdrantDenseStore(_QdrantStore):
    """HNSW in each knowledge base; a filter of at most `exact_filter_max` entries is answered exactly."""

    def __init__(
        self,
        folder: Path,
        *,
        exact_filter_max: int = 20_000,
        ef_search: int = 200,
        server: IndexServerSettings = _HERE,
    ) -> None:
        super().__init__(open_points(folder, server))
        self._exact_filter_max = exact_filter_max
        self._ef_search = ef_search

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        latest = dict(zip(ids, vectors.tolist(), strict=True))
        self._points.put(kb_id, [Point(entry_id, vector) for entry_id, vector in latest.items()])

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        if k <= 0 or (allowed is not None and not allowed):
            return []
        values = vector.tolist()

        def nearest(limit: int, among: Collection[str] | None = None) -> list[Scored]:
            exact = among is not None and len(among) <= self._exact_filter_max
            params = {"exact": True} if exact else {"hnsw_ef": max(self._ef_search, limit)}
            [found] = self._points.find([Question(values, limit, self._points.within(kb_id, among), params)])
            return [Scored(point.payload[ENTRY], float(point.score)) for point in found]

        if allowed is None:
            return nearest(k)
        if len(allowed) > self._exact_filter_max:
            found = best_of_all(nearest, k, allowed, lambda: self._points.count(self._points.within(kb_id)))
            if found is not None:
                return found
        return nearest(k, allowed)

    def vectors(self, kb_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        found = self._points.fetch(kb_id, ids)
        return {point.payload[ENTRY]: np.asarray(point.vector[DENSE], dtype=np.float32) for point in found}


class QdrantSparseStore(_QdrantStore, WeightedTermStore):
    """BM25 by sparse vectors, whose IDF the engine takes from the knowledge base that is asked."""

    def __init__(self, folder: Path, *, server: IndexServerSettings = _HERE) -> None:
        super().__init__(open_points(folder, server))

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        points = [Point(entry_id, weighted(terms), " ".join(terms)) for entry_id, terms in dict(entries).items()]
        self._points.put(kb_id, points)

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        """By the score of one entry for each term, which is its stored value times the IDF: Qdrant tells no frequency itself."""
        points = self._points
        entries = points.count(points.within(kb_id, None, points.with_terms()))
        wanted = list(terms) if entries else []
        counted = dict.fromkeys(terms, 0)
        for at in range(0, len(wanted), _BATCH):
            batch = wanted[at : at + _BATCH]
            questions = [
                self._question(kb_id, {dimension(term): 1.0}, 1, points.within(kb_id), with_vector=True) for term in batch
            ]
            for term, found in zip(batch, points.find(questions), strict=True):
                for point in found:
                    vector = point.vector[SPARSE]
                    value = vector.values[vector.indices.index(dimension(term))]
                    counted[term] = round((entries + 1) / math.exp(point.score / value) - 0.5)
        return entries, counted

    def _vector(self, kb_id: str, weights: Mapping[str, int]) -> dict[int, float]:  # noqa: ARG002 - the engine knows the IDF
        vector: dict[int, float] = {}
        for term, times in weights.items():
            vector[dimension(term)] = vector.get(dimension(term), 0.0) + times
        return vector

    def _hits(self, kb_id: str, vector: dict[int, float], limit: int, allowed: AllowedIds) -> list[tuple[float, str]]:
        [found] = self._points.find([self._question(kb_id, vector, limit, self._points.within(kb_id, allowed))])
        return [(float(point.score), point.payload[ENTRY]) for point in found]

    def _holding(self, kb_id: str, phrase: Sequence[str], limit: int, allowed: AllowedIds) -> Iterable[tuple[str, Sequence[str]]]:
        library = self._points.library
        condition = library.FieldCondition(key=TERMS, match=library.MatchPhrase(phrase=" ".join(phrase)))
        selected = self._points.within(kb_id, allowed, condition)
        vector = self._vector(kb_id, dict.fromkeys(phrase, 1))
        [found] = self._points.find([self._question(kb_id, vector, limit, selected, (ENTRY, TERMS))])
        return [(point.payload[ENTRY], point.payload[TERMS].split()) for point in found]

    def _question(
        self,
        kb_id: str,
        vector: dict[int, float],
        limit: int,
        selected: Any,
        payload: Sequence[str] = (ENTRY,),
        with_vector: bool = False,
    ) -> Question:
        params = {"idf": self._points.idf_within(self._points.within(kb_id))}
        return Question(vector, limit, selected, params, payload, with_vector)


def open_points(folder: Path, server: IndexServerSettings) -> Points:
    """The collection that `folder` is named after, in the server of the settings, else inside `folder`.

    Raises `SettingsError` when the extra `qdrant` is missing or the address is none.
    """
    if not server.url:
        from ragd.providers.qdrant.folder import FolderPoints

        return FolderPoints(folder)
    from ragd.providers.qdrant.server import ServerPoints

    folder.mkdir(parents=True, exist_ok=True)  # says which model the collection is of
    return ServerPoints(server, folder.name)
