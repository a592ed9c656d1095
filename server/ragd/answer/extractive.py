"""An answer without a model: what the first passages say that is nearest to the question, each unit whole."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from ragd.answer.prompt import neutral
from ragd.answer.support import word_shares
from ragd.answer.units import Unit, units_of
from ragd.core.errors import RagError
from ragd.core.query import QueryPlan
from ragd.core.results import Citation
from ragd.providers.protocols import Analyzer, Embedder

log = logging.getLogger(__name__)

_PASSAGES: Final = 5
_UNITS: Final = 3
_LOOKED_AT: Final = 24
_EMBEDDED: Final = 16
"""Units whose meaning is asked for, those with the most of the question's words; as many answers hold what was asked for as with
all of them, at half the time of the processor and less."""
_EMBEDDED_BLINDLY: Final = 48
"""Where no unit has words of the question, which may be in another language."""
_WORDS_TELL: Final = 0.2
_MOST_CHARS: Final = 500
_WORDS_WEIGHT: Final = 0.5
# A unit much further from the question than the best one says something else.
_NEAR_THE_BEST: Final = 0.5


def extract(plan: QueryPlan, citations: Sequence[Citation], embedder: Embedder, analyzer: Analyzer, *, lead_in: str) -> str:
    """After the `lead_in`, units in the order of the passages, each with its number. `citations` must not be empty."""
    found = [(citation.id, unit) for citation in citations[:_PASSAGES] for unit in _units(citation)]
    if not found:
        first = citations[0]
        text = _beginning(" ".join(first.passage.content.split()))
        found = [(first.id, Unit("sentence", text, (text,)))]
    scores = _scores(plan.text, [unit for _, unit in found], embedder, analyzer)
    best = sorted(range(len(found)), key=lambda at: (-scores[at], at))[:_UNITS]
    kept = sorted(at for at in best if scores[at] >= _NEAR_THE_BEST * scores[best[0]])
    return "\n".join([lead_in, "", *(_bullet(*found[at]) for at in kept)])


def _units(citation: Citation) -> list[Unit]:
    passage = citation.passage
    units = units_of(passage.content, passage.doc_type, is_cut=passage.ordinal > 0)
    return list({unit.text: unit for unit in units}.values())[:_LOOKED_AT]


def _beginning(text: str) -> str:
    """A text up to the end of a word, with a sign where it goes on."""
    if len(text) <= _MOST_CHARS:
        return text
    words = text[:_MOST_CHARS].rpartition(" ")[0]
    return f"{words or text[:_MOST_CHARS]}…"


def _bullet(number: int, unit: Unit) -> str:
    """The unit as an item of a list, its number behind its first line."""
    first, _, rest = neutral(unit.text).partition("\n")
    if unit.kind == "code" and first.startswith("```"):
        first, rest = "", f"{first}\n{rest}"
    indent = "" if unit.kind == "list" else "  "
    below = [indent + line if line else "" for line in rest.split("\n")] if rest else []
    return "\n".join([f"- {first} [{number}]" if first else f"- [{number}]", *below])


def _scores(question: str, units: Sequence[Unit], embedder: Embedder, analyzer: Analyzer) -> list[float]:
    texts = [f"{unit.about}\n{unit.said}" if unit.about else unit.said for unit in units]
    terms = [frozenset(analyzer.tokens(text)) for text in texts]
    spread = Counter(term for held in terms for term in held)
    words = word_shares(analyzer.tokens(question), terms, spread, len(texts))
    most = _EMBEDDED if max(words) >= _WORDS_TELL else _EMBEDDED_BLINDLY
    # Of units with as many words, those of the better passages.
    looked_at = sorted(range(len(texts)), key=lambda at: (-words[at], at))[:most]
    try:
        cosines = embedder.embed_passages([texts[at] for at in looked_at]) @ embedder.embed_queries([question])[0]
    except RagError as error:
        log.info("extracts are chosen by their words alone", extra={"reason": error.message})
        return words
    # Small embedding models give everything a high cosine; what separates sentences is the distance between them.
    width = float(np.ptp(cosines)) or 1.0
    meaning = np.zeros(len(texts))
    meaning[looked_at] = (cosines - cosines.min()) / width
    return [_WORDS_WEIGHT * word + (1 - _WORDS_WEIGHT) * float(near) for word, near in zip(words, meaning, strict=True)]
