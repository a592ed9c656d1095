"""Evaluation runs: what was measured. `rag eval run` asks the questions by `/api/query` and hands the finished run in here."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from ragd.api.common import App, Pages
from ragd.api.middleware.security import EVALUATIONS_PATH
from ragd.api.schemas.evaluations import Evaluation, EvaluationPage

router = APIRouter(prefix=EVALUATIONS_PATH, tags=["evaluations"])


@router.get("", response_model=EvaluationPage)
def list_evaluations(app: App, paging: Pages) -> dict[str, Any]:
    """Runs, newest first, without their questions."""
    return paging.answer(*app.evaluations.page(paging.page, paging.page_size))


@router.get("/{run_id}", response_model=Evaluation)
def get_evaluation(run_id: str, app: App) -> dict[str, Any]:
    """One whole run."""
    return app.evaluations.get(run_id)


@router.post("", status_code=201, response_model=Evaluation)
def add_evaluation(body: Evaluation, app: App) -> dict[str, Any]:
    """Keep a finished run."""
    app.evaluations.add(body.model_dump())
    return app.evaluations.get(body.run_id)
