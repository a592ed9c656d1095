"""Whether the sentences of an answer are borne out by the passages that it was made from, without a model of its own.

A sentence that a passage holds word for word is borne out. Any other is held against the units of the passages that have the most
of its words (where none has many, as across languages, against more of them), those that mean the most like it, and against each
with the one after it:

* meaning: the cosine of its embedding with the unit's, the mean over all of them taken away first (Mu and Viswanath 2018,
  "All-but-the-top");
* words: the share of its terms that stand in the passage, each weighted by how few units hold it;
* contradictions: another figure, name, polarity or comparison than the unit has (`contradictions.py`).

The weights are measured by `scripts/bench/answers/support.py`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

import numpy as np

from ragd.answer.contradictions import contradicts
from ragd.answer.phrases import is_ours
from ragd.answer.units import units_of
from ragd.core.results import Citation, Support
from ragd.language.plain_text import plain
from ragd.language.sentences import CITATION_MARKS, answer_sentences, whole_sentences
from ragd.providers.protocols import Analyzer, Embedder, Vectors

_MOST_SENTENCES: Final = 60
_MOST_UNITS: Final = 200
_COMPARED: Final = 6
"""Units whose meaning is held against a sentence's, those with the most of its words."""
_WORDS_TELL: Final = 0.3
"""The share of a sentence's words that one unit must hold for words to choose."""
_MOST_EMBEDDED: Final = 48
"""Units of an answer that are embedded: the first of each sentence before the second of any."""
_MOST_PARTS_EMBEDDED: Final = 64
_NEAREST: Final = 6
"""Units of a passage that a sentence is held against."""
_LONGEST: Final = 2_000
_MEANING_WEIGHT: Final = 0.6
_CLOSE: Final = 0.72
_CONTRADICTED: Final = 0.2
"""The share of its score that a sentence keeps when it contradicts a unit."""
_MEANING_FLOOR: Final = 0.2
_MEANING_FULL: Final = 0.7
_QUOTED: Final = str.maketrans("[]{}【】（）“”‘’＂", '()()()()""\'\'"')
_PART: Final = re.compile(r"(?<=[.!?;:])\s|,\s(?=and\b|but\b|or\b)|(?<=[。；、])")
_LEAST_PART: Final = 12
_MOST_PARTS: Final = 8
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The signs for a sentence and a passage; `meaning` and `words` are 0..1."""

    meaning: float
    words: float
    contradicted: bool = False
    verbatim: bool = False
    quote: str = ""
    """The unit that it was found in."""

    @property
    def score(self) -> float:
        """All in one number, 0..1."""
        if self.verbatim:
            return 1.0
        both = _MEANING_WEIGHT * self.meaning + (1 - _MEANING_WEIGHT) * self.words
        return both * (_CONTRADICTED if self.contradicted else 1.0)


class SupportCheck:
    """Checks answers sentence by sentence. `threshold` is the score from which on a sentence counts as supported."""

    def __init__(self, embedder: Embedder, analyzer: Analyzer, threshold: float) -> None:
        self._embedder = embedder
        self._analyzer = analyzer
        self._threshold = threshold

    def check(self, answer: str, citations: Sequence[Citation]) -> tuple[Support, ...]:
        """One for each sentence of the answer that says something. Raises what the embedding model raises."""
        spans = [span for span in answer_sentences(answer) if not is_ours(_unmarked(answer, span))][:_MOST_SENTENCES]
        found = self.evidence([_unmarked(answer, span) for span in spans], citations)
        checked: list[Support] = []
        for (start, end), by_number in zip(spans, found, strict=True):
            ranked = sorted(((evidence.score, -number) for number, evidence in by_number.items()), reverse=True)
            score = ranked[0][0] if ranked else 0.0
            best = tuple(-number for value, number in ranked if value >= self._threshold)
            quotes = {number: by_number[number].quote for number in best if by_number[number].quote}
            checked.append(Support(start, end, round(score, 4), score >= self._threshold, best, quotes))
        return tuple(checked)

    def evidence(self, claims: Sequence[str], citations: Sequence[Citation]) -> list[dict[int, _Evidence]]:
        """For each claim: number of a passage -> the evidence in it."""
        read = {citation.id: _read(citation) for citation in citations}
        held = {number: one.held for number, one in read.items()}
        spoken = [_spoken(claim) for claim in claims]
        result = [
            {
                number: _Evidence(1.0, 1.0, verbatim=True, quote=claim)
                for number, one in read.items()
                if _squeezed(claim) in one.quotes
            }
            for claim in claims
        ]
        units = [(number, said) for number, own in held.items() for said in own][:_MOST_UNITS]
        open_claims = [at for at, found in enumerate(result) if not found]
        if not open_claims or not units:
            return result
        terms = [frozenset(self._analyzer.tokens(said)) for _, said in units]
        spread = Counter(term for own in terms for term in own)
        places = {number: [at for at, (other, _) in enumerate(units) if other == number] for number, _ in units}
        whole = {citation.id: _whole(citation) for citation in citations}
        known = {number: frozenset[str]().union(*(terms[at] for at in own)) for number, own in places.items()}
        asked = [self._analyzer.tokens(spoken[at]) for at in open_claims]
        compared = _compared([word_shares(wanted, terms, spread, len(units)) for wanted in asked], list(places.values()))
        meanings = self._meanings([spoken[at] for at in open_claims], [units[place][1] for place in compared])
        for found, wanted, at in zip(meanings, asked, open_claims, strict=True):
            claim, row = spoken[at], dict(zip(compared, found, strict=True))
            words = dict(zip(places, word_shares(wanted, known.values(), spread, len(units)), strict=True))
            near = {number: [(row.get(place, 0.0), units[place][1]) for place in own] for number, own in places.items()}
            nearest = max(_Evidence(max(own)[0], words[number]).score for number, own in near.items())
            for number, own in near.items():
                result[at][number] = self._weighed(claim, own, words[number], whole[number], nearest)
        return result

    def _weighed(self, claim: str, units: Sequence[tuple[float, str]], words: float, passage: str, nearest: float) -> _Evidence:
        """The best evidence among the units of a passage, `nearest` being the best score that any unit has before it is read.

        When the unit nearest to a claim contradicts it, one that is much further away does not bear it out.
        """
        best = _Evidence(max(meaning for meaning, _ in units), words, contradicted=True)
        for at in sorted(range(len(units)), key=lambda at: -units[at][0])[:_NEAREST]:
            found = _Evidence(units[at][0], words, quote=units[at][1])
            if found.score <= max(best.score, _CLOSE * nearest):
                break
            around = [f"{units[first][1]} {units[first + 1][1]}" for first in (at - 1, at) if 0 <= first < len(units) - 1]
            if not contradicts(claim, units[at][1], around, passage, self._analyzer):
                best = found
        return best

    def _meanings(self, claims: Sequence[str], units: Sequence[str]) -> list[list[float]]:
        """For each claim, how near each unit is in meaning, 0..1: the unit or the nearest of its parts."""
        parts = [(at, part) for at, said in enumerate(units) for part in _parts(said)]
        lines = [*enumerate(units), *parts[:_MOST_PARTS_EMBEDDED]]
        # Both as passages: here a text is held against a text, not a question against one.
        vectors = self._embedder.embed_passages([*claims, *(part for _, part in lines)])
        rows, columns = vectors[: len(claims)], vectors[len(claims) :]
        if len(lines) > 2:
            mean = columns.mean(axis=0)
            rows, columns = _unit(rows - mean), _unit(columns - mean)
        found = [[0.0] * len(units) for _ in claims]
        for row, cosines in zip(found, rows @ columns.T, strict=True):
            for (at, _), cosine in zip(lines, cosines, strict=True):
                row[at] = max(row[at], _meaning(float(cosine)))
        return found


def word_shares(asked: Sequence[str], held: Iterable[frozenset[str]], spread: Counter[str], texts: int) -> list[float]:
    """For each set of terms, the share of those `asked` that it holds, each weighted by how few of the `texts` hold it."""
    weights = {term: math.log(1 + texts / (0.5 + spread[term])) for term in asked}
    total = sum(weights.values()) or 1.0
    return [sum(weight for term, weight in weights.items() if term in own) / total for own in held]


def _compared(shares: Sequence[Sequence[float]], passages: Sequence[Sequence[int]]) -> list[int]:
    """The units to embed, by the share of each claim's words that each holds; `passages` are the units of each passage."""
    # Where words choose nothing, the first units of every passage come before the second of any.
    blindly = [at for together in zip_longest(*passages) for at in together if at is not None]
    orders = [
        sorted(range(len(own)), key=lambda at: (-own[at], at))[:_COMPARED] if max(own) >= _WORDS_TELL else blindly
        for own in shares
    ]
    wanted = (at for together in zip_longest(*orders) for at in together if at is not None)
    return list(dict.fromkeys(wanted))[:_MOST_EMBEDDED]


