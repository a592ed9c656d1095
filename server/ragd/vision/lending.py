"""What only somebody else can do, asked by way of whoever lends it: a window of an editor takes each request and answers it.

One request at a time. It is leased: who took it says now and then that it is still at it, and when that stops (the window was
closed), the next lender gets it, as if nobody had seen it. Nothing is handed to anybody who has not come for it.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from ragd.core.errors import NotFound, RemoteRefused, RemoteUnavailable, ServiceUnavailable

LEASE_S: Final = 20.0
"""Seconds without a sign of life after which a request is taken back from who has it."""
_PRESENT_S: Final = 10.0
"""Seconds for which somebody who came for a request counts as there."""
_MOST_LOST: Final = 3
"""Lenders that may vanish over one request: then it may be the request that ends them."""

Clock = Callable[[], float]
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class NobodyLends(ServiceUnavailable):
    """No lender is there. The request has cost nothing."""


class NoSuchRequest(NotFound):
    """A lease that has run out, or whose request was answered or called off."""


@dataclass(frozen=True, slots=True)
class Lent(Generic[Asked]):
    """A request as its lender gets it. `subject` is what it is about; `timeout_s` is how long it may take."""

    lease_id: str
    subject: str
    asked: Asked
    timeout_s: float


class _Request(Generic[Asked, Answer]):
    """What is asked, who has it, and what came of it."""

    def __init__(self, subject: str, asked: Asked, deadline_s: float) -> None:
        self.subject = subject
        self.asked = asked
        self.timeout_s = deadline_s
        self.lease_id = ""
        self.lender = ""
        self.taken_at = self.seen_at = 0.0
        self.lost = 0
        self.answer: Answer | None = None
        self.failure: ServiceUnavailable | None = None

    @property
    def is_over(self) -> bool:
        return self.answer is not None or self.failure is not None


class Lending(Generic[Asked, Answer]):
    """Between the thread that asks and the lenders. Safe to use from several threads."""

    def __init__(self, timeout_s: float, *, clock: Clock = time.monotonic) -> None:
        """`timeout_s`: how long one answer may take once somebody has the request."""
        self._timeout_s = timeout_s
        self._clock = clock
        self._changed = threading.Condition()
        self._lenders: dict[str, float] = {}
        self._request: _Request[Asked, Answer] | None = None
        self.subject = ""
        """What the next request is about: the id of a picture, by which is decided whether a lender may see it."""
        self.missed = True
        """Whether somebody was wanted and nobody was there, since this was last put to False; at first it is not known."""

    @property
    def is_lent(self) -> bool:
        """Whether somebody is there."""
        with self._changed:
            return self._present()

    def require_lender(self) -> None:
        """Raises `NobodyLends`."""
        if not self.is_lent:
            self.missed = True
            raise NobodyLends("No window of VS Code lends its model now. The pictures wait for one.")

    def ask(self, asked: Asked) -> Answer:
        """The answer of whoever lends a model. Raises `NobodyLends`, and `RemoteUnavailable` for what the model failed at."""
        request: _Request[Asked, Answer] = _Request(self.subject, asked, self._timeout_s)
        with self._changed:
            self._request = request
            self._changed.notify_all()
            try:
                while not request.is_over:
                    self._look_after(request)
                    if not request.is_over:
                        self._changed.wait(0.25)
            finally:
                self._request = None
        if request.failure is None:
            assert request.answer is not None
            return request.answer
        if isinstance(request.failure, NobodyLends):
            self.missed = True
        raise request.failure

    def take(self, lender: str, may_see: Callable[[str], bool]) -> Lent[Asked] | None:
        """The request that waits, leased to `lender`; None where none does. Coming for one is what makes a lender present.

        A picture that the lender may not see is not handed over: its request fails.
        """
        with self._changed:
            self._lenders[lender] = self._clock()
            request = self._request
            if request is None or request.lease_id or request.is_over:
                return None
            subject = request.subject
        allowed = may_see(subject)
        with self._changed:
            if request is not self._request or request.lease_id or request.is_over:
                return None
            if not allowed:
                self._end(request, RemoteRefused("Whoever lends the model may not see a document that shows this picture."))
                return None
            request.lease_id, request.lender = uuid.uuid4().hex, lender
            request.taken_at = request.seen_at = self._clock()
            return Lent(request.lease_id, subject, request.asked, request.timeout_s)

    def renew(self, lease_id: str) -> None:
        """A sign of life of who has the request. Raises `NoSuchRequest`."""
        with self._changed:
            request = self._held(lease_id)
            request.seen_at = self._lenders[request.lender] = self._clock()

    def answer(self, lease_id: str, answer: Answer) -> None:
        """What the model said. Raises `NoSuchRequest`."""
        with self._changed:
            request = self._held(lease_id)
            self._lenders[request.lender] = self._clock()
            request.answer = answer
            self._changed.notify_all()

    def fail(self, lease_id: str, error: RemoteUnavailable) -> None:
        """The model could not, or would not. Raises `NoSuchRequest`."""
        with self._changed:
            request = self._held(lease_id)
            self._lenders[request.lender] = self._clock()
            self._end(request, error)

    def withdraw(self, lender: str) -> None:
        """The lender lends no more; what it had is there for the next one."""
        with self._changed:
            self._lenders.pop(lender, None)
            if self._request is not None and self._request.lease_id and self._request.lender == lender:
                self._request.lease_id = ""
            self._changed.notify_all()

    def abandon(self) -> None:
        """Call off what is being asked: the answer is not waited for any more."""
        with self._changed:
            if self._request is not None and not self._request.is_over:
                self._end(self._request, ServiceUnavailable("The request was called off."))

    def _held(self, lease_id: str) -> _Request[Asked, Answer]:
        request = self._request
        if request is None or not lease_id or request.lease_id != lease_id or request.is_over:
            raise NoSuchRequest("This request was answered, called off, or given to somebody else.")
        return request

    def _look_after(self, request: _Request[Asked, Answer]) -> None:
        """Take a request back from who has vanished, and end one that takes too long or that nobody is there for."""
        now = self._clock()
        if request.lease_id and now - request.taken_at > request.timeout_s:
            self._end(request, RemoteUnavailable(f"The model gave no answer within {request.timeout_s:.0f} seconds."))
        elif request.lease_id and now - request.seen_at > LEASE_S:
            self._lenders.pop(request.lender, None)
            request.lease_id = ""
            request.lost += 1
            if request.lost >= _MOST_LOST:
                self._end(request, RemoteUnavailable(f"{request.lost} windows were gone before they had an answer."))
        if not request.lease_id and not request.is_over and not self._present():
            self._end(request, NobodyLends("The window of VS Code that lent its model is gone. The pictures wait for another."))

    def _present(self) -> bool:
        now = self._clock()
        self._lenders = {lender: seen for lender, seen in self._lenders.items() if now - seen <= _PRESENT_S}
        held = self._request is not None and bool(self._request.lease_id)
        return held or bool(self._lenders)

    def _end(self, request: _Request[Asked, Answer], failure: ServiceUnavailable) -> None:
        request.failure = failure
        self._changed.notify_all()
