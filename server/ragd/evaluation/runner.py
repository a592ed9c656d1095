"""Asks the questions of a dataset, one after the other, and measures the answers.

The caller says how to ask: `POST /api/query`, or `Search.query` in the same shape, or `POST /api/chat` with its last event as
`done`, so that what is measured is what users get.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragd.evaluation.answers import answer_metrics
from ragd.evaluation.datasets import Dataset, Question
from ragd.evaluation.metrics import measure, metrics_within, summaries
from ragd.evaluation.relevance import unit_of, units

Ask = Callable[[Question], Mapping[str, Any]]
"""Asks one question of the production pipeline; the answer has the shape of `POST /api/query`. Raises when it fails."""

# Passages of each answer that are kept, to show what was found instead.
KEPT = 5
_PLACE = ("page", "slide", "sheet", "cell_range", "line_range")


def evaluate(
    dataset: Dataset,
    questions: Sequence[Question],
    ask: Ask,
    *,
    top_k: int,
    progress: Callable[[int, int], None],
    judged: bool = False,
    ranked: bool = True,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The summaries (`metrics.summaries`) and one record a question, in their order.

    `questions` are of the dataset; `progress` gets how many have been asked, and of how many. The first is asked once before, so
    that no time has the loading of a model in it. A question that fails ends the evaluation. The texts of the passages are kept
    where there are answers, or the passages are to be `judged`. Without `ranked`, the passages came with the questions, and no
    search is measured.
    """
    ask(questions[0])
    answers: list[Mapping[str, Any]] = []
    for question in questions:
        progress(len(answers), len(questions))
        answers.append(ask(question))
    progress(len(answers), len(questions))
    rankings = {
        question.id: units(question, answer["results"], by_document=dataset.by_document)
        for question, answer in zip(questions, answers, strict=True)
    }
    grades = {
        question.id: {unit_of(index): wanted.grade for index, wanted in enumerate(question.relevant)} for question in questions
    }
    answerable = {question.id: rankings[question.id] for question in questions if question.relevant and ranked}
    values = measure(grades, answerable, metrics_within(top_k)) if answerable else {}
    for question, answer in zip(questions, answers, strict=True):
        of_answer = answer_metrics(question, answer["done"], answer["citations"]) if "done" in answer else {}
        values[question.id] = values.get(question.id, {}) | of_answer
    records = [
        _record(question, answer, rankings[question.id], values[question.id], judged)
        for question, answer in zip(questions, answers, strict=True)
    ]
    return summaries(records), records


def _record(
    question: Question, answer: Mapping[str, Any], ranking: Sequence[str], values: Mapping[str, float], judged: bool
) -> dict[str, Any]:
    ranks = {unit: rank for rank, unit in enumerate(ranking, start=1)}
    return {
        "id": question.id,
        "query": question.text,
        "groups": dict(question.groups),
        "relevant": [
            {"source": wanted.source, "place": dict(wanted.place), "grade": wanted.grade, "rank": ranks.get(unit_of(index))}
            for index, wanted in enumerate(question.relevant)
        ],
        "found": [
            {
                "chunk_id": result["chunk_id"],
                "source": result["source"],
                "section": result["section_path"][-1] if result["section_path"] else "",
                "place": {name: result[name] for name in _PLACE if result.get(name) is not None},
                "score": result["score"],
            }
            for result in answer["results"][:KEPT]
        ],
        "results": len(answer["results"] or answer.get("citations", ())),
        "latency_ms": answer["latency_ms"],
        "trace_id": answer["trace_id"],
        "metrics": dict(values),
        "artifacts": _artifacts(question, answer, judged),
    }


def _artifacts(question: Question, answer: Mapping[str, Any], judged: bool) -> dict[str, Any]:
    """What the metrics were made of: stages of the passages, context, times; of an answer, all of it with its citations."""
    kept: dict[str, Any] = {
        "stages": {entry["chunk_id"]: entry["stages"] for entry in answer.get("explanation", ())},
        "context": [citation.get("chunk_ids") or [citation["chunk_id"]] for citation in answer.get("citations", ())],
        "timings_ms": answer.get("timings_ms", {}),
    }
    if "done" in answer or judged:
        kept["passages"] = [{name: one[name] for name in ("id", "source", "content")} for one in answer.get("citations", ())]
        kept |= {"reference": question.expected} if question.expected else {}
    if done := answer.get("done"):
        names = ("answer", "provider", "model", "found", "finish", "removed_citations", "support", "usage", "degraded")
        kept |= {name: done[name] for name in names}
        kept["citations"] = [{name: one[name] for name in ("id", "chunk_id", "source")} for one in done["citations"]]
    return kept
