"""Whether two configurations differ by more than chance: the paired randomisation test.

After Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for Information Retrieval Evaluation, CIKM
2007. When two configurations do not differ, each question could as well have given the two values the other way round. So the
signs of the differences are flipped at random; p is the share of the outcomes whose mean is at least as far from 0 as the mean
that was seen (two-sided). The outcome that was seen counts as one of them, so that p is never 0 (Phipson and Smyth 2010).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

_SEED = 2007
# Signs drawn at a time: what bounds the memory, whatever the number of questions.
_DRAWN = 4_000_000
# Sums of the same values in another order differ in their last digits.
_TOLERANCE = 1e-9


def randomisation_test(differences: Sequence[float], resamples: int) -> float:
    """The p-value (0..1] of paired differences, one a question. Two calls give the same value.

    Questions without a difference can't change the mean and are left aside. When all outcomes for the others are no more than
    `resamples`, each is looked at once and p is exact.
    """
    values = np.array([value for value in differences if value != 0], dtype=np.float64)
    if not len(values):
        return 1.0
    seen = abs(values.sum()) - _TOLERANCE
    if len(values) < 63 and 2 ** len(values) <= resamples:
        outcomes = np.arange(2 ** len(values))
        signs = ((outcomes[:, None] >> np.arange(len(values))) & 1) * 2 - 1
        return float(np.mean(np.abs(signs @ values) >= seen))
    extreme = sum(int((np.abs(signs @ values) >= seen).sum()) for signs in _signs(len(values), resamples))
    return (extreme + 1) / (resamples + 1)


def _signs(count: int, resamples: int) -> Iterator[np.ndarray]:
    generator = np.random.default_rng(_SEED)
    rows = max(1, _DRAWN // count)
    for start in range(0, resamples, rows):
        drawn = generator.integers(0, 2, size=(min(rows, resamples - start), count), dtype=np.int8)
        yield drawn * np.int8(2) - np.int8(1)
