"""Whether the daemon lives, what it has loaded, what changes, and its end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any, Final

from fastapi import APIRouter, BackgroundTasks, Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from ragd.api.common import STREAM_END, App, Life
from ragd.api.description import event_stream
from ragd.api.schemas.status import Checks, DaemonEvents, DaemonOverview, Health, SettingList, Status, Stopping
from ragd.api.state_events import StateEvents
from ragd.core.errors import ServiceUnavailable
from ragd.core.tracing import utc_now

router = APIRouter(tags=["status"])

# Seconds between two looks. A look asks memory alone, and takes a thread only when something has changed.
_LOOK_EVERY: Final = 0.5
_DAY_S: Final = 86_400.0
_MONTH_S: Final = 30 * _DAY_S
_NEWEST_INGESTIONS: Final = 200


@router.get("/health", response_model=Health, operation_id="health")
@router.get("/api/health", response_model=Health, operation_id="api_health")
async def health() -> dict[str, str]:
    """Answers as soon as the process does; `/health` without a token."""
    return {"status": "ok"}


@router.get("/api/status", response_model=Status, response_model_exclude_unset=True)
def status(app: App) -> dict[str, Any]:
    """What is loaded, where it is, and how much it holds."""
    return app.maintenance.status()


@router.get("/api/overview", response_model=DaemonOverview)
def overview(app: App) -> dict[str, Any]:
    """What the daemon holds, how it grew, and how questions and ingestions went within a day and thirty days."""
    app.tracer.flush()
    since = {"day": utc_now(-_DAY_S), "month": utc_now(-_MONTH_S)}
    done = {
        name: {span: asdict(app.traces.activity(trace_type, begun)) for span, begun in since.items()}
        for name, trace_type in (("queries", "query"), ("ingestions", "ingestion"))
    }
    hits, misses = app.traces.cache(_NEWEST_INGESTIONS)
    growth = {name: asdict(one) for name, one in app.overviews.growth(**since).items()}
    return growth | done | {"cache": {"hits": hits, "misses": misses}}


@router.get("/api/settings", response_model=SettingList)
def settings(app: App) -> dict[str, Any]:
    """The settings that one question may change: of a replay, or of a query."""
    return {"items": app.search.queries.changeable()}


@router.get("/api/checks")
def checks(
    app: App, search: Annotated[bool, Query(description="Whether the model and the indexes are opened, too.")] = True
) -> Checks:
    """Whether the database is sound, the model runs, and both indexes hold what the database says. Nothing is mended."""
    return Checks(checks=list(app.maintenance.checks(search=search)))


@router.post("/api/stop", response_model=Stopping, status_code=202)
async def stop(life: Life, after: BackgroundTasks) -> dict[str, bool]:
    """End the daemon, as SIGTERM does, once this is answered. Jobs are kept and go on at the next start.

    503 where the one who answers is no daemon, but a command that works without one and lets others ask meanwhile.
    """
    if not life.is_daemon:
        raise ServiceUnavailable(
            f"A `rag` command is at work here (process {os.getpid()}) and ends by itself. Ctrl-C in its terminal stops it."
        )
    after.add_task(life.stop, "asked to by a client")
    return {"stopping": True}


async def _window(life: Life) -> AsyncIterator[None]:
    """A window is open for as long as the request lasts. The stream's own `finally` does not always run: see `chat`."""
    with life.window():
        yield


async def _state_events(request: Request) -> StateEvents:
    events: StateEvents = request.app.state.state_events
    return events


_Events = Annotated[StateEvents, Depends(_state_events)]


@router.get(
    "/api/events", response_class=EventSourceResponse, responses=event_stream(DaemonEvents), dependencies=[Depends(_window)]
)
async def daemon_events(life: Life, events: _Events) -> AsyncIterable[ServerSentEvent]:
    """The event `state`, at once and whenever it has changed, until the client goes or the daemon stops: then `stopping`.

    With `rag serve --stop-when-unused` the daemon lives as long as one of these streams is open.
    """
    sent = ""
    while not life.draining.is_set():
        if (data := await events.newest()) != sent:
            yield ServerSentEvent(raw_data=data, event="state")
            sent = data
        await asyncio.sleep(_LOOK_EVERY)
    yield STREAM_END
