"""An answer without a model: the sentences of the first passages that are nearest to the question, word for word."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from ragd.answer.phrases import phrase
from ragd.answer.prompt import neutral
from ragd.answer.support import word_shares
from ragd.core.errors import RagError
from ragd.core.query import QueryPlan
from ragd.core.results import Citation
from ragd.language.sentences import answer_sentences
from ragd.providers.protocols import Analyzer, Embedder

log = logging.getLogger(__name__)

_PASSAGES: Final = 3
_SENTENCES: Final = 3
_LOOKED_AT: Final = 24
_MIN_CHARS: Final = 8
_MOST_CHARS: Final = 500
_WORDS_WEIGHT: Final = 0.5
# A sentence much further from the question than the best one says something else.
_NEAR_THE_BEST: Final = 0.5


def extract(plan: QueryPlan, citations: Sequence[Citation], embedder: Embedder, analyzer: Analyzer) -> str:
    """Sentences in the order of the passages, each with its number. `citations` must not be empty."""
    found = [(citation.id, text) for citation in citations[:_PASSAGES] for text in _quotable(citation.passage.content)]
    if not found:
        first = citations[0]
        found = [(first.id, " ".join(first.passage.content.split())[:_MOST_CHARS])]
    scores = _scores(plan.text, [text for _, text in found], embedder, analyzer)
    best = sorted(range(len(found)), key=lambda at: (-scores[at], at))[:_SENTENCES]
    kept = sorted(at for at in best if scores[at] >= _NEAR_THE_BEST * scores[best[0]])
    lines = [f"- {neutral(found[at][1])} [{found[at][0]}]" for at in kept]
    return "\n".join([phrase("extract_follows", plan), "", *lines])


def _quotable(content: str) -> list[str]:
    texts = [" ".join(content[start:end].split()) for start, end in answer_sentences(content)]
    return [text for text in dict.fromkeys(texts) if _MIN_CHARS <= len(text) <= _MOST_CHARS][:_LOOKED_AT]


def _scores(question: str, texts: Sequence[str], embedder: Embedder, analyzer: Analyzer) -> list[float]:
    terms = [frozenset(analyzer.tokens(text)) for text in texts]
    spread = Counter(term for held in terms for term in held)
    words = word_shares(analyzer.tokens(question), terms, spread, len(texts))
    try:
        cosines = embedder.embed_passages(texts) @ embedder.embed_queries([question])[0]
    except RagError as error:
        log.info("extracts are chosen by their words alone", extra={"reason": error.message})
        return words
    # Small embedding models give everything a high cosine; what separates sentences is the distance between them.
    width = float(np.ptp(cosines)) or 1.0
    meaning = (cosines - cosines.min()) / width
    return [_WORDS_WEIGHT * word + (1 - _WORDS_WEIGHT) * float(near) for word, near in zip(words, meaning, strict=True)]
