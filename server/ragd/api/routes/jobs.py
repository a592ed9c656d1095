"""Jobs: how far work in the background is, live or when asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from ragd.api.common import STREAM_END, App, CallerOf, Life, Pages
from ragd.api.description import event_stream
from ragd.api.responses import job_response
from ragd.api.schemas.jobs import Job, JobEvents, JobPage
from ragd.core.jobs import JobStatus
from ragd.store.jobs import FINISHED

router = APIRouter(prefix="/api/jobs", tags=["jobs"])

# Seconds between two looks at a job that is being watched: no thread is held while waiting, however many watch.
_LOOK_EVERY = 0.2


def _exists(job_id: str, app: App) -> None:
    """The job in the address must exist."""
    app.jobs.get(job_id)


@router.get("", response_model=JobPage)
def list_jobs(app: App, paging: Pages, caller: CallerOf, status: Annotated[JobStatus | None, Query()] = None) -> dict[str, Any]:
    """Jobs, newest first."""
    found, total = app.jobs.page(paging.page, paging.page_size, status, among=caller.readable)
    return paging.answer([job_response(job) for job in found], total)


@router.get("/{job_id}", response_model=Job)
def get_job(job_id: str, app: App) -> dict[str, Any]:
    """One job as it stands."""
    return job_response(app.jobs.get(job_id))


@router.delete("/{job_id}", response_model=Job)
def cancel_job(job_id: str, app: App) -> dict[str, Any]:
    """Ask a job to stop. A queued one ends at once, a running one at its next safe point, a finished one stays as it is."""
    return job_response(app.jobs.cancel(job_id))


@router.get(
    "/{job_id}/events",
    response_class=EventSourceResponse,
    responses=event_stream(JobEvents),
    dependencies=[Depends(_exists)],
)
async def job_events(job_id: str, app: App, life: Life) -> AsyncIterable[ServerSentEvent]:
    """Server-sent events with the job as data: `progress` whenever it has moved, one `end` when it is finished.

    When the daemon stops, `stopping` is the last event, without `end`; the job goes on at the next start.
    """
    sent = None
    while not life.draining.is_set():
        job = await run_in_threadpool(app.jobs.get, job_id)
        data = job_response(job)
        if job.status in FINISHED:
            yield ServerSentEvent(data=data, event="end")
            return
        if data != sent:
            yield ServerSentEvent(data=data, event="progress")
            sent = data
        await asyncio.sleep(_LOOK_EVERY)
    yield STREAM_END
