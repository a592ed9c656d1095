"""How far a mean over questions could be another with other questions: percentile bootstrap (Efron 1979), with a fixed seed.

As many questions are drawn with replacement as there are, again and again; the interval holds the middle 95 % of their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

LEVEL: Final = 0.95
_SEED: Final = 1979
# Questions drawn at a time: what bounds the memory.
_DRAWN: Final = 4_000_000


def interval(values: Sequence[float], resamples: int) -> tuple[float, float]:
    """The ends of the interval of the mean of values, one a question. Two calls give the same. Values that are all alike, as a
    single one is, say nothing of how others spread: both ends are then the mean. Raises `ValueError` for none.
    """
    known = np.asarray(values, dtype=np.float64)
    if not len(known):
        raise ValueError("an interval needs at least one value")
    generator = np.random.default_rng(_SEED)
    rows = max(1, _DRAWN // len(known))
    means = np.concatenate(
        [
            known[generator.integers(0, len(known), size=(min(rows, resamples - start), len(known)))].mean(axis=1)
            for start in range(0, resamples, rows)
        ]
    )
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
