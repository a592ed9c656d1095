"""Query-aware fusion, the default: a weighted sum of min-max scaled lists whose weights depend on what the question is like.

No one weighting serves all questions (Bruch, Gai and Ingber, TOIS 2023, section 5; docs/search-quality.md has our figures):

- A short question that names something to the letter is answered where those letters stand: the words weigh more.
- Where nearly all that the dense side found is in another language than the question, matching words are names and numbers, which
  mislead: the meaning weighs more, and late interaction, which compares word by word, most.
- Any other question is served by both sides alike.

The weights were chosen on one half of a development set and tried on the other, both ways round; neighbours change little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from ragd.config.answering import RetrievalSettings
from ragd.core.query import QueryPlan
from ragd.core.results import NO_DATA, Candidate, CandidateData
from ragd.retrieve.ranking.fusion import ranked, weighted

QuestionKind = Literal["literal", "foreign", "plain"]

# Of the two sides alone: this chooses what is rescored, and is the order where nothing is.
FIRST: Final[Mapping[QuestionKind, Mapping[str, float]]] = {
    "literal": {"sparse": 0.6, "dense": 0.4},
    "foreign": {"sparse": 0.3, "dense": 0.7},
    "plain": {"sparse": 0.5, "dense": 0.5},
}
# With the scores of late interaction as a third list.
RESCORED: Final[Mapping[QuestionKind, Mapping[str, float]]] = {
    "literal": {"sparse": 0.5, "dense": 0.1, "rerank": 0.4},
    "foreign": {"sparse": 0.05, "dense": 0.15, "rerank": 0.8},
    "plain": {"sparse": 0.35, "dense": 0.3, "rerank": 0.35},
}

# Characters that may stand beside what a question names for it still to be a look-up: "how does X work" has 14.
_LOOKUP_REST = 32
# Above this share of the dense list, a question is taken to be answered in another language. In a mixed collection about half of
# what is found far down the list is in the other language, whatever was asked.
_MOSTLY = 0.8


class AdaptiveFusion:
    """Weights by the kind of the question; scores 1 for a candidate that is first in every list that was asked."""

    name = "adaptive"
    profile = "weights-2"

    def __init__(self, options: RetrievalSettings, model: str = "") -> None:
        """Takes the options of its siblings and needs none of them."""

    def fuse(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData = NO_DATA) -> list[Candidate]:
        return ranked(self.scores(lists, plan, data), "fusion")

    def scores(self, lists: Mapping[str, Sequence[Candidate]], plan: QueryPlan, data: CandidateData) -> dict[str, float]:
        """By chunk id; of the lists only the scores count, not the order."""
        return weighted(lists, (RESCORED if "rerank" in lists else FIRST)[kind_of(plan, data.foreign)])

    def feedback(self, *_of: object) -> None:
        return None

    def gains_from_rescoring(self, *_of: object) -> bool:
        return True


def kind_of(plan: QueryPlan, foreign: float) -> QuestionKind:
    """What a question is like. `foreign` is the share (0..1) of the dense list that is in another language."""
    if _looks_up(plan):
        return "literal"
    return "foreign" if foreign > _MOSTLY else "plain"


def _looks_up(plan: QueryPlan) -> bool:
    """Whether the question is about a single word, or little more than what it names to the letter."""
    if plan.topic.isascii() and len(plan.topic.split()) == 1:
        return True
    named = sum(len(identifier.text) for identifier in plan.identifiers)
    return named > 0 and len(plan.topic) - named <= _LOOKUP_REST
