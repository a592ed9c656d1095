"""Has the search of `evaluation.tuning` ask the service, and prints what it found."""

from __future__ import annotations

import math
import uuid
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import click

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import plural, table
from ragd.evaluation.tuning import METRIC, Changes, Tuned

if TYPE_CHECKING:
    from ragd.cli.eval.corpus import Material
    from ragd.evaluation.datasets import Question
    from ragd.evaluation.runs.searching import Start


def tuned(
    context: CliContext,
    material: Material,
    collection: str | None,
    start: Start,
    questions: Sequence[Question],
    minutes: float,
    names: Collection[str],
) -> Tuned:
    """Search from `start` over `names`. Raises as `tuning.tune` does, and the service's errors."""
    from ragd.cli.common.progress import JobProgress
    from ragd.cli.eval.asking import ClientAsker
    from ragd.cli.eval.corpus import evaluated_collection
    from ragd.evaluation.runs.asking import DEPTH
    from ragd.evaluation.runs.searching import search

    present = start.present(context.settings(start.overlay))
    search_id, seconds = uuid.uuid4().hex, math.ceil(minutes * 60)
    with context.connect("session" if collection or material.as_asked else "jobs") as client:
        asker = ClientAsker(client)

        def check(target: str | None) -> None:
            asker.ask(questions[0], start.terms(search_id, target, DEPTH))

        with evaluated_collection(client, context, material, collection, check) as target, JobProgress("Tuning") as bar:
            return search(
                asker,
                material.dataset,
                questions,
                start.terms(search_id, target, DEPTH),
                present,
                seconds=minutes * 60,
                resamples=context.settings().evaluation.resamples,
                progress=lambda passed: bar.show("seconds", min(passed, seconds), seconds),
                names=names,
            )


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


def _said(changes: Changes) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(changes.items())) or "no change"
