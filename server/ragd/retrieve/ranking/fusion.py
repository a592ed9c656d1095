"""Fusion of ranked lists.

Reciprocal rank fusion: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009: score(d) = Σ 1 / (k + rank of d), over the lists that hold d.

Weighted sum: scores of each list scaled by min-max to 0..1, then averaged with weights; Bruch, Gai and Ingber, "An Analysis of
Fusion Functions for Hybrid Retrieval", TOIS 2023. A candidate that a list does not hold gets 0 from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragd.config.answering import RetrievalSettings
from ragd.core.query import QueryPlan
from ragd.core.results import NO_DATA, Candidate, CandidateData

# What a list of rescored candidates weighs in a weighted sum, beside the two sides' 1: late interaction knows as much as both.
_RERANK_WEIGHT = 1.0


class ReciprocalRankFusion:
    """Ranks only; scores 1 for a candidate that is first in every list that was asked."""

    name = "rrf"

    def __init__(self, options: RetrievalSettings, model: str = "") -> None:  # noqa: ARG002
        self._k = options.rrf_k
        self.profile = f"k={self._k}"

    def fuse(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData = NO_DATA) -> list[Candidate]:  # noqa: ARG002
        scores: dict[str, float] = {}
        for candidates in lists.values():
            for candidate in candidates:
                scores[candidate.chunk_id] = scores.get(candidate.chunk_id, 0.0) + 1 / (self._k + candidate.rank)
        best = len(lists) / (self._k + 1)
        return ranked({chunk_id: score / best for chunk_id, score in scores.items()}, "fusion")

    def feedback(self, *_of: object) -> None:
        return None

    def gains_from_rescoring(self, *_of: object) -> bool:
        return True


class WeightedSum:
    """Min-max scaled scores, weighted; the weights of the lists that were asked add up to 1."""

    name = "weighted_sum"

    def __init__(self, options: RetrievalSettings, model: str = "") -> None:  # noqa: ARG002
        self._weights = {"dense": options.dense_weight, "sparse": 1 - options.dense_weight, "rerank": _RERANK_WEIGHT}
        self.profile = f"dense={options.dense_weight}"

    def fuse(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData = NO_DATA) -> list[Candidate]:  # noqa: ARG002
        return ranked(weighted(lists, self._weights), "fusion")

    def feedback(self, *_of: object) -> None:
        return None

    def gains_from_rescoring(self, *_of: object) -> bool:
        return True


def weighted(lists: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float]) -> dict[str, float]:
    """Chunk id -> weighted sum of min-max scaled scores, 0..1. Alone, a list keeps its order even where its weight is 0."""
    total = sum(weights[source] for source in lists)
    scores: dict[str, float] = {}
    for source, candidates in lists.items():
        weight = weights[source] / total if total else 1 / len(lists)
        for chunk_id, scaled in _min_max(candidates).items():
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * scaled
    return scores


def ranked(scores: Mapping[str, float], source: str, most: int | None = None) -> list[Candidate]:
    """Scores as a ranked list, cut at 1, of at most so many. Equal ones are ordered by id: one question always gets one order."""
    order = sorted((-score, chunk_id) for chunk_id, score in scores.items())[:most]
    return [Candidate(chunk_id, min(-negative, 1.0), rank, source) for rank, (negative, chunk_id) in enumerate(order, start=1)]


def _min_max(candidates: Sequence[Candidate]) -> dict[str, float]:
    if not candidates:
        return {}
    scores = [candidate.score for candidate in candidates]
    low, spread = min(scores), max(scores) - min(scores)
    return {candidate.chunk_id: (candidate.score - low) / spread if spread else 1.0 for candidate in candidates}
