"""No reranking: the fused order stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragd.core.results import Passage


class NoReranker:
    """Scores nothing."""

    name = "none"
    profile = ""
    judges = True

    def __init__(self, **_options: Any) -> None:
        """Takes the options of its siblings and needs none of them."""

    def score(self, question: str, passages: Sequence[Passage], deadline: float) -> list[float | None]:  # noqa: ARG002
        return [None] * len(passages)
