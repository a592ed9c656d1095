"""Asks for the search of `evaluation.tuning` through the service, and writes what it found as a strategy."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
import yaml

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import plural, table
from ragd.core.query import MODES
from ragd.evaluation.tuning import METRIC, TUNABLE, Changes, Measured, Tuned, tune

if TYPE_CHECKING:
    from ragd.cli.eval.corpus import Material
    from ragd.config.settings import Settings
    from ragd.evaluation.datasets import Question

# As deep as the metric looks, for passages of one document count once.
_DEPTH = 20


def search(
    context: CliContext,
    material: Material,
    collection: str | None,
    strategy: str | None,
    questions: Sequence[Question],
    minutes: float,
) -> Tuned:
    """Search from the settings as they are, or those of a strategy. Raises as `tuning.tune` does, and the service's errors."""
    from ragd.cli.common.progress import JobProgress
    from ragd.cli.eval.corpus import evaluated_collection
    from ragd.evaluation.metrics import measure
    from ragd.evaluation.relevance import unit_of, units

    mode = strategy if strategy in MODES else None
    start: dict[str, Any] = {"retrieval.strategy": mode} if mode else {}
    named = {"strategy": strategy} if strategy and not mode else {}
    settings, search_id = context.settings(named.get("strategy")), uuid.uuid4().hex
    present = {name: _value(settings, name) for name in TUNABLE} | start
    with context.connect("session" if collection or material.as_asked else "jobs") as client:

        def post(question: Question, changes: Changes, target: str | None) -> Mapping[str, Any]:
            body: dict[str, Any] = {"query": question.text, "top_k": _DEPTH, "collection": question.collection or target} | named
            # So that nobody takes it for a question of people.
            body["evaluation"] = search_id
            body |= {"filters": dict(question.filters)} if question.filters else {}
            body |= {"history": list(question.history)} if question.history else {}
            answer: Mapping[str, Any] = client.post("/api/evaluations/query", {**body, "settings": {**start, **changes}})
            return answer

        def check(target: str | None) -> None:
            post(questions[0], {}, target)

        with evaluated_collection(client, context, material, collection, check) as target, JobProgress("Tuning") as bar:

            def ask(changes: Changes, batch: Sequence[Question]) -> Mapping[str, float]:
                answers = {question.id: post(question, changes, target)["results"] for question in batch}
                bar.show("seconds", min(int(time.monotonic() - began), seconds), seconds)
                by_document = material.dataset.by_document
                rankings = {one.id: units(one, answers[one.id], by_document=by_document) for one in batch}
                grades = {one.id: {unit_of(at): place.grade for at, place in enumerate(one.relevant)} for one in batch}
                return {key: found[METRIC] for key, found in measure(grades, rankings, (METRIC,)).items()}

            seconds, began = math.ceil(minutes * 60), time.monotonic()
            resamples = context.settings().evaluation.resamples
            return tune(questions, present, Measured(ask, time.monotonic), seconds=minutes * 60, resamples=resamples)


def print_tuned(found: Tuned) -> None:
    """What each half chose and what it gave on the other, and the verdict."""
    rows = [
        (_said(half.changes), half.questions, f"{half.before:.4f}", f"{half.after:.4f}", f"{half.after - half.before:+.4f}")
        for half in found.halves
    ]
    table(("chosen on the other half", "n", "before", "after", "gain"), rows, numeric=("n", "before", "after", "gain"))
    click.echo(
        f"\n{plural(found.tried, 'configuration')} tried. {METRIC} on questions that took no part in the choice: "
        f"{found.gain:+.4f}, 95 % interval {found.low:+.4f} to {found.high:+.4f}, p {found.p:.4f}"
    )
    if not found.complete:
        click.echo("The time was over before everything had been tried: more --minutes may find more.")
    click.echo(
        f"Recommended: {_said(found.changes)}" if found.changes else "Nothing better found: the settings stay as they are."
    )


def as_strategy(context: CliContext, found: Tuned, material: Material, strategy: str | None) -> str:
    """The recommended settings as the text of a strategy file, over those of the strategy that the search began at."""
    values: dict[str, dict[str, Any]] = {}
    for name, value in {**_overlay(context, strategy), **found.changes}.items():
        group, _, key = name.partition(".")
        values.setdefault(group, {})[key] = value
    return (
        f"# Found by rag eval tune on {plural(sum(half.questions for half in found.halves), 'question')}"
        f" ({material.dataset.hash[:8]}): {METRIC} {found.gain:+.4f}\n"
        f"# on held-out halves, 95 % interval {found.low:+.4f} to {found.high:+.4f}. To use it, put it into config/strategies/.\n"
        + yaml.safe_dump(values, sort_keys=True)
    )


def _overlay(context: CliContext, strategy: str | None) -> dict[str, Any]:
    """What a strategy says, by dotted name; nothing for None. Raises `SettingsError` for an unknown one."""
    from ragd.config.loading import read_strategy

    if strategy is None:
        return {}
    if strategy in MODES:
        return {"retrieval.strategy": strategy}
    groups = read_strategy(context.directories.config, strategy)
    return {f"{group}.{key}": value for group, values in groups.items() for key, value in (values or {}).items()}


def _value(settings: Settings, name: str) -> Any:
    group, _, key = name.partition(".")
    return getattr(getattr(settings, group), key)


def _said(changes: Changes) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(changes.items())) or "no change"
