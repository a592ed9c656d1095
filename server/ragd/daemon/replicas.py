"""Several processes that answer at one address, and the one that minds them: `rag serve --workers N`.

They accept from one socket, so whoever is free takes the next connection. One that ends by itself is begun again; only the
connections that it had are lost with it. The process that minds them answers nobody.
"""

from __future__ import annotations

import functools
import logging
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.managers import BaseManager
from typing import Any, Final

from ragd import __version__
from ragd.api.middleware.sessions import SessionTable
from ragd.api.server import listening
from ragd.config.loading import Directories
from ragd.config.settings import Settings
from ragd.core.errors import SettingsError
from ragd.core.instance import SHARED_COUNTS, DaemonInfo, Ownership
from ragd.daemon.beginning import begin

log = logging.getLogger(__name__)

# Processes of their own: what was forked would have locks that nobody lets go of.
_SPAWN: Final = multiprocessing.get_context("spawn")
# One that ends sooner than this after it was begun will hardly do better at once.
_LIVES_S: Final = 10.0
_LONGEST_PAUSE_S: Final = 30.0
# What an end may take beyond the time that the settings give it; each process has a watchdog that ends it before.
_MARGIN_S: Final = 10.0


def serve_replicas(
    settings: Settings,
    directories: Directories,
    count: int,
    *,
    port: int | None = None,
    host: str | None = None,
    on_ready: Callable[[DaemonInfo], None] = lambda _: None,
) -> int:
    """Run `count` processes until this one is asked to stop. Returns its exit code: 0, or that of the first one that can't begin.

    `on_ready` is called once one of them answers.
    """
    return begin(settings, directories, port=port, host=host, run=functools.partial(_run, count=count, on_ready=on_ready))


def _run(
    settings: Settings,
    directories: Directories,
    ownership: Ownership,
    token: str,
    *,
    count: int,
    on_ready: Callable[[DaemonInfo], None],
) -> int:
    try:
        _require_shared(settings)
        with (
            listening(settings.server.port, settings.server.host) as (listener, url),
            tempfile.TemporaryDirectory(prefix="rag-counts-") as counts,
            _signals() as wish,
        ):
            os.environ[SHARED_COUNTS] = counts
            given = _Given(settings, directories, listener, url, token, _shared_sessions())

            def ready() -> None:
                info = DaemonInfo(os.getpid(), __version__, url, token)
                ownership.publish(info)
                on_ready(info)

            log.info("replicas begin", extra={"url": url, "processes": count, "version": __version__})
            return _Minder(given, count, wish, ready).run()
    finally:
        ownership.release()


def _require_shared(settings: Settings) -> None:
    """Raises `SettingsError` where a second process could not share what one has."""
    if os.name == "nt":
        raise SettingsError("--workers needs POSIX. On Windows, start several daemons with ports of their own (docs/service.md).")
    if not settings.store.url.startswith("postgresql"):
        raise SettingsError(
            "--workers needs PostgreSQL (store.url), which several processes can share; SQLite is for one. Leave --workers out, "
            "or see docs/service.md."
        )
    if settings.jobs.queue != "procrastinate":
        raise SettingsError(
            "--workers needs jobs.queue: procrastinate, and `rag worker` processes that run them: one that runs jobs by itself "
            "must be the only one (docs/service.md)."
        )


@dataclass
class _Wish:
    """Signals that came, and a pipe by which whoever waits hears of each."""

    pipe: int
    count: int = 0


@contextmanager
def _signals() -> Iterator[_Wish]:
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    wish = _Wish(read_end)

    def asked(_number: int, _frame: object) -> None:
        wish.count += 1
        os.write(write_end, b"\0")

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read_end)
        os.close(write_end)


class _Keeper(BaseManager):
    """By which the processes share what is to be in memory alone: asked over a socket, with a key of this run."""


@functools.cache
def _table() -> SessionTable:
    return SessionTable()


_Keeper.register("sessions", callable=_table)


def _shared_sessions() -> Any:
    """Keep the sessions of browsers in this process. Returns the address at which the others ask for them."""
    server = _Keeper(authkey=bytes(multiprocessing.current_process().authkey)).get_server()
    threading.Thread(target=server.serve_forever, name="rag-sessions", daemon=True).start()
    return server.address


@dataclass(frozen=True, slots=True)
class _Given:
    """What each process is begun with."""

    settings: Settings
    directories: Directories
    listener: socket.socket
    url: str
    token: str = field(repr=False)
    sessions_at: Any = None


