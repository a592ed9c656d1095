"""The daemon process: owns the data directory, listens on 127.0.0.1, warms up while it already answers, and stops cleanly."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

from ragd import __version__
from ragd.api.application import create_api
from ragd.api.connections import raise_open_files
from ragd.api.description import Described
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.server_mode import connections_within
from ragd.api.middleware.sessions import SessionTable
from ragd.api.server import ApiServer, listening
from ragd.app.container import Application
from ragd.config.loading import Directories
from ragd.config.policy import mcp_verdict
from ragd.config.settings import Settings
from ragd.core.errors import RagError, SettingsError
from ragd.core.instance import INFO_FILE, DaemonInfo, Ownership
from ragd.core.logs import DAEMON_LOG, logging_to
from ragd.daemon.beginning import begin, failed, one_of_several
from ragd.daemon.watchdog import Watchdog
from ragd.ingest.interruptions import NOTE_FILE
from ragd.models.store import Progress
from ragd.providers.freed_memory import limit_heaps

log = logging.getLogger(__name__)

# Seconds for which a thread keeps the interpreter's lock while others want it. With Python's own 5 ms a look at the status waits
# for a turn of each question that is at work: beside 16 busy threads 250 ms for one hop to a thread and back, with 1 ms 10 ms.
_SWITCH_S = 0.001
# Objects made and not gone again after which Python looks for circles among them: at its own 700, six times in a query.
_COLLECT_AFTER = (10_000, 20, 20)
# Shares of the time in which a stopping daemon has to end; what is left is for closing what is open.
_FOR_REQUESTS = 0.5
_FOR_JOBS = 0.3


def serve(
    settings: Settings,
    directories: Directories,
    *,
    port: int | None = None,
    host: str | None = None,
    on_ready: Callable[[DaemonInfo], None] = lambda _: None,
    progress: Progress | None = None,
    stop_when_unused_s: float | None = None,
) -> int:
    """Run the daemon until it is asked to stop. Returns the exit code of the process: 0, or that of the error.

    `on_ready` is called from another thread once `daemon.json` has the address and the token. With `stop_when_unused_s` the
    daemon also stops when no window of an editor has been open for so many seconds: see `Lifecycle.stop_when_unused`.
    """
    return begin(
        settings,
        directories,
        port=port,
        host=host,
        run=partial(_serve, on_ready=on_ready, progress=progress, stop_when_unused_s=stop_when_unused_s),
    )


@dataclass(frozen=True, slots=True)
class Shared:
    """What processes that answer at one address have from the one that began them. It is told "ready", and "stop" where a client
    asked for the end of them all."""

    listener: socket.socket
    url: str
    token: str
    sessions: SessionTable
    tell: Callable[[str], None]


def serve_beside(settings: Settings, directories: Directories, shared: Shared) -> int:
    """Answer beside others, once everything is open, until a signal comes or whoever began this process is gone."""
    own, ownership = one_of_several(directories)
    with logging_to(own.logs, DAEMON_LOG, settings.observability.log_level, people=True):
        try:
            return _serve(settings, own, ownership, shared.token, on_ready=lambda _: shared.tell("ready"), shared=shared)
        except RagError as error:
            return failed(error)


def _serve(
    settings: Settings,
    directories: Directories,
    ownership: Ownership,
    token: str,
    *,
    on_ready: Callable[[DaemonInfo], None],
    progress: Progress | None = None,
    stop_when_unused_s: float | None = None,
    shared: Shared | None = None,
) -> int:
    own, is_server = settings.server, settings.security.mode == "server"
    limit_heaps()
    sys.setswitchinterval(_SWITCH_S)
    gc.set_threshold(*_COLLECT_AFTER)
    raise_open_files()
    lifecycle = Lifecycle()
    abandoned = False
    try:
        given = nullcontext((shared.listener, shared.url)) if shared else listening(own.port, own.host)
        with given as (listener, url):
            grace_s, drain_s = own.shutdown_grace_s, own.drain_s
            watchdog = Watchdog(directories.own / NOTE_FILE, grace_s, drain_s)
            app = Application(settings, directories, progress, watchdog.reading)
            if is_server:
                require_callers(app)
            may_connect = connections_within(own.connections_per_address, own.trusted_proxies)
            server = ApiServer(
                _create_api(app, token, lifecycle, shared.sessions if shared else None),
                lifecycle,
                grace_s * _FOR_REQUESTS,
                watchdog.listen,
                drain_s=drain_s,
                draining=app.runner.hold,
                may_connect=may_connect if is_server else None,
            )
            info = DaemonInfo(os.getpid(), __version__, url, token)

            def ready() -> None:
                ownership.publish(info)
                on_ready(info)
                if stop_when_unused_s is not None:
                    watching = threading.Thread(target=lifecycle.stop_when_unused, args=(stop_when_unused_s,), daemon=True)
                    watching.start()

            warming = _Warming(app, lifecycle, ready, server.stop)
            warming.start()
            log.info("daemon started", extra={"url": url, "version": __version__})
            try:
                _run(server, listener, warming, shared)
            finally:
                lifecycle.end()
                watchdog.stopping()
                for_jobs_s = 0.0 if server.force_exit else grace_s * _FOR_JOBS
                warming.join(for_jobs_s)
                abandoned = warming.is_alive()
                stopped = not abandoned and app.close(for_jobs_s)
                log.info("daemon stopped")
                if stopped:  # else a thread is left that the process may wait for
                    watchdog.close()
    finally:
        if abandoned:
            # The warm-up still holds the stores; the lock goes with the process, which is about to end.
            (directories.own / INFO_FILE).unlink(missing_ok=True)
        else:
            ownership.release()
    if isinstance(warming.error, RagError):
        return failed(warming.error)
    return 1 if warming.error else 0


def require_callers(app: Application) -> None:
    """Raises `SettingsError` where nobody could ask a service, and closes it."""
    if not app.settings.oidc.issuer and not app.keys.stored.any_good():
        app.close()
        raise SettingsError(
            "Server mode needs an API key or a sign-on, and there is neither. Make a key with "
            "`rag keys create NAME --role admin`, or set oidc.issuer."
        )


def _run(server: ApiServer, listener: socket.socket, warming: _Warming, shared: Shared | None) -> None:
    if shared:
        _end_with_parent(server.stop)
        # Who is not ready takes no request from those who are.
        warming.join()
    server.run([listener])
    if shared and server.lifecycle.reason:
        shared.tell("stop")


def _end_with_parent(stop: Callable[[], None]) -> None:
    """Call `stop` when the process that began this one is gone, however it went."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        stop()

    threading.Thread(target=wait, name="rag-parent", daemon=True).start()


