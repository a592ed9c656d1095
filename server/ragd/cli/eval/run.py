"""Asks a dataset's questions through the client, and hands the finished runs to the service to keep."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragd.cli.common.context import CliContext

if TYPE_CHECKING:
    from ragd.cli.eval.corpus import Material
    from ragd.cli.eval.metric_sets import MetricSets
    from ragd.client.blocking import Client
    from ragd.evaluation.datasets import Dataset, Question
    from ragd.evaluation.judges.judging import Judging
    from ragd.evaluation.runs.asking import Terms


def run_all(
    context: CliContext,
    material: Material,
    strategies: Sequence[str | None],
    terms: Terms,
    questions: Sequence[Question],
    *,
    name: str,
    limit: int | None,
    judging: Judging | None = None,
    sets: MetricSets | None = None,
) -> list[dict[str, Any]]:
    """A run for each strategy, None for the settings as they are, under `terms` but with an id of its own.

    Each is tried with one question before anything is read: a wrong name is reported at once.
    """
    from dataclasses import replace

    from ragd.cli.eval.asking import ClientAsker
    from ragd.cli.eval.corpus import evaluated_collection

    with context.connect("session" if terms.collection or material.as_asked else "jobs") as client:

        def check(target: str | None) -> None:
            if terms.mode == "generation_only":
                return
            for strategy in strategies:
                tried = replace(terms, evaluation=uuid.uuid4().hex, strategy=strategy, collection=target, mode="retrieval_only")
                ClientAsker(client).ask(replace(questions[0], collection=None, filters=None, history=()), tried)

        with evaluated_collection(client, context, material, terms.collection, check) as target:
            return [
                _run(
                    client,
                    material.dataset,
                    questions,
                    replace(terms, evaluation=uuid.uuid4().hex, strategy=strategy, collection=target),
                    name,
                    limit,
                    judging,
                    sets,
                )
                for strategy in strategies
            ]


def _run(
    client: Client,
    dataset: Dataset,
    questions: Sequence[Question],
    terms: Terms,
    name: str,
    limit: int | None,
    judging: Judging | None,
    sets: MetricSets | None,
) -> dict[str, Any]:
    """Ask the questions, and keep the run when all are answered."""
    from ragd.cli.common.progress import JobProgress
    from ragd.cli.eval.asking import EVALUATIONS, ClientAsker
    from ragd.cli.eval.judging import judge_run
    from ragd.evaluation.runs.asking import DEFAULT_STRATEGY
    from ragd.evaluation.runs.measuring import measured_run, with_metric_sets, with_verdicts

    with JobProgress(f"Asking ({terms.strategy or DEFAULT_STRATEGY})") as bar:
        run = measured_run(
            ClientAsker(client),
            dataset,
            questions,
            terms,
            name=name,
            limit=limit,
            judged=judging is not None or sets is not None,
            progress=lambda done, total: bar.show("questions", done, total),
        )
    if judging:
        run = with_verdicts(run, *judge_run(judging, client, dataset, run["questions"]))
    if sets:
        run = with_metric_sets(run, *sets.measure(client, run["questions"]))
    kept: dict[str, Any] = client.post(EVALUATIONS, run)
    return kept