class _Read(NamedTuple):
    """What the units of a passage say, each part by itself, and all that a sentence may repeat word for word, squeezed."""

    held: tuple[str, ...]
    quotes: frozenset[str]


def _read(citation: Citation) -> _Read:
    passage = citation.passage
    told = (text for image in passage.images if image.described for text in (image.described.summary, *image.described.points))
    beside = [*(image.text for image in passage.images), *told, *(diagram.summary for diagram in passage.diagrams)]
    return _read_text(passage.content, passage.doc_type, tuple(text[:_LONGEST] for text in beside))


@lru_cache(maxsize=256)
def _read_text(content: str, doc_type: str, pictures: tuple[str, ...]) -> _Read:
    parts = [part[:_LONGEST] for unit in units_of(content, doc_type, is_cut=False) for part in unit.parts]
    held = tuple(dict.fromkeys([*parts, *filter(None, pictures)])) or (content[:_LONGEST],)
    # Units, their sentences, definitions without terms, lines as they are.
    texts = {*held, *map(plain, content.split("\n"))}
    texts |= {said.partition(": ")[2] for said in texts}
    return _Read(held, frozenset(_squeezed(part) for text in texts for part in (text, *whole_sentences(text)) if part))


def _parts(said: str) -> list[str]:
    """The parts of a unit that has some: what is said in one of them alone is far from a long unit as a whole."""
    parts = [part.strip() for part in _PART.split(said) if len(part.strip()) >= _LEAST_PART]
    return parts[:_MOST_PARTS] if len(parts) > 1 else []


def _squeezed(text: str) -> str:
    """A text by which quotations are found: without marks, blanks, and what ends it."""
    text = unicodedata.normalize("NFKC", plain(text.strip(" |>"))).translate(_QUOTED)
    return _BLANKS.sub("", text.replace("|", "")).rstrip(".。:;、,!?").casefold()


def _spoken(claim: str) -> str:
    return plain(claim.replace("|", " "))[:_LONGEST]


def _whole(citation: Citation) -> str:
    passage = citation.passage
    return " ".join([passage.title, *passage.section_path, passage.content, passage.picture_texts])


def _meaning(cosine: float) -> float:
    return min(1.0, max(0.0, (cosine - _MEANING_FLOOR) / (_MEANING_FULL - _MEANING_FLOOR)))


def _unmarked(answer: str, span: tuple[int, int]) -> str:
    return CITATION_MARKS.sub("", answer[span[0] : span[1]])


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
