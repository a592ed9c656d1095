"""Milvus as a dense and as a sparse index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragd.config.indexing import IndexServerSettings
from ragd.core.results import Scored
from ragd.language.rarity import inverse_frequency
from ragd.providers.depth import best_of_all
from ragd.providers.milvus.collection import PK, MilvusCollection, within
from ragd.providers.protocols import AllowedIds, Vectors
from ragd.providers.sparse.weighted_terms import WeightedTermStore, dimension, weighted

_HERE = IndexServerSettings()
_VECTOR, _SPARSE, _TERMS, _DIMENSIONS = "vector", "sparse", "terms", "dimensions"
# Milvus's own limits for a text and for an array.
_MOST_BYTES = 65_535
_MOST_DIMENSIONS = 4_096
_NOTHING = 2**32 - 5
"""The dimension of an entry without terms, as Milvus takes no empty vector. No term has it."""
# Wildcards of `like` in the place of what it, or the expression around it, would take for something else.
_AS_WILDCARD = str.maketrans(dict.fromkeys("\\\"'%", "_"))
_PAGE = 4_096
_GROUP = 64


class _MilvusStore:
    name = "milvus"
    needs_server = True
    _collection: MilvusCollection

    def delete(self, kb_id: str, ids: Sequence[str]) -> None:
        self._collection.remove(kb_id, ids)

    def ids(self, kb_id: str) -> set[str]:
        return self._collection.entry_ids(kb_id)

    def drop(self, kb_id: str) -> None:
        self._collection.drop(kb_id)

    def close(self) -> None:
        self._collection.close()


class MilvusDenseStore(_MilvusStore):
    """HNSW; a filter of at most `exact_filter_max` entries is given to the engine as it is."""

    def __init__(
        self, folder: Path, *, exact_filter_max: int = 20_000, ef_search: int = 200, server: IndexServerSettings = _HERE
    ) -> None:
        self._collection = MilvusCollection(folder, server, self._fields)
        self._exact_filter_max = exact_filter_max
        self._ef_search = ef_search

    def upsert(self, kb_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        latest = dict(zip(ids, unit, strict=True))
        self._collection.put(kb_id, [{PK: entry_id, _VECTOR: vector} for entry_id, vector in latest.items()])

    def search(self, kb_id: str, vector: Vectors, k: int, allowed: Collection[str] | None = None) -> list[Scored]:
        if k <= 0 or (allowed is not None and not allowed):
            return []

        def nearest(limit: int, among: Collection[str] | None = None) -> list[Scored]:
            params = {"metric_type": "COSINE", "params": {"ef": max(self._ef_search, limit)}}
            found = self._collection.nearest(vector, _VECTOR, limit, within(kb_id, among), params)
            return [Scored(entry_id, score) for score, entry_id, _ in found]

        if allowed is not None and len(allowed) > self._exact_filter_max:
            found = best_of_all(nearest, k, allowed, lambda: self._collection.count(within(kb_id)))
            if found is not None:
                return found
        return nearest(k, allowed)

    def vectors(self, kb_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        for at in range(0, len(ids), _PAGE):
            for row in self._collection.rows(within(kb_id, ids[at : at + _PAGE]), [PK, _VECTOR]):
                found[row[PK].partition("/")[2]] = np.asarray(row[_VECTOR], dtype=np.float32)
        return found

    def _fields(self, schema: Any, indexes: Any, first: dict[str, Any], is_server: bool) -> None:
        schema.add_field(_VECTOR, self._collection.library.DataType.FLOAT_VECTOR, dim=len(first[_VECTOR]))
        # Of the best ten within 1 % of 10,000 entries, Lite's HNSW found six.
        kind = {"index_type": "HNSW", "params": {"M": 16, "efConstruction": 128}} if is_server else {"index_type": "FLAT"}
        indexes.add_index(_VECTOR, metric_type="COSINE", **kind)


class MilvusSparseStore(_MilvusStore, WeightedTermStore):
    """BM25 by sparse vectors. The IDF comes from counts of the knowledge base: Milvus's own BM25 counts all of them as one."""

    def __init__(self, folder: Path, *, server: IndexServerSettings = _HERE) -> None:
        self._collection = MilvusCollection(folder, server, self._fields)

    def upsert(self, kb_id: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        rows = []
        for entry_id, terms in dict(entries).items():
            values = weighted(terms)
            rows.append(
                {
                    PK: entry_id,
                    _SPARSE: values or {_NOTHING: 1.0},
                    _DIMENSIONS: list(values)[:_MOST_DIMENSIONS],
                    _TERMS: _stored(terms),
                }
            )
        self._collection.put(kb_id, rows)

    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        """One count for each term; of many terms, those that nothing holds are found in groups."""
        entries = self._collection.count(within(kb_id))
        counted = dict.fromkeys(terms, 0)
        wanted = list(terms) if entries else []
        for at in range(0, len(wanted), _GROUP):
            group = wanted[at : at + _GROUP]
            if len(wanted) <= _GROUP or self._holding_count(kb_id, "array_contains_any", list(map(dimension, group))):
                counted.update((term, self._holding_count(kb_id, "array_contains", dimension(term))) for term in group)
        return entries, counted

    def _hits(self, kb_id: str, vector: dict[int, float], limit: int, allowed: AllowedIds) -> list[tuple[float, str]]:
        return [(score, entry_id) for score, entry_id, _ in self._found(vector, limit, within(kb_id, allowed))]

    def _holding(self, kb_id: str, phrase: Sequence[str], limit: int, allowed: AllowedIds) -> Iterable[tuple[str, Sequence[str]]]:
        pattern = f"% {' '.join(phrase).translate(_AS_WILDCARD)} %"
        selected = within(kb_id, allowed, f'{_TERMS} like "{pattern}"')
        found = self._found(self._vector(kb_id, dict.fromkeys(phrase, 1)), limit, selected, [_TERMS])
        return [(entry_id, fields[_TERMS].split()) for _, entry_id, fields in found]

    def _found(
        self, vector: Mapping[int, float], limit: int, selected: str, fields: Sequence[str] = ()
    ) -> list[tuple[float, str, dict[str, Any]]]:
        found = self._collection.nearest(vector, _SPARSE, limit, selected, {"metric_type": "IP"}, fields)
        return [hit for hit in found if hit[0] > 0]

    def _vector(self, kb_id: str, weights: Mapping[str, int]) -> dict[int, float]:
        entries, holding = self.frequencies(kb_id, weights)
        vector: dict[int, float] = {}
        for term, times in weights.items():
            if holding[term]:
                vector[dimension(term)] = vector.get(dimension(term), 0.0) + times * inverse_frequency(entries, holding[term])
        return vector

    def _holding_count(self, kb_id: str, condition: str, wanted: int | list[int]) -> int:
        return self._collection.count(within(kb_id, None, f"{condition}({_DIMENSIONS}, {wanted})"))

    def _fields(self, schema: Any, indexes: Any, _first: dict[str, Any], is_server: bool) -> None:
        kinds = self._collection.library.DataType
        schema.add_field(_SPARSE, kinds.SPARSE_FLOAT_VECTOR)
        schema.add_field(_DIMENSIONS, kinds.ARRAY, element_type=kinds.INT64, max_capacity=_MOST_DIMENSIONS)
        schema.add_field(_TERMS, kinds.VARCHAR, max_length=_MOST_BYTES)
        indexes.add_index(_SPARSE, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        if is_server:  # Milvus Lite has no index of arrays and reads them all
            indexes.add_index(_DIMENSIONS, index_type="INVERTED")


def _stored(terms: Sequence[str]) -> str:
    """The terms between blanks; of more than Milvus takes, the first."""
    text = f" {' '.join(terms)} "
    if len(encoded := text.encode("utf-8", errors="replace")) <= _MOST_BYTES:
        return text
    return encoded[: encoded.rindex(b" ", 0, _MOST_BYTES) + 1].decode("utf-8")
