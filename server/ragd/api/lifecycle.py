"""Where the daemon stands between its start and its end, for those who must wait or leave, and for those who end it."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field

from ragd.api.presence import Presence

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """`ready` is set once everything can be answered, `stopping` once the daemon is to end."""

    ready: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)
    presence: Presence = field(default_factory=Presence)

    def stop(self, reason: str) -> None:
        """Have the daemon end as a signal would: what is being answered is finished first. Not for signal handlers: it logs."""
        log.info("daemon stops", extra={"reason": reason})
        self.stopping.set()

    def stop_when_unused(self, limit_s: float) -> None:
        """Wait until no window has been open for `limit_s` seconds, counted from now at the earliest, and stop; or until stopped.

        Jobs that run do not count: they go on at the next start.
        """
        self.presence.begin()
        while (rest := self.presence.rest_s(limit_s)) > 0:
            # The first window may come and go while its longer time is waited for.
            if self.stopping.wait(min(rest, limit_s)):
                return
        self.stop(f"no editor window for {limit_s:g} s")
