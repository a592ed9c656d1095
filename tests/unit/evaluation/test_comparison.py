"""The paired randomisation test, and what a comparison of two runs tells or refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.comparison import compare, randomisation_test


def test_few_differences_give_the_exact_share_of_outcomes() -> None:
    # Of the 8 ways to set the signs of 1, 1, 1 only +++ and --- are as far from 0.
    assert randomisation_test([1, 1, 1], 10_000) == 2 / 8
    # 3, 1, -1 sums to 3: ±(3+1+1), ±(3+1-1), ±(3-1+1) are as far; ±(3-1-1) is not.
    assert randomisation_test([3, 1, -1], 10_000) == 6 / 8
    assert randomisation_test([0.1, 0, 0.2], 10_000) == 2 / 4


def test_no_difference_at_all_is_no_evidence() -> None:
    assert randomisation_test([0.0, 0.0], 1000) == 1.0
    assert randomisation_test([], 1000) == 1.0


def test_sampling_comes_near_the_exact_value_and_is_the_same_each_time() -> None:
    differences = [0.3, 0.1, -0.2, 0.4, 0.25, -0.05, 0.15, 0.1, 0.2, -0.1, 0.3, 0.05]
    exact = randomisation_test(differences, 2**12)
    sampled = randomisation_test(differences, 2**12 - 1)
    assert sampled == randomisation_test(differences, 2**12 - 1)
    assert sampled == pytest.approx(exact, abs=0.02)


def test_a_clear_difference_is_significant_and_chance_is_not() -> None:
    noise = np.random.default_rng(1).normal(size=300)
    assert randomisation_test(list(noise - noise.mean() + 0.5), 2000) == 1 / 2001
    assert randomisation_test(list(noise - noise.mean() + 0.001), 2000) > 0.5


@pytest.mark.slow
def test_the_p_value_agrees_with_scipys_permutation_test() -> None:
    from scipy.stats import permutation_test

    values = np.random.default_rng(3).normal(0.12, 1, size=200)
    theirs = permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=10_000, rng=np.random.default_rng(5)
    ).pvalue
    assert randomisation_test(list(values), 10_000) == pytest.approx(theirs, abs=0.02)


def run(values: dict[str, float], **changes: Any) -> dict[str, Any]:
    questions = [{"id": key, "query": f"text {key}", "metrics": {"ndcg@10": value}} for key, value in values.items()]
    known = {"run_id": "a" * 32, "dataset": "d", "dataset_hash": "h" * 32, "strategy": "s", "questions": questions}
    return known | {"metrics": {"overall": {"metrics": {"ndcg@10": 0.0}}}} | changes


def test_a_comparison_counts_wins_and_losses_and_lists_the_greatest_loss_first() -> None:
    found = compare(run({"a": 0.5, "b": 1.0, "c": 0.2, "d": 0.3}), run({"a": 0.7, "b": 0.0, "c": 0.2, "d": 1.0}), resamples=1000)
    (row,) = found["metrics"]
    assert (row["wins"], row["losses"], row["first"], row["second"]) == (2, 1, 0.5, pytest.approx(0.475))
    assert row["difference"] == pytest.approx(-0.025)
    assert [change["id"] for change in found["changed"]] == ["b", "a", "d"]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (run({"a": 1.0}, dataset_hash="x" * 32), "is of the dataset 'd'.*Run both on the same dataset"),
        (run({"a": 1.0, "b": 1.0}), r"different questions \(1 and 2, 1 in both\)"),
        (run({"b": 1.0}), r"different questions \(1 and 1, 0 in both\)"),
        (run({}), "has no questions"),
    ],
)
def test_runs_that_can_not_be_compared_are_refused_with_the_reason(other: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationFailed, match=message):
        compare(run({"a": 1.0}), other, resamples=1000)
