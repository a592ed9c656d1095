"""Feedback: thumbs that become cases for evaluation."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from ragd.answer.verification import live_passages
from ragd.api.common import App, Pages, collection_exists
from ragd.api.schemas.feedback import Feedback, FeedbackBody, FeedbackPage
from ragd.api.source_tokens import SourceTokens
from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.evaluation.relevance import relevant_to
from ragd.retrieve.filters import parse_filters
from ragd.retrieve.history import parse_history
from ragd.store.feedback import Opinion

router = APIRouter(prefix="/api/feedback", tags=["evaluations"])


@router.get("", response_model=FeedbackPage)
def list_feedback(app: App, paging: Pages) -> dict[str, Any]:
    """What people said of answers, newest first."""
    return paging.answer(*app.feedback.page(paging.page, paging.page_size))


@router.post("", response_model=Feedback, status_code=201, dependencies=[Depends(collection_exists)])
def add_feedback(body: FeedbackBody, app: App, tokens: SourceTokens) -> dict[str, Any]:
    """Keep what somebody says of an answer, with the places of its passages: ids of passages change with their documents.

    Everybody may read feedback, so of what not everybody may see nothing is kept but what `question` and `answer` say.
    """
    if not body.question.strip():
        raise ValidationFailed("The question is empty.", details=[FieldProblem("question", "empty", "Must not be empty.")])
    # Checked now, so that an evaluation can ask the question again.
    parse_filters(body.filters)
    turns = parse_history(body.history)
    access = app.access.context(tokens)
    passages = live_passages(app.passages, body.chunk_ids, "chunk_ids", access.readable)
    for_all = access.open_to_all(passage.doc_id for passage in passages.values())
    shown = (passages[chunk_id] for chunk_id in dict.fromkeys(body.chunk_ids))
    relevant = [relevant_to(passage) for passage in shown if passage.doc_id in for_all]
    return app.feedback.add(
        Opinion(
            question=body.question,
            verdict=body.verdict,
            relevant=[place for index, place in enumerate(relevant) if place not in relevant[:index]],
            collection=body.collection,
            filters=body.filters,
            history=[{"role": turn.role, "text": turn.text} for turn in turns],
            answer=body.answer,
            comment=body.comment,
            trace_id=body.trace_id,
        )
    )


@router.delete("/{feedback_id}", status_code=204)
def delete_feedback(feedback_id: str, app: App) -> None:
    """Delete what somebody said."""
    app.feedback.remove(feedback_id)
