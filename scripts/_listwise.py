"""Training of the learned fusion: weights under which right passages are likeliest, by a softmax over a question's candidates.

The loss is that of ListNet (Cao et al., ICML 2007) with equal grades. It is convex, so Newton's method finds the one optimum in a
few steps and two runs give the same weights. What the weights are pulled towards (`prior`) decides where questions are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ragd.core.ids import hash32
from ragd.retrieve.ranking.adaptive import QuestionKind
from ragd.retrieve.ranking.features import Numbers

L2: Final = 10.0
"""Strength of the pull, on features that are scaled to a deviation of 1 within a question."""
_STEPS: Final = 100
_ENOUGH: Final = 1e-10


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the candidates of its pool, in the pool's order.

    `features` are float64 `[candidates, features]`; `relevant` says which candidates answer it, `ignored` which count neither
    way. `section` is where the answer is: questions about one section are of one half.
    """

    question_id: str
    kind: QuestionKind
    features: Numbers
    relevant: Sequence[bool]
    ignored: Sequence[bool]
    section: str

    @property
    def half(self) -> int:
        """0 or 1, by the section."""
        return int(hash32(self.section), 16) % 2


def train(examples: Sequence[Example], prior: Numbers, l2: float = L2) -> Numbers:
    """The weights of the features, `[features]`. Questions without a right candidate say nothing; without any, `prior` stays."""
    lists = [_list_of(example) for example in examples if any(example.relevant)]
    if not lists:
        return prior
    deviation = np.sqrt(np.mean([features.var(axis=0) for features, _ in lists], axis=0))
    # A feature that is the same for all candidates of every question can't be learned, and keeps its prior.
    pull = l2 * np.maximum(deviation, 1e-3) ** 2
    weights = prior.copy()
    loss, slope, curve = _loss(lists, weights, prior, pull)
    for _ in range(_STEPS):
        step = np.linalg.solve(curve, slope)
        size = 1.0
        while (tried := _loss(lists, weights - size * step, prior, pull))[0] > loss and size > _ENOUGH:
            size /= 2
        gained = loss - tried[0]
        if gained <= _ENOUGH * max(1.0, abs(loss)):
            break
        weights = weights - size * step
        loss, slope, curve = tried
    return weights


def _list_of(example: Example) -> tuple[Numbers, Numbers]:
    """Features, and the share of the right answer that each candidate is, of those that count."""
    kept = ~np.array(example.ignored)
    relevant = np.array(example.relevant, dtype=np.float64)[kept]
    return example.features[kept], relevant / max(relevant.sum(), 1.0)


def _loss(
    lists: Sequence[tuple[Numbers, Numbers]], weights: Numbers, prior: Numbers, pull: Numbers
) -> tuple[float, Numbers, Numbers]:
    """Negative log-likelihood with the pull towards `prior`, its gradient `[features]` and its Hessian `[features, features]`."""
    away = weights - prior
    loss = float(pull @ away**2) / 2
    slope = pull * away
    curve = np.diag(pull)
    for features, wanted in lists:
        scores = features @ weights
        scores -= scores.max()
        likelihood = np.exp(scores)
        total = likelihood.sum()
        likelihood /= total
        loss -= float(wanted @ (scores - np.log(total)))
        slope = slope + features.T @ (wanted.sum() * likelihood - wanted)
        centred = features - likelihood @ features
        curve = curve + wanted.sum() * (centred.T * likelihood) @ centred
    return loss, slope, curve
