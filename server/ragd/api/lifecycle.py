"""Where the daemon stands between its start and its end, for those who must wait or leave, and for those who end it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

log = logging.getLogger(__name__)

FIRST_WINDOW_S: Final = 120.0
"""Seconds that a daemon waits for its first window at least: whoever started it may be busy with something else first."""


class Lifecycle:
    """`ready` is set once everything can be answered, `stopping` once the daemon is to end: no request is taken any more.

    `draining` is set with it, or before it: the daemon still answers, but begins no job, and a balancer should ask others.

    Every open stream of `/api/events` is a window of an editor: they are counted, and how long there has been none.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, is_daemon: bool = True) -> None:
        """Without `is_daemon` the API is that of a command, which ends when its work is done."""
        self.is_daemon = is_daemon
        self.reason = ""
        """Why it stops, where it was no signal."""
        self.ready = threading.Event()
        self.draining = threading.Event()
        self.stopping = threading.Event()
        self._clock = clock
        self._lock = threading.Lock()
        self._open = 0
        self._seen = False
        self._since = clock()

    def stop(self, reason: str) -> None:
        """Have the daemon end as a signal would: what is being answered is finished first. Not for signal handlers: it logs."""
        log.info("daemon stops", extra={"reason": reason})
        self.reason = reason
        self.end()

    def end(self) -> None:
        """From now on nothing new is answered. Those who look for the end of `draining` see it first."""
        self.draining.set()
        self.stopping.set()

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

    def stop_when_unused(self, limit_s: float) -> None:
        """Wait until no window has been open for `limit_s` seconds, counted from now at the earliest, and stop; or until stopped.

        Jobs that run do not count: they go on at the next start.
        """
        self.begin()
        while (rest := self.rest_s(limit_s)) > 0:
            # The first window may come and go while its longer time is waited for.
            if self.stopping.wait(min(rest, limit_s)):
                return
        self.stop(f"no editor window for {limit_s:g} s")

    def begin(self) -> None:
        """From now on a window could come."""
        with self._lock:
            self._since = self._clock()

    def rest_s(self, limit_s: float) -> float:
        """Seconds until the last window has been gone for `limit_s`, at the least; not above 0 when that is so.

        Before the first window came it is `FIRST_WINDOW_S`, when that is longer.
        """
        with self._lock:
            limit = limit_s if self._seen else max(limit_s, FIRST_WINDOW_S)
            return limit if self._open else limit - (self._clock() - self._since)
