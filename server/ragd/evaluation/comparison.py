"""Two runs over the same questions: what differs, whether it can be chance, and where.

By the paired randomisation test (Smucker, Allan and Carterette, CIKM 2007): were two configurations alike, each
question could as well have given the two values the other way round, so the signs of the differences are flipped at random; p is
the share of outcomes whose mean is at least as far from 0 as the one seen (two-sided). That one counts, too, so that p is never 0
(Phipson and Smyth 2010).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from ragd.core.errors import ValidationFailed

_MAIN = ("ndcg@10", "mrr@10", "hit@5", "hit@1", "refusal")
"""What questions are ordered by: the first that a run has."""
_SEED = 2007
# Signs drawn at a time: what bounds the memory, whatever the number of questions.
_DRAWN = 4_000_000
# Sums of the same values in another order differ in their last digits.
_TOLERANCE = 1e-9


def main_metric(metrics: Mapping[str, float]) -> str:
    """The metric that stands for the quality of an answer; of a run handed in by others, with none of ours, its first, or ""."""
    names = [*(name for name in _MAIN if name in metrics), *metrics, ""]
    return names[0]


def compare(first: Mapping[str, Any], second: Mapping[str, Any], *, resamples: int) -> dict[str, Any]:
    """How the second run differs from the first: `{questions, metrics: [...], metric, changed: [...]}`.

    For each metric that both have: both means, the difference, its p-value, wins and losses of the second. `changed` are
    questions
    that differ in `metric`, the greatest loss first. Raises `ValidationFailed` for runs that can't be compared.
    """
    for run in (first, second):
        if not run["questions"]:
            raise ValidationFailed(f"The run {run['run_id']} has no questions.")
    if first["dataset_hash"] != second["dataset_hash"]:
        raise ValidationFailed(
            f"The runs can't be compared: {_said(first)} is of the dataset '{first['dataset']}' ({first['dataset_hash'][:8]}), "
            f"{_said(second)} of '{second['dataset']}' ({second['dataset_hash'][:8]}). Run both on the same dataset."
        )
    ours = {question["id"]: question for question in first["questions"]}
    theirs = {question["id"]: question for question in second["questions"]}
    if ours.keys() != theirs.keys():
        raise ValidationFailed(
            f"The runs can't be compared: they asked different questions ({len(ours)} and {len(theirs)}, "
            f"{len(ours.keys() & theirs.keys())} in both). Run both with the same --limit."
        )
    shared = [name for name in first["metrics"]["overall"]["metrics"] if name in second["metrics"]["overall"]["metrics"]]
    names = [name for name in shared if _having(name, ours, theirs)]
    rows = [_metric(name, ours, theirs, resamples) for name in names]
    main = main_metric(dict.fromkeys(names, 0.0))
    changed = [
        {"id": key, "query": ours[key]["query"], "first": ours[key]["metrics"][main], "second": theirs[key]["metrics"][main]}
        for key in _having(main, ours, theirs)
        if ours[key]["metrics"][main] != theirs[key]["metrics"][main]
    ]
    changed.sort(key=lambda row: row["second"] - row["first"])
    return {"questions": len(ours), "metrics": rows, "metric": main, "changed": changed}


def _metric(name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any], resamples: int) -> dict[str, Any]:
    pairs = [(ours[key]["metrics"][name], theirs[key]["metrics"][name]) for key in _having(name, ours, theirs)]
    differences = [after - before for before, after in pairs]
    return {
        "metric": name,
        "first": fsum(before for before, _ in pairs) / len(pairs),
        "second": fsum(after for _, after in pairs) / len(pairs),
        "difference": fsum(differences) / len(pairs),
        "p": randomisation_test(differences, resamples),
        "wins": sum(difference > 0 for difference in differences),
        "losses": sum(difference < 0 for difference in differences),
    }


def _having(name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """The questions that have a metric in both runs: some are of answers that not every run has given."""
    return [key for key in ours if name in ours[key]["metrics"] and name in theirs[key]["metrics"]]


def _said(run: Mapping[str, Any]) -> str:
    return f"{run['run_id'][:8]} ({run['strategy']})"


def randomisation_test(differences: Sequence[float], resamples: int) -> float:
    """The p-value (0..1] of paired differences, one a question. Two calls give the same value.

    Questions without a difference can't change the mean and are left aside. When all outcomes for the others are no more than
    `resamples`, each is looked at once and p is exact.
    """
    values = np.array([value for value in differences if value != 0], dtype=np.float64)
    if not len(values):
        return 1.0
    seen = abs(values.sum()) - _TOLERANCE
    if len(values) < 63 and 2 ** len(values) <= resamples:
        outcomes = np.arange(2 ** len(values))
        signs = ((outcomes[:, None] >> np.arange(len(values))) & 1) * 2 - 1
        return float(np.mean(np.abs(signs @ values) >= seen))
    extreme = sum(int((np.abs(signs @ values) >= seen).sum()) for signs in _signs(len(values), resamples))
    return (extreme + 1) / (resamples + 1)


def _signs(count: int, resamples: int) -> Iterator[np.ndarray]:
    generator = np.random.default_rng(_SEED)
    rows = max(1, _DRAWN // count)
    for start in range(0, resamples, rows):
        drawn = generator.integers(0, 2, size=(min(rows, resamples - start), count), dtype=np.int8)
        yield drawn * np.int8(2) - np.int8(1)
