"""Soft preferences: what a request would rather see. They move passages up and never drop one.

Each wish gives a passage 0..1: `recent` its place among the candidates by age (the newest 1, the oldest 0; a rank, since how much
newer matters differs), `source` 1 when its source begins with one of those preferred, `has_image` 1 when it shows a picture. The
mean of the wishes, times a weight, is added to the score, which is the order; a shown score ends at 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragd.core.query import Preferences
from ragd.core.results import Candidate
from ragd.retrieve.filters import flag, parse_fields, strings

if TYPE_CHECKING:
    from ragd.store.passages import PreferenceFields


def parse_preferences(values: Mapping[str, Any] | None) -> Preferences:
    """Preferences from a JSON object: booleans for `recent` and `has_image`, texts for `source`. Raises as `parse_fields`."""
    return Preferences(**parse_fields(values, "prefer", "preference", {"recent": flag, "source": strings, "has_image": flag}))


def prefer(
    candidates: Sequence[Candidate], known_fields: Mapping[str, PreferenceFields], preferences: Preferences, weight: float
) -> list[Candidate]:
    """The same candidates, best first by score and wishes, ranks counted anew. A candidate without known fields gets no wish.

    Scores are taken as 0..1. No score falls, and equal sums keep their order.
    """
    if not preferences or not weight:
        return list(candidates)
    ages = _ages({known_fields[item.chunk_id].updated_at for item in candidates if item.chunk_id in known_fields})

    def wished(item: Candidate) -> float:
        known = known_fields.get(item.chunk_id)
        if known is None:
            return 0.0
        wishes = [ages[known.updated_at]] if preferences.recent else []
        if preferences.source:
            wishes.append(float(known.source.startswith(preferences.source)))
        if preferences.has_image:
            wishes.append(float(known.has_image))
        return sum(wishes) / len(wishes)

    sums = [(item.score + weight * wished(item), item) for item in candidates]
    sums.sort(key=lambda pair: -pair[0])
    return [item._replace(score=min(1.0, total), rank=rank) for rank, (total, item) in enumerate(sums, start=1)]


def _ages(times: set[str]) -> dict[str, float]:
    """Time -> 0..1, the newest 1. One time alone is neither new nor old."""
    ordered = sorted(times)
    return {time: index / (len(ordered) - 1) if len(ordered) > 1 else 0.0 for index, time in enumerate(ordered)}
