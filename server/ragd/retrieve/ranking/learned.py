"""Learned fusion, the default: a linear model over the features of each candidate, with weights by the kind of the question.

The weights maximise the likelihood of the right passages under a softmax over all candidates of a question (listwise, as in
ListNet; Cao et al., ICML 2007); `scripts/train_fusion.py` makes them, docs/search-quality.md has the figures. Questions that
name something to the letter keep the rule of `adaptive`, and so does whatever the weights can't be applied to: one side alone,
rescored passages, another embedding model than they were made with.

Where the token vectors of every candidate are kept (`token_index.provider`), a second set of weights has MaxSim among its
features, and the rule takes MaxSim for one more list. While a single candidate has none, all are ranked as if none had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

import numpy as np

from ragd.config.answering import RetrievalSettings
from ragd.core.errors import SettingsError
from ragd.core.query import QueryPlan
from ragd.core.results import NO_DATA, Candidate, CandidateData, Part
from ragd.providers.protocols import Vectors
from ragd.retrieve.ranking.adaptive import AdaptiveFusion, kind_of
from ragd.retrieve.ranking.features import FEEDBACK_PASSAGES, Numbers, feedback_of, first_fusion, matrix, pool_of
from ragd.retrieve.ranking.weights import SHIPPED, SHIPPED_WITH_TOKENS, read_weights


@dataclass(slots=True)
class _Parts(Sequence[Part]):
    """The features of a candidate with their weights, made when they are asked for: of the few that are shown."""

    weights: Mapping[str, float]
    values: Sequence[float]

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, at: int) -> Part: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Part]: ...

    def __getitem__(self, at: int | slice) -> Part | Sequence[Part]:
        return tuple(self)[at]

    def __iter__(self) -> Iterator[Part]:
        return map(Part, self.weights, self.values, self.weights.values())


class LearnedFusion:
    """Scores 1 for the best candidate and 0 for the last; each has its features with their weights as `parts`."""

    name = "learned"

    def __init__(self, options: RetrievalSettings, model: str = "") -> None:
        """`model` is the embedding model. Raises `SettingsError` for a file of weights that can't be used."""
        path = Path(options.fusion_weights).expanduser() if options.fusion_weights else None
        own = read_weights(path) if path else None
        if own and own.basis != model:
            raise SettingsError(
                f"The fusion weights {path} were made with the embedding model '{own.basis}', and '{model}' is used. "
                "Make new ones with scripts/train_fusion.py, or empty retrieval.fusion_weights."
            )
        found = [read_weights(SHIPPED), read_weights(SHIPPED_WITH_TOKENS), *([own] if own else [])]
        self._weights = {one.reads_tokens: one.weights for one in found if one.basis == model}
        # Weights of the user's own that know nothing of token vectors rank as they were trained: without them.
        self._takes_tokens = own is None or own.reads_tokens
        self._rule = AdaptiveFusion(options)
        named = own or found[0]
        self.profile = f"{named.basis}-{named.trained.isoformat()}" if named.basis == model else self._rule.profile

    def fuse(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData = NO_DATA) -> list[Candidate]:
        if not self._takes_tokens:
            data = replace(data, tokens={})
        if data.feedback is None:
            data = replace(data, feedback=self.feedback(lists, plan, data))
        pool = pool_of(lists, plan, data) if "rerank" not in lists else None
        weights = self._weights_for(plan, data, with_tokens=pool is not None and pool.tokens is not None)
        if pool is None or not weights:
            return self._first(lists, plan, data)
        values = matrix(pool, list(weights))
        scores = scaled(values @ np.array(list(weights.values())))
        # Equal ones are ordered by id, which is the pool's order.
        order = np.argsort(-scores, kind="stable")
        rows = zip(order.tolist(), scores[order].tolist(), values[order].tolist(), strict=True)
        return [
            Candidate(pool.chunk_ids[at], score, rank, "fusion", _Parts(weights, row))
            for rank, (at, score, row) in enumerate(rows, start=1)
        ]

    def feedback(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData) -> Vectors | None:
        """None where the rule orders."""
        has_weights = any(self._weights_for(plan, data, with_tokens=known) for known in (False, True))
        if not has_weights or "rerank" in lists or not {"dense", "sparse"} <= lists.keys():
            return None
        return feedback_of(self._first(lists, plan, data, FEEDBACK_PASSAGES), data)

    def _first(
        self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData, most: int | None = None
    ) -> list[Candidate]:
        """The order of the rule, of the lists that it knows; of it the first, where not all are wanted."""
        known = {source: found for source, found in lists.items() if source != "feedback"}
        return first_fusion(self._rule, known, plan, data if self._takes_tokens else replace(data, tokens={}), most)

    def _weights_for(self, plan: QueryPlan, data: CandidateData, *, with_tokens: bool) -> Mapping[str, float]:
        return self._weights.get(with_tokens, {}).get(kind_of(plan, data.foreign), {})

    def gains_from_rescoring(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData) -> bool:
        """Only across languages: else this order is better than a rescored one (docs/search-quality.md).

        Where all token vectors are kept, rescoring with the same ones has nothing to add.
        """
        if self._takes_tokens and {item.chunk_id for side in lists.values() for item in side} <= data.tokens.keys():
            return False
        whole = False in self._weights and {"dense", "sparse"} <= lists.keys()
        return not whole or kind_of(plan, data.foreign) == "foreign"


def scaled(scores: Numbers) -> Numbers:
    """Scores by min-max; 1 for each where all are equal. Rounded, so that sums in another order give the same ranking."""
    low, high = scores.min(), scores.max()
    return np.round((scores - low) / (high - low), 9) if high > low else np.ones(len(scores))
