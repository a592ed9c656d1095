"""The API inside this process, for when no daemon runs: the same app, asked through ASGI instead of a socket."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import httpx

from ragd.api.application import create_api
from ragd.app.engine import App
from ragd.cli.common.client import Client, Need
from ragd.cli.common.context import Places
from ragd.cli.common.progress import Preparation, follow
from ragd.client.asgi_stream import open_stream
from ragd.core.logs import CLI_LOG, logging_to

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ragd.core.instance import Ownership

# The API takes only loopback hosts; nothing listens there.
_BASE_URL = "http://127.0.0.1"


class AsgiTransport:
    """Hands requests to an ASGI app that runs in an event loop of its own thread."""

    def __init__(self, api: ASGIApp) -> None:
        self._api = api
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="rag-api", daemon=True)
        self._thread.start()
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(api, raise_app_exceptions=False), timeout=None)

    def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        if stream:
            return open_stream(self._api, request, self._loop)
        return asyncio.run_coroutine_threadsafe(self._http.send(request), self._loop).result()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._http.aclose(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@contextmanager
def embedded(places: Places, ownership: Ownership, need: Need) -> Iterator[Client]:
    """A client of an API in this process. Takes over the ownership, and gives the directory back at the end."""
    with ExitStack() as stack:
        stack.callback(ownership.release)
        settings = places.settings()
        stack.enter_context(logging_to(places.logs, CLI_LOG, settings.observability.log_level))
        preparation = Preparation()
        app = App(settings, places.directories(), progress=preparation.show)
        stack.callback(app.close)
        token = secrets.token_hex(32)
        client = Client(AsgiTransport(create_api(app, token=token)), _BASE_URL, token, is_daemon=False)
        stack.callback(client.close)
        if need != "facts":
            _make_ready(app, client, preparation, need)
        yield client


def _make_ready(app: App, client: Client, preparation: Preparation, need: Need) -> None:
    """Open the model and the indexes, and bring the indexes in line with the facts before anybody searches them."""
    with preparation:
        repair = app.reconcile()
    # A search leaves alone what waits in the queue, unless the indexes must be repaired first.
    if need in ("jobs", "watch") or repair is not None:
        app.runner.start()
    if need == "watch" and app.settings.watch.enabled:
        app.sources.start(everything=False)
    if repair is not None:
        follow(client, repair.job_id, "Indexing again", cancel=True)
