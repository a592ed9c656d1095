"""How things stand, told whenever it changes. An open stream is also what tells that a window of an editor is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from ragd.api.common import App, Life
from ragd.api.event_streams import event_stream
from ragd.api.responses import overview_response
from ragd.api.schemas.status import DaemonEvents

router = APIRouter(prefix="/api/events", tags=["status"])

# Seconds between two looks. A look asks memory alone, and takes a thread only when something has changed.
_LOOK_EVERY: Final = 0.5


async def _window(life: Life) -> AsyncIterator[None]:
    """Present for as long as the request lasts. The stream's own `finally` does not always run: see `chat`."""
    with life.presence.window():
        yield


@router.get(
    "",
    response_class=EventSourceResponse,
    responses=event_stream(DaemonEvents),
    dependencies=[Depends(_window)],
)
async def daemon_events(app: App, life: Life) -> AsyncIterable[ServerSentEvent]:
    """The event `state`, at once and whenever it has changed, until the client goes or the daemon stops.

    With `rag serve --stop-when-unused` the daemon lives as long as one of these streams is open.
    """
    seen = told = None
    while not life.stopping.is_set():
        if not app.overviews.is_current(seen):
            seen = await run_in_threadpool(app.overviews.get)
            if (data := overview_response(seen)) != told:
                yield ServerSentEvent(data=data, event="state")
                told = data
        await asyncio.sleep(_LOOK_EVERY)
