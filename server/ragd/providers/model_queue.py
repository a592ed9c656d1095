"""Turns on the processor for local models: queries overtake reranking, both overtake answers, and all overtake ingestion.

There are two lanes. The interactive lane runs one model call at a time, queries before reranking before answers, then in order of
arrival; an answer that has waited for `patience_s` goes with the queries. Reranking is what is left out when many ask at once.
Ingestion has a lane of its own, in which a call begins only while the interactive lane is empty and no query is in progress, or
after `patience_s` of waiting: it never starves. A query does not wait for the call of ingestion that is under way: it runs beside
it, which delays it less than the rest of that call would.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from ragd.core.errors import ModelUnavailable

PATIENCE_S = 0.5
"""Longest wait of ingestion for one text. A text of 400 tokens takes two cores for 45 ms: a tenth of what queries then have."""
_QUIET_S = 1.0
"""Time without queries before ingestion takes large batches again: people ask again, and refine, within seconds."""
_CROWD = 8
"""Queries in progress from which on none gets time for reranking: what each would have is too short to score a passage."""


class Priority(IntEnum):
    """Lower is served first."""

    QUERY = 0
    RERANK = 1
    ANSWER = 2
    INGEST = 3


class _Ticket:
    def __init__(self, priority: Priority, number: int, lock: threading.Lock) -> None:
        self.priority = priority
        self.number = number
        self.since = time.monotonic()
        self.granted = False
        self.lane = "ingestion" if priority is Priority.INGEST else "interactive"
        self.changed = threading.Condition(lock)


class ModelQueue:
    """Gives turns. One for each process; safe to use from any thread. Turns can't be nested."""

    def __init__(self, patience_s: float = PATIENCE_S, quiet_s: float = _QUIET_S) -> None:
        self._patience_s = patience_s
        self._quiet_s = quiet_s
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._waiting: list[_Ticket] = []
        self._running: dict[str, _Ticket] = {}  # by lane
        self._interactive = 0
        self._last_query = -quiet_s
        self._closed = False

    @contextmanager
    def turn(self, priority: Priority) -> Iterator[None]:
        """Wait for a turn and hold it. Raises `ModelUnavailable` when the queue is closed, also while waiting."""
        ticket = _Ticket(priority, next(self._numbers), self._lock)
        with self._lock:
            self._wait(ticket)
        try:
            yield
        finally:
            with self._lock:
                self._leave(ticket)

    @contextmanager
    def interactive(self) -> Iterator[None]:
        """Around a whole query: between its turns, too, ingestion begins nothing until its patience is over."""
        with self._lock:
            self._interactive += 1
        try:
            yield
        finally:
            with self._lock:
                self._interactive -= 1
                self._last_query = time.monotonic()
                self._advance()

    def interactive_pending(self) -> bool:
        """Whether queries are in progress, wait, or came a moment ago."""
        with self._lock:
            return self._asking() or time.monotonic() - self._last_query < self._quiet_s

    def interactive_share(self) -> float:
        """The part of the time that one query in progress may take, 0..1: all of it when it is alone, none in a crowd."""
        with self._lock:
            return 1 / max(1, self._interactive) if self._interactive < _CROWD else 0.0

    def waiting(self) -> list[Priority]:
        """Priorities of those who wait, in order of arrival."""
        with self._lock:
            return [ticket.priority for ticket in self._waiting]

    def close(self) -> None:
        """Give no more turns. Those who wait get `ModelUnavailable`; a running turn ends by itself."""
        with self._lock:
            self._closed = True
            for ticket in self._waiting:
                ticket.changed.notify()

    def _wait(self, ticket: _Ticket) -> None:
        self._waiting.append(ticket)
        try:
            self._advance()
            while not ticket.granted and not self._closed:
                ticket.changed.wait(self._patience_left(ticket))
                self._advance()
        except BaseException:  # an interrupted thread must not keep the turn that it was given meanwhile
            if ticket.granted:
                self._leave(ticket)
            raise
        finally:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
        if not ticket.granted:
            raise ModelUnavailable("The models are being closed.")

    def _patience_left(self, ticket: _Ticket) -> float | None:
        """Seconds until it need not wait for queries any more; None when only the end of a turn can help it."""
        left = ticket.since + self._patience_s - time.monotonic()
        return left if ticket.lane == "ingestion" and left > 0 else None

    def _advance(self) -> None:
        for ticket in (self._next_interactive(), self._next_ingestion()):
            if ticket is not None and ticket.lane not in self._running and not self._closed:
                self._running[ticket.lane] = ticket
                self._waiting.remove(ticket)
                ticket.granted = True
                ticket.changed.notify()

    def _leave(self, ticket: _Ticket) -> None:
        del self._running[ticket.lane]
        if ticket.lane == "interactive":
            self._last_query = time.monotonic()
        self._advance()

    def _next_interactive(self) -> _Ticket | None:
        waiting = (ticket for ticket in self._waiting if ticket.lane == "interactive")
        return min(waiting, key=lambda ticket: (self._urgency(ticket), ticket.number), default=None)

    def _urgency(self, ticket: _Ticket) -> Priority:
        waited = ticket.priority is Priority.ANSWER and time.monotonic() - ticket.since >= self._patience_s
        return Priority.QUERY if waited else ticket.priority

    def _next_ingestion(self) -> _Ticket | None:
        first = next((ticket for ticket in self._waiting if ticket.lane == "ingestion"), None)
        if first is None or (self._asking() and time.monotonic() - first.since < self._patience_s):
            return None
        return first

    def _asking(self) -> bool:
        return self._interactive > 0 or "interactive" in self._running or self._next_interactive() is not None
