"""One request until it has its answer: waiting for its turn and for what the site asks for, and trying again within bounds."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import httpx2

from ragd.core.errors import SourceThrottled
from ragd.core.http import backoff
from ragd.sources.atlassian.limits import RateBudget, rest_asked_for, wait_asked_for
from ragd.sources.atlassian.responses import Answer, Lost, ResponseErrors, Unanswered
from ragd.sources.atlassian.transport import ConnectionPool
from ragd.sources.base import HttpOptions

log = logging.getLogger(__name__)

_TOO_MANY = 429
_ACCEPT = {"Accept": "application/json, */*;q=0.5"}
_MOST_OF_A_PROBE = 4 * 1024 * 1024


@dataclass(slots=True, repr=False)
class Retries:
    """The requests of one account. `goes_first`: a person waits for them, so that they may overdraw the site's budget."""

    pool: ConnectionPool
    budget: RateBudget
    http: HttpOptions
    errors: ResponseErrors
    authorization: str
    goes_first: bool
    clock: Callable[[], float]
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _rest_until: float = field(init=False)

    def __post_init__(self) -> None:
        self._rest_until = self.clock()

    def ask(
        self, method: str, url: httpx2.URL, content: bytes | None, limit: int, name: str, *, trusted: bool, as_json: bool
    ) -> Answer:
        """The first answer that another try would not better, or the last there may be. Only with `trusted` credentials go along.

        `as_json`: a good answer that is no JSON is tried again, too. `name` is how errors call what is asked for. Raises
        `SourceThrottled` when the waits would exceed what one request may wait, `Unanswered` when there was no answer, and what
        `ConnectionPool.exchange` raises.
        """
        headers = dict(_ACCEPT)
        if content is not None:
            headers["Content-Type"] = "application/json"
        if trusted:
            headers["Authorization"] = self.authorization
        waited = 0.0
        attempt = 0
        while True:
            attempt += 1
            waited += self._await_turn(waited)
            self._count()
            lost: Lost | None = None
            answer: Answer | None = None
            asked: float | None = None
            try:
                answer = self.pool.exchange(method, url, headers, content, limit, self.http.timeout_s)
                answer = replace(answer.parsed() if as_json else answer, trusted=trusted)
            except Lost as error:
                answer, lost = None, error
            else:
                asked = self._heed(answer, attempt)
                if not answer.wants_another_try:
                    return answer
            pause = backoff(attempt) if asked is None else asked
            if attempt >= self.http.attempts or waited + pause > self.http.longest_wait_s:
                return self._last(answer, lost, asked, name, attempt)
            reason = str(lost) if answer is None else f"answered {answer.status}"
            log.info("asking again", extra={"site": url.host, "path": name, "reason": reason, "pause_s": round(pause, 2)})
            if asked is None or not trusted:
                waited += self._wait(pause)

    def ask_once(self, url: httpx2.URL) -> Answer:
        """One answer without credentials. Raises what `ConnectionPool.exchange` raises."""
        self._await_turn(0.0)
        self._count()
        return self.pool.exchange("GET", url, _ACCEPT, None, _MOST_OF_A_PROBE, self.http.timeout_s)

    def _count(self) -> None:
        with self._lock:
            self.http.usage.requests += 1

    def _heed(self, answer: Answer, attempt: int) -> float | None:
        """Seconds that the site asks to wait; None when it does not. All threads of this account wait with it."""
        limited = answer.status == _TOO_MANY
        asked = wait_asked_for(answer.headers, limited=limited) if answer.wants_another_try else None
        if asked is None and limited:
            asked = backoff(attempt)
        elif asked is not None and attempt > 1:
            # "Now" is believed once: a storm of such answers is not to be met with one of requests.
            asked = max(asked, backoff(attempt))
        if answer.trusted:
            self._rest(asked if asked is not None else rest_asked_for(answer.headers))
        return asked

    def _last(self, answer: Answer | None, lost: Lost | None, asked: float | None, name: str, attempt: int) -> Answer:
        if asked is not None:
            raise SourceThrottled(f"{self.errors.where} wants to be left alone for {asked:.0f} s.", asked)
        if answer is None:
            tries = f"after {attempt} attempts" if attempt > 1 else "at the first attempt"
            raise Unanswered(f"{self.errors.where} {lost} ({name}, {tries}).") from lost
        return answer

    def _await_turn(self, waited: float) -> float:
        longest = self.http.longest_wait_s - waited
        with self._lock:
            rest = max(0.0, self._rest_until - self.clock())
        if rest > longest:
            raise SourceThrottled(f"{self.errors.where} wants to be left alone for {rest:.0f} s.", rest)
        turn = self.budget.reserve(longest, goes_first=self.goes_first)
        if turn > longest:
            raise SourceThrottled(f"The rate budget for {self.errors.where} is used up for {turn:.0f} s.", turn)
        return self._wait(max(rest, turn))

    def _wait(self, seconds: float) -> float:
        if seconds > 0:
            with self._lock:
                self.http.usage.throttled_s += seconds
            self.http.pause(seconds)
        return seconds

    def _rest(self, seconds: float) -> None:
        with self._lock:
            self._rest_until = max(self._rest_until, self.clock() + seconds)
