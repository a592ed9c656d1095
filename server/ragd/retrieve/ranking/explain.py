"""Why these passages: the rank and score of each at every stage, and in words what moved it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragd.core.results import Candidate

_SIDES = {"dense": "by meaning", "sparse": "by words"}


def explained(chunk_ids: Sequence[str], stages: Mapping[str, Sequence[Candidate]]) -> list[dict[str, Any]]:
    """One entry a chunk: `{chunk_id, stages: {stage: {rank, score}}, moves: [text, …]}`, and `features` where fusion has them.

    `stages` are the ranked lists in their order: `dense`, `sparse`, `feedback` if a further search ran, `fusion`, then those that
    ran of `rerank`, `prefer` and `diversity`. A chunk that a list does not hold has no entry for that stage.
    """
    shown = set(chunk_ids)
    found = {
        stage: {candidate.chunk_id: candidate for candidate in candidates if candidate.chunk_id in shown}
        for stage, candidates in stages.items()
    }
    sizes = {stage: len(candidates) for stage, candidates in stages.items()}
    return [_entry(chunk_id, found, sizes) for chunk_id in chunk_ids]


def _entry(chunk_id: str, found: Mapping[str, Mapping[str, Candidate]], sizes: Mapping[str, int]) -> dict[str, Any]:
    held = {stage: candidates[chunk_id] for stage, candidates in found.items() if chunk_id in candidates}
    moves = []
    for side, way in _SIDES.items():
        if side in found:
            candidate = held.get(side)
            moves.append(
                f"{_nth(candidate.rank)} of {sizes[side]} {way} ({candidate.score:.3f})"
                if candidate
                else f"not among the {sizes[side]} best {way}"
            )
    if feedback := held.get("feedback"):
        moves.append(f"{_nth(feedback.rank)} of {sizes['feedback']} by likeness to the best ({feedback.score:.3f})")
    later = [stage for stage in held if stage not in (*_SIDES, "feedback")]
    before: Candidate | None = None
    for stage in later:
        candidate = held[stage]
        moves.append(_move(stage, candidate, before))
        if stage == "fusion" and candidate.parts:
            # What gave most first.
            parts = sorted(candidate.parts, key=lambda part: -abs(part.value * part.weight))
            moves.append("weighed: " + ", ".join(f"{name} {value:.3f} × {weight:.2f}" for name, value, weight in parts))
        before = candidate
    entries = {stage: {"rank": candidate.rank, "score": round(candidate.score, 6)} for stage, candidate in held.items()}
    features = [
        {"feature": name, "value": round(value, 6), "weight": weight, "contribution": round(value * weight, 6)}
        for name, value, weight in (held["fusion"].parts if "fusion" in held else ())
    ]
    return {"chunk_id": chunk_id, "stages": entries, "moves": moves} | ({"features": features} if features else {})


def _move(stage: str, candidate: Candidate, before: Candidate | None) -> str:
    place = f"{_nth(candidate.rank)} after {stage}"
    if before is None:
        return place
    steps = before.rank - candidate.rank
    if stage == "rerank" and candidate.source != "rerank":
        return f"{place}: not reached in the time for reranking"
    if not steps:
        return f"{place}: stays"
    return f"{place}: {'up' if steps > 0 else 'down'} {abs(steps)}"


def _nth(rank: int) -> str:
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending}"
