"""Whether anybody uses the daemon: every open stream of `/api/events` is a window of an editor."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

FIRST_WINDOW_S: Final = 120.0
"""Seconds that a daemon waits for its first window at least: whoever started it may be busy with something else first."""


class Presence:
    """Counts windows, and says for how long there has been none."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open = 0
        self._seen = False
        self._since = clock()

    def begin(self) -> None:
        """From now on somebody could come."""
        with self._lock:
            self._since = self._clock()

    @contextmanager
    def window(self) -> Iterator[None]:
        """A window is open for as long as the block runs."""
        with self._lock:
            self._open += 1
            self._seen = True
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1
                self._since = self._clock()

    def rest_s(self, limit_s: float) -> float:
        """Seconds until the last window has been gone for `limit_s`, at the least; not above 0 when that is so.

        Before the first window came it is `FIRST_WINDOW_S`, when that is longer.
        """
        with self._lock:
            limit = limit_s if self._seen else max(limit_s, FIRST_WINDOW_S)
            return limit if self._open else limit - (self._clock() - self._since)
