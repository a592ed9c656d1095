"""Whether figures have drifted: of a run against an earlier one, and of what people ask against the questions of a run.

Runs are paired by question: the interval of a mean difference is a percentile bootstrap over the questions' differences
(`intervals`). What people ask has no pairs: shares are compared by a bootstrap of each side, confidences by the largest
distance of the two distribution functions (two-sample Kolmogorov-Smirnov statistic) with its 5 % bound by the asymptotic
formula 1.358 sqrt((n + m) / nm), and languages by half of the sum of the differences of their shares (total variation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np

from ragd.core.errors import ValidationFailed
from ragd.evaluation.comparison import compare
from ragd.evaluation.intervals import LEVEL, interval

# Metrics of which less is better.
_LESS: Final = frozenset({"near_duplicates"})
_KS_AT_5_PERCENT: Final = 1.358
_SEED: Final = 1979
LIVE_MEASURES: Final = ("unanswered", "unanswered_rise", "confidence_distance", "language_distance")
LEAST_LIVE: Final = 20
"""Fewer questions of people say nothing of a distribution."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that went through the pipeline: how sure it was of its passages (0..1), whether that was enough, and the
    question's language, None where it is not plain.
    """

    confidence: float
    found: bool
    language: str | None


def between_runs(first: Mapping[str, Any], second: Mapping[str, Any], *, resamples: int, max_drop: float) -> dict[str, Any]:
    """As `comparison.compare`, with the `low` and `high` end of each difference's interval, and `dropped` where the second is
    worse by more than `max_drop` and the whole interval is on that side of 0. Raises as it does.
    """
    compared = compare(first, second, resamples=resamples)
    ours, theirs = ({one["id"]: one["metrics"] for one in run["questions"]} for run in (first, second))
    rows = []
    for row in compared["metrics"]:
        name = row["metric"]
        differences = [theirs[key][name] - ours[key][name] for key in ours if name in ours[key] and name in theirs[key]]
        low, high = interval(differences, resamples)
        worse, surely = (row["difference"], low > 0) if name in _LESS else (-row["difference"], high < 0)
        rows.append({**row, "low": low, "high": high, "dropped": worse > max_drop and surely})
    return {**compared, "metrics": rows}


def of_live(asked: Sequence[Asked], reference: Sequence[Asked], *, resamples: int) -> dict[str, Any]:
    """What people ask beside the questions of a run: `{live, run, unanswered_rise: {value, low, high}, confidence_distance,
    confidence_bound, language_distance}`; `live` and `run` are `{questions, unanswered, confidence: {p10, p50, p90}, languages}`.

    Raises `ValidationFailed` for too few.
    """
    for name, questions in (("people", asked), ("the run", reference)):
        if len(questions) < LEAST_LIVE:
            raise ValidationFailed(f"Traces of {name} have {len(questions)} questions; at least {LEAST_LIVE} are needed.")
    live, run = _described(asked), _described(reference)
    low, high = _rise(asked, reference, resamples)
    languages = live["languages"].keys() | run["languages"].keys()
    distance = sum(abs(live["languages"].get(name, 0) - run["languages"].get(name, 0)) for name in languages) / 2
    ours, theirs = (np.sort([one.confidence for one in side]) for side in (asked, reference))
    every = np.concatenate([ours, theirs])
    steps = [np.searchsorted(side, every, side="right") / len(side) for side in (ours, theirs)]
    return {
        "live": live,
        "run": run,
        "unanswered_rise": {"value": live["unanswered"] - run["unanswered"], "low": low, "high": high},
        "confidence_distance": float(np.abs(steps[0] - steps[1]).max()),
        "confidence_bound": _KS_AT_5_PERCENT * sqrt((len(ours) + len(theirs)) / (len(ours) * len(theirs))),
        "language_distance": distance,
    }


def live_values(found: Mapping[str, Any]) -> dict[str, float]:
    """The figures of `of_live` that a gate can be about, by `LIVE_MEASURES`."""
    values = (found["live"]["unanswered"], found["unanswered_rise"]["value"], found["confidence_distance"])
    return dict(zip(LIVE_MEASURES, (*values, found["language_distance"]), strict=True))


def asked_of(trace: Mapping[str, Any], min_confidence: float) -> Asked | None:
    """What a trace says of its question; None for one that did not come to an answer."""
    payloads = {event["kind"]: event["payload"] for event in trace["events"]}
    envelope, plan = payloads.get("response.envelope"), payloads.get("query.normalized")
    if envelope is None or plan is None or "confidence" not in envelope:
        return None
    confidence = float(envelope["confidence"])
    found = confidence >= min_confidence and envelope["results"] > 0
    return Asked(confidence, found, plan.get("language"))


def _described(asked: Sequence[Asked]) -> dict[str, Any]:
    confidences = [one.confidence for one in asked]
    tenth, middle, ninth = np.quantile(confidences, [0.1, 0.5, 0.9])
    counted = Counter(one.language or "other" for one in asked)
    return {
        "questions": len(asked),
        "unanswered": sum(not one.found for one in asked) / len(asked),
        "confidence": {"p10": float(tenth), "p50": float(middle), "p90": float(ninth)},
        "languages": {name: count / len(asked) for name, count in sorted(counted.items())},
    }


def _rise(asked: Sequence[Asked], reference: Sequence[Asked], resamples: int) -> tuple[float, float]:
    generator = np.random.default_rng(_SEED)
    # The number of a resample's misses is binomial with the share that was seen.
    shares = [
        generator.binomial(len(side), sum(not one.found for one in side) / len(side), size=resamples) / len(side)
        for side in (asked, reference)
    ]
    low, high = np.quantile(shares[0] - shares[1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
