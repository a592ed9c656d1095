"""A connection to the daemon that owns the data directory. It starts one when there is none, and finds the next when it is gone.

A daemon rather than an engine in this process: a stdio server lives for hours, two clients start two of them, and a data
directory has one owner. So the model is in memory once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
import httpx2

from ragd import __version__
from ragd.client.blocking import Client
from ragd.client.discovery import Daemon, find_daemon
from ragd.client.errors import unanswered
from ragd.client.launch import LaunchedDaemon
from ragd.core.errors import DaemonAlreadyRunning, RagError, ServiceUnavailable
from ragd.core.instance import is_owned

log = logging.getLogger(__name__)

PATIENCE_S: Final = 60.0
"""How long a request waits for a daemon that starts. A first start may take longer: it gets the model."""

_LOOK_EVERY_S: Final = 0.2
_LOOK_AGAIN_S: Final = 1.0
"""Between two looks whether a daemon that was lost is there again."""
# A query may wait for a batch of an ingestion. Requests beyond the limit of connections wait for their turn.
_TIMEOUT: Final = httpx2.Timeout(120.0, connect=5.0, pool=None)
_LIMITS: Final = httpx2.Limits(max_connections=32, max_keepalive_connections=32)

_STARTING: Final = (
    "The daemon is starting, and a first start gets the model; or a command is still at work in the data directory. "
    "Try again in a minute."
)

Sources = Sequence[Mapping[str, Any]]
TokenHeaders = Callable[[Sources], Mapping[str, str]]
"""Headers with the person's tokens for the sources that there are. Raises `RagError`. Is called in a thread."""


