"""How often a site is asked, and how long it is left alone when it asks for that.

Our own budget is a token bucket. What the site says comes first: `Retry-After` (seconds or a date), Data Center's
`X-RateLimit-Remaining` and `-Interval-Seconds`, Cloud's `X-RateLimit-Reset`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from ragd.core.http import NUMBER, retry_after, server_time

_BURST_S = 5.0
# Whatever a site says, it is asked again the next day.
_LONGEST_ASKED_S = 24 * 3600.0
_INTERVAL_S = 60.0


class RateBudget:
    """A token bucket for all threads and tokens of one site; it holds what may be asked within five seconds."""

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate * _BURST_S)
        self._tokens = self._capacity
        self._clock = clock
        self._filled_at = clock()
        self._lock = threading.Lock()

    def reserve(self, longest_s: float, *, goes_first: bool = False) -> float:
        """Seconds until this request's turn. Its place is taken, unless the wait is beyond `longest_s`.

        `goes_first`: a person waits for it. It goes at once and may overdraw the budget by what it holds; others make up for it.
        """
        with self._lock:
            now = self._clock()
            self._tokens = min(self._capacity, self._tokens + (now - self._filled_at) * self._rate)
            self._filled_at = now
            left = self._tokens - 1 + (self._capacity if goes_first else 0.0)
            wait = max(0.0, -left / self._rate)
            if wait <= longest_s:
                self._tokens -= 1
            return wait


def wait_asked_for(headers: Mapping[str, str], *, limited: bool) -> float | None:
    """Seconds that a refusing answer asks for; None when it does not say.

    `limited`: it refuses because of a limit, so that what it says of its limits counts; other answers carry that as well.
    """
    asked = retry_after(headers)
    if asked is not None:
        return _bounded(asked)
    return _refill(headers) if limited else None


def rest_asked_for(headers: Mapping[str, str]) -> float:
    """Seconds to leave the site alone after an answer that says that nothing remains; else 0."""
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return 0.0
    asked = _refill(headers)
    return _INTERVAL_S if asked is None else asked


def _refill(headers: Mapping[str, str]) -> float | None:
    interval = headers.get("x-ratelimit-interval-seconds", "").strip()
    if NUMBER.fullmatch(interval):
        return _bounded(float(interval))
    reset = headers.get("x-ratelimit-reset", "").strip()
    if NUMBER.fullmatch(reset):
        return _bounded(float(reset) - server_time(headers))
    try:
        at = datetime.fromisoformat(reset)
    except ValueError:
        return None
    return _bounded((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - server_time(headers))


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_ASKED_S)
