"""Asks a dataset's questions through the client, and hands the finished runs to the service to keep."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragd.cli.common.context import CliContext

if TYPE_CHECKING:
    from ragd.cli.eval.corpus import Material
    from ragd.cli.eval.judging import Judging
    from ragd.cli.eval.metric_sets import MetricSets
    from ragd.client.blocking import Client
    from ragd.evaluation.datasets import Dataset, Question

# What the settings say, without an overlay.
DEFAULT_STRATEGY = "default"
GENERATION_ONLY = "generation_only"
EVALUATIONS = "/api/evaluations"


def run_all(
    context: CliContext,
    material: Material,
    collection: str | None,
    strategies: Sequence[str],
    body: Mapping[str, Any],
    questions: Sequence[Question],
    described: Mapping[str, Any],
    judging: Judging | None = None,
    sets: MetricSets | None = None,
) -> list[dict[str, Any]]:
    """A run for each strategy. Each is tried with one question before anything is read: a wrong name is reported at once."""
    from ragd.cli.eval.corpus import evaluated_collection

    with context.connect("session" if collection or material.as_asked else "jobs") as client:

        def check(target: str | None) -> None:
            if described["mode"] == GENERATION_ONLY:
                return
            for strategy in strategies:
                asked = {"query": questions[0].text, "collection": target, "evaluation": uuid.uuid4().hex}
                client.post("/api/query", {**body, **_strategy(strategy), **asked})

        with evaluated_collection(client, context, material, collection, check) as target:
            return [
                _run(
                    client,
                    material.dataset,
                    questions,
                    {**body, **_strategy(strategy), "collection": target},
                    {**described, "strategy": strategy},
                    judging,
                    sets,
                )
                for strategy in strategies
            ]


def _run(
    client: Client,
    dataset: Dataset,
    questions: Sequence[Question],
    request: Mapping[str, Any],
    described: Mapping[str, Any],
    judging: Judging | None,
    sets: MetricSets | None,
) -> dict[str, Any]:
    """Ask the questions, and keep the run when all are answered."""
    from ragd.cli.chat import whole_answer
    from ragd.cli.common.progress import JobProgress
    from ragd.core.tracing import utc_now
    from ragd.evaluation.metrics import summaries
    from ragd.evaluation.runner import evaluate

    run_id = uuid.uuid4().hex
    started = utc_now()

    def ask(question: Question) -> Mapping[str, Any]:
        own: dict[str, Any] = {"filters": dict(question.filters)} if question.filters else {}
        own |= {"collection": question.collection} if question.collection else {}
        own |= {"history": list(question.history)} if question.history else {}
        body = {**request, **own, "query": question.text, "evaluation": run_id, "explain": True}
        if described["mode"] == GENERATION_ONLY:
            given: dict[str, Any] = {name: body[name] for name in ("query", "history", "strategy", "evaluation") if name in body}
            passages = [{"text": text, "source": source} for text, source in question.passages]
            found = client.post(f"{EVALUATIONS}/answer", {**given, "passages": passages})
            return {**found["retrieval"], "done": found["done"]}
        if described["mode"] == "end_to_end":
            done = whole_answer(client, body)
            return {**done["retrieval"], "done": done}
        answer: Mapping[str, Any] = client.post("/api/query", body)
        return answer

    with JobProgress(f"Asking ({described['strategy']})") as bar:
        metrics, records = evaluate(
            dataset,
            questions,
            ask,
            top_k=request["top_k"],
            progress=lambda done, total: bar.show("questions", done, total),
            judged=judging is not None or sets is not None,
            ranked=described["mode"] != GENERATION_ONLY,
        )
    trace = client.get(f"/api/traces/{records[-1]['trace_id']}")
    said = {name: described[name] for name in ("mode", "limit")}
    if judging:
        records, said["judge"] = judging.judge(client, dataset, records)
    if sets:
        records, said["metric_sets"] = sets.measure(client, records)
    if judging or sets:
        metrics = summaries(records)
    options_ = {**said, "rerank": request.get("rerank", True), "top_k": request["top_k"]}
    kept: dict[str, Any] = client.post(
        EVALUATIONS,
        {
            "run_id": run_id,
            "name": described["name"],
            "dataset": dataset.name,
            "dataset_hash": dataset.hash,
            "collection": request["collection"] or "",
            "strategy": described["strategy"],
            "strategy_config_id": trace["strategy_config_id"],
            "options": options_,
            "started_at": started,
            "finished_at": utc_now(),
            "metrics": metrics,
            "questions": records,
        },
    )
    return kept


def _strategy(name: str) -> dict[str, str]:
    return {} if name == DEFAULT_STRATEGY else {"strategy": name}
