"""What all streams of `GET /api/events` send: made once for all of them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.concurrency import run_in_threadpool

from ragd import __version__
from ragd.api.responses import job_response
from ragd.core.storage import named
from ragd.store.overview import Overview, Overviews


class StateEvents:
    """The newest overview as the data of the event `state`. For coroutines of one loop.

    One stream has the overview read, in a thread; the others wait for it without any. Each by itself, a hundred open editors
    would hold all threads during an ingestion, and other requests would wait.
    """

    def __init__(self, overviews: Overviews) -> None:
        self._overviews = overviews
        self._reading = asyncio.Lock()
        self._seen: Overview | None = None
        self._data = ""

    async def newest(self) -> str:
        """JSON. Looks into memory alone where nothing has changed."""
        if not self._overviews.is_current(self._seen):
            async with self._reading:
                if not self._overviews.is_current(self._seen):
                    seen = await run_in_threadpool(self._overviews.get)
                    self._seen, self._data = seen, json.dumps(_response(seen), ensure_ascii=False)
        return self._data


def _response(overview: Overview) -> dict[str, Any]:
    return {
        "version": __version__,
        "counts": dict(overview.counts),
        **named(overview, "failed_documents", "unfinished_jobs", "changes"),
        "jobs": [job_response(job) for job in overview.jobs],
    }
