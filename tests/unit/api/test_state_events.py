"""What streams of events send is read once for all of them, and keeps no threads from other requests."""

from __future__ import annotations

import asyncio
import json
import threading

from ragd.api.state_events import StateEvents
from ragd.store.overview import Overview


class Counting:
    """Overviews of which each differs. Reading one takes as long as the test wants."""

    def __init__(self) -> None:
        self.read = 0
        self.go = threading.Event()
        self.last: Overview | None = None

    def is_current(self, overview: Overview | None) -> bool:
        return overview is not None and overview is self.last

    def get(self) -> Overview:
        self.read += 1
        assert self.go.wait(60)
        self.last = Overview({"documents": self.read}, 0, 0, (), f"c-{self.read}")
        return self.last


def test_one_of_many_streams_reads_and_the_others_take_no_thread() -> None:
    overviews = Counting()
    events = StateEvents(overviews)  # type: ignore[arg-type]

    async def all_at_once() -> list[str]:
        waiting = [asyncio.create_task(events.newest()) for _ in range(140)]
        while not overviews.read:
            await asyncio.sleep(0.001)
        # Nobody else is in the way of a request that needs a thread.
        await asyncio.wait_for(asyncio.to_thread(overviews.go.set), 60)
        return await asyncio.gather(*waiting)

    sent = asyncio.run(all_at_once())
    assert overviews.read == 1
    assert len(sent) == 140
    assert {json.loads(data)["counts"]["documents"] for data in sent} == {1}


def test_a_change_is_read_again() -> None:
    overviews = Counting()
    overviews.go.set()
    events = StateEvents(overviews)  # type: ignore[arg-type]

    async def twice() -> tuple[str, str, str]:
        first, again = await events.newest(), await events.newest()
        overviews.last = None
        return first, again, await events.newest()

    first, again, changed = asyncio.run(twice())
    assert first == again != changed
    assert overviews.read == 2
