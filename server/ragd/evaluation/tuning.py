"""A search for better settings of the ranking, and whether what it finds is more than chance.

The questions are divided into two halves, all questions about one document into one. In each half, settings are searched
greedily: every change to the settings as they are by successive halving (Jamieson and Talwalkar, AISTATS 2016: all on a share of
the questions, the best third of them on twice as many), then every change on top of the best. What a half has chosen is measured
on the other, which took no part in the choice. The differences there, of both halves together, are the gain that can be expected
of the search on questions that it has not seen. It counts where it is one in both halves, and the whole bootstrap interval of the
mean difference is above 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final

from ragd.core.errors import ValidationFailed
from ragd.core.ids import hash32
from ragd.evaluation.comparison import randomisation_test
from ragd.evaluation.datasets import Question
from ragd.evaluation.intervals import interval

METRIC: Final = "ndcg@10"
TUNABLE: Final[Mapping[str, tuple[Any, ...]]] = {
    "retrieval.strategy": ("hybrid", "dense_only", "sparse_only"),
    "retrieval.fusion": ("learned", "adaptive", "rrf", "weighted_sum"),
    "retrieval.dense_weight": (0.3, 0.5, 0.7),
    "retrieval.rrf_k": (10, 60),
    "retrieval.dense_top_k": (50, 100, 200),
    "retrieval.sparse_top_k": (50, 100, 200),
    "retrieval.min_score": (0.0,),
    "retrieval.mmr_lambda": (0.7, 1.0),
    "rerank.provider": ("auto", "none"),
    "rerank.top_n": (10, 30, 60),
}
"""What is searched. `retrieval.top_k` is not: more passages never lower a ranking's figures, and cost the answer its tokens."""
# Settings that do nothing unless another has this value.
_ONLY_WITH: Final = {
    "retrieval.dense_weight": ("retrieval.fusion", "weighted_sum"),
    "retrieval.rrf_k": ("retrieval.fusion", "rrf"),
}
LEAST_QUESTIONS: Final = 20
"""Fewer say nothing: with ten a half, a single question is a tenth of the mean."""
# Questions of a half that the first round of halving asks, as a share, and at least.
_FIRST_SHARE: Final = 4
_FIRST_LEAST: Final = 10
# Changes on top of each other.
_DEEPEST: Final = 3
# A mean that nothing betters, but for the digits that a sum loses.
_PERFECT: Final = 1 - 1e-9
# Questions between two looks at the clock.
_BATCH: Final = 5
# Of the time after the present settings are measured: what the first search may take, and of the rest, the second.
_FIRST_SEARCH: Final = 0.4
_SECOND_SEARCH: Final = 0.7

Changes = Mapping[str, Any]
Ask = Callable[[Changes, Sequence[Question]], Mapping[str, float]]
"""Asks questions under changed settings: question -> `METRIC`."""