class DaemonConnection:
    """Requests to the daemon of a data directory, whichever that is at the time."""

    def __init__(
        self,
        data_dir: Path,
        launch: Callable[[], LaunchedDaemon],
        token_headers: TokenHeaders | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`launch` starts a daemon of this directory."""
        self._data_dir = data_dir
        self._launch = launch
        self._token_headers = token_headers
        self._patience_s = patience_s
        # A proxy of the environment has no business between two processes of one machine.
        self._http = httpx2.AsyncClient(trust_env=False, timeout=_TIMEOUT, limits=_LIMITS)
        # The stream that stays open must not wait behind a hundred calls.
        self._aside = httpx2.AsyncClient(trust_env=False, timeout=None)
        # The daemon, once it is found. All who wait for it wait for the same search.
        self._search: asyncio.Future[Daemon] | None = None
        # Our child, which is to be waited for when it ends.
        self._launched: LaunchedDaemon | None = None

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        """Ask the daemon. What never reached it is sent once more, to the next one. Raises `ServiceUnavailable`."""
        daemon = await self._daemon()
        try:
            answer = await self._http.send(_addressed(request, daemon))
        except httpx2.TransportError as error:
            never_arrived = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
            was_cut = isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)
            if was_cut or never_arrived:
                self._forget(daemon)
            if not never_arrived and not (was_cut and request.method == "GET"):
                raise unanswered(error) from error
        else:
            # Another token than before: a daemon that was started again on the same port.
            if answer.status_code != httpx2.codes.UNAUTHORIZED:
                return answer
            self._forget(daemon)
        try:
            return await self._http.send(_addressed(request, await self._daemon()))
        except httpx2.TransportError as error:
            raise unanswered(error) from error

    async def stay(self) -> None:
        """Seek the daemon at once, start one if need be, and be present to it from then on, until this is cancelled.

        A daemon that was lost is started again by the next request, and not by this.
        """
        try:
            await self._daemon()
        except RagError as error:
            log.warning("no daemon yet", extra={"reason": error.message})
        while True:
            if daemon := self._known():
                await self._be_present(daemon)
                self._forget(daemon)
            await asyncio.sleep(_LOOK_AGAIN_S)
            if self._search is None:
                await self._look()

    async def close(self) -> None:
        await self._http.aclose()
        await self._aside.aclose()

    async def _be_present(self, daemon: Daemon) -> None:
        """While the stream is open the daemon counts as used; its end means that the daemon has gone."""
        try:
            async with self._aside.stream("GET", daemon.url.join("/api/events"), headers=daemon.headers) as events:
                async for _ in events.aiter_raw():
                    pass
        except httpx2.TransportError as error:
            log.info("the daemon has gone", extra={"reason": str(error) or type(error).__name__})

    async def _daemon(self) -> Daemon:
        """The daemon, found or started. Raises `ServiceUnavailable` when that takes too long or fails."""
        if self._search is None:
            self._search = asyncio.create_task(self._find_or_start())
        search = self._search
        # Whoever gives up waiting does not end the search, on which others wait.
        await asyncio.wait([search], timeout=self._patience_s)
        if not search.done():
            raise ServiceUnavailable(_STARTING)
        self._known()
        return search.result()

    def _known(self) -> Daemon | None:
        """The daemon, when it is found. A search that failed is forgotten: the next request begins another."""
        if self._search is None or not self._search.done():
            return None
        if self._search.exception():
            self._search = None
            return None
        return self._search.result()

    def _forget(self, daemon: Daemon) -> None:
        if self._known() is daemon:
            self._search = None

    async def _look(self) -> None:
        """Take the daemon that runs, if any."""
        try:
            found = await self._running()
        except RagError as error:
            log.info("a daemon can't be used", extra={"reason": error.message})
            return
        if found and self._search is None:
            self._search = asyncio.get_running_loop().create_future()
            self._search.set_result(found)

    async def _find_or_start(self) -> Daemon:
        launched: LaunchedDaemon | None = None
        while not (found := await self._running()):
            with _as_unavailable():
                if (launched is None or _has_ended(launched)) and not is_owned(self._data_dir):
                    launched = self._launched = self._launch()
                    log.info("daemon launched")
            await asyncio.sleep(_LOOK_EVERY_S)
        return found

    async def _running(self) -> Daemon | None:
        with _as_unavailable():
            daemon = await anyio.to_thread.run_sync(self._usable, abandon_on_cancel=True)
        if daemon and daemon.version != __version__:
            log.warning("daemon of another version", extra={"daemon": daemon.version, "this": __version__})
        return daemon

    def _usable(self) -> Daemon | None:
        """The daemon that runs, with the person's tokens for its sources. Runs in a thread."""
        daemon = find_daemon(self._data_dir)
        if daemon is None or self._token_headers is None:
            return daemon
        with closing(Client.of(daemon)) as client:
            try:
                sources = list(client.pages("/api/sources"))
            except ServiceUnavailable:
                return None
        return replace(daemon, headers={**daemon.headers, **self._token_headers(sources)})


@contextmanager
def _as_unavailable() -> Iterator[None]:
    """What the system refuses becomes our error: a full disk, a folder that may not be read."""
    try:
        yield
    except OSError as error:
        raise ServiceUnavailable(f"The daemon can't be found or started: {error.strerror or error}.") from error


def _has_ended(launched: LaunchedDaemon) -> bool:
    """Raises `ServiceUnavailable` with what it said when it could not start."""
    code = launched.exit_code
    # The directory is in use: another client's daemon was faster, or a command works in it itself and then lets go of it.
    if code and code != DaemonAlreadyRunning.exit_code:
        raise ServiceUnavailable(f"The daemon could not be started: {launched.last_message()}")
    return code is not None


def _addressed(request: httpx2.Request, daemon: Daemon) -> httpx2.Request:
    """The same request, to this daemon. Of tokens that both bring, the request's count."""
    url = request.url.copy_with(scheme=daemon.url.scheme, host=daemon.url.host, port=daemon.url.port)
    headers = httpx2.Headers(daemon.headers)
    headers.update({name: value for name, value in request.headers.items() if name != "host"})
    return httpx2.Request(request.method, url, headers=headers, content=request.content)
