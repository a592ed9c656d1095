"""Doing the next piece of work while the last one is being used: one ahead in a thread, or several side by side."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

_POLL_S = 0.1


@contextmanager
def prefetched(items: Iterator[T]) -> Generator[Iterator[T], None, None]:
    """The items, one of them always made ahead in a thread. Leaving early stops the thread at its next item."""
    ready: queue.Queue[tuple[bool, Any]] = queue.Queue(maxsize=1)
    stopped = threading.Event()

    def hand_over(entry: tuple[bool, Any]) -> None:
        while not stopped.is_set():
            try:
                ready.put(entry, timeout=_POLL_S)
                return
            except queue.Full:
                continue

    def produce() -> None:
        try:
            for item in items:
                hand_over((True, item))
                if stopped.is_set():
                    return
            hand_over((False, None))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that consumes
            hand_over((False, error))

    def consume() -> Iterator[T]:
        while True:
            more, value = ready.get()
            if more:
                yield value
            elif value is None:
                return
            else:
                raise value

    thread = threading.Thread(target=produce, name="rag-read", daemon=True)
    thread.start()
    try:
        yield consume()
    finally:
        stopped.set()
        thread.join()


def side_by_side(
    calls: Iterable[Callable[[], T]], threads: int, *, tick: Callable[[], None], abandon: Callable[[], None]
) -> Iterator[T]:
    """What the calls return, as they finish, `threads` of them at a time and hardly more taken from `calls` than that.

    `tick` is called several times a second while results are waited for; it may raise to end the work. `abandon` is called when
    the work ends early, to stop the calls that are still running.
    """
    pending: list[Future[T]] = []

    def finished() -> Iterator[T]:
        nonlocal pending
        done, _ = wait(pending, timeout=_POLL_S, return_when=FIRST_COMPLETED)
        tick()
        # Of several that have finished, the first to be called comes first: small files keep their order.
        ready = [future for future in pending if future in done]
        pending = [future for future in pending if future not in done]
        for future in ready:
            yield future.result()

    with ThreadPoolExecutor(threads, "rag-files") as pool:
        try:
            for call in calls:
                pending.append(pool.submit(call))
                while len(pending) > threads:
                    yield from finished()
            while pending:
                yield from finished()
        finally:
            if pending:
                for future in pending:
                    future.cancel()
                abandon()
