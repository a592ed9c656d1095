"""A run for pages: figures with intervals, questions by a metric, two runs question by question."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.reports.pages import compared, few_enough, figures, questions_of


def question(key: str, lang: str, **metrics: float) -> dict[str, Any]:
    return {
        "id": key, "query": f"Where is {key}?", "groups": {"lang": lang}, "relevant": [], "found": [], "results": 3,
        "latency_ms": 4.0, "trace_id": f"trace {key}", "metrics": metrics, "artifacts": {"answer": "long"},
    }  # fmt: skip


def run(name: str, *values: float) -> dict[str, Any]:
    questions = [
        question(key, "ja" if key == "c" else "en", **{"hit@1": value, "ndcg@10": value / 2})
        for key, value in zip("abc", values, strict=True)
    ]
    names = {"hit@1": sum(values) / 3, "ndcg@10": sum(values) / 6}
    groups = {"lang": {"en": {}, "ja": {}, "xx": {}}}
    return {
        "run_id": name, "strategy": name, "dataset": "d", "dataset_hash": "h" * 32, "questions": questions,
        "metrics": {"overall": {"metrics": names}, "groups": groups},
    }  # fmt: skip


ONE, OTHER = run("one", 1, 0, 1), run("other", 0, 1, 1)


def test_each_metric_has_its_mean_within_its_interval_and_the_main_one_is_there_by_group() -> None:
    found = figures(ONE, 1000)
    assert found["main"] == "ndcg@10"
    by_name = {one["metric"]: one for one in found["metrics"]}
    hit = by_name["hit@1"]
    assert hit["mean"] == pytest.approx(2 / 3)
    assert (hit["low"], hit["high"]) == (0, 1)
    assert [(one["group"], one["questions"], one["mean"]) for one in found["groups"]] == [("en", 2, 0.25), ("ja", 1, 0.5)]


def test_questions_come_worst_first_and_those_without_the_metric_last() -> None:
    asked = run("x", 1, 0, 1)
    asked["questions"][0]["metrics"] = {"hit@1": 1.0}
    assert [one["id"] for one in questions_of(asked, None, "worst", "")] == ["b", "c", "a"]
    assert [one["id"] for one in questions_of(asked, "hit@1", "best", "")][-1] == "b"
    assert [one["id"] for one in questions_of(asked, None, "asked", "IS C")] == ["c"]
    assert "artifacts" not in questions_of(asked, None, "asked", "")[0]
    with pytest.raises(ValidationFailed, match="no metric 'x'"):
        questions_of(asked, "x", "worst", "")


def test_two_runs_are_compared_by_metric_and_question() -> None:
    found, rows = compared(ONE, OTHER, 1000, "hit@1", "changed")
    assert [(row["id"], row["difference"], row["first_trace"]) for row in rows] == [("a", -1, "trace a"), ("b", 1, "trace b")]
    assert {row["metric"]: (row["wins"], row["losses"], row["p"]) for row in found["metrics"]}["hit@1"] == (1, 1, 1.0)
    for only, ids in (("won", ["b"]), ("lost", ["a"]), ("all", ["a", "c", "b"])):
        assert [row["id"] for row in compared(ONE, OTHER, 1000, None, only)[1]] == ids  # type: ignore[arg-type]
    with pytest.raises(ValidationFailed, match="Not both runs have 'x'"):
        compared(ONE, OTHER, 1000, "x", "all")
    with pytest.raises(ValidationFailed, match="can't be compared"):
        compared(ONE, {**OTHER, "dataset_hash": "0" * 32}, 1000, None, "all")


@pytest.mark.parametrize(("count", "resamples"), [(1, 10_000), (100, 10_000), (500, 2000), (5000, 1000), (0, 10_000)])
def test_many_questions_are_resampled_less_often(count: int, resamples: int) -> None:
    assert few_enough(count, 10_000) == resamples


def test_a_run_of_others_may_have_none_of_our_metrics_or_none_at_all() -> None:
    bare = run("bare", 1, 0, 1)
    bare["metrics"]["overall"]["metrics"] = {}
    bare["questions"] = [question(key, "en") for key in "abc"]
    assert figures(bare, 1000) == {"main": "", "metrics": [], "groups": []}
    assert [one["id"] for one in questions_of(bare, None, "worst", "")] == ["a", "b", "c"]
    bare["metrics"]["overall"]["metrics"] = {"theirs": 0.5}
    assert figures(bare, 1000)["main"] == "theirs"
