"""Pooled connections that are asked whether they still live before they are used, unless they were used a moment ago.

A question to PostgreSQL takes a dozen connections out of their pools and puts them back; to ask each of them each time was four
of ten round trips. Once any of them is seen to be dead, those of every pool that were used before are asked.
"""

from __future__ import annotations

import time
from typing import Any, Final

from sqlalchemy import Engine, ExceptionContext, event
from sqlalchemy.exc import InvalidatePoolError

_TRUSTED_S: Final = 1.0
_USED: Final = "used at"


class _Failures:
    """When a server was last found to be away, by the pool of whichever engine: they are of one server."""

    last = 0.0

    def note(self) -> None:
        self.last = time.monotonic()


_FAILURES: Final = _Failures()


def ask_before_use(engine: Engine) -> None:
    """As `pool_pre_ping`, but for connections that were given back a moment ago and are not known to be broken."""

    @event.listens_for(engine, "connect")
    @event.listens_for(engine, "checkin")
    def _used(_connection: Any, record: Any) -> None:
        record.info[_USED] = time.monotonic()

    @event.listens_for(engine, "handle_error")
    def _failed(context: ExceptionContext) -> None:
        if context.is_disconnect or context.connection is None:
            _FAILURES.note()

    @event.listens_for(engine, "checkout")
    def _taken(connection: Any, record: Any, _proxy: Any) -> None:
        used = record.info[_USED]
        if not connection.closed and used > _FAILURES.last and time.monotonic() - used < _TRUSTED_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except connection.Error as error:
            _FAILURES.note()
            raise InvalidatePoolError from error
