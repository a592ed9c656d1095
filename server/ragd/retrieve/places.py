"""Places for questions that are answered side by side: more than the cores carry would only take the processor from each other.

Ten questions in ten threads change places every few milliseconds, and all of them end late; one after the other, the first ends
early and the last no later. Those who wait are served in the order in which they came. A question keeps its place while it waits
for a service on the network, so nobody waits longer than `patience_s`: then it goes on beside the others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_S = 0.5


class Places:
    """`number` of places. Safe to use from any thread."""

    def __init__(self, number: int, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._free = number  # below zero while some have lost their patience
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a place and hold it."""
        called: threading.Event | None = None
        with self._lock:
            if self._free > 0:
                self._free -= 1
            else:
                called = threading.Event()
                self._waiting.append(called)
        try:
            if called is not None and not called.wait(self._patience_s):
                with self._lock:
                    if not called.is_set():
                        self._waiting.remove(called)
                        self._free -= 1
            yield
        finally:
            with self._lock:
                self._free += 1
                if self._free > 0 and self._waiting:
                    self._free -= 1
                    self._waiting.popleft().set()