class OutOfTime(Exception):
    """The budget is over; what has been measured stays."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What one half of the questions chose, and the means on the other, before and after."""

    changes: Changes
    questions: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a search found. `changes` are recommended, and empty where nothing better was found; `complete` says whether the
    time sufficed. `gain` is the mean held-out difference with its 95 % interval, `p` by the paired randomisation test.
    """

    changes: Changes
    halves: tuple[HeldOut, HeldOut]
    gain: float
    low: float
    high: float
    p: float
    complete: bool
    tried: int


@dataclass
class Measured:
    """What is known of each configuration, so that no question is asked twice under the same settings."""

    ask: Ask
    clock: Callable[[], float]
    _known: dict[tuple[tuple[str, Any], ...], dict[str, float]] = field(default_factory=dict)

    def values(self, changes: Changes, questions: Sequence[Question], until: float = math.inf) -> list[float]:
        """One value a question. Raises `OutOfTime` where some are still to be asked at `until`, by the clock."""
        known = self._known.setdefault(tuple(sorted(changes.items())), {})
        missing = [question for question in questions if question.id not in known]
        for start in range(0, len(missing), _BATCH):
            if self.clock() >= until:
                raise OutOfTime
            known.update(self.ask(changes, missing[start : start + _BATCH]))
        return [known[question.id] for question in questions]

    @property
    def tried(self) -> int:
        return sum(bool(values) for values in self._known.values())


def halves(questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """The questions in two halves, by the document that answers; what is unanswerable is in none.

    Raises `ValidationFailed` for too few, or where one document answers nearly all.
    """
    parts: tuple[list[Question], list[Question]] = ([], [])
    by_source: dict[str, list[Question]] = {}
    for question in questions:
        if question.answerable and question.relevant:
            by_source.setdefault(question.relevant[0].source, []).append(question)
    # The largest first, each to the smaller half; equal ones in an order that no name decides.
    for source in sorted(by_source, key=lambda source: (-len(by_source[source]), hash32(source))):
        parts[len(parts[0]) > len(parts[1])].extend(by_source[source])
    if min(map(len, parts)) < LEAST_QUESTIONS // 2:
        raise ValidationFailed(
            f"Too few questions to tune with: {len(parts[0])} and {len(parts[1])} in the two halves, which share no document. "
            f"At least {LEAST_QUESTIONS // 2} are needed in each."
        )
    for part in parts:
        part.sort(key=lambda question: hash32(question.id))
    return parts


def candidates(present: Changes, names: Collection[str] = tuple(TUNABLE)) -> Iterator[dict[str, Any]]:
    """Each single change to `names`, dotted, that can make a difference: all of `TUNABLE` are in `present`."""
    for name, values in TUNABLE.items():
        if name not in names or (name in _ONLY_WITH and present[_ONLY_WITH[name][0]] != _ONLY_WITH[name][1]):
            continue
        for value in values:
            if value != present[name]:
                yield {name: value}


def tune(
    questions: Sequence[Question],
    present: Changes,
    measured: Measured,
    *,
    seconds: float,
    resamples: int,
    names: Collection[str] = tuple(TUNABLE),
) -> Tuned:
    """Search in both halves, and measure on the other what each has chosen. `present` holds the value of every tunable setting,
    of which `names` may be changed.

    The searches end in time for what they chose to be measured within `seconds`. Raises `ValidationFailed` for questions that
    can't be divided, or not be asked once in this time, and what asking raises.
    """
    parts = halves(questions)
    whole = [*parts[0], *parts[1]]
    end = measured.clock() + seconds
    try:
        measured.values({}, whole, end)
    except OutOfTime:
        raise ValidationFailed(
            f"The time was over before {len(whole)} questions had been asked once with the settings as they are. "
            "Give more --minutes, or take fewer with --limit."
        ) from None
    results: list[HeldOut] = []
    differences: list[list[float]] = []
    complete = True
    for (train, held_out), share in ((parts, _FIRST_SEARCH), (parts[::-1], _SECOND_SEARCH)):
        now = measured.clock()
        changes, finished = _search(train, present, names, measured, now + share * (end - now))
        complete &= finished
        before, after = measured.values({}, held_out), measured.values(changes, held_out)
        differences.append([new - old for old, new in zip(before, after, strict=True)])
        results.append(HeldOut(changes, len(held_out), fmean(before), fmean(after)))
    together = [*differences[0], *differences[1]]
    low, high = interval(together, resamples)
    # Noise that one half took for a gain seldom is one in the other: each must gain where it was not chosen.
    better = low > 0 and all(fmean(part) > 0 for part in differences)
    best = max((half.changes for half in results), key=lambda changes: fmean(measured.values(changes, whole)))
    return Tuned(
        best if better else {},
        (results[0], results[1]),
        fmean(together),
        low,
        high,
        randomisation_test(together, resamples),
        complete,
        measured.tried,
    )


def _search(
    questions: Sequence[Question], present: Changes, names: Collection[str], measured: Measured, until: float
) -> tuple[dict[str, Any], bool]:
    """The best changes for these questions, none where none is better, and whether the time sufficed."""
    best: dict[str, Any] = {}
    try:
        for _ in range(_DEEPEST):
            if fmean(measured.values(best, questions, until)) >= _PERFECT:
                break
            tried = [best | change for change in candidates({**present, **best}, names) if best.keys().isdisjoint(change)]
            if not tried:
                break
            winner = _halve(tried, questions, measured, until)
            if fmean(measured.values(winner, questions)) <= fmean(measured.values(best, questions)):
                break
            best = winner
    except OutOfTime:
        return best, False
    return best, True


def _halve(tried: list[dict[str, Any]], questions: Sequence[Question], measured: Measured, until: float) -> dict[str, Any]:
    """Of changes, the best on all questions among those that stayed in the best third on fewer."""
    count = max(_FIRST_LEAST, math.ceil(len(questions) / _FIRST_SHARE))
    while True:
        asked = questions[:count]
        means = [fmean(measured.values(changes, asked, until)) for changes in tried]
        order = sorted(range(len(tried)), key=lambda at: (-means[at], at))
        if len(asked) == len(questions):
            return tried[order[0]]
        tried = [tried[at] for at in order[: math.ceil(len(tried) / 3)]]
        count *= 2
