"""What a question comes down to for a BM25 engine: not too many different terms with their weights, and phrases.

A phrase counts as much as all of its terms once more: in BM25's formula with the number of its occurrences, and with the sum of
its terms' IDF as weight, as Lucene and tantivy do it. So a rare term alone still overtakes a phrase of frequent ones.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ragd.language.rarity import inverse_frequency

MAX_TERMS = 256
"""Different terms that are looked up at most: the most specific ones. The time of a search grows with their number."""

MAX_TIMES = 16
"""A term that a question holds more often counts no more."""

MAX_PHRASES = 32
MAX_PHRASE_TERMS = 32
"""Of a longer phrase, its beginning is looked for."""

PHRASE_WEIGHT = 1
"""How many times a phrase counts, beside its terms."""


def term_weights(terms: Iterable[str], entries: int, holding: Callable[[str], int]) -> dict[str, int]:
    """Each term and how many times it counts. Of more than `MAX_TERMS`, those with the most times x IDF that any entry holds.

    `holding(term)` is the number of the `entries` that hold it; it is asked only where terms must be left out.
    """
    times = {term: min(count, MAX_TIMES) for term, count in Counter(terms).items()}
    if len(times) <= MAX_TERMS:
        return times
    held = {term: number for term in times if (number := holding(term))}
    best = heapq.nlargest(MAX_TERMS, held, key=lambda term: times[term] * inverse_frequency(entries, held[term]))
    return {term: times[term] for term in best}


def usable_phrases(phrases: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Each phrase once, cut at `MAX_PHRASE_TERMS`, at most `MAX_PHRASES`. A single term is no phrase and is left out."""
    cut = dict.fromkeys(tuple(phrase[:MAX_PHRASE_TERMS]) for phrase in phrases if len(phrase) > 1)
    return list(cut)[:MAX_PHRASES]
