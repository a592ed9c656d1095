"""What is known of an embedding model's space: its mean vectors by language, and which similarity means "related".

The vectors of multilingual models lie in a narrow cone, and in it by language: a language's mean vector says nothing about a
text but its language, and makes texts of one language look alike (anisotropy: Ethayarajh, EMNLP 2019; taking the mean away:
Mu and Viswanath, "All-but-the-Top", ICLR 2018). The means are taken from 28 short paragraphs that say the same in English,
Japanese and Chinese, of single sentences for questions, of three paragraphs together for passages.

Each paragraph has a question that it alone answers, in every language. A logistic separates right answers from the best of many
wrong ones, which is what a search finds when there is no answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragd.language.detection import PASSAGE_LANGUAGES, passage_language
from ragd.providers.protocols import Embedder, TokenEmbedder, Vectors

METHOD: Final = "calibration-1"
"""Version of what `calibrate` does. Change it, change this."""

_COMPACT_DIMENSIONS: Final = 128

_TAUGHT = PASSAGE_LANGUAGES[:-1]
_TOKEN_BATCH = 8
_SENTENCE_END = re.compile(r"(?<=[.。])\s*")
# Three paragraphs of different subjects make a passage as long as most are; a longer text has less of its language's mean.
_JOINED = (0, 9, 18)
_EVERY = 3
# Mean and standard deviation of the largest of 1000 draws from the standard normal distribution.
_BEST_MEAN = 3.24
_BEST_SPREAD = 0.35
# Of the distance between right and wrong, in standard deviations of right ones; and of their variance.
_LEAST_GAP = 0.25
_LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Logistic:
    """A similarity to 0..1: one half at `midpoint`."""

    midpoint: float
    slope: float

    def __call__(self, similarity: float) -> float:
        return 0.5 * (1.0 + math.tanh(self.slope * (similarity - self.midpoint) / 2.0))


@dataclass(frozen=True, slots=True)
class TokenCalibration:
    """`queries` and `passages`: mean token vectors `[4, dimension]`, a row for each of `PASSAGE_LANGUAGES`.

    `basis` `[dimension, 128]` holds the first principal axes of centred passage tokens. `related` takes a MaxSim of whole
    vectors, `related_compact` one of vectors along those axes.
    """

    queries: Vectors
    passages: Vectors
    basis: Vectors
    related: Logistic
    related_compact: Logistic


@dataclass(frozen=True, slots=True)
class Calibration:
    """`queries` and `passages`: mean text vectors `[4, dimension]`, a row for each of `PASSAGE_LANGUAGES` (the last: their mean).

    `related` takes the cosine of a question and a passage, both centred. `tokens` is None for a model without token vectors.
    """

    queries: Vectors
    passages: Vectors
    related: Logistic
    tokens: TokenCalibration | None


def language_row(text: str) -> int:
    """The row of the means that belongs to a text."""
    return PASSAGE_LANGUAGES.index(passage_language(text))


def unit(vectors: Vectors) -> Vectors:
    """Rows of L2 norm 1; a row of zeros stays one."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Vectors = vectors / np.maximum(norms, np.finfo(np.float32).tiny)
    return found


def max_sim(query: Vectors, passage: Vectors) -> float:
    """Late interaction (Khattab and Zaharia, "ColBERT", SIGIR 2020): for each query token the best passage token, averaged.

    `[tokens, dimension]` each, rows of norm 1, at least one.
    """
    return float((query @ passage.T).max(axis=1).mean())


@cache
def texts_json() -> str:
    """The paragraphs: by language, a question and the paragraph that answers it."""
    return resources.files(__package__).joinpath("calibration_texts.json").read_text(encoding="utf-8")


