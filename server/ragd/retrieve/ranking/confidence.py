"""How sure it is that the best passages answer the question, 0..1.

Fusion's scores are relative; what is taken here is absolute: the reranker's score; else the cosine, set against what related and
unrelated texts get from this model; else the share of the question's terms that a passage holds. One that holds, to the letter,
all that the question names is what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ragd.core.query import QueryPlan
from ragd.core.results import Hit
from ragd.providers.protocols import Analyzer

# Passages that are looked at: an answer is seldom in the fifth when it is not in the first three.
_LOOKED_AT = 3
_NAMED = 0.95


def confidence_of(
    hits: Sequence[Hit], plan: QueryPlan, analyzer: Analyzer, relevance: Callable[[float], float] | None = None
) -> float:
    """The highest confidence in any of the first hits; 0 without hits. `relevance` makes 0..1 of a cosine."""
    return max((_of_hit(hit, plan, analyzer, relevance) for hit in hits[:_LOOKED_AT]), default=0.0)


def _of_hit(hit: Hit, plan: QueryPlan, analyzer: Analyzer, relevance: Callable[[float], float] | None) -> float:
    text = f"{hit.passage.title}\n{hit.passage.content}".casefold()
    if plan.identifiers and all(_holds(text, identifier.text.casefold()) for identifier in plan.identifiers):
        return _NAMED
    if "rerank" in hit.scores:
        return hit.scores["rerank"]
    if "dense" in hit.scores and relevance is not None:
        return relevance(hit.scores["dense"])
    asked = set(plan.terms)
    return len(asked.intersection(analyzer.tokens(text))) / len(asked) if asked else 0.0


def _holds(text: str, named: str) -> bool:
    """Whether a text holds a name as a whole: `E10` is not in `E1045`. Letters of other scripts may follow without a blank."""
    return re.search(rf"(?<![a-z0-9_]){re.escape(named)}(?![a-z0-9_])", text) is not None
