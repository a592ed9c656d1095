"""The API on a socket, until its lifecycle ends."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Final

import uvicorn

from ragd.api.connections import BACKLOG, BoundedProtocol
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.security import MAX_HEAD_BYTES
from ragd.core.errors import PortTaken

LOOPBACK: Final = "127.0.0.1"
_WILDCARDS: Final = {"0.0.0.0": LOOPBACK, "::": "::1"}

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]


@contextmanager
def listening(port: int = 0, host: str = LOOPBACK) -> Generator[tuple[socket.socket, str], None, None]:
    """A listening socket, and its URL for programs of this machine; port 0 takes a free one. Raises `PortTaken`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, the protocol is known of each accepted connection too, without which asyncio does not switch Nagle's algorithm off:
    # 44 ms for each answer where there is no uvloop, as on Windows.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        if sys.platform == "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            # Listening at once, and not when the server runs, is what makes a second daemon fail here.
            listener.listen(BACKLOG)
        except OSError as error:
            raise PortTaken(
                f"Port {port} of {host} can't be used ({error.strerror}). Another program may have it: "
                "choose another with --port or RAG_SERVER__PORT; 0 takes a free one."
            ) from error
        called = _WILDCARDS.get(host, host)
        yield listener, f"http://{f'[{called}]' if ':' in called else called}:{listener.getsockname()[1]}"


class ApiServer(uvicorn.Server):
    """uvicorn, ended by a signal with our exit code and not with the signal's.

    After a signal it goes on answering for `drain_s` seconds, in which a balancer learns from `/ready` to ask others.
    """

    def __init__(
        self,
        api: object,
        lifecycle: Lifecycle,
        grace_s: float,
        listening: Callable[[], None] = lambda: None,
        *,
        drain_s: float = 0.0,
        draining: Callable[[], None] = lambda: None,
        may_connect: Callable[[str, int], bool] | None = None,
    ) -> None:
        """Open requests have `grace_s` seconds to end. `listening` is called once signals are handled, `draining` in the loop
        once it drains: it must not block. `may_connect` says whether an address may have so many connections."""
        config = uvicorn.Config(
            api,  # type: ignore[arg-type]
            http=partial(BoundedProtocol, may_connect=may_connect),  # type: ignore[arg-type]
            backlog=BACKLOG,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            lifespan="on",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=max(1, round(grace_s)),
        )
        super().__init__(config)
        self.lifecycle = lifecycle
        self._listening = listening
        self._drain_s = drain_s
        self._draining = draining
        self._asked = False
        self._until: float | None = None

    def stop(self) -> None:
        """End as soon as the open requests are answered; asked twice, at once. For signal handlers: it takes no lock."""
        self.force_exit = self._asked
        self._asked = True

    async def on_tick(self, counter: int) -> bool:
        """Whether to end, asked ten times a second."""
        life = self.lifecycle
        if self._asked and self._until is None:
            # Nobody was sent to a daemon that was never ready.
            self._until = time.monotonic() + (self._drain_s if life.ready.is_set() else 0.0)
            life.draining.set()
            self._draining()
        if self._until is not None and (self.force_exit or time.monotonic() >= self._until):
            life.end()
        return await super().on_tick(counter) or life.stopping.is_set()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(_signal: int, _frame: FrameType | None) -> None:
            self.stop()

        before = {number: signal.signal(number, stop) for number in _SIGNALS}
        self._listening()
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
