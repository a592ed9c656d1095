"""The search of `evaluation.tuning` over a dataset, and what it recommends as the text of a strategy's file."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from ragd.config.loading import read_strategy
from ragd.config.settings import Settings
from ragd.core.query import MODES
from ragd.evaluation.datasets import Dataset, Question
from ragd.evaluation.metrics import measure
from ragd.evaluation.relevance import unit_of, units
from ragd.evaluation.runs.asking import Asker, Terms
from ragd.evaluation.tuning import METRIC, TUNABLE, Changes, Measured, Tuned, tune


@dataclass(frozen=True, slots=True)
class Start:
    """Where a search begins: the settings as they are (None), a mode, or a strategy's file."""

    strategy: str | None

    @property
    def mode(self) -> Mapping[str, Any]:
        """The mode as a change to the settings; empty without one."""
        return {"retrieval.strategy": self.strategy} if self.strategy in MODES else {}

    @property
    def overlay(self) -> str | None:
        """The name of the strategy's file."""
        return None if self.mode else self.strategy

    def present(self, settings: Settings) -> dict[str, Any]:
        """The value of every tunable setting; `settings` are those under the overlay."""
        return {name: _value(settings, name) for name in TUNABLE} | dict(self.mode)

    def terms(self, search_id: str, collection: str | None, top_k: int) -> Terms:
        """What the questions of the search have in common."""
        return Terms(search_id, top_k, strategy=self.overlay, collection=collection, changes=self.mode)


def search(
    asker: Asker,
    dataset: Dataset,
    questions: Sequence[Question],
    terms: Terms,
    present: Changes,
    *,
    seconds: float,
    resamples: int,
    progress: Callable[[int], None],
    names: Collection[str] = tuple(TUNABLE),
) -> Tuned:
    """Search over `names`, and tell `progress` how many seconds have passed, each time that some questions were asked.

    `terms` have the changes that the search begins at. Raises as `tuning.tune` does, and what asking and `progress` raise.
    """
    start = terms.changes or {}
    began = time.monotonic()

    def ask(changes: Changes, batch: Sequence[Question]) -> Mapping[str, float]:
        under = replace(terms, changes={**start, **changes})
        answers: dict[str, Any] = {}
        for question in batch:
            answers[question.id] = asker.ask(question, under)["results"]
            progress(int(time.monotonic() - began))
        rankings = {one.id: units(one, answers[one.id], by_document=dataset.by_document) for one in batch}
        grades = {one.id: {unit_of(at): place.grade for at, place in enumerate(one.relevant)} for one in batch}
        return {key: found[METRIC] for key, found in measure(grades, rankings, (METRIC,)).items()}

    return tune(questions, present, Measured(ask, time.monotonic), seconds=seconds, resamples=resamples, names=names)


def as_strategy(found: Tuned, dataset_hash: str, config_folder: Path, start: Start) -> str:
    """What is recommended as the text of a strategy's file, over the strategy that the search began at.

    Raises `SettingsError` where that is gone by now.
    """
    values: dict[str, dict[str, Any]] = {}
    for name, value in {**_overlay(config_folder, start), **found.changes}.items():
        group, _, key = name.partition(".")
        values.setdefault(group, {})[key] = value
    asked = sum(half.questions for half in found.halves)
    return (
        f"# Found by rag eval tune on {asked} questions ({dataset_hash[:8]}): {METRIC} {found.gain:+.4f}\n"
        f"# on held-out halves, 95 % interval {found.low:+.4f} to {found.high:+.4f}. To use it, put it into config/strategies/.\n"
        + yaml.safe_dump(values, sort_keys=True)
    )


def _overlay(config_folder: Path, start: Start) -> dict[str, Any]:
    """What a strategy says, by dotted name."""
    if start.overlay is None:
        return dict(start.mode)
    groups = read_strategy(config_folder, start.overlay)
    return {f"{group}.{key}": value for group, values in groups.items() for key, value in (values or {}).items()}


def _value(settings: Settings, name: str) -> Any:
    group, _, key = name.partition(".")
    return getattr(getattr(settings, group), key)