class _Replica:
    """One process that answers."""

    def __init__(self, given: _Given) -> None:
        self.news, theirs = _SPAWN.Pipe(duplex=False)
        self.process: SpawnProcess = _SPAWN.Process(target=_answer, args=(given, theirs), name="rag-replica")
        self.process.start()
        theirs.close()
        self.began = time.monotonic()
        self.is_ready = False

    def told(self) -> str:
        """What it says; nothing when it is gone."""
        try:
            return str(self.news.recv())
        except (EOFError, OSError):
            return ""


class _Minder:
    """Begins the processes, begins one again that ended by itself, and ends them."""

    def __init__(self, given: _Given, count: int, wish: _Wish, ready: Callable[[], None]) -> None:
        self._given = given
        self._count = count
        self._wish = wish
        self._ready = ready
        self._replicas: list[_Replica] = []
        self._failures = 0
        self._not_before = 0.0

    def run(self) -> int:
        try:
            return self._mind()
        finally:
            self._end()

    def _mind(self) -> int:
        has_answered = False
        while not self._wish.count:
            # The first one alone: it fetches the model, and if it can't begin no other one can.
            self._begin(self._count if has_answered else 1)
            for replica, word in self._heard():
                if word == "stop":
                    return 0
                if word == "ready":
                    replica.is_ready = True
                    log.info("a replica answers", extra={"process_id": replica.process.pid})
                    if not has_answered:
                        has_answered = True
                        self._ready()
                elif not has_answered:
                    return abs(replica.process.exitcode or 1)
                else:
                    self._ended(replica)
        return 0

    def _begin(self, count: int) -> None:
        while len(self._replicas) < count and time.monotonic() >= self._not_before:
            self._replicas.append(_Replica(self._given))

    def _heard(self) -> Iterator[tuple[_Replica, str]]:
        """What the processes say, "" for one that ended; nothing after a signal, or when one is to be begun."""
        news = {replica.news: replica for replica in self._replicas}
        pause = None if len(self._replicas) >= self._count or not self._not_before else self._not_before - time.monotonic()
        for channel in wait([*news, self._wish.pipe], None if pause is None else max(0.0, pause)):
            if isinstance(channel, Connection) and (replica := news.get(channel)):
                if not (word := replica.told()):
                    replica.process.join()
                yield replica, word

    def _ended(self, replica: _Replica) -> None:
        self._replicas.remove(replica)
        replica.news.close()
        lived_s = time.monotonic() - replica.began
        self._failures = 0 if replica.is_ready and lived_s >= _LIVES_S else self._failures + 1
        pause_s = min(_LONGEST_PAUSE_S, 2.0 ** (self._failures - 1)) if self._failures else 0.0
        self._not_before = time.monotonic() + pause_s
        shown = {"process_id": replica.process.pid, "exit_code": replica.process.exitcode, "pause_s": pause_s}
        log.warning("a replica ended, and another is begun", extra=shown)

    def _end(self) -> None:
        """Each is asked once for each signal that came; who does not end in time is killed."""
        server = self._given.settings.server
        until = time.monotonic() + server.drain_s + server.shutdown_grace_s + _MARGIN_S
        asked = 0
        while alive := [replica.process for replica in self._replicas if replica.process.is_alive()]:
            while asked < max(1, self._wish.count):
                asked += 1
                for process in alive:
                    process.terminate()
            left_s = until - time.monotonic()
            if left_s <= 0:
                for process in alive:
                    process.kill()
            heard = wait([*(process.sentinel for process in alive), self._wish.pipe], max(0.1, left_s))
            if self._wish.pipe in heard:
                os.read(self._wish.pipe, 64)
        log.info("replicas ended")


def _answer(given: _Given, news: Connection) -> None:
    """The whole life of one of the processes."""
    # Ctrl-C of a terminal reaches the one that minds them, which asks each of them once.
    os.setpgid(0, 0)
    from ragd.daemon.process import Shared, serve_beside

    keeper = _Keeper(given.sessions_at, bytes(multiprocessing.current_process().authkey))
    keeper.connect()
    sessions: SessionTable = keeper.sessions()  # type: ignore[attr-defined]
    shared = Shared(given.listener, given.url, given.token, sessions, news.send)
    sys.exit(serve_beside(given.settings, given.directories, shared))
