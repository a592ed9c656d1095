"""A run for pages: its figures with intervals, its questions page by page, and two runs question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, Final, Literal

from ragd.core.errors import ValidationFailed
from ragd.evaluation.comparison import compare, main_metric
from ragd.evaluation.intervals import interval

Run = Mapping[str, Any]
Order = Literal["worst", "best", "asked"]
Only = Literal["changed", "won", "lost", "all"]

# A page should not wait: with a thousand questions the interval is of a thousand resamples, with a hundred of ten thousand.
_MOST_DRAWN: Final = 1_000_000
_LEAST_RESAMPLES: Final = 1000
_KEPT: Final = ("id", "query", "groups", "relevant", "found", "results", "latency_ms", "trace_id", "metrics")


def figures(run: Run, resamples: int) -> dict[str, Any]:
    """Every metric over all questions with its 95 % interval, and the main one by group: `{main, metrics, groups}`."""
    questions = run["questions"]
    names = list(run["metrics"]["overall"]["metrics"])
    main = main_metric(dict.fromkeys(names, 0.0))
    groups = [
        {"kind": kind, "group": group, "questions": len(members), **figure}
        for kind, of_kind in run["metrics"]["groups"].items()
        for group in of_kind
        if (members := [one for one in questions if one["groups"].get(kind) == group])
        if (figure := _figure(members, main, resamples))
    ]
    found = [figure for name in names if (figure := _figure(questions, name, resamples))]
    return {"main": main, "metrics": found, "groups": groups}


def _figure(questions: Sequence[Mapping[str, Any]], name: str, resamples: int) -> dict[str, Any] | None:
    """None where no question has the metric."""
    values = [one["metrics"][name] for one in questions if name in one["metrics"]]
    if not values:
        return None
    low, high = interval(values, few_enough(len(values), resamples))
    return {"metric": name, "counted": len(values), "mean": fsum(values) / len(values), "low": low, "high": high}


def few_enough(count: int, resamples: int) -> int:
    """As many resamples as are drawn in a moment for so many questions."""
    return min(resamples, max(_LEAST_RESAMPLES, _MOST_DRAWN // max(1, count)))


def questions_of(run: Run, metric: str | None, order: Order, text: str) -> list[dict[str, Any]]:
    """The questions whose text or id holds `text`, without their artifacts, in the order of a metric (None: the main one).

    Those that do not have the metric come last. Raises `ValidationFailed` for one that the run does not have.
    """
    name = _known(metric, run)
    wanted = [one for one in run["questions"] if text.casefold() in f"{one['id']}\n{one['query']}".casefold()]
    if order != "asked":
        sign = 1 if order == "worst" else -1
        wanted.sort(key=lambda one: (name not in one["metrics"], sign * one["metrics"].get(name, 0.0)))
    return [{key: one[key] for key in _KEPT} for one in wanted]


def compared(
    first: Run, second: Run, resamples: int, metric: str | None, only: Only
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Two runs of the same questions compared by each metric, and their questions by one of them, the greatest loss first.

    Raises `ValidationFailed` for runs that can't be compared, and for a metric that not both have.
    """
    found = compare(first, second, resamples=few_enough(len(first["questions"]), resamples))
    names = [row["metric"] for row in found["metrics"]]
    name = metric or found["metric"]
    if name not in names:
        raise ValidationFailed.of_field("metric", "unknown", f"Not both runs have '{name}'. They have {', '.join(names)}.")
    theirs = {one["id"]: one for one in second["questions"]}
    rows = [
        {
            "id": one["id"],
            "query": one["query"],
            "first": one["metrics"][name],
            "second": other["metrics"][name],
            "difference": other["metrics"][name] - one["metrics"][name],
            "first_trace": one["trace_id"],
            "second_trace": other["trace_id"],
        }
        for one in first["questions"]
        if name in one["metrics"] and name in (other := theirs[one["id"]])["metrics"]
    ]
    kept = [row for row in rows if _is_wanted(row["difference"], only)]
    kept.sort(key=lambda row: row["difference"])
    return {"questions": found["questions"], "metric": name, "metrics": found["metrics"]}, kept


def _is_wanted(difference: float, only: Only) -> bool:
    match only:
        case "won":
            return difference > 0
        case "lost":
            return difference < 0
        case "changed":
            return difference != 0
    return True


def _known(metric: str | None, run: Run) -> str:
    names = run["metrics"]["overall"]["metrics"]
    if metric is not None and metric not in names:
        raise ValidationFailed.of_field("metric", "unknown", f"The run has no metric '{metric}'. It has {', '.join(names)}.")
    return metric or main_metric(names)
