"""Whether the daemon lives, what it has loaded, and its end."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Query

from ragd.api.common import App, Life
from ragd.api.schemas.status import Checks, Health, Status, Stopping

router = APIRouter(tags=["status"])


@router.get("/health", response_model=Health, operation_id="health")
@router.get("/api/health", response_model=Health, operation_id="api_health")
async def health() -> dict[str, str]:
    """Answers as soon as the process does; `/health` without a token."""
    return {"status": "ok"}


@router.get("/api/status", response_model=Status, response_model_exclude_unset=True)
def status(app: App) -> dict[str, Any]:
    """What is loaded, where it is, and how much it holds."""
    return app.maintenance.status()


@router.get("/api/checks")
def checks(
    app: App, search: Annotated[bool, Query(description="Whether the model and the indexes are opened, too.")] = True
) -> Checks:
    """Whether the database is sound, the model runs, and both indexes hold what the database says. Nothing is mended."""
    return Checks(checks=list(app.diagnosis.run(search=search)))


@router.post("/api/stop", response_model=Stopping, status_code=202)
async def stop(life: Life, after: BackgroundTasks) -> dict[str, bool]:
    """End the daemon, as SIGTERM does, once this is answered. Jobs are kept and go on at the next start."""
    after.add_task(life.stop, "asked to by a client")
    return {"stopping": True}
