"""An answer in words as it is made, for the routes that hand it on in one form or another.

The core is synchronous: a thread reads the answer, and a coroutine hands on what comes. A client that goes away ends the
request, which cancels the answer, and so the request to the language model.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from fastapi import Request

from ragd.answer.answerer import Delta
from ragd.answer.cancellation import Cancellation
from ragd.api.common import in_turn
from ragd.api.lifecycle import Lifecycle
from ragd.app.container import Application
from ragd.core.query import ChatRequest
from ragd.core.results import Answer
from ragd.retrieve.pipeline import QueryResult

Piece = Delta | Answer | Exception
"""What comes of an answer: its text piece by piece, then all of it; a failure midway in its place."""

# Seconds between two looks whether the daemon is to stop or the client has gone, while the language model is silent.
_LOOK_EVERY: Final = 0.5


@dataclass(frozen=True, slots=True)
class BegunAnswer:
    """A question whose passages are found, and whose answer is about to be made."""

    result: QueryResult
    cancellation: Cancellation
    _pieces: Iterator[Delta | Answer]

    async def pieces(self, life: Lifecycle, has_left: Callable[[], Awaitable[bool]] | None = None) -> AsyncIterator[Piece]:
        """What comes, as it comes. A daemon that is to stop cancels the answer, which then comes to its end.

        `has_left` is asked now and then whether the client has: for a response that has not begun, which would not notice.
        """
        coming: asyncio.Queue[Piece | None] = asyncio.Queue()
        context = contextvars.copy_context()
        arguments = (self._pieces, coming, asyncio.get_running_loop())
        threading.Thread(target=context.run, args=(_read, *arguments), name="rag-chat", daemon=True).start()
        while True:
            try:
                piece = await asyncio.wait_for(coming.get(), _LOOK_EVERY)
            except TimeoutError:
                if life.stopping.is_set() or (has_left is not None and await has_left()):
                    self.cancellation.cancel()
                continue
            if piece is None:
                return
            yield piece


@asynccontextmanager
async def answering(request: Request, app: Application, asked: ChatRequest) -> AsyncIterator[BegunAnswer]:
    """Find the passages, and end the work on the answer with the block, which is to end with the request.

    What can go wrong before the first piece goes wrong on entry, and is reported as any other error. The stream's own `finally`
    would not do: a client can go while it rests at a `yield`.
    """
    cancellation = Cancellation()
    result, pieces = await in_turn(request, lambda: app.search.chat(asked, cancellation))
    try:
        yield BegunAnswer(result, cancellation, pieces)
    finally:
        cancellation.cancel()


def _read(pieces: Iterator[Delta | Answer], coming: asyncio.Queue[Piece | None], loop: asyncio.AbstractEventLoop) -> None:
    def put(piece: Piece | None) -> None:
        # A closed loop has no reader left.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(coming.put_nowait, piece)

    try:
        for piece in pieces:
            put(piece)
    # The response has begun, so the failure can only be a part of it.
    except Exception as error:  # noqa: BLE001
        put(error)
    put(None)
