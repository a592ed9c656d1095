"""No reranking: the fused order stands."""

from __future__ import annotations

from collections.abc import Sequence

from rag_assistant.types import Candidate, Passage


class NoReranker:
    """Gives back what it was given."""

    name = "none"

    def rerank(self, query: str, candidates: Sequence[Candidate], passages: Sequence[Passage]) -> list[Candidate]:  # noqa: ARG002
        return list(candidates)
