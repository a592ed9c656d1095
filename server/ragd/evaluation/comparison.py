"""Two runs over the same questions: what differs, whether it can be chance, and where."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any

from ragd.core.errors import ValidationFailed
from ragd.evaluation.significance import randomisation_test

_MAIN = ("ndcg@10", "mrr@10", "hit@5", "hit@1")
"""What questions are ordered by: the first that a run has."""


def main_metric(metrics: Mapping[str, float]) -> str:
    """The metric that stands for the quality of an answer."""
    return next(name for name in _MAIN if name in metrics)


def compare(first: Mapping[str, Any], second: Mapping[str, Any], *, resamples: int) -> dict[str, Any]:
    """How the second run differs from the first: `{questions, metrics: [...], metric, changed: [...]}`.

    For each metric that both have: both means, the difference, its p-value, and on how many questions the second is better
    (wins) or worse (losses). `questions` counts them; `changed` are those that differ in `metric`, the greatest loss first.
    Raises `ValidationFailed` for runs that can't be compared.
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
    names = [name for name in first["metrics"]["overall"]["metrics"] if name in second["metrics"]["overall"]["metrics"]]
    rows = [_metric(name, ours, theirs, resamples) for name in names]
    main = main_metric(dict.fromkeys(names, 0.0))
    changed = [
        {"id": key, "query": ours[key]["query"], "first": ours[key]["metrics"][main], "second": theirs[key]["metrics"][main]}
        for key in ours
        if ours[key]["metrics"][main] != theirs[key]["metrics"][main]
    ]
    changed.sort(key=lambda row: row["second"] - row["first"])
    return {"questions": len(ours), "metrics": rows, "metric": main, "changed": changed}


def _metric(name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any], resamples: int) -> dict[str, Any]:
    pairs = [(ours[key]["metrics"][name], theirs[key]["metrics"][name]) for key in ours]
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


def _said(run: Mapping[str, Any]) -> str:
    return f"{run['run_id'][:8]} ({run['strategy']})"
