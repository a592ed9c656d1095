"""Points of one Qdrant collection, in a server or in a folder: what both forms have in common.

All knowledge bases share a collection, parted by the payload field `kb`, which has an index and an HNSW graph for each value:
Qdrant's own advice for many tenants. A point holds either a dense vector or a sparse one, and its entry's id.
"""

from __future__ import annotations

import hashlib
import uuid
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

DENSE, SPARSE = "dense", "terms"
KB, ENTRY, TERMS = "kb", "id", "terms"
GRAPH: Final = {"m": 0, "payload_m": 16, "ef_construct": 128}
"""No graph over all knowledge bases, one in each."""
MISSING: Final = "The back end qdrant needs packages that are not installed. Run: rag extras add qdrant"
PAGE: Final = 5_000
_BATCH: Final = 256


@dataclass(frozen=True, slots=True)
class Point:
    entry_id: str
    vector: Any
    """A list of floats, or dimension and value of each term."""
    terms: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A search: `filter`, and what else `params` holds, are objects of the library that is asked."""

    vector: Any
    limit: int
    filter: Any
    params: Mapping[str, Any]
    payload: Sequence[str] = (ENTRY,)
    with_vector: bool = False


class Points(ABC):
    """`library` has the classes of filters, which the server's client and the engine name alike. Thread-safe.

    Where there is no collection yet, everything is empty; the first `put` makes it.
    """

    library: Any

    def put(self, kb_id: str, points: Sequence[Point]) -> None:
        """Add or replace; durable and searchable when it returns."""
        for at in range(0, len(points), _BATCH):
            batch = points[at : at + _BATCH]
            self._put([(point_id(kb_id, point.entry_id), point, self._payload(kb_id, point)) for point in batch])

    def remove(self, kb_id: str, entry_ids: Sequence[str]) -> None:
        for at in range(0, len(entry_ids), PAGE):
            self._remove([point_id(kb_id, entry_id) for entry_id in entry_ids[at : at + PAGE]])

    def within(self, kb_id: str, allowed: Collection[str] | None = None, *more: Any) -> Any:
        """The filter for a knowledge base, and for these of its entries."""
        library = self.library
        conditions = [library.FieldCondition(key=KB, match=library.MatchValue(value=kb_id)), *more]
        if allowed is not None:
            conditions.append(self._named({point_id(kb_id, entry_id) for entry_id in allowed}))
        return library.Filter(must=conditions)

    @abstractmethod
    def find(self, questions: Sequence[Question]) -> list[list[Any]]:
        """For each question its best points, which have `score`, `payload` and `vector`."""

    @abstractmethod
    def fetch(self, kb_id: str, entry_ids: Sequence[str]) -> Iterable[Any]:
        """Those of these points that are there, with payload and vector."""

    @abstractmethod
    def entry_ids(self, kb_id: str) -> set[str]: ...

    @abstractmethod
    def count(self, selected: Any) -> int: ...

    @abstractmethod
    def idf_within(self, corpus: Any) -> Any:
        """The parameter `idf` of a search: over the points of this filter, not the collection's."""

    @abstractmethod
    def with_terms(self) -> Any:
        """The condition that a point has a sparse vector."""

    @abstractmethod
    def drop(self, kb_id: str) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _put(self, rows: Sequence[tuple[str, Point, dict[str, str]]]) -> None: ...

    @abstractmethod
    def _remove(self, point_ids: list[str]) -> None: ...

    @abstractmethod
    def _named(self, point_ids: set[str]) -> Any:
        """The condition that a point is one of these."""

    def _payload(self, kb_id: str, point: Point) -> dict[str, str]:
        return {KB: kb_id, ENTRY: point.entry_id, **({TERMS: point.terms} if point.terms else {})}


def point_id(kb_id: str, entry_id: str) -> str:
    """A UUID, as Qdrant takes nothing else; two knowledge bases may hold entries of one id."""
    return str(uuid.UUID(bytes=hashlib.blake2b(f"{kb_id}/{entry_id}".encode(), digest_size=16).digest()))
