"""The search for better settings: it finds what is better, refuses chance, and keeps to its time."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from ragd.config.loading import setting_names
from ragd.core.errors import ValidationFailed
from ragd.evaluation.datasets import Question, Relevant
from ragd.evaluation.tuning import TUNABLE, Measured, candidates, halves, tune

PRESENT = {name: setting_names()[name] for name in TUNABLE}
QUESTIONS = [Question(f"q{index}", "?", (Relevant(f"d{index // 2}"),)) for index in range(80)]


class Clock:
    """A second for every question that is asked."""

    def __init__(self) -> None:
        self.now, self.asked = 0.0, list[tuple[tuple[tuple[str, Any], ...], str]]()

    def measured(self, value: Callable[[Mapping[str, Any], Question], float]) -> Measured:
        def ask(changes: Mapping[str, Any], questions: Sequence[Question]) -> dict[str, float]:
            self.now += len(questions)
            self.asked += [(tuple(sorted(changes.items())), question.id) for question in questions]
            return {question.id: value(changes, question) for question in questions}

        return Measured(ask, lambda: self.now)


def noise(changes: Mapping[str, Any], question: Question) -> float:
    return random.Random(f"{sorted(changes.items())} {question.id}").random()


def better_with_two(changes: Mapping[str, Any], question: Question) -> float:
    gain = 0.15 * (changes.get("retrieval.fusion") == "rrf") + 0.15 * (changes.get("retrieval.rrf_k") == 10)
    return 0.3 + gain + 0.2 * noise(changes, question)


def test_a_change_is_found_with_another_that_counts_only_on_top_of_it() -> None:
    found = tune(QUESTIONS, PRESENT, Clock().measured(better_with_two), seconds=1e6, resamples=1000)
    assert found.changes.items() >= {"retrieval.fusion": "rrf", "retrieval.rrf_k": 10}.items()
    assert found.complete
    assert 0.2 < found.low < found.gain < found.high < 0.4
    assert found.p < 0.01
    assert [half.questions for half in found.halves] == [40, 40]


def test_noise_is_not_recommended_though_each_half_has_a_best() -> None:
    found = tune(QUESTIONS, PRESENT, Clock().measured(noise), seconds=1e6, resamples=1000)
    assert all(half.changes for half in found.halves)
    assert not found.changes


def test_what_helps_only_the_half_that_chose_it_is_not_recommended() -> None:
    first = {question.id for question in halves(QUESTIONS)[0]}

    def one_sided(changes: Mapping[str, Any], question: Question) -> float:
        return 0.5 + (0.4 if question.id in first else -0.01) * (changes.get("retrieval.fusion") == "rrf")

    found = tune(QUESTIONS, PRESENT, Clock().measured(one_sided), seconds=1e6, resamples=1000)
    assert found.halves[0].changes["retrieval.fusion"] == "rrf"
    assert found.halves[0].after < found.halves[0].before
    assert not found.changes


def test_nothing_is_asked_twice_and_nothing_after_the_time() -> None:
    clock = Clock()
    found = tune(QUESTIONS, PRESENT, clock.measured(better_with_two), seconds=1000, resamples=1000)
    assert not found.complete
    assert clock.now <= 1000
    assert len(clock.asked) == len(set(clock.asked))
    with pytest.raises(ValidationFailed, match="--minutes"):
        tune(QUESTIONS, PRESENT, Clock().measured(noise), seconds=50, resamples=1000)


def test_the_halves_share_no_document_and_need_enough_questions() -> None:
    parts = halves([*QUESTIONS, Question("none", "?", (), answerable=False)])
    sources = [{question.relevant[0].source for question in part} for part in parts]
    assert not sources[0] & sources[1]
    assert sum(map(len, parts)) == len(QUESTIONS)
    with pytest.raises(ValidationFailed, match="Too few questions"):
        halves(QUESTIONS[:18])
    with pytest.raises(ValidationFailed, match="80 and 0"):
        halves([Question(question.id, "?", (Relevant("one"),)) for question in QUESTIONS])


def test_only_what_makes_a_difference_is_tried() -> None:
    names = {name for change in candidates(PRESENT) for name in change}
    assert names <= setting_names().keys()
    assert not names & {"retrieval.rrf_k", "retrieval.dense_weight", "retrieval.min_score"}
    assert {"retrieval.min_score": 0.0} in candidates({**PRESENT, "retrieval.min_score": 0.9})
    assert {"retrieval.rrf_k": 10} in candidates({**PRESENT, "retrieval.fusion": "rrf"})


def test_only_what_may_be_changed_is_tried() -> None:
    clock = Clock()
    measured = clock.measured(better_with_two)
    found = tune(QUESTIONS, PRESENT, measured, seconds=1e6, resamples=1000, names=("rerank.top_n",))
    assert {name for changes, _ in clock.asked for name, _ in changes} == {"rerank.top_n"}
    assert not found.changes
    measured = Clock().measured(better_with_two)
    found = tune(QUESTIONS, PRESENT, measured, seconds=1e6, resamples=1000, names=("retrieval.fusion",))
    assert set(found.changes) == {"retrieval.fusion"}
