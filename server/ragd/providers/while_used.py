"""Something large that is there only while it is used."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from ragd.providers.freed_memory import FreedMemory

T = TypeVar("T")


class WhileUsed(Generic[T]):
    """Opened by `open_it` when it is first used, and given up once nobody has used it for `idle_s`. Safe for several threads.

    Whoever has it may go on with it after that; its memory goes back to the system when the last one lets go of it.
    """

    def __init__(self, open_it: Callable[[], T], idle_s: float) -> None:
        self._open = open_it
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._last_used = 0.0
        self.opened: T | None = None
        """What is there already."""

    def get(self) -> T:
        """Open it, or have it stay."""
        with self._lock:
            self._last_used = time.monotonic()
            if self.opened is None:
                self._freed = FreedMemory()
                self.opened = self._open()
                self._look_later(self._idle_s)
            return self.opened

    def _look_later(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._look)
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        with self._lock:
            left = self._last_used + self._idle_s - time.monotonic()
            if left > 0:
                self._look_later(left)
                return
            self.opened = None
        self._freed.give_back()
