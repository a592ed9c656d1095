"""Evaluation runs, which `rag eval run` hands in when they are finished, and feedback, which becomes cases for evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Annotated, Any

from anyio import CapacityLimiter
from fastapi import APIRouter, Depends, Query, Request

from ragd.answer.responses import answer_response, query_response
from ragd.answer.verification import live_passages
from ragd.api.common import Access, App, CallerOf, Pages, SourceTokens, collection_available, collection_exists, in_turn
from ragd.api.middleware.security import EVALUATIONS_PATH
from ragd.api.schemas.evaluations import (
    EvaluatedQuestionPage,
    Evaluation,
    EvaluationComparison,
    EvaluationFigures,
    EvaluationPage,
    Feedback,
    FeedbackBody,
    FeedbackPage,
    GivenAnswer,
    GivenBody,
    TrialBody,
)
from ragd.api.schemas.query import QueryAnswer
from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.evaluation.relevance import relevant_to
from ragd.evaluation.reports.pages import Only, Order, compared, figures, questions_of
from ragd.evaluation.runs.given import given_passage
from ragd.retrieve.filters import parse_filters
from ragd.retrieve.history import parse_history
from ragd.store.evaluation.feedback import Opinion

router = APIRouter(tags=["evaluations"])

# Answers of models take long; questions of people need not wait for them.
_answers = CapacityLimiter(1)
Metric = Annotated[str | None, Query(max_length=100, description="Of the run; the main one without it.")]


@router.get(EVALUATIONS_PATH, response_model=EvaluationPage)
def list_evaluations(app: App, paging: Pages) -> dict[str, Any]:
    """Runs, newest first, without their questions."""
    return paging.answer(*app.evaluations.page(paging.page, paging.page_size))


@router.get(f"{EVALUATIONS_PATH}/{{run_id}}", response_model=Evaluation)
def get_evaluation(run_id: str, app: App) -> dict[str, Any]:
    """One whole run."""
    return app.evaluations.get(run_id)


@router.get(f"{EVALUATIONS_PATH}/{{run_id}}/figures", response_model=EvaluationFigures)
def evaluation_figures(run_id: str, app: App) -> dict[str, Any]:
    """A run without its questions, its metrics with 95 % intervals, and the main one by group."""
    run = app.evaluations.get(run_id)
    return {"run": _row(run), **figures(run, app.settings.evaluation.resamples)}


@router.get(f"{EVALUATIONS_PATH}/{{run_id}}/questions", response_model=EvaluatedQuestionPage)
def evaluation_questions(
    run_id: str,
    app: App,
    paging: Pages,
    metric: Metric = None,
    order: Annotated[Order, Query(description="By the metric, or `asked`: as they were asked.")] = "worst",
    text: Annotated[str, Query(max_length=1000, description="A part of a question or of its id.")] = "",
) -> dict[str, Any]:
    """The questions of a run, page by page, without their artifacts."""
    found = questions_of(app.evaluations.get(run_id), metric, order, text)
    return paging.answer(paging.of(found), len(found))


@router.get(f"{EVALUATIONS_PATH}/{{run_id}}/comparison", response_model=EvaluationComparison)
def compare_evaluations(
    run_id: str,
    app: App,
    paging: Pages,
    against: Annotated[str, Query(description="The id of the second run.")],
    metric: Metric = None,
    only: Annotated[Only, Query(description="Which questions, as the second run has them.")] = "changed",
) -> dict[str, Any]:
    """How a second run differs from this one: by each metric, with the chance of such a difference, and question by question."""
    first, second = app.evaluations.get(run_id), app.evaluations.get(against)
    found, rows = compared(first, second, app.settings.evaluation.resamples, metric, only)
    return {"first": _row(first), "second": _row(second), **found, "changed": paging.answer(paging.of(rows), len(rows))}


@router.post(EVALUATIONS_PATH, status_code=201, response_model=Evaluation)
def add_evaluation(body: Evaluation, app: App) -> dict[str, Any]:
    """Keep a finished run."""
    app.evaluations.add(body.model_dump())
    return app.evaluations.get(body.run_id)


@router.post(
    f"{EVALUATIONS_PATH}/query",
    response_model=QueryAnswer,
    response_model_exclude_unset=True,
    dependencies=[Depends(collection_available)],
)
async def try_settings(request: Request, body: TrialBody, app: App, tokens: SourceTokens, caller: CallerOf) -> dict[str, Any]:
    """Find the passages that answer a question under other settings, as `rag eval tune` does. Nothing is changed by it."""
    return query_response(await in_turn(request, lambda: app.search.query(body.request(tokens, caller.readable))))


@router.post(f"{EVALUATIONS_PATH}/answer", response_model=GivenAnswer, response_model_exclude_unset=True)
async def answer_given(request: Request, body: GivenBody, app: App) -> dict[str, Any]:
    """Answer a question from passages that come with it, by the prompt, the model and the checks of `/api/chat`.

    Nothing is searched and nothing is kept but the trace: it measures the model without retrieval.
    """
    passages = [given_passage(number, one.text, one.source) for number, one in enumerate(body.passages, start=1)]
    began = monotonic()
    result, answer = await in_turn(request, lambda: app.search.answer_given(body.request(), passages), _answers)
    retrieval = query_response(result) | {"latency_ms": round((monotonic() - began) * 1000, 3)}
    return {"retrieval": retrieval, "done": answer_response(answer, result.trace_id)}


def _row(run: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in run.items() if name != "questions"}


@router.get("/api/feedback", response_model=FeedbackPage)
def list_feedback(app: App, paging: Pages) -> dict[str, Any]:
    """What people said of answers, newest first."""
    return paging.answer(*app.feedback.page(paging.page, paging.page_size))


@router.post("/api/feedback", response_model=Feedback, status_code=201, dependencies=[Depends(collection_exists)])
def add_feedback(body: FeedbackBody, app: App, access: Access) -> dict[str, Any]:
    """Keep what somebody says of an answer, with the places of its passages: ids of passages change with their documents.

    Everybody may read feedback, so of what not everybody may see nothing is kept but what `question` and `answer` say.
    """
    if not body.question.strip():
        raise ValidationFailed("The question is empty.", details=[FieldProblem("question", "empty", "Must not be empty.")])
    # Checked now, so that an evaluation can ask the question again.
    parse_filters(body.filters)
    turns = parse_history(body.history)
    passages = live_passages(app.passages, body.chunk_ids, "chunk_ids", access.readable)
    for_all = access.open_to_all(passage.doc_id for passage in passages.values())
    shown = (passages[chunk_id] for chunk_id in dict.fromkeys(body.chunk_ids))
    relevant = [relevant_to(passage) for passage in shown if passage.doc_id in for_all]
    places = [place for index, place in enumerate(relevant) if place not in relevant[:index]]
    history = [{"role": turn.role, "text": turn.text} for turn in turns]
    said = body.model_dump(exclude={"chunk_ids", "history"})
    return app.feedback.add(Opinion(relevant=places, history=history, **said))


@router.delete("/api/feedback/{feedback_id}", status_code=204)
def delete_feedback(feedback_id: str, app: App) -> None:
    """Delete what somebody said."""
    app.feedback.remove(feedback_id)
