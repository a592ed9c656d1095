"""Passages that show the picture that was asked with stand before those that are only about the same."""

from __future__ import annotations

from collections.abc import Sequence

from ragd.core.results import Candidate

STAGE = "picture"


def pictures_first(ranked: Sequence[Candidate], chunk_ids: Sequence[str]) -> list[Candidate]:
    """Candidates for these chunks, the best there are, then the others in their order; ranks counted anew."""
    first = [Candidate(chunk_id, 1.0, 0, STAGE) for chunk_id in dict.fromkeys(chunk_ids)]
    known = {candidate.chunk_id for candidate in first}
    others = [candidate for candidate in ranked if candidate.chunk_id not in known]
    return [candidate._replace(rank=rank) for rank, candidate in enumerate((*first, *others), start=1)]
