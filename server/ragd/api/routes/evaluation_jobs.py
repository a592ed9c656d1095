"""Evaluations that the daemon runs by itself, beside its other jobs: watched and cancelled as these are."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from ragd.api.common import App, Pages
from ragd.api.middleware.security import EVALUATIONS_PATH
from ragd.api.schemas.evaluation_jobs import (
    EvaluationChoices,
    EvaluationCost,
    EvaluationJob,
    EvaluationJobPage,
    RunBody,
    SavedStrategy,
    StrategyBody,
    TuneBody,
)
from ragd.api.schemas.jobs import JobStarted
from ragd.app.evaluations.measuring import Wanted
from ragd.core.jobs import EVALUATION, TUNING
from ragd.core.logs import request_id
from ragd.core.storage import named
from ragd.evaluation.runs.asking import DEFAULT_STRATEGY
from ragd.evaluation.tuning import TUNABLE
from ragd.store.jobs import Job

router = APIRouter(prefix=EVALUATIONS_PATH, tags=["evaluations"])


@router.get("/choices", response_model=EvaluationChoices)
def evaluation_choices(app: App) -> dict[str, Any]:
    """Datasets, strategies and settings that an evaluation can be asked for."""
    llm = app.settings.llm
    return {
        "datasets": app.datasets.names(),
        "strategies": [DEFAULT_STRATEGY, *app.measuring.strategies()],
        "tunable": [{"name": name, "values": list(values)} for name, values in TUNABLE.items()],
        "answers_by": "" if llm.provider == "none" else f"{llm.provider} {llm.model}",
        "judges": app.measuring.judges.models(),
        "metric_sets": app.measuring.judges.metric_sets(),
    }


@router.post("/cost", response_model=EvaluationCost)
def evaluation_cost(body: RunBody, app: App) -> dict[str, Any]:
    """About how often the judging model would be asked for a run. Nothing is begun."""
    return app.measuring.cost(body.wanted())


@router.get("/jobs", response_model=EvaluationJobPage)
def list_evaluation_jobs(app: App, paging: Pages) -> dict[str, Any]:
    """Those that wait, run or have ended, newest first."""
    found, total = app.measuring.page(paging.page, paging.page_size)
    return paging.answer([_response(job) for job in found], total)


@router.get("/jobs/{job_id}", response_model=EvaluationJob)
def get_evaluation_job(job_id: str, app: App) -> dict[str, Any]:
    """One of them. `GET /api/jobs/{job_id}/events` tells how it goes on, `DELETE /api/jobs/{job_id}` cancels it."""
    return _response(app.measuring.get(job_id))


@router.post("/jobs", status_code=202, response_model=JobStarted)
def start_evaluation(body: RunBody, app: App) -> dict[str, str]:
    """Ask the questions of a dataset and measure the answers, as `rag eval run` does, in the background."""
    return {"job_id": app.measuring.queue(EVALUATION, body.wanted(), request_id.get()).job_id}


@router.post("/tuning", status_code=202, response_model=JobStarted)
def start_tuning(body: TuneBody, app: App) -> dict[str, str]:
    """Search for settings that rank better, as `rag eval tune` does, in the background. Nothing is changed by it."""
    return {"job_id": app.measuring.queue(TUNING, body.wanted(), request_id.get()).job_id}


@router.post("/jobs/{job_id}/strategy", status_code=201, response_model=SavedStrategy)
def save_strategy(job_id: str, body: StrategyBody, app: App) -> dict[str, str]:
    """Write what a search recommends as a strategy's file. It counts only where it is named."""
    return {"name": body.name, "path": str(app.measuring.save_strategy(job_id, body.name))}


def _response(job: Job) -> dict[str, Any]:
    asked, result = Wanted.of_payload(job.payload), job.result or {}
    return {
        **named(job, "job_id", "kind", "status", "collection", "error", "created_at", "started_at", "finished_at"),
        **named(asked, "dataset", "mode", "limit", "name", "judge", "judge_calls", "minutes"),
        "strategies": [strategy or DEFAULT_STRATEGY for strategy in asked.strategies],
        "metrics": list(asked.metrics),
        "judge_strategy": asked.judge_strategy or DEFAULT_STRATEGY,
        "settings": list(asked.settings),
        "progress": dict(job.progress),
        "run_ids": list(result.get("run_ids", ())),
        "tuned": result.get("tuned"),
        "strategy_file": result.get("strategy_file", ""),
    }
