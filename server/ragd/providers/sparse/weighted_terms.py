"""BM25 by an engine of sparse vectors: a dimension for each term, its part of BM25 as the value, the IDF in the question.

The part of a term in BM25 (Robertson & Zaragoza 2009) needs the mean length of the entries, which grows with them, where a stored
value stays as it is: `MEAN_LENGTH` stands for it, as in Qdrant's own BM25. A dimension is the CRC-32 of the term. Two terms
may share one: of a million different terms some 120 pairs do, each of whose terms then also finds what holds the other.

A phrase is looked for by the engine among the stored terms, and counted here in what that gives.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ragd.core.results import Scored
from ragd.language.rarity import inverse_frequency
from ragd.providers.depth import best_of_all, in_order, with_ties
from ragd.providers.protocols import AllowedIds, Phrases
from ragd.providers.sparse.bm25_query import MAX_TERMS, PHRASE_WEIGHT, term_weights, usable_phrases

_K1, _B = 1.2, 0.75
MEAN_LENGTH = 130
"""Terms of a chunk of 512 tokens, about."""
_DIMENSIONS = 2**32 - 5
# Entries with a phrase that are looked through at least, the best by the terms of the phrase.
_MOST_WITH_PHRASE = 500


def dimension(term: str) -> int:
    """Between 0 and 2^32 - 6: Milvus allows no higher number."""
    return zlib.crc32(term.encode("utf-8", errors="replace")) % _DIMENSIONS


def bm25_part(times: float, length: int) -> float:
    """What a term that stands `times` in an entry of `length` terms adds to its score, before the IDF."""
    return times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length / MEAN_LENGTH))


def weighted(terms: Sequence[str]) -> dict[int, float]:
    """Dimensions and values of an entry."""
    return {key: bm25_part(times, len(terms)) for key, times in Counter(map(dimension, terms)).items()}


def occurrences(terms: Sequence[str], phrase: Sequence[str]) -> int:
    """How often `phrase` stands in `terms`."""
    wanted = list(phrase)
    return sum(terms[at : at + len(wanted)] == wanted for at in range(len(terms) - len(wanted) + 1))


class WeightedTermStore(ABC):
    """A sparse store over an engine, which a subclass asks."""

    def search(self, kb_id: str, terms: Sequence[str], k: int, allowed: AllowedIds = None, phrases: Phrases = ()) -> list[Scored]:
        wanted = usable_phrases(phrases)
        if k <= 0 or not (terms or wanted) or (allowed is not None and not allowed):
            return []
        weights = self._weights(kb_id, terms)
        vector = self._vector(kb_id, weights)
        found = self._best(kb_id, vector, k, allowed) if vector else []
        if wanted and (bonus := self._phrase_scores(kb_id, wanted, k, allowed)):
            scores = {item.entry_id: item.score for item in found}
            if vector and (others := bonus.keys() - scores.keys()):
                scores.update((entry_id, score) for score, entry_id in self._hits(kb_id, vector, len(others), others))
            hits = [(scores.get(entry_id, 0.0) + bonus.get(entry_id, 0.0), entry_id) for entry_id in scores.keys() | bonus.keys()]
            return in_order(hits, k)
        return found

    @abstractmethod
    def frequencies(self, kb_id: str, terms: Collection[str]) -> tuple[int, Mapping[str, int]]: ...

    @abstractmethod
    def _vector(self, kb_id: str, weights: Mapping[str, int]) -> dict[int, float]:
        """Dimensions and values of a question whose terms count so many times; with their IDF, where the engine knows none."""

    @abstractmethod
    def _hits(self, kb_id: str, vector: dict[int, float], limit: int, allowed: AllowedIds) -> list[tuple[float, str]]:
        """Score and id of the best `limit` with a score above zero, best first."""

    @abstractmethod
    def _holding(self, kb_id: str, phrase: Sequence[str], limit: int, allowed: AllowedIds) -> Iterable[tuple[str, Sequence[str]]]:
        """Ids and terms of entries, among them those that hold the phrase: of more than `limit`, the best by its terms."""

    def _weights(self, kb_id: str, terms: Sequence[str]) -> dict[str, int]:
        different = set(terms)
        if len(different) <= MAX_TERMS:
            return term_weights(terms, 0, lambda _term: 0)  # which does not ask
        entries, holding = self.frequencies(kb_id, different)
        return term_weights(terms, entries, holding.__getitem__)

    def _best(self, kb_id: str, vector: dict[int, float], k: int, allowed: AllowedIds) -> list[Scored]:
        def best(depth: int, among: AllowedIds = None) -> list[Scored]:
            return in_order(with_ties(lambda limit: self._hits(kb_id, vector, limit, among), depth), depth)

        if allowed is not None and (found := best_of_all(best, k, allowed, lambda: self.frequencies(kb_id, ())[0])) is not None:
            return found
        return best(k, allowed)

    def _phrase_scores(self, kb_id: str, phrases: Sequence[Sequence[str]], k: int, allowed: AllowedIds) -> dict[str, float]:
        """Of each entry that holds one of these phrases, what they add to its score."""
        entries, holding = self.frequencies(kb_id, {term for phrase in phrases for term in phrase})
        scores: defaultdict[str, float] = defaultdict(float)
        for phrase in phrases:
            if all(map(holding.__getitem__, phrase)):
                weight = PHRASE_WEIGHT * sum(inverse_frequency(entries, holding[term]) for term in phrase)
                for entry_id, terms in self._holding(kb_id, phrase, max(k, _MOST_WITH_PHRASE), allowed):
                    if times := occurrences(terms, phrase):
                        scores[entry_id] += weight * bm25_part(times, len(terms))
        return scores
