"""Soft preferences move passages up and never drop one."""

from __future__ import annotations

import pytest

from ragd.core.errors import ValidationFailed
from ragd.core.query import Preferences
from ragd.core.results import Candidate
from ragd.retrieve.preferences import parse_preferences, prefer
from ragd.store.passages import PreferenceFields

CANDIDATES = [
    Candidate(name, score, rank, "fusion") for rank, (name, score) in enumerate([("a", 0.9), ("b", 0.85), ("c", 0.5)], 1)
]
FACTS = {
    "a": PreferenceFields("2024-01-01T00:00:00.000Z", "guides/a.md", has_image=False),
    "b": PreferenceFields("2026-01-01T00:00:00.000Z", "notes/b.md", has_image=True),
    "c": PreferenceFields("2025-01-01T00:00:00.000Z", "notes/c.md", has_image=False),
}


@pytest.mark.parametrize(
    ("preferences", "order"),
    [
        (Preferences(), "abc"),
        (Preferences(recent=True), "bac"),
        (Preferences(source=("notes/",)), "bac"),
        (Preferences(source=("elsewhere/",)), "abc"),
        (Preferences(has_image=True), "bac"),
        (Preferences(recent=True, source=("guides/", "x")), "abc"),
    ],
)
def test_what_is_preferred_moves_up(preferences: Preferences, order: str) -> None:
    ranked = prefer(CANDIDATES, FACTS, preferences, 0.1)
    assert "".join(item.chunk_id for item in ranked) == order
    assert [item.rank for item in ranked] == [1, 2, 3]


def test_no_candidate_is_lost_and_no_score_falls_or_leaves_its_range() -> None:
    ranked = {item.chunk_id: item.score for item in prefer(CANDIDATES, {"b": FACTS["b"]}, Preferences(has_image=True), 1.0)}
    assert ranked == {"a": 0.9, "b": 1.0, "c": 0.5}


def test_without_weight_or_difference_the_order_stays() -> None:
    assert prefer(CANDIDATES, FACTS, Preferences(recent=True), 0.0) == CANDIDATES
    same = dict.fromkeys("abc", FACTS["a"])
    assert prefer(CANDIDATES, same, Preferences(recent=True), 1.0) == CANDIDATES
    assert prefer([], {}, Preferences(recent=True), 1.0) == []


def test_preferences_are_parsed_strictly() -> None:
    assert parse_preferences(None) == Preferences()
    assert parse_preferences({"recent": True, "source": "a", "has_image": None}) == Preferences(recent=True, source=("a",))


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"recnt": True}, "prefer.recnt", "recent"),
        ({"recent": "yes"}, "prefer.recent", "true or false"),
        ({"source": []}, "prefer.source", "not empty"),
    ],
)
def test_a_preference_that_can_not_be_used_is_an_error(values: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(ValidationFailed, match=message) as caught:
        parse_preferences(values)
    assert [problem.field for problem in caught.value.details] == [field]
