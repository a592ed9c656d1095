"""The API inside this process, for when no daemon runs: the same app, asked through ASGI instead of a socket.

While that takes long, it listens on a socket, too, and other programs find it as they find a daemon.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from ragd import __version__
from ragd.api.lifecycle import Lifecycle
from ragd.app.container import Application
from ragd.client.asgi import AsgiTransport
from ragd.client.blocking import Client
from ragd.client.observer import Need, Observer
from ragd.client.requests import LOCAL
from ragd.config.loading import Directories
from ragd.config.settings import Settings
from ragd.core.errors import RagError
from ragd.core.instance import DaemonInfo, Ownership
from ragd.core.lazy import loading
from ragd.core.logs import CLI_LOG, logging_to
from ragd.store.jobs import Job


@contextmanager
def embedded(
    ownership: Ownership, directories: Directories, settings: Callable[[], Settings], need: Need, observer: Observer
) -> Iterator[Client]:
    """A client of an API in this process. Takes over the ownership, and gives the directory back at the end."""
    with ExitStack() as stack:
        stack.callback(ownership.release)
        loaded = settings()
        stack.enter_context(logging_to(directories.logs, CLI_LOG, loaded.observability.log_level))
        app = Application(loaded, directories, progress=observer.show)
        stack.callback(app.close)
        repair = None if need == "content" else _make_ready(app, need, observer)
        from ragd.api.application import create_api

        token = secrets.token_hex(32)
        transport = AsgiTransport(create_api(app, token=token))
        client = Client(transport, LOCAL, {"Authorization": f"Bearer {token}"}, is_daemon=False)
        stack.callback(client.close)
        if need != "content":
            _begin_work(app, client, need, repair, observer)
        if need not in ("content", "search"):
            stack.enter_context(_listening(app, ownership))
        yield client


@contextmanager
def _listening(app: Application, ownership: Ownership) -> Iterator[None]:
    """Other programs are answered for as long as the block runs. Who has a request open at its end gets the answer."""
    from ragd.api.application import create_api
    from ragd.api.server import ApiServer, listening

    lifecycle, token = Lifecycle(is_daemon=False), secrets.token_hex(32)
    lifecycle.ready.set()
    # The routes keep things of the event loop that they run in, so this is another API in front of the same app.
    server = ApiServer(create_api(app, token=token, lifecycle=lifecycle), lifecycle, app.settings.server.shutdown_grace_s)
    with listening() as (listener, url):
        thread = threading.Thread(target=server.run, args=([listener],), name="rag-listen", daemon=True)
        thread.start()
        ownership.publish(DaemonInfo(os.getpid(), __version__, url, token))
        try:
            yield
        finally:
            ownership.publish(DaemonInfo(os.getpid(), __version__))
            server.stop()
            thread.join()


def _make_ready(app: Application, need: Need, observer: Observer) -> Job | None:
    """Open the model and the indexes, and bring the indexes in line with the database before anybody searches them.

    Returns the job that repairs what differs, if there is any.
    """
    with observer.opening():
        # The model's files are checked and read without the interpreter's lock, and the modules of REST are loaded meanwhile.
        opening = threading.Thread(target=_open_model, args=(app,), name="rag-open", daemon=True)
        opening.start()
        with loading():
            import ragd.api.application  # noqa: F401
        opening.join()
        if app.role == "api":  # workers do that
            return None
        if need == "search" and app.reconciler.is_clean():
            app.reconciler.prepare()
            return None
        return app.reconciler.reconcile(outdated=need in ("jobs", "watch"))


def _open_model(app: Application) -> None:
    with suppress(RagError):  # told by who needs it, who tries again
        app.models.embedder()


def _begin_work(app: Application, client: Client, need: Need, repair: Job | None, observer: Observer) -> None:
    for notice in app.reconciler.notices:
        observer.warn(notice)
    if app.role == "api":
        return
    # A search leaves alone what waits in the queue, unless the indexes must be repaired first.
    if need in ("jobs", "watch") or repair is not None:
        app.runner.start()
    if need == "watch" and app.settings.watch.enabled:
        app.sources.start(everything=False)
    if repair is not None:
        observer.repair(client, repair.job_id)
