"""Each metric against values worked out by hand, and what the figures of many questions are made of."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.gates import read_gate
from ragd.evaluation.metrics import METRICS, measure, metrics_within, percentile, summaries

# Four relevant units, of which the 2nd, the 7th and the 11th of the ranking are three.
RANKING = ["x1", "a", "x2", "x3", "x4", "x5", "b", "x6", "x7", "x8", "c", "x9"]
GRADES = {"a": 1, "b": 3, "c": 1, "never": 1}
BY_HAND = {
    "hit@1": 0.0,
    "hit@5": 1.0,
    "hit@10": 1.0,
    "recall@5": 1 / 4,
    "recall@10": 2 / 4,
    "recall@20": 3 / 4,
    "precision@5": 1 / 5,
    "precision@10": 2 / 10,
    "mrr@10": 1 / 2,
    "ndcg@10": (1 / log2(3) + 3 / log2(8)) / (3 / log2(2) + 1 / log2(3) + 1 / log2(4) + 1 / log2(5)),
}


def one(ranking: list[str], grades: dict[str, int] = GRADES) -> dict[str, float]:
    return measure({"q": grades}, {"q": ranking}, list(METRICS))["q"]


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_has_the_value_that_is_worked_out_by_hand(name: str) -> None:
    assert one(RANKING)[name] == pytest.approx(BY_HAND[name], abs=1e-9)


def test_the_best_ranking_is_worth_one_and_an_empty_one_nothing() -> None:
    best = one(["b", "a", "c", "never"])
    assert {name for name, value in best.items() if value == pytest.approx(1)} == set(METRICS) - {"precision@5", "precision@10"}
    assert set(one([]).values()) == {0.0}


def test_a_relevant_unit_beyond_rank_ten_counts_for_depth_twenty_alone() -> None:
    late = one([f"x{index}" for index in range(10)] + ["a"], {"a": 1})
    assert {name for name, value in late.items() if value} == {"recall@20"}


def test_the_order_of_the_ranking_counts_and_not_that_of_the_names() -> None:
    assert one(["z", "a"], {"z": 1})["hit@1"] == one(["a", "z"], {"a": 1})["hit@1"] == 1
    assert one(["z", "a"], {"a": 1})["hit@1"] == 0


def test_metrics_deeper_than_the_answers_are_left_out() -> None:
    assert metrics_within(5) == ("hit@1", "hit@5", "recall@5", "precision@5")
    assert metrics_within(20) == tuple(METRICS)


def record(value: float, latency: float, results: int, **groups: str) -> dict[str, Any]:
    return {"metrics": {"hit@1": value}, "latency_ms": latency, "results": results, "groups": groups}


def test_figures_are_means_over_all_questions_and_over_each_group_that_divides_them() -> None:
    found = summaries(
        [record(1, 10, 3, lang="en", hard="no"), record(0, 30, 0, lang="ja", hard="no"), record(0.5, 20, 1, lang="ja")]
    )
    assert found["overall"] == {
        "questions": 3,
        "empty": 1,
        "metrics": {"hit@1": 0.5},
        "latency_ms": {"p50": 20, "p95": 30},
    }
    assert list(found["groups"]) == ["lang"]
    assert found["groups"]["lang"]["ja"]["metrics"] == {"hit@1": 0.25}


@pytest.mark.parametrize(("percent", "value"), [(50, 10), (95, 19), (100, 20), (1, 1)])
def test_a_percentile_is_a_value_that_was_seen(percent: float, value: float) -> None:
    assert percentile(list(range(1, 21)), percent) == value


OVERALL = {"metrics": {"ndcg@10": 0.5}, "latency_ms": {"p50": 80.0, "p95": 390.0}}


@pytest.mark.parametrize(
    ("text", "met"),
    [("ndcg@10>=0.5", True), (" nDCG@10 > 0.5 ", False), ("p95_ms<=400", True), ("p50_ms<80", False)],
)
def test_a_gate_holds_a_figure_against_a_bound(text: str, met: bool) -> None:
    assert read_gate(text, 20).is_met(OVERALL) is met


@pytest.mark.parametrize(
    ("text", "top_k", "message"),
    [("ndcg=0.5", 20, "is no gate"), ("quality>=1", 20, "names no metric"), ("ndcg@10>=0.5", 5, "with --top-k 5")],
)
def test_a_gate_that_can_not_be_held_says_why(text: str, top_k: int, message: str) -> None:
    with pytest.raises(ValidationFailed, match=message):
        read_gate(text, top_k)