def calibrate(embedder: Embedder, weight: float) -> Calibration:
    """Embed the paragraphs and take means, axes and logistics from them: some 20,000 tokens.

    `weight` (0..1) is how much of its language's mean a text vector will lose; the logistic of cosines is made for that. Token
    vectors always lose the whole of it.
    """
    paragraphs = json.loads(texts_json())
    sentences, passages, passage_rows, sentence_rows = [], [], [], []
    for row, language in enumerate(_TAUGHT):
        texts = [paragraph[language][1] for paragraph in paragraphs]
        own = [sentence for text in texts for sentence in _SENTENCE_END.split(text) if sentence]
        joined = ["\n".join(texts[(first + step) % len(texts)] for step in _JOINED) for first in range(0, len(texts), 2)]
        sentences += own
        passages += joined
        sentence_rows += [row] * len(own)
        passage_rows += [row] * len(joined)
    pairs = [paragraph[language] for language in _TAUGHT for paragraph in paragraphs]
    questions, answers = [question for question, _ in pairs], [answer for _, answer in pairs]
    rows = np.repeat(np.arange(len(_TAUGHT)), len(paragraphs))
    # Questions first: a service that is down says so sooner for them.
    asked, read = embedder.embed_queries([*questions, *sentences]), embedder.embed_passages([*answers, *passages])
    query_means = _means(asked[len(questions) :], np.array(sentence_rows))
    passage_means = _means(read[len(answers) :], np.array(passage_rows))
    asked, read = asked[: len(questions)], read[: len(answers)]
    related = _logistic(unit(asked - weight * query_means[rows]) @ unit(read - weight * passage_means[rows]).T)
    tokens = None
    if isinstance(embedder, TokenEmbedder) and embedder.gives_tokens:
        # Many tokens stand in few sentences.
        some = slice(None, None, _EVERY)
        tokens = _calibrate_tokens(embedder, questions, answers, rows, sentences[some], np.array(sentence_rows)[some])
    return Calibration(query_means, passage_means, related, tokens)


def _calibrate_tokens(
    embedder: TokenEmbedder,
    questions: Sequence[str],
    answers: Sequence[str],
    rows: NDArray[np.int_],
    sentences: Sequence[str],
    sentence_rows: NDArray[np.int_],
) -> TokenCalibration:
    queries, said = ([embedder.query_tokens(text) for text in texts] for texts in (questions, sentences))
    passages: list[Vectors] = []
    for start in range(0, len(answers), _TOKEN_BATCH):
        passages += embedder.passage_tokens(answers[start : start + _TOKEN_BATCH])
    query_means = _means(np.concatenate(said), _each(sentence_rows, said))
    passage_means = _means(np.concatenate(passages), _each(rows, passages))
    asked = np.concatenate(queries) - query_means[_each(rows, queries)]
    read = np.concatenate(passages) - passage_means[_each(rows, passages)]
    axes = np.linalg.eigh(read.T @ read)[1][:, ::-1]  # eigenvalues come smallest first
    basis: Vectors = np.ascontiguousarray(axes[:, :_COMPACT_DIMENSIONS]).astype(np.float32)
    asked_counts, read_counts = (np.array([len(tokens) for tokens in found]) for found in (queries, passages))

    def related(asked_tokens: Vectors, read_tokens: Vectors) -> Logistic:
        """`max_sim` of each question and each paragraph at once."""
        nearness = unit(asked_tokens) @ unit(read_tokens).T
        best = np.maximum.reduceat(nearness, np.cumsum(read_counts) - read_counts, axis=1)
        return _logistic(np.add.reduceat(best, np.cumsum(asked_counts) - asked_counts) / asked_counts[:, None])

    compact = related(np.matmul(asked, basis, dtype=np.float32), np.matmul(read, basis, dtype=np.float32))
    return TokenCalibration(query_means, passage_means, basis, related(asked, read), compact)


def _each(rows: NDArray[np.int_], tokens: Sequence[Vectors]) -> NDArray[np.int_]:
    """The row of each text, as often as it has tokens."""
    return np.repeat(rows, [len(vectors) for vectors in tokens])


def _means(vectors: Vectors, rows: NDArray[np.int_]) -> Vectors:
    """`[4, dimension]` of vectors that belong to the language of `rows`."""
    known = np.stack([vectors[rows == row].mean(axis=0) for row in range(len(_TAUGHT))])
    return np.concatenate([known, known.mean(axis=0, keepdims=True)]).astype(np.float32)


def _logistic(similarities: NDArray[np.floating]) -> Logistic:
    """The logistic that separates the right answer from the best of a thousand wrong ones.

    `similarities[i, j]` is of question i and paragraph j, both in the order of languages, then paragraphs. Right ones are of the
    same number, in whatever language. Both kinds are taken as normal with one variance and as equally common, for which the
    posterior is a logistic (linear discriminant analysis: Fisher 1936).
    """
    count = len(similarities) // len(_TAUGHT)
    numbers = np.arange(len(similarities)) % count
    same = numbers[:, None] == numbers[None, :]
    right, wrong = similarities[same], similarities[~same]
    best_wrong, best_wrong_spread = wrong.mean() + _BEST_MEAN * wrong.std(), _BEST_SPREAD * wrong.std()
    variance = max((right.var() + best_wrong_spread**2) / 2.0, _LEAST_VARIANCE)
    # A model that hardly separates them still says which is nearer.
    gap = max(right.mean() - best_wrong, right.std() * _LEAST_GAP)
    return Logistic(float(right.mean() - gap / 2.0), float(gap / variance))
