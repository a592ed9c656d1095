"""Which section paths are within the headings that a filter asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache

from ragd.core.ids import canonical


def within(asked: Sequence[tuple[Sequence[str], bool]]) -> Callable[[str], bool]:
    """Whether a section path, as JSON, has every one of the runs of headings, at its beginning where that is asked."""
    folded = [(_folded(run), begins) for run, begins in asked]

    @cache
    def is_within(path: str) -> bool:
        headings = _folded(json.loads(path))
        starts = range(len(headings))
        return all(
            any(headings[start : start + len(run)] == run for start in (starts[:1] if begins else starts))
            for run, begins in folded
        )

    return is_within


def _folded(headings: Sequence[str]) -> list[str]:
    return [" ".join(canonical(heading).casefold().split()) for heading in headings]
