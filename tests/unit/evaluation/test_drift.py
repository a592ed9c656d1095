"""Drift between runs, and between what people ask and a run's questions."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.drift import Asked, asked_of, between_runs, live_values, of_live


def run(values: list[float], name: str = "ndcg@10") -> dict[str, Any]:
    questions = [{"id": str(at), "query": "q", "metrics": {name: value, "hit@5": 1.0}} for at, value in enumerate(values)]
    overall = {"metrics": {name: 0.0, "hit@5": 1.0}}
    described = {"run_id": "r" * 32, "strategy": "s", "dataset": "d", "dataset_hash": "h" * 32}
    return {**described, "metrics": {"overall": overall}, "questions": questions}


def dropped(first: list[float], second: list[float], name: str = "ndcg@10", max_drop: float = 0.0) -> bool:
    rows = between_runs(run(first, name), run(second, name), resamples=500, max_drop=max_drop)["metrics"]
    return next(row["dropped"] for row in rows if row["metric"] == name)


def test_a_drop_is_one_where_its_interval_says_so_and_it_is_more_than_is_allowed() -> None:
    good = [0.9, 0.8, 1.0, 0.7] * 10
    worse = [value - 0.2 for value in good]
    assert dropped(good, worse)
    assert not dropped(good, worse, max_drop=0.3)
    assert not dropped(worse, good)
    assert not dropped(good, good)
    # One question of forty that falls says nothing yet.
    assert not dropped(good, [0.0, *good[1:]])


def test_fewer_near_duplicates_are_no_drop_and_more_are_one() -> None:
    few, many = [0.0] * 20, [0.5] * 20
    assert not dropped(many, few, "near_duplicates")
    assert dropped(few, many, "near_duplicates")


def test_intervals_hold_the_difference() -> None:
    found = between_runs(run([0.5, 1.0, 0.5] * 8), run([0.5, 0.5, 1.0] * 8), resamples=500, max_drop=0)
    row = next(row for row in found["metrics"] if row["metric"] == "ndcg@10")
    assert row["low"] < 0 < row["high"]
    assert len(found["changed"]) == 16


def asked(count: int, confidence: float, language: str | None = "en", found: bool = True) -> list[Asked]:
    return [Asked(confidence + at / 1000, found, language) for at in range(count)]


def test_what_people_ask_is_held_against_the_run() -> None:
    same = of_live(asked(50, 0.7), asked(50, 0.7), resamples=500)
    assert (same["confidence_distance"], same["language_distance"], same["unanswered_rise"]["value"]) == (0, 0, 0)
    other = of_live([*asked(30, 0.2, "ja", found=False), *asked(30, 0.7)], asked(60, 0.7), resamples=500)
    assert (other["live"]["unanswered"], other["run"]["unanswered"], other["language_distance"]) == (0.5, 0.0, 0.5)
    assert other["confidence_distance"] > other["confidence_bound"]
    assert other["unanswered_rise"]["low"] > 0.3
    assert live_values(other)["unanswered"] == 0.5
    with pytest.raises(ValidationFailed, match="at least 20"):
        of_live(asked(19, 0.5), asked(50, 0.5), resamples=500)


def test_a_trace_that_came_to_no_answer_is_left_out() -> None:
    events = [
        {"kind": "query.normalized", "payload": {"language": "ja"}},
        {"kind": "response.envelope", "payload": {"results": 3, "confidence": 0.4}},
    ]
    assert asked_of({"events": events}, 0.5) == Asked(0.4, False, "ja")
    assert asked_of({"events": events}, 0.3) == Asked(0.4, True, "ja")
    assert asked_of({"events": events[:1]}, 0.3) is None
