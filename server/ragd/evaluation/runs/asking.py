"""How the questions of an evaluation are asked, and who asks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from ragd.evaluation.datasets import Question

Measured = Literal["retrieval_only", "generation_only", "end_to_end"]
"""Passages; answers from passages of the dataset; or both."""

# What the settings say, without an overlay.
DEFAULT_STRATEGY: Final = "default"
DEPTH: Final = 20
"""Passages of a ranking, where nobody says how many."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for all questions of a run. `evaluation` is the run's id, for the traces.

    `strategy` is a mode, the name of a strategy's file, or None for the settings as they are; `collection` is asked where a
    question names none; with `changes` the settings are changed for each question, and only its passages are wanted.
    """

    evaluation: str
    top_k: int
    mode: Measured = "retrieval_only"
    strategy: str | None = None
    collection: str | None = None
    rerank: bool = True
    changes: Mapping[str, Any] | None = None


class Asker(Protocol):
    """Asks the production pipeline."""

    def ask(self, question: Question, terms: Terms) -> Mapping[str, Any]:
        """The answer in the shape of `POST /api/query` with `explain`; where answers are measured, with `done` as of `/api/chat`.

        Raises `RagError`.
        """

    def strategy_config_id(self, trace_id: str, terms: Terms) -> str:
        """Under which settings the question of a trace was answered."""
