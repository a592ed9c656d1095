from __future__ import annotations

import numpy as np

from ragd.core.results import Candidate
from ragd.retrieve.ranking.diversity import diversified

CANDIDATES = [
    Candidate(name, score, rank, "fusion") for rank, (name, score) in enumerate([("a", 1.0), ("a2", 0.95), ("b", 0.7)], 1)
]
VECTORS = {
    "a": np.array([1.0, 0.0], np.float32),
    "a2": np.array([1.0, 0.0], np.float32),
    "b": np.array([0.0, 1.0], np.float32),
}


def test_what_repeats_the_first_passage_gives_way_to_what_differs() -> None:
    found = diversified(CANDIDATES, VECTORS, 0.5, 2)
    assert [item.chunk_id for item in found] == ["a", "b", "a2"]
    assert [item.rank for item in found] == [1, 2, 3]


def test_with_relevance_alone_the_order_stays() -> None:
    assert [item.chunk_id for item in diversified(CANDIDATES, VECTORS, 1.0, 3)] == ["a", "a2", "b"]


def test_a_candidate_without_a_vector_resembles_nothing_and_is_kept() -> None:
    found = diversified(CANDIDATES, {"a": VECTORS["a"]}, 0.5, 3)
    assert sorted(item.chunk_id for item in found) == ["a", "a2", "b"]


def test_scores_are_not_changed() -> None:
    assert {item.chunk_id: item.score for item in diversified(CANDIDATES, VECTORS, 0.3, 3)} == {"a": 1.0, "a2": 0.95, "b": 0.7}
