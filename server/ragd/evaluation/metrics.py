"""Measures of a ranking, by trec_eval's own code through `ir_measures`, and their means over groups of questions.

`hit@K` is 1 when a relevant unit is among the first K, else 0; `recall@K` the share of the relevant units that are; `precision@K`
the share of the first K that are relevant; `mrr@10` one over the rank of the first relevant unit, 0 beyond 10; `ndcg@10` after
Järvelin and Kekäläinen 2002 with linear gain and a discount of log2(rank + 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ragd.core.errors import ServiceUnavailable

# Our names, in the order of reports -> those of ir_measures.
METRICS = {
    "hit@1": "Success@1",
    "hit@5": "Success@5",
    "hit@10": "Success@10",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@20": "R@20",
    "precision@5": "P@5",
    "precision@10": "P@10",
    "mrr@10": "RR@10",
    "ndcg@10": "nDCG@10",
}


def metrics_within(top_k: int) -> tuple[str, ...]:
    """The metrics that an answer of `top_k` passages can be measured by: a deeper one would only look lower than it is."""
    return tuple(name for name in METRICS if int(name.partition("@")[2]) <= top_k)


def require_library() -> None:
    """Raises `ServiceUnavailable`, which says what to install, when the extra `eval` is not installed."""
    try:
        import ir_measures  # noqa: F401
    except ImportError as error:
        raise ServiceUnavailable(
            "The metrics need the package ir-measures, which is not installed. Run: rag extras add eval"
        ) from error


def measure(
    grades: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Sequence[str]], names: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Question -> metric -> value in 0..1.

    `grades`: question -> relevant unit -> grade (from 1). `rankings`: question -> units, best first, each once; an empty
    ranking is worth 0. Raises `ServiceUnavailable` when the extra `eval` is not installed.
    """
    require_library()
    import ir_measures

    # trec_eval orders by score and knows no ranks: scores that fall by one keep our order, without ties.
    run = {key: {unit: float(len(units) - index) for index, unit in enumerate(units)} for key, units in rankings.items()}
    wanted = {METRICS[name]: name for name in names}
    values = {key: dict.fromkeys(names, 0.0) for key in rankings}
    asked = {key: dict(grades[key]) for key in rankings}
    for found in ir_measures.iter_calc([ir_measures.parse_measure(theirs) for theirs in wanted], asked, run):
        # A sum of fractions can come out a hair above 1.
        values[found.query_id][wanted[str(found.measure)]] = min(1.0, float(found.value))
    return values


def summary(questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means of the metrics, each over the questions that have it, times and counts over the records of `runner.evaluate`:
    `{questions, empty, metrics, latency_ms}`.
    """
    names = list(dict.fromkeys(name for question in questions for name in question["metrics"]))
    times = sorted(question["latency_ms"] for question in questions)
    return {
        "questions": len(questions),
        "empty": sum(question["results"] == 0 for question in questions),
        "metrics": {name: _mean([one["metrics"][name] for one in questions if name in one["metrics"]]) for name in names},
        "latency_ms": {"p50": percentile(times, 50), "p95": percentile(times, 95)},
    }


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def summaries(questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`{overall, groups}`: the summary of all questions, and those of each group of each kind that divides them."""
    groups: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for question in questions:
        for kind, group in question["groups"].items():
            groups.setdefault(kind, {}).setdefault(group, []).append(question)
    divided = {kind: members for kind, members in groups.items() if len(members) > 1}
    return {
        "overall": summary(questions),
        "groups": {kind: {group: summary(members[group]) for group in sorted(members)} for kind, members in divided.items()},
    }


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The value that `percent` of the ordered values do not exceed (nearest rank)."""
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
