"""Token vectors as signs: what a passage keeps of them, and late interaction with that.

A passage's vectors in the space of its `TokenBasis` are merged to half as many, since neighbours in meaning say the same twice
(Clavié et al., "Reducing the Footprint of Multi-Vector Retrieval with Minimal Performance Impact via Token Pooling", 2024), and
of each the signs are kept: 256 bits. A question's vectors stay as they are, so only one side of a product is rounded.
"""

from __future__ import annotations

import threading
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragd.providers.protocols import Vectors
from ragd.providers.token_index.basis import DIMENSIONS, TokenBasis
from ragd.providers.token_protocols import TokenCodes

METHOD: Final = "tokens-1"
"""Version of what `encode` does. Change it, change this."""

CODE_BYTES: Final = DIMENSIONS // 8

# Vectors that are unpacked at once: 1 MiB of numbers, which stays in a core's own cache.
_BLOCK: Final = 1024
# The bits of each byte, as numbers.
_BITS: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)


def encode(basis: TokenBasis, tokens: Vectors, row: int) -> TokenCodes:
    """The codes of a passage's token vectors `[n, dimension]`, in the language of `row`."""
    return np.packbits(merged(basis.passage(tokens, row)) > 0, axis=1)


def merged(vectors: Vectors) -> Vectors:
    """Unit vectors `[n, d]` to the means of half as many groups, `[(n + 1) // 2, d]`, of any length: signs need none.

    Groups nearly as by Ward's method (1963), found by reciprocal nearest neighbours (Murtagh, 1983), many at once: in each round
    all pairs that are nearest to each other are merged, the cheapest where fewer are wanted. Two or three rounds do.
    """
    means, sizes = vectors, np.ones(len(vectors), np.float32)
    wanted = (len(vectors) + 1) // 2
    while (surplus := len(means) - wanted) > 0:
        norms = np.square(means).sum(axis=1)
        distances = norms[:, None] + norms - 2 * (means @ means.T)
        # What merging two adds to the sum of squares.
        costs = distances * (sizes[:, None] * sizes / (sizes[:, None] + sizes))
        np.fill_diagonal(costs, np.inf)
        nearest = costs.argmin(axis=1)
        numbers = np.arange(len(means))
        pairs = np.flatnonzero((nearest[nearest] == numbers) & (numbers < nearest))
        if not len(pairs):  # equal costs in a circle
            pairs = np.array([np.unravel_index(costs.argmin(), costs.shape)[0]])
        cheapest = pairs[np.argsort(costs[pairs, nearest[pairs]], kind="stable")[:surplus]]
        others = nearest[cheapest]
        both = sizes[cheapest] + sizes[others]
        means = means.copy()
        means[cheapest] = (means[cheapest] * sizes[cheapest, None] + means[others] * sizes[others, None]) / both[:, None]
        sizes[cheapest] = both
        kept = np.ones(len(means), np.bool_)
        kept[others] = False
        means, sizes = means[kept], sizes[kept]
    return means


class _Scratch(threading.local):
    """Memory of one thread for unpacked codes."""

    def __init__(self) -> None:
        self.numbers = np.empty((_BLOCK, CODE_BYTES, 8), np.float32)


_scratch = _Scratch()


def max_sim(query: Vectors, codes: TokenCodes, counts: NDArray[np.intp]) -> Vectors:
    """Late interaction of a question `[q, 256]`, rows of norm 1, with passages whose codes stand one after the other in `codes`.

    `counts[i]` codes are of passage i. Returns float32 `[passages]`, about -1 to 1: for each token of the question the best code,
    averaged. A passage without codes, or a question without tokens, gives 0.
    """
    scores = np.zeros(len(counts), np.float32)
    if not len(query) or not len(codes):
        return scores
    products = np.empty((len(codes), len(query)), np.float32)
    turned = np.ascontiguousarray(query.T)
    for start in range(0, len(codes), _BLOCK):
        part = codes[start : start + _BLOCK]
        numbers = _scratch.numbers[: len(part)]
        # Four times as fast as `unpackbits`, and `clip` keeps numpy from copying `out`.
        np.take(_BITS, part, axis=0, out=numbers, mode="clip")
        np.matmul(numbers.reshape(-1, DIMENSIONS), turned, out=products[start : start + len(part)])
    starts = (np.cumsum(counts) - counts)[counts > 0]
    best = np.maximum.reduceat(products, starts, axis=0)
    # With 1 and 0 in place of 1 and -1: q @ signs = 2 * (q @ bits) - sum(q), the same shift for every code.
    scores[counts > 0] = (2 * best - query.sum(axis=1)).mean(axis=1) / np.sqrt(DIMENSIONS)
    return scores
