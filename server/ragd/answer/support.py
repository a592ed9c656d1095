"""Whether the sentences of an answer are borne out by the passages that it was made from, without a model of its own.

For each sentence, three signs are combined:

* meaning: the cosine of its embedding with that of the nearest sentence or line of a passage, the mean over all of those taken
  away first (Mu and Viswanath 2018, "All-but-the-top");
* words: the share of its terms that stand in the passage, each weighted by how few sentences hold it;
* figures: the share of its numbers and codes that stand in the passage.

The weights are measured by `scripts/bench/support.py`. A denial in the words of the passage looks like support to all three.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ragd.answer.phrases import is_ours
from ragd.core.results import Citation, Support
from ragd.language.sentences import CITATION_MARKS, answer_sentences
from ragd.providers.protocols import Analyzer, Embedder, Vectors

_MOST_SENTENCES: Final = 60
_MOST_LINES: Final = 200
_MEANING_WEIGHT: Final = 0.7
_FIGURES_WEIGHT: Final = 0.8
_MEANING_FLOOR: Final = 0.2
_MEANING_FULL: Final = 0.7
_FIGURE: Final = re.compile(r"\d+(?:[.,:]\d+)*|[A-Z]{2,}-\d+|--?[a-z][\w-]+|[A-Z]{3,}\b")


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The three signs for a sentence and a passage, each 0..1."""

    meaning: float
    words: float
    figures: float

    @property
    def score(self) -> float:
        """All three in one number, 0..1."""
        both = _MEANING_WEIGHT * self.meaning + (1 - _MEANING_WEIGHT) * self.words
        return both * (1 - _FIGURES_WEIGHT * (1 - self.figures))


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
            checked.append(Support(start, end, round(score, 4), score >= self._threshold, best))
        return tuple(checked)

    def evidence(self, claims: Sequence[str], citations: Sequence[Citation]) -> list[dict[int, _Evidence]]:
        """For each claim: number of a passage -> the evidence in it."""
        lines = [(citation.id, line) for citation in citations for line in _lines_of(citation.passage.content)][:_MOST_LINES]
        if not claims or not lines:
            return [{} for _ in claims]
        cosines = self._cosines(claims, [line for _, line in lines])
        terms = [frozenset(self._analyzer.tokens(line)) for _, line in lines]
        spread = Counter(term for line in terms for term in line)
        columns = {number: [at for at, (other, _) in enumerate(lines) if other == number] for number, _ in lines}
        whole = {citation.id: _plain(f"{citation.passage.title}\n{citation.passage.content}") for citation in citations}
        result: list[dict[int, _Evidence]] = []
        held = {number: frozenset[str]().union(*(terms[at] for at in own)) for number, own in columns.items()}
        for row, sentence in enumerate(claims):
            shares = word_shares(self._analyzer.tokens(sentence), held.values(), spread, len(lines))
            found: dict[int, _Evidence] = {}
            for (number, own), words in zip(columns.items(), shares, strict=True):
                meaning = (float(cosines[row, own].max()) - _MEANING_FLOOR) / (_MEANING_FULL - _MEANING_FLOOR)
                found[number] = _Evidence(min(1.0, max(0.0, meaning)), words, _figures(sentence, whole[number]))
            result.append(found)
        return result

    def _cosines(self, claims: Sequence[str], lines: Sequence[str]) -> Vectors:
        # Both as passages: here a text is held against a text, not a question against one.
        vectors = self._embedder.embed_passages([*claims, *lines])
        rows, columns = vectors[: len(claims)], vectors[len(claims) :]
        if len(lines) > 2:
            mean = columns.mean(axis=0)
            rows, columns = _unit(rows - mean), _unit(columns - mean)
        cosines: Vectors = rows @ columns.T
        return cosines


def word_shares(asked: Sequence[str], held: Iterable[frozenset[str]], spread: Counter[str], texts: int) -> list[float]:
    """For each set of terms, the share of those `asked` that it holds, each weighted by how few of the `texts` hold it."""
    weights = {term: math.log(1 + texts / (0.5 + spread[term])) for term in asked}
    total = sum(weights.values()) or 1.0
    return [sum(weight for term, weight in weights.items() if term in own) / total for own in held]


def _lines_of(content: str) -> list[str]:
    """The sentences of a passage, and its lines that hold none: rows of tables, code, labels."""
    found: list[str] = []
    for line in content.split("\n"):
        spans = list(answer_sentences(line)) or ([(0, len(line))] if line.strip(" |-=`~") else [])
        found += [line[start:end] for start, end in spans]
    return found


def _unmarked(answer: str, span: tuple[int, int]) -> str:
    return CITATION_MARKS.sub("", answer[span[0] : span[1]])


def _plain(text: str) -> str:
    return text.lower().replace(",", "")


def _figures(sentence: str, passage: str) -> float:
    wanted = [_plain(match.group()) for match in _FIGURE.finditer(sentence)]
    if not wanted:
        return 1.0
    # Not as a part of a longer number: 30 does not stand in 300.
    return sum(bool(re.search(rf"(?<![\w.]){re.escape(figure)}(?!\d)", passage)) for figure in wanted) / len(wanted)


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
