"""Turns on the processor for local models: queries overtake reranking, both overtake answers, and all overtake ingestion.

There are two lanes. The interactive lane runs one model call at a time, queries before reranking before answers, then in order of
arrival; an answer that has waited for `patience_s` goes with the queries. Reranking is what is left out when many ask at once.
Ingestion has a lane of its own, in which a call begins only while the interactive lane is empty and no query is in progress, or
after `patience_s` of waiting: it never starves. A query does not wait for the call of ingestion that is under way: it runs beside
it, which delays it less than the rest of that call would. Several calls of ingestion, each on a core of its own, go side by side
only while nobody has asked for a moment.
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
    def __init__(self, priority: Priority, number: int, beside: int, lock: threading.Lock) -> None:
        self.priority = priority
        self.number = number
        self.beside = beside
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
        self._running: list[_Ticket] = []
        self._interactive = 0
        self._last_query = -quiet_s
        self._last_ingestion = 0.0
        self._closed = False

    @contextmanager
    def turn(self, priority: Priority, beside: int = 1) -> Iterator[None]:
        """Wait for a turn and hold it; one of ingestion is given while fewer than `beside` others of it are held.

        Raises `ModelUnavailable` when the queue is closed, also while waiting.
        """
        ticket = _Ticket(priority, next(self._numbers), beside, self._lock)
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
            return self._pending()

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
        left = self._patience_s - self._waited(ticket)
        return left if ticket.lane == "ingestion" and left > 0 else None

    def _waited(self, ticket: _Ticket) -> float:
        """Seconds that ingestion has had no turn, and this one has waited for one."""
        return time.monotonic() - max(ticket.since, self._last_ingestion)

    def _advance(self) -> None:
        while not self._closed and (ticket := self._next_interactive_turn() or self._next_ingestion()) is not None:
            self._running.append(ticket)
            self._waiting.remove(ticket)
            ticket.granted = True
            ticket.changed.notify()

    def _leave(self, ticket: _Ticket) -> None:
        self._running.remove(ticket)
        if ticket.lane == "interactive":
            self._last_query = time.monotonic()
        else:
            self._last_ingestion = time.monotonic()
        self._advance()

    def _held(self, lane: str) -> int:
        return sum(ticket.lane == lane for ticket in self._running)

    def _next_interactive_turn(self) -> _Ticket | None:
        return None if self._held("interactive") else self._next_interactive()

    def _next_interactive(self) -> _Ticket | None:
        waiting = (ticket for ticket in self._waiting if ticket.lane == "interactive")
        return min(waiting, key=lambda ticket: (self._urgency(ticket), ticket.number), default=None)

    def _urgency(self, ticket: _Ticket) -> Priority:
        waited = ticket.priority is Priority.ANSWER and time.monotonic() - ticket.since >= self._patience_s
        return Priority.QUERY if waited else ticket.priority

    def _next_ingestion(self) -> _Ticket | None:
        first = next((ticket for ticket in self._waiting if ticket.lane == "ingestion"), None)
        if first is None or (held := self._held("ingestion")) >= first.beside:
            return None
        # Where somebody asks, or is likely to, all cores but one are theirs.
        if (held and self._pending()) or (self._asking() and self._waited(first) < self._patience_s):
            return None
        return first

    def _pending(self) -> bool:
        return self._asking() or time.monotonic() - self._last_query < self._quiet_s

    def _asking(self) -> bool:
        return self._interactive > 0 or self._held("interactive") > 0 or self._next_interactive() is not None
