"""A run: a dataset's questions asked under the same terms, measured, and described as it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragd.core.tracing import utc_now
from ragd.evaluation.datasets import Dataset, Question
from ragd.evaluation.metrics import summaries
from ragd.evaluation.runner import evaluate
from ragd.evaluation.runs.asking import DEFAULT_STRATEGY, Asker, Terms


def measured_run(
    asker: Asker,
    dataset: Dataset,
    questions: Sequence[Question],
    terms: Terms,
    *,
    name: str,
    limit: int | None,
    judged: bool,
    progress: Callable[[int, int], None],
) -> dict[str, Any]:
    """Ask `questions`, which are of the dataset, and give the run as `POST /api/evaluations` takes it.

    `progress` gets how many have been asked, and of how many. A question that fails ends the run.
    """
    started = utc_now()
    metrics, records = evaluate(
        dataset,
        questions,
        lambda question: asker.ask(question, terms),
        top_k=terms.top_k,
        progress=progress,
        judged=judged,
        ranked=terms.mode != "generation_only",
    )
    return {
        "run_id": terms.evaluation,
        "name": name,
        "dataset": dataset.name,
        "dataset_hash": dataset.hash,
        "collection": terms.collection or "",
        "strategy": terms.strategy or DEFAULT_STRATEGY,
        "strategy_config_id": asker.strategy_config_id(records[-1]["trace_id"], terms),
        "options": {"mode": terms.mode, "limit": limit, "rerank": terms.rerank, "top_k": terms.top_k},
        "started_at": started,
        "finished_at": utc_now(),
        "metrics": metrics,
        "questions": records,
    }


def with_verdicts(run: Mapping[str, Any], records: Sequence[Mapping[str, Any]], account: Mapping[str, Any]) -> dict[str, Any]:
    """The run with what a judge says of its questions, and the account of it."""
    return _measured_again(run, records, {"judge": dict(account)})


def with_metric_sets(
    run: Mapping[str, Any], records: Sequence[Mapping[str, Any]], accounts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The run with the values of other tools, and an account of each."""
    return _measured_again(run, records, {"metric_sets": list(accounts)})


def _measured_again(run: Mapping[str, Any], records: Sequence[Mapping[str, Any]], said: Mapping[str, Any]) -> dict[str, Any]:
    options = {**run["options"], **said}
    return {**run, "options": options, "questions": records, "metrics": summaries(records), "finished_at": utc_now()}
