"""Maximal marginal relevance: Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking", SIGIR 1998.

The next passage is the one of greatest λ · relevance - (1 - λ) · (greatest similarity to one that was taken already).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragd.core.results import Candidate
from ragd.providers.protocols import Vectors


def diversified(candidates: Sequence[Candidate], vectors: Mapping[str, Vectors], weight: float, count: int) -> list[Candidate]:
    """The same candidates with the first `count` chosen by MMR, the rest in their order; ranks counted anew, scores as they were.

    `weight` is λ. `vectors` are unit vectors by chunk id; a candidate without one resembles nothing.
    """
    rest = list(candidates)
    taken: list[Candidate] = []
    resemblance = np.zeros(len(rest))
    while rest and len(taken) < count:
        relevance = np.array([candidate.score for candidate in rest])
        best = int(np.argmax(weight * relevance - (1 - weight) * resemblance))
        taken.append(rest.pop(best))
        resemblance = np.delete(resemblance, best)
        if (mate := vectors.get(taken[-1].chunk_id)) is not None:
            likeness = [float(vectors[item.chunk_id] @ mate) if item.chunk_id in vectors else 0.0 for item in rest]
            resemblance = np.maximum(resemblance, likeness)
    return [candidate._replace(rank=rank) for rank, candidate in enumerate([*taken, *rest], start=1)]
