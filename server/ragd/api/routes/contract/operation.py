"""For those who run the service: whether it can answer, and its metrics."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Response

from ragd.api.common import App, Life
from ragd.api.routes.contract import TAG
from ragd.api.schemas.contract import Readiness
from ragd.app.metrics import CONTENT_TYPE
from ragd.core.errors import NotFound, ServiceUnavailable

router = APIRouter(tags=[TAG])


@router.get("/ready", response_model=Readiness)
def ready(app: App, life: Life) -> dict[str, Literal["ready"]]:
    """Whether database, model and indexes answer; 503 as long as one does not, and once the daemon is to stop."""
    if life.draining.is_set():
        raise ServiceUnavailable("The daemon is about to stop. Ask another one.")
    app.maintenance.require_ready()
    return {"status": "ready"}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "Prometheus' text format."}},
)
def metrics(app: App) -> Response:
    """Counters, durations and gauges for Prometheus; 404 where `observability.metrics` is off."""
    if not app.settings.observability.metrics:
        raise NotFound("Metrics are switched off (observability.metrics).")
    return Response(app.metrics.text(), media_type=CONTENT_TYPE)
