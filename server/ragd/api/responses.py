"""Jobs as JSON-ready objects, in the shape of the REST contract."""

from __future__ import annotations

from typing import Any

from ragd.core.jobs import BESIDE
from ragd.core.storage import named
from ragd.store.jobs import Job


def job_response(job: Job) -> dict[str, Any]:
    """A job as `GET /api/jobs/{id}` and its events give it; what came of one that only asks is told by its own routes."""
    names = ("job_id", "kind", "status", "collection", "error", "attempts", "not_before")
    times = ("created_at", "started_at", "finished_at")
    result = None if job.kind in BESIDE else job.result
    return {**named(job, *names, *times), "result": result, "progress": dict(job.progress)}
