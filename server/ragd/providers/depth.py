"""How deep an engine is asked that gives its best entries and knows no order among equals, or is slow to be given many ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from ragd.core.results import Scored

Key = TypeVar("Key")

_MOST_TIES = 16_384
"""Entries that share the score of the last one wanted are put in order up to this many; tantivy takes some 20 ms for so many."""

MOST_NAMED = 1000
"""A filter of more entries is first met by asking for somewhat more than would do if the allowed lay evenly among the best."""
_OVERFETCH = 2
_MOST_UNFILTERED = 4000


def with_ties(fetch: Callable[[int], Sequence[tuple[float, Key]]], k: int) -> list[tuple[float, Key]]:
    """The `k` best of `fetch(limit)`, which gives `(score, key)` best first, and all that share the score of the last of them."""
    limit = k + 1
    hits = fetch(limit)
    while len(hits) == limit and hits[-1][0] == hits[k - 1][0] and limit < k + _MOST_TIES:
        limit = min(4 * limit, k + _MOST_TIES)
        hits = fetch(limit)
    least = hits[min(k, len(hits)) - 1][0] if hits else 0.0
    return [hit for hit in hits if hit[0] >= least]


def in_order(hits: Sequence[tuple[float, str]], k: int) -> list[Scored]:
    """The `k` best, those of one score by their ids."""
    return [Scored(entry_id, -negative) for negative, entry_id in sorted((-score, entry_id) for score, entry_id in hits)[:k]]


def best_of_all(
    fetch: Callable[[int], list[Scored]], k: int, allowed: Collection[str], entries: Callable[[], int]
) -> list[Scored] | None:
    """The `k` best of the `allowed`, from among the best of all `entries`; None where the engine must be given the allowed.

    They are the same entries in the same order. To name 49,000 entries in a query takes half a second and more.
    """
    if len(allowed) <= MOST_NAMED:
        return None
    depth = int(k * entries() / len(allowed) * _OVERFETCH) + 1
    if depth > _MOST_UNFILTERED:
        return None
    found = fetch(depth)
    kept = [item for item in found if item.entry_id in allowed]
    return kept[:k] if len(kept) >= k or len(found) < depth else None
