"""The API inside this process, for when no daemon runs: the same app, asked through ASGI instead of a socket."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.client.asgi import AsgiTransport
from ragd.client.blocking import Client
from ragd.client.observer import Need, Observer
from ragd.client.requests import LOCAL
from ragd.config.loading import Directories
from ragd.config.settings import Settings
from ragd.core.instance import Ownership
from ragd.core.logs import CLI_LOG, logging_to


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
        token = secrets.token_hex(32)
        transport = AsgiTransport(create_api(app, token=token))
        client = Client(transport, LOCAL, {"Authorization": f"Bearer {token}"}, is_daemon=False)
        stack.callback(client.close)
        if need != "content":
            _make_ready(app, client, need, observer)
        yield client


def _make_ready(app: Application, client: Client, need: Need, observer: Observer) -> None:
    """Open the model and the indexes, and bring the indexes in line with the database before anybody searches them."""
    with observer.opening():
        repair = app.reconciler.reconcile()
    # A search leaves alone what waits in the queue, unless the indexes must be repaired first.
    if need in ("jobs", "watch") or repair is not None:
        app.runner.start()
    if need == "watch" and app.settings.watch.enabled:
        app.sources.start(everything=False)
    if repair is not None:
        observer.repair(client, repair.job_id)
