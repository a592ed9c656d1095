"""How sure it is that passages answer a question, 0..1: one estimator, which decides "not found" for every interface.

The first passages of the fused list are looked at, so neither reranking nor the time that was left for it changes anything. A
passage that holds all that is named to the letter, with most of the rest, or the one word that the question is about, is what
was asked for. Else a logistic decides by: the nearest passage's similarity, set against what related and unrelated texts get from
this model; the share of the question's content words that a passage holds, by their inverse frequency (Spärck Jones 1972); its
rarest missing word; the share of words that no passage holds; and whether what is asked for (a number, a time, a person:
`asked.py`) stands beside the words that were found. Where the nearest passage is in another language, words count for nothing.

One half is "found". `scripts/bench/quality/not_found.py` fits the weights on one half of its set and measures on the other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragd.core.query import QueryPlan
from ragd.core.results import Passage
from ragd.language.detection import likely_language, passage_language
from ragd.language.rarity import inverse_frequency
from ragd.providers.protocols import Analyzer
from ragd.retrieve.planning.phrasing import is_one_word
from ragd.retrieve.ranking.asked import Asked, asked_for, parts_of

LOOKED_AT: Final = 5
"""Passages that are looked at, from the first of the fused list on."""
_NAMED: Final = 0.95
_MOST_OF_IT: Final = 0.75
"""Share of the content words that must be there beside what is named to the letter."""
_MOST_LOGIT: Final = 12.0
_FOLLOWING: Final = 60
"""Bytes of UTF-8: a line of English, half of one in Japanese."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The signs that the passages give; shares are 0..1.

    `similarity` is a logit, None where nothing is known of it. `missing` is the inverse frequency of the rarest content word that
    the best passage lacks, relative to that of a word that is nowhere. `absent`: what is asked for is not beside the words.
    """

    named: bool
    similarity: float | None
    covered: float
    missing: float
    unknown: float
    absent: bool
    foreign: bool
    unspaced: bool


@dataclass(frozen=True, slots=True)
class _Weights:
    bias: float
    similarity: float
    covered: float
    missing: float
    unknown: float
    absent: float
    foreign: float
    unspaced: float


WITH_SIMILARITY: Final = _Weights(1.75, 3.64, 1.69, -1.14, -0.24, -1.47, 1.39, -0.96)
WORDS_ALONE: Final = _Weights(-0.62, 0.0, 3.18, -0.14, -1.57, -1.52, 1.29, -0.4)


def confidence_of(evidence: Evidence | None) -> float:
    """The confidence that this evidence gives; 0 without any."""
    if evidence is None:
        return 0.0
    if evidence.named:
        return _NAMED
    weights = WORDS_ALONE if evidence.similarity is None else WITH_SIMILARITY
    total = (
        weights.bias
        + weights.similarity * (evidence.similarity or 0.0)
        + weights.covered * evidence.covered
        + weights.missing * evidence.missing
        + weights.unknown * evidence.unknown
        + weights.absent * evidence.absent
        + weights.foreign * evidence.foreign
        + weights.unspaced * evidence.unspaced
    )
    return min(_NAMED, 1 / (1 + math.exp(-total)))


def evidence_of(
    plan: QueryPlan,
    passages: Sequence[Passage],
    cosines: Mapping[str, float],
    analyzer: Analyzer,
    frequencies: Callable[[Collection[str]], tuple[int, Mapping[str, int]]],
    relevance: Callable[[float], float] | None = None,
) -> Evidence | None:
    """What the passages, best first, say for an answer; None without passages.

    `cosines` has the similarity of chunks, where it is known; `relevance` makes 0..1 of one. `frequencies` gives the number of
    entries in the searched collections and of those that hold each term.
    """
    if not passages:
        return None
    entries, holding = frequencies(plan.content)
    rarity = {term: inverse_frequency(entries, min(holding[term], entries)) for term in plan.content}
    whole = sum(rarity.values()) or 1.0
    asked = asked_for(plan.text)
    found = [_Found.of(passage, rarity, asked, analyzer) for passage in passages]
    known = [cosines[passage.chunk_id] for passage in passages if passage.chunk_id in cosines]
    nearest = max(passages, key=lambda passage: cosines.get(passage.chunk_id, -1.0))
    language = plan.language or likely_language(plan.text)
    foreign = passage_language(nearest.content) not in (language, "other")
    best = max(found, key=lambda one: one.covered)
    return Evidence(
        named=(any(_names(passage, plan) for passage in passages) and (foreign or best.covered >= _MOST_OF_IT * whole))
        # A word may be cut otherwise in a question than in a passage.
        or (is_one_word(plan.topic) and (best.covered >= whole or any(_holds(passage, plan.topic) for passage in passages))),
        similarity=_logit(relevance(max(known))) if known and relevance is not None else None,
        covered=0.0 if foreign else best.covered / whole,
        missing=0.0 if foreign else min(one.rarest for one in found) / inverse_frequency(max(entries, 1), 0),
        unknown=0.0 if foreign else sum(rarity[term] for term in plan.content if not holding[term]) / whole,
        absent=asked is not None and not best.holds_asked,
        foreign=foreign,
        unspaced=language in ("ja", "zh"),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What a passage holds of a question: rarity of its content words that are there, of the rarest that is not."""

    covered: float
    rarest: float
    holds_asked: bool

    @classmethod
    def of(cls, passage: Passage, rarity: Mapping[str, float], asked: Asked | None, analyzer: Analyzer) -> _Found:
        heading = set(analyzer.tokens("\n".join((passage.title, *passage.section_path))))
        parts = parts_of(passage.content)
        held: list[set[str]] = []
        missing = rarity.keys() - heading
        for part in parts:
            if asked is None and not missing:  # nothing that the rest may hold counts
                break
            held.append(heading.union(analyzer.tokens(part)))
            missing = missing - held[-1]
        return cls(
            sum(weight for term, weight in rarity.items() if term not in missing),
            max((weight for term, weight in rarity.items() if term in missing), default=0.0),
            asked is not None and _beside(parts, held, rarity, asked),
        )


