"""One client of the REST contract for every command, whether a daemon answers or this process does the work itself.

The lock of the data directory decides: who gets it owns the directory and runs the API in-process; who does not asks the
owner, by the address in `daemon.json`. So both ways go through the same API and give the same answers, and a `daemon.json`
left over from a dead process is never believed.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ragd import __version__
from ragd.cli.common.context import Places
from ragd.cli.common.failures import ApiError
from ragd.cli.common.output import note, warn
from ragd.cli.common.source_tokens import headers
from ragd.core.errors import DaemonAlreadyRunning, ServiceUnavailable
from ragd.core.sse import parse_events

if TYPE_CHECKING:
    import httpx

    from ragd.core.instance import DaemonInfo, Ownership

# How long to wait for another process to become ready or to let go of the data directory, in seconds.
PATIENCE = 10.0
_RETRY = 0.2
_HEALTH_TIMEOUT = 2.0
# A query may wait for a batch of an ingestion; a deletion for thousands of entries.
_ANSWER_TIMEOUT = 120.0


Need = Literal["facts", "search", "jobs", "watch"]
"""Looking things up needs the facts only; searching needs the model and sound indexes; jobs need somebody to run them, too; and
watching needs somebody to follow the folders that are added or changed meanwhile."""


class Transport(Protocol):
    """Carries one request to the API and its answer back."""

    def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        """The answer; with `stream` as soon as it begins, its body as it comes. Closing it then ends the request."""
        ...

    def close(self) -> None: ...


class Client:
    """Requests by path. An answer that is an error is raised as `ApiError`."""

    def __init__(self, transport: Transport, base_url: str, token: str, *, is_daemon: bool) -> None:
        self._transport = transport
        self._base_url = base_url
        self._headers = {"Authorization": f"Bearer {token}"}
        self.is_daemon = is_daemon
        """Whether a daemon answers; else the work is done by this process and ends with it."""

    @property
    def address(self) -> str:
        return self._base_url

    def send_along(self, headers: Mapping[str, str]) -> None:
        """Headers that go with every request from now on."""
        self._headers.update(headers)

    def close(self) -> None:
        self._transport.close()

    def get(self, path: str, **params: Any) -> Any:
        return self._json("GET", path, params=params)

    def post(self, path: str, body: dict[str, Any] | None = None, **params: Any) -> Any:
        return self._json("POST", path, params=params, body=body)

    def patch(self, path: str, body: dict[str, Any]) -> Any:
        return self._json("PATCH", path, body=body)

    def delete(self, path: str, **params: Any) -> Any:
        return self._json("DELETE", path, params=params)

    def events(self, path: str, body: dict[str, Any]) -> Generator[tuple[str, Any]]:
        """Server-sent events as they come: name and data. Closing the iterator ends the request."""
        answer = self._answer("POST", path, body=body, stream=True)
        try:
            yield from parse_events(answer.iter_text())
        finally:
            answer.close()

    def pages(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Every item of a list, page by page."""
        page = 1
        while True:
            answer = self.get(path, page=page, page_size=100, **params)
            yield from answer["items"]
            if not answer["items"] or page * answer["page_size"] >= answer["total"]:
                return
            page += 1

    def _json(self, method: str, path: str, *, params: dict[str, Any] | None = None, body: dict[str, Any] | None = None) -> Any:
        answer = self._answer(method, path, params=params, body=body)
        return answer.json() if answer.content else None

    def _answer(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        stream: bool = False,
    ) -> httpx.Response:
        import httpx

        query = {name: value for name, value in (params or {}).items() if value is not None}
        request = httpx.Request(method, f"{self._base_url}{path}", params=query, json=body, headers=self._headers)
        try:
            answer = self._transport.send(request, stream=stream)
        except httpx.TransportError as error:
            raise ServiceUnavailable(
                f"The daemon at {self._base_url} stopped answering ({error or type(error).__name__}). "
                "See its log, or run `rag doctor`."
            ) from error
        if answer.is_error:
            answer.read()
            raise _error_of(answer)
        return answer


@contextmanager
def connect(places: Places, need: Need = "facts") -> Iterator[Client]:
    """A client for the data directory: of the daemon that runs there, else of an API in this process.

    `need` says what an API in this process must open first; a daemon has everything open. The person's tokens go along with
    every request, where the command takes them. Raises `SettingsError`, `SourceNotFound`, `ModelUnavailable`,
    `DaemonAlreadyRunning`, `ServiceUnavailable`.
    """
    owner = _daemon_or_ownership(places)
    if isinstance(owner, Client):
        try:
            owner.send_along(headers(owner, places.source_tokens))
            yield owner
        finally:
            owner.close()
        return
    from ragd.client.embedded import embedded

    with embedded(places, owner, need) as client:
        client.send_along(headers(client, places.source_tokens))
        yield client


def find_daemon(info: DaemonInfo | None) -> Client | None:
    """A client of the daemon that `daemon.json` names, when it answers and takes the token."""
    import httpx

    if info is None or info.url is None or info.token is None:
        return None
    # A proxy of the environment has no business between two processes of one machine.
    http = httpx.Client(trust_env=False, timeout=_ANSWER_TIMEOUT)
    try:
        healthy = http.get(f"{info.url}/health", timeout=_HEALTH_TIMEOUT).is_success
    except httpx.TransportError:
        healthy = False
    if not healthy:
        http.close()
        return None
    if info.version != __version__:
        warn(f"the running daemon is version {info.version}, this is {__version__}. Restart the daemon to use the same.")
    return Client(http, info.url, info.token, is_daemon=True)


def _daemon_or_ownership(places: Places) -> Client | Ownership:
    from ragd.core.instance import Ownership, read_info

    deadline = time.monotonic() + PATIENCE
    told = False
    while True:
        try:
            return Ownership(places.data)
        except DaemonAlreadyRunning:
            info = read_info(places.data)
            if client := find_daemon(info):
                return client
            if time.monotonic() > deadline:
                raise
            if not told:
                owner = f"Process {info.pid}" if info else "Another process"
                note(f"{owner} is using {places.data}. Waiting up to {PATIENCE:.0f} s for it …")
                told = True
        time.sleep(_RETRY)


def _error_of(answer: httpx.Response) -> ApiError:
    try:
        error = answer.json()["error"]
        return ApiError(answer.status_code, {"request_id": answer.headers.get("X-Request-ID"), **error})
    except (ValueError, KeyError, TypeError):
        message = f"The daemon answered {answer.request.url.path} with status {answer.status_code} and nothing that can be read."
        return ApiError(answer.status_code, {"code": "INTERNAL_ERROR", "message": message})
