"""Evaluation runs: kept whole, listed without their questions, the oldest let go."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Engine

from ragd.core.errors import NotFound, ValidationFailed
from ragd.store.evaluation.evaluations import Evaluations


def run(number: int) -> dict[str, Any]:
    texts = ("name", "dataset", "dataset_hash", "collection", "strategy", "strategy_config_id", "finished_at")
    known = {"run_id": f"{number:032x}", "started_at": f"2026-01-{number:02}", "options": {}, "metrics": {"a": 1}}
    return {**dict.fromkeys(texts, "x"), **known, "questions": [{"id": "休暇"}]}


def test_a_run_comes_back_as_it_was_given(engine: Engine) -> None:
    evaluations = Evaluations(engine, keep=5)
    evaluations.add(run(1))
    assert evaluations.get(run(1)["run_id"]) == run(1)


def test_the_newest_stay_and_come_first_without_their_questions(engine: Engine) -> None:
    evaluations = Evaluations(engine, keep=3)
    for number in (2, 1, 3, 5, 4):
        evaluations.add(run(number))
    rows, total = evaluations.page(1, 2)
    assert ([row["started_at"] for row in rows], total) == (["2026-01-05", "2026-01-04"], 3)
    assert "questions" not in rows[0]
    assert [row["started_at"] for row in evaluations.page(2, 2)[0]] == ["2026-01-03"]
    with pytest.raises(NotFound, match="The oldest are deleted"):
        evaluations.get(run(1)["run_id"])


def test_a_run_is_not_added_twice(engine: Engine) -> None:
    evaluations = Evaluations(engine, keep=3)
    evaluations.add(run(1))
    with pytest.raises(ValidationFailed, match="already an evaluation"):
        evaluations.add(run(1))