def _beside(parts: Sequence[str], held: Sequence[Collection[str]], rarity: Mapping[str, float], asked: Asked) -> bool:
    """Whether what is asked for stands in, before or after a part that holds the most of the question.

    What follows is a part, or as many short ones as make a line: a sentence may be wrapped, and a term be explained below.
    """
    weights = [sum(weight for term, weight in rarity.items() if term in terms) for terms in held]
    most = max(weights, default=0.0)
    for at, weight in enumerate(weights):
        if weight == most:
            end, size = at + 1, 0
            while end < len(parts) and size < _FOLLOWING:
                size += len(parts[end].strip().encode())
                end += 1
            if asked.is_in("\n".join(parts[max(0, at - 1) : end])):
                return True
    return False


def _names(passage: Passage, plan: QueryPlan) -> bool:
    """Whether a passage holds, to the letter, all that a question names."""
    return bool(plan.identifiers) and all(_holds(passage, identifier.text) for identifier in plan.identifiers)


def _holds(passage: Passage, named: str) -> bool:
    """Whether a passage holds a name as a whole: `E10` is not in `E1045`. Letters of other scripts may follow without a blank."""
    text = f"{passage.title}\n{passage.content}".casefold()
    return re.search(rf"(?<![a-z0-9_]){re.escape(named.casefold())}(?![a-z0-9_])", text) is not None


def _logit(share: float) -> float:
    """The argument of the logistic that gives `share`, at most 12 from zero."""
    if not 0 < share < 1:
        return math.copysign(_MOST_LOGIT, share - 0.5)
    return max(-_MOST_LOGIT, min(_MOST_LOGIT, math.log(share / (1 - share))))
