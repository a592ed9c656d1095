"""How many requests a caller may make: the generic cell rate algorithm (ITU-T I.371), a bucket that is kept as one moment."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

WINDOW_S: Final = 60.0
# Callers that are remembered; those that have been quiet for a window need not be.
_SWEEP_ABOVE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of `limit` requests in a window: none when `wait_s` is above 0; whole again after `reset_s` seconds."""

    limit: int
    remaining: int
    reset_s: float
    wait_s: float

    @property
    def headers(self) -> dict[str, str]:
        """As draft-ietf-httpapi-ratelimit-headers writes it."""
        return {
            "RateLimit-Policy": f'"minute";q={self.limit};w={WINDOW_S:.0f}',
            "RateLimit": f'"minute";r={self.remaining};t={math.ceil(self.reset_s)}',
        }


class Rates(Protocol):
    """Counts requests by caller."""

    blocks: bool
    """Whether `take` waits for another process."""

    def take(self, caller_id: str, per_minute: int) -> Allowance:
        """Count a request of a caller, if there is room for it."""
        ...


class RateLimits:
    """Requests of each caller, in this process. Safe to use from several threads."""

    blocks = False

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._full_at: dict[str, float] = {}
        """Caller -> when its bucket is full again."""

    def take(self, caller_id: str, per_minute: int) -> Allowance:
        """Count a request of a caller, if there is room for it. A full minute's requests may come at once."""
        each = WINDOW_S / per_minute
        with self._lock:
            now = self._clock()
            after = max(self._full_at.get(caller_id, now), now) + each
            wait = after - now - WINDOW_S
            # Many small parts do not add up to a whole window exactly.
            if wait > each / 1000:
                return Allowance(per_minute, 0, after - each - now, wait)
            self._full_at[caller_id] = after
            if len(self._full_at) > _SWEEP_ABOVE:
                self._full_at = {key: moment for key, moment in self._full_at.items() if moment > now}
            return Allowance(per_minute, max(0, round((WINDOW_S - (after - now)) / each)), after - now, 0.0)
