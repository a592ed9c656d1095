"""What a learned fusion knows of each candidate: one column of numbers for each feature of the table.

A candidate is of the union of both lists. What only words found has its similarity filled in from its vector, so that the two
sides are compared over all candidates. `feedback` is Rocchio's (SMART, 1971), with passages weighed by their scores as in a
relevance model (Lavrenko and Croft, SIGIR 2001): the similarity to the mean vector of the best passages of a first fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragd.core.query import QueryPlan
from ragd.core.results import Candidate, CandidateData
from ragd.providers.protocols import Vectors
from ragd.retrieve.ranking.adaptive import AdaptiveFusion
from ragd.retrieve.ranking.fusion import ranked

Numbers = NDArray[np.float64]

# Passages that feedback takes for relevant, and how fast their weight falls with their score in the first fusion.
FEEDBACK_PASSAGES: Final = 5
_FEEDBACK_FOCUS: Final = 20.0
# What feedback weighs beside the question in a further search.
_FEEDBACK_SHARE: Final = 0.6


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of all lists, ordered by id; every array has one entry for each.

    `words` are BM25, 0 where a passage was not found by words; `meaning` cosines. `first` is the score of a first fusion, which
    gives `feedback`. `in_words` and `in_meaning` say which list holds a candidate; `other_language` that it is known to be in
    another language than the question.
    """

    chunk_ids: Sequence[str]
    words: Numbers
    in_words: NDArray[np.bool_]
    meaning: Numbers
    in_meaning: NDArray[np.bool_]
    other_language: NDArray[np.bool_]
    feedback: Numbers
    tokens: Numbers | None
    """MaxSim of kept token vectors; None where a candidate's are not kept (yet)."""


def _tokens(pool: Pool) -> Numbers:
    if pool.tokens is None:
        raise ValueError("a feature of token vectors that are not kept")
    return pool.tokens


FEATURES: Final[Mapping[str, Callable[[Pool], Numbers]]] = {
    "words_scaled": lambda pool: _scaled(pool.words, pool.in_words),
    "meaning": lambda pool: pool.meaning,
    "meaning_scaled": lambda pool: _scaled(pool.meaning, pool.in_meaning),
    "feedback": lambda pool: pool.feedback,
    "other_language": lambda pool: pool.other_language.astype(np.float64),
    "tokens": _tokens,
}
"""Every feature that a file of weights may name. `scaled` is by min-max over the candidates of that list, 0 for others."""

TOKEN_FEATURES: Final = frozenset({"tokens"})


def first_fusion(
    rule: AdaptiveFusion,
    lists: Mapping[str, Sequence[Candidate]],
    plan: QueryPlan,
    data: CandidateData,
    most: int | None = None,
) -> list[Candidate]:
    """The lists fused by a rule, the first `most`; where all have token vectors, their MaxSims are one more list."""
    chunk_ids = {candidate.chunk_id for candidates in lists.values() for candidate in candidates}
    if chunk_ids and "rerank" not in lists and chunk_ids <= data.tokens.keys():
        # The rule looks at scores alone.
        scored = [Candidate(chunk_id, min(data.tokens[chunk_id], 1.0), 0, "rerank") for chunk_id in chunk_ids]
        lists = {**lists, "rerank": scored}
    return ranked(rule.scores(lists, plan, data), "fusion", most)


def feedback_of(first: Sequence[Candidate], data: CandidateData) -> Vectors | None:
    """The mean vector `[dimension]` of the best passages of a fusion of the two sides; None where one has no vector."""
    best = first[:FEEDBACK_PASSAGES]
    if not best or any(candidate.chunk_id not in data.vectors for candidate in best):
        return None
    weights = np.exp(_FEEDBACK_FOCUS * np.array([candidate.score - best[0].score for candidate in best], np.float32))
    mean: Vectors = (weights / weights.sum()) @ np.stack([data.vectors[candidate.chunk_id] for candidate in best])
    return mean


def moved(question: Vectors, feedback: Vectors) -> Vectors:
    """The question's vector, drawn towards what the best passages have in common: a unit vector, to search by once more."""
    vector = question + _FEEDBACK_SHARE * feedback
    found: Vectors = vector / np.linalg.norm(vector)
    return found


def pool_of(lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData) -> Pool | None:
    """What there is to know of the candidates.

    None where one side was not asked or has failed, where a candidate has neither a similarity nor a vector, or without feedback.
    """
    question = data.question
    if question is None or data.feedback is None or "dense" not in lists or "sparse" not in lists:
        return None
    chunk_ids = sorted({candidate.chunk_id for candidates in lists.values() for candidate in candidates})
    if not chunk_ids or any(chunk_id not in data.vectors for chunk_id in chunk_ids):
        return None
    vectors = _rows([data.vectors[chunk_id] for chunk_id in chunk_ids])
    place = {chunk_id: at for at, chunk_id in enumerate(chunk_ids)}
    words, in_words = _listed(lists["sparse"], place, np.zeros(len(chunk_ids)))
    meaning, in_meaning = _listed(lists["dense"], place, (vectors @ question).astype(np.float64))
    languages = [data.languages.get(chunk_id) for chunk_id in chunk_ids]
    tokens = [data.tokens.get(chunk_id) for chunk_id in chunk_ids]
    return Pool(
        chunk_ids,
        words=words,
        in_words=in_words,
        meaning=meaning,
        in_meaning=in_meaning,
        other_language=np.array([None not in (language, plan.language) and language != plan.language for language in languages]),
        feedback=(vectors @ data.feedback).astype(np.float64),
        tokens=None if None in tokens else np.array(tokens, np.float64),
    )


def _listed(candidates: Sequence[Candidate], place: Mapping[str, int], values: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """`values` with the scores of a list at the places of its candidates, and which these are."""
    at = [place[candidate.chunk_id] for candidate in candidates]
    values[at] = [candidate.score for candidate in candidates]
    held = np.zeros(len(values), np.bool_)
    held[at] = True
    return values, held


def matrix(pool: Pool, names: Sequence[str]) -> Numbers:
    """The named features of each candidate: float64 `[candidates, names]`."""
    return np.stack([FEATURES[name](pool) for name in names], axis=1)


def _rows(vectors: Sequence[Vectors]) -> Vectors:
    # A fifth of the time of `stack`.
    rows: Vectors = np.concatenate(vectors).reshape(len(vectors), -1)
    return rows


def _scaled(values: Numbers, held: NDArray[np.bool_]) -> Numbers:
    if not held.any():
        return np.zeros(len(values))
    low, high = values[held].min(), values[held].max()
    scaled = (values - low) / (high - low) if high > low else np.ones(len(values))
    return np.where(held, scaled, 0.0)
