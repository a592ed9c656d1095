"""Questions wait their turn; one that nobody waits for any more is not asked."""

from __future__ import annotations

import asyncio
import threading

import pytest
from starlette.requests import Request
from starlette.types import Message

from ragd.api import common
from ragd.core.errors import ServiceUnavailable


def a_request(gone: asyncio.Event) -> Request:
    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": "POST", "path": "/api/query", "headers": []}, receive)


def test_a_question_whose_client_went_while_it_waited_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def ask() -> None:
        monkeypatch.setattr(common, "_questions", common.CapacityLimiter(1))
        release, running = threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def first() -> None:
            asked.append("first")
            loop.call_soon_threadsafe(running.set)
            release.wait(30)

        stays, gone = asyncio.Event(), asyncio.Event()
        tasks = [asyncio.create_task(common.in_turn(a_request(stays), first))]
        await running.wait()
        tasks.append(asyncio.create_task(common.in_turn(a_request(gone), lambda: asked.append("called off"))))
        tasks.append(asyncio.create_task(common.in_turn(a_request(stays), lambda: asked.append("last"))))
        await asyncio.sleep(0)
        gone.set()
        release.set()
        with pytest.raises(ServiceUnavailable):
            await tasks[1]
        await asyncio.gather(tasks[0], tasks[2])

    asyncio.run(ask())

    assert asked == ["first", "last"]
