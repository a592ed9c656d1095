"""How often a site is asked, and how long it is left alone when it asks for that.

Our own budget is a token bucket. What the site says comes first: `Retry-After` (seconds or a date), Data Center's
`X-RateLimit-Remaining` and `-Interval-Seconds`, Cloud's `X-RateLimit-Reset`. Where it says nothing, pauses grow exponentially
with full jitter (Brooker 2015, AWS Architecture Blog).
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_BURST_S = 5.0
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 20.0
# Whatever a site says, it is asked again the next day.
_LONGEST_ASKED_S = 24 * 3600.0
_INTERVAL_S = 60.0
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,9})?")


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


def backoff(attempt: int) -> float:
    """Seconds before the attempt that follows `attempt` (1 is the first)."""
    return random.uniform(0, min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (attempt - 1)))


def wait_asked_for(headers: Mapping[str, str], *, limited: bool) -> float | None:
    """Seconds that a refusing answer asks for; None when it does not say.

    `limited`: it refuses because of a limit, so that what it says of its limits counts; other answers carry that as well.
    """
    value = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(value):
        return min(float(value), _LONGEST_ASKED_S)
    if value and (at := _http_date(value)) is not None:
        return _bounded(at - _server_time(headers))
    return _refill(headers) if limited else None


def rest_asked_for(headers: Mapping[str, str]) -> float:
    """Seconds to leave the site alone after an answer that says that nothing remains; else 0."""
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return 0.0
    asked = _refill(headers)
    return _INTERVAL_S if asked is None else asked


def _refill(headers: Mapping[str, str]) -> float | None:
    interval = headers.get("x-ratelimit-interval-seconds", "").strip()
    if _NUMBER.fullmatch(interval):
        return min(float(interval), _LONGEST_ASKED_S)
    reset = headers.get("x-ratelimit-reset", "").strip()
    if _NUMBER.fullmatch(reset):
        return _bounded(float(reset) - _server_time(headers))
    try:
        at = datetime.fromisoformat(reset)
    except ValueError:
        return None
    return _bounded((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - _server_time(headers))


def _server_time(headers: Mapping[str, str]) -> float:
    """By the site's own clock where it shows it: ours may be wrong."""
    at = _http_date(headers.get("date", ""))
    return time.time() if at is None else at


def _http_date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_ASKED_S)