def _create_api(app: Application, token: str, lifecycle: Lifecycle, sessions: SessionTable | None) -> Described:
    """REST, and behind the same checks MCP where it is on. `sessions` are those of all processes of one address."""
    api = create_api(app, token=token, lifecycle=lifecycle, sessions=sessions)
    if mcp_verdict(app.settings.mcp, "http").on:
        # The SDK takes a second to load, for which nobody waits who did not ask for it.
        from ragd.mcp.http import serve_agents

        inside = create_api(app, token=token, lifecycle=lifecycle, counted=False)
        serve_agents(api, inside, app.settings, lifecycle.stopping, with_sessions=sessions is None)
    return api


class _Warming(threading.Thread):
    """Opens the model and the indexes, repairs what a crash left, starts the jobs, and says that the daemon is ready."""

    def __init__(self, app: Application, lifecycle: Lifecycle, publish: Callable[[], None], give_up: Callable[[], None]) -> None:
        super().__init__(name="rag-warm", daemon=True)
        self.error: Exception | None = None
        self._app = app
        self._lifecycle = lifecycle
        self._publish = publish
        self._give_up = give_up

    def _steps(self) -> Iterator[Callable[[], object]]:
        """After a clean stop questions are answered before everything is compared again: it takes longer than all the rest."""
        app, reconciler = self._app, self._app.reconciler
        ready, work = (self._lifecycle.ready.set, self._publish), (app.runner.start, app.follow_sources)
        yield app.maintenance.warm
        if app.role == "api":  # what is to be repaired, and every job, is others' work
            yield from ready
        elif reconciler.is_clean():
            yield from (reconciler.prepare, *ready, partial(reconciler.reconcile, clean=True), *work)
        else:
            yield from (reconciler.reconcile, *work, *ready)

    def run(self) -> None:
        try:
            for step in self._steps():
                if self._lifecycle.stopping.is_set():
                    return
                step()
            # What is there now stays. To go through it for circles holds up everybody for 40 ms and more, every few queries.
            gc.freeze()
        except Exception as error:
            if not isinstance(error, RagError):
                log.exception("daemon can't start")
            self.error = error
            self._give_up()
