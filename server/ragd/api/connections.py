"""What a connection may cost before anybody has shown the token: bytes, time, and descriptors.

uvicorn's server on h11, whose parser holds no more of an unfinished request's head than it is told to. httptools, which uvicorn
would take where it is installed, gathers address, headers and trailers without an end, and asks nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from typing import Any, Final, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ragd.api.errors import error_response
from ragd.api.middleware.security import MAX_HEAD_BYTES, ON_AUTHENTICATED
from ragd.core.errors import ValidationFailed

HEAD_TIMEOUT_S: Final = 10.0
"""Seconds that a connection may take until a request's head is complete: the first, and each further one."""

MAX_UNAUTHENTICATED: Final = 128
"""Connections without a request that showed the token. One more, and the oldest of those that wait is closed."""

BACKLOG: Final = 128
"""Connections that the system holds until they are accepted, and that are accepted in one go."""

_OPEN_FILES: Final = 10_240


class BoundedProtocol(H11Protocol):
    """One connection, on the event loop's thread."""

    def __init__(self, *args: Any, may_connect: Callable[[str, int], bool] | None = None, **options: Any) -> None:
        """`may_connect` says whether an address may have so many connections; None: however many."""
        super().__init__(*args, **options)
        self._may_connect = may_connect
        self._address = ""
        self._is_authenticated = False
        self._opened = self.loop.time()
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()
        known = cast("set[BoundedProtocol]", self.connections)
        if self._may_connect:
            self._address = str((transport.get_extra_info("peername") or ("",))[0])
            same = sum(one._address == self._address and not one.transport.is_closing() for one in known)
            if not self._may_connect(self._address, same):
                transport.abort()
                return
        # asyncio accepts many in one go, and one that was aborted stays in the set until after that.
        unknown = [one for one in known if not one._is_authenticated and not one.transport.is_closing()]
        if len(unknown) > MAX_UNAUTHENTICATED:
            # One that is being answered goes last: it may be about to show its token.
            min(unknown, key=lambda one: (one._deadline is None, one._opened)).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._head_came()
            # The request's task begins after this.
            self.scope["extensions"] = {ON_AUTHENTICATED: {"call": self._authenticated}}

    def on_response_complete(self) -> None:
        # Also while the rest of a body comes that nobody reads.
        self._await_head()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse what is no HTTP, or too much of it, in the shape of every error."""
        if self.conn.our_state is not h11.IDLE:
            # What is wrong is the rest of a request that is being answered already.
            self.transport.abort()
            return
        message = f"This is not HTTP/1.1, or its head is larger than {MAX_HEAD_BYTES:,} bytes."
        answer = error_response(ValidationFailed(message), {"Connection": "close"})
        for event in (
            h11.Response(status_code=answer.status_code, headers=answer.raw_headers, reason=b"Bad Request"),
            h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _authenticated(self) -> None:
        self._is_authenticated = True

    def _await_head(self) -> None:
        self._head_came()
        self._deadline = self.loop.call_later(HEAD_TIMEOUT_S, self.transport.abort)

    def _head_came(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


def raise_open_files() -> None:
    """Take as many open files as the system lets this process have; many give only 1,024 unless asked."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    # macOS says that there is no limit, and may refuse what it then does not have.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
