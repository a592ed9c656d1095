"""How `rag mcp` reaches the daemon: found or started once, found again when it is gone, asked twice only where that is safe."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragd import __version__
from ragd.api.middleware.headers import SOURCE_TOKEN
from ragd.client.connection import DaemonConnection
from ragd.client.launch import EDITORS_TOKENS, LaunchedDaemon, environment_for
from ragd.config.loading import Directories
from ragd.config.service import McpSettings
from ragd.core.errors import CollectionUnavailable, ServiceUnavailable, SourceNotFound
from ragd.core.instance import DaemonInfo, Ownership
from ragd.mcp.stdio import Permitted

pytestmark = pytest.mark.slow

Talk = Callable[[DaemonConnection], Coroutine[Any, Any, Any]]


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Stub:
    """A server that answers as a daemon does. `cut` closes so many connections instead of answering, after reading."""

    token: str = "token-1"
    cut: int = 0
    asked: list[Asked] = field(default_factory=list)
    windows: int = 0
    at_once: int = 0
    most_at_once: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)
    open: list[socket.socket] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def _handler(stub) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                stub.open.append(self.connection)

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/health":
                    self._send(200, {"status": "ok"})
                    return
                allowed = self.headers["Authorization"] == f"Bearer {stub.token}"
                if self.path == "/api/events" and allowed:
                    self._stay()
                    return
                with stub.changed:
                    stub.asked.append(Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                    stub.at_once += 1
                    stub.most_at_once = max(stub.most_at_once, stub.at_once)
                    cut, stub.cut = stub.cut, max(0, stub.cut - 1)
                if "slow" in self.path:
                    threading.Event().wait(0.01)
                with stub.changed:
                    stub.at_once -= 1
                if cut:
                    self.close_connection = True
                elif self.path.startswith("/api/sources"):
                    self._send(200, {"items": [{"id": "s-1", "name": "wiki"}], "total": 1, "page": 1, "page_size": 100})
                else:
                    self._send(200 if allowed else 401, {"of": stub.url})

            def _send(self, status: int, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _stay(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"event: state\n\n")
                self.wfile.flush()
                with stub.changed:
                    stub.windows += 1
                    number = stub.windows
                    stub.changed.wait_for(lambda: stub.cut >= number or stub.windows < 0, 20)
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Nothing on stderr."""

            do_GET = do_POST = _answer

        return Handler

    def close(self) -> None:
        with self.changed:
            self.windows = -1
            self.changed.notify_all()
        self.server.shutdown()
        for connection in self.open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.server.server_close()


@dataclass
class Launches:
    """In place of starting daemons: counts, and does what `does` says."""

    does: Callable[[], None] = lambda: None
    exit_code: int | None = None
    count: int = 0

    def __call__(self) -> Launches:
        self.count += 1
        self.does()
        return self

    def last_message(self) -> str:
        return "There is no model."


@pytest.fixture
def stubs() -> Iterator[Callable[..., Stub]]:
    started: list[Stub] = []

    def start(**options: Any) -> Stub:
        started.append(Stub(**options))
        return started[-1]

    yield start
    for stub in started:
        stub.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def owner(data_dir: Path) -> Iterator[Ownership]:
    """Holds the data directory as a daemon does that isn't ready yet."""
    ownership = Ownership(data_dir)
    yield ownership
    ownership.release()


def publish(ownership: Ownership, stub: Stub, token: str = "token-1") -> None:
    ownership.publish(DaemonInfo(os.getpid(), __version__, stub.url, token))


def talk(data_dir: Path, conversation: Talk, launch: Callable[[], Any] | None = None, **options: Any) -> Any:
    """What a conversation with a connection gives."""

    async def connected() -> Any:
        connection = DaemonConnection(data_dir, launch or Launches(), **options)
        try:
            return await asyncio.wait_for(conversation(connection), 20)
        finally:
            await connection.close()

    return asyncio.run(connected())


def request(method: str = "GET", path: str = "/api/status", **options: Any) -> httpx2.Request:
    return httpx2.Request(method, f"http://127.0.0.1{path}", **options)


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_request_arrives_as_it_was_made_whatever_proxy_the_environment_names(
    data_dir: Path, owner: Ownership, stubs: Callable[..., Stub], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    stub = stubs()
    publish(owner, stub)
    sent = request("POST", "/api/documents/a%252Fb%2E%2E", params={"q": "経費 &"}, json={"query": "経費"}, headers={"X-Own": "1"})
    assert talk(data_dir, lambda connection: connection.send(sent)).status_code == 200
    (asked,) = stub.asked
    assert (asked.method, asked.path) == ("POST", sent.url.raw_path.decode())
    assert asked.path.startswith("/api/documents/a%252Fb%2E%2E?")
    assert json.loads(asked.body) == {"query": "経費"}
    assert asked.headers["authorization"] == "Bearer token-1"
    assert asked.headers["host"] == stub.url.removeprefix("http://")
    assert asked.headers["x-own"] == "1"


@pytest.mark.slow
def test_a_hundred_requests_wait_for_their_turn(data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]) -> None:
    stub = stubs()
    publish(owner, stub)

    async def ask(connection: DaemonConnection) -> set[int]:
        answers = await asyncio.gather(*(connection.send(request("POST", "/slow")) for _ in range(100)))
        return {answer.status_code for answer in answers}

    assert talk(data_dir, ask) == {200}
    assert len(stub.asked) == 100
    assert stub.most_at_once <= 32


def test_ten_requests_start_one_daemon_and_wait_for_it(data_dir: Path, stubs: Callable[..., Stub]) -> None:
    stub, owned = stubs(), []

    def does() -> None:
        owned.append(Ownership(data_dir))
        publish(owned[0], stub)

    launches = Launches(does)

    async def ask(connection: DaemonConnection) -> list[httpx2.Response]:
        return await asyncio.gather(*(connection.send(request()) for _ in range(10)))

    try:
        assert [answer.status_code for answer in talk(data_dir, ask, launches)] == [200] * 10
    finally:
        owned[0].release()
    assert launches.count == 1


def test_a_daemon_that_is_just_starting_is_waited_for(data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]) -> None:
    stub, launches = stubs(), Launches()

    async def ask(connection: DaemonConnection) -> httpx2.Response:
        waiting = asyncio.create_task(connection.send(request()))
        await asyncio.sleep(0.3)
        publish(owner, stub)
        return await waiting

    assert talk(data_dir, ask, launches).status_code == 200
    assert launches.count == 0


def test_when_another_was_faster_its_daemon_is_used(data_dir: Path, stubs: Callable[..., Stub]) -> None:
    """Both start one; the second finds the directory in use and ends with 4."""
    stub, owned = stubs(), []
    launches = Launches(lambda: owned.append(Ownership(data_dir)), exit_code=4)

    async def ask(connection: DaemonConnection) -> httpx2.Response:
        waiting = asyncio.create_task(connection.send(request()))
        await until(lambda: owned)
        await asyncio.sleep(0.5)
        publish(owned[0], stub)
        return await waiting

    try:
        assert talk(data_dir, ask, launches).status_code == 200
    finally:
        owned[0].release()
    assert launches.count == 1


def test_a_daemon_that_takes_long_is_a_failure_that_may_be_tried_again(
    data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]
) -> None:
    stub = stubs()

    async def ask(connection: DaemonConnection) -> httpx2.Response:
        with pytest.raises(ServiceUnavailable, match="starting") as told:
            await connection.send(request())
        assert told.value.retryable
        publish(owner, stub)
        await until(connection._known)
        return await connection.send(request())

    assert talk(data_dir, ask, patience_s=0.2).status_code == 200


def test_why_a_daemon_could_not_start_is_told_and_the_next_request_tries_again(data_dir: Path) -> None:
    launches = Launches(exit_code=3)

    async def ask(connection: DaemonConnection) -> None:
        for _ in range(2):
            with pytest.raises(ServiceUnavailable, match=r"could not be started: There is no model\."):
                await connection.send(request())

    talk(data_dir, ask, launches)
    assert launches.count == 2


def test_a_daemon_that_can_not_be_started_at_all_is_a_failure(data_dir: Path) -> None:
    def launch() -> Any:
        raise FileNotFoundError(2, "No such file or directory")

    with pytest.raises(ServiceUnavailable, match="No such file"):
        talk(data_dir, lambda connection: connection.send(request()), launch)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_next_daemon_is_asked_when_the_last_is_gone(
    data_dir: Path, owner: Ownership, stubs: Callable[..., Stub], method: str
) -> None:
    first, second = stubs(), stubs()
    publish(owner, first)

    async def ask(connection: DaemonConnection) -> list[str]:
        before = await connection.send(request(method))
        first.close()
        publish(owner, second)
        return [answer.json()["of"] for answer in (before, await connection.send(request(method)))]

    assert talk(data_dir, ask) == [first.url, second.url]


def test_what_was_cut_off_is_asked_again_only_if_it_changes_nothing(
    data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]
) -> None:
    stub = stubs()
    publish(owner, stub)

    async def ask(connection: DaemonConnection) -> None:
        stub.cut = 1
        assert (await connection.send(request())).status_code == 200
        stub.cut = 1
        with pytest.raises(ServiceUnavailable, match="may have done"):
            await connection.send(request("POST"))
        assert (await connection.send(request("POST"))).status_code == 200

    talk(data_dir, ask)
    assert [asked.method for asked in stub.asked] == ["GET", "GET", "POST", "POST"]


def test_a_daemon_with_a_new_token_is_asked_with_it(data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]) -> None:
    stub = stubs()
    publish(owner, stub)

    async def ask(connection: DaemonConnection) -> list[int]:
        before = await connection.send(request("POST"))
        stub.token = "token-2"
        publish(owner, stub, "token-2")
        after = await connection.send(request("POST"))
        stub.token = "token-3"
        refused = await connection.send(request("POST"))
        return [before.status_code, after.status_code, refused.status_code]

    assert talk(data_dir, ask) == [200, 200, 401]
    assert len(stub.asked) == 1 + 2 + 2


def test_an_address_left_over_is_not_believed_even_if_somebody_answers(data_dir: Path, stubs: Callable[..., Stub]) -> None:
    stub, launches = stubs(), Launches(exit_code=3)
    ownership = Ownership(data_dir)
    publish(ownership, stub)
    ownership._lock.release()
    with pytest.raises(ServiceUnavailable):
        talk(data_dir, lambda connection: connection.send(request()), launches)
    assert launches.count == 1
    assert stub.asked == []


@pytest.mark.parametrize(
    "left",
    [
        "",
        "{",
        "[]",
        '{"pid": 1}',
        '{"pid": 1, "version": "1", "url": "no address", "token": "t"}',
        '{"pid": 1, "version": "1", "url": "http://127.0.0.1:x", "token": 5}',
    ],
)
def test_a_damaged_daemon_file_is_no_daemon(data_dir: Path, left: str) -> None:
    (data_dir / "daemon.json").write_text(left)
    with pytest.raises(ServiceUnavailable, match="no model"):
        talk(data_dir, lambda connection: connection.send(request()), Launches(exit_code=3))


def test_presence_begins_at_once_returns_when_it_breaks_and_starts_no_daemon_for_that(
    data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]
) -> None:
    first, second, launches = stubs(), stubs(), Launches()
    publish(owner, first)

    async def ask(connection: DaemonConnection) -> None:
        staying = asyncio.create_task(connection.stay())
        await until(lambda: first.windows == 1)
        owner.release()
        first.close()
        await until(lambda: connection._known() is None)
        await asyncio.sleep(1.5)
        assert launches.count == 0
        again = Ownership(data_dir)
        try:
            publish(again, second)
            await until(lambda: second.windows == 1)
            assert (await connection.send(request())).json() == {"of": second.url}
        finally:
            staying.cancel()
            await asyncio.wait([staying])
            again.release()

    talk(data_dir, ask, launches)


def test_the_persons_tokens_go_along_once_the_sources_are_known(
    data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]
) -> None:
    stub = stubs()
    publish(owner, stub)

    def tokens(sources: Any) -> dict[str, str]:
        return {SOURCE_TOKEN: f"{sources[0]['id']}=secret"}

    async def ask(connection: DaemonConnection) -> None:
        await connection.send(request())
        await connection.send(request(headers={SOURCE_TOKEN: "s-1=other"}))

    talk(data_dir, ask, token_headers=tokens)
    of_status = [asked.headers[SOURCE_TOKEN.lower()] for asked in stub.asked if asked.path == "/api/status"]
    assert of_status == ["s-1=secret", "s-1=other"]


def test_a_token_for_an_unknown_source_fails_each_request(data_dir: Path, owner: Ownership, stubs: Callable[..., Stub]) -> None:
    stub = stubs()
    publish(owner, stub)

    def tokens(_: Any) -> dict[str, str]:
        raise SourceNotFound("there is no source 'wiki'")

    async def ask(connection: DaemonConnection) -> None:
        for _ in range(2):
            with pytest.raises(SourceNotFound):
                await connection.send(request())

    talk(data_dir, ask, token_headers=tokens)
    assert {asked.path.partition("?")[0] for asked in stub.asked} == {"/api/sources"}


def test_a_policy_that_comes_later_counts(
    data_dir: Path, owner: Ownership, stubs: Callable[..., Stub], monkeypatch: pytest.MonkeyPatch
) -> None:
    stub, policy = stubs(), data_dir / "policy.yaml"
    publish(owner, stub)
    policy.write_text("mcp: allowed")
    monkeypatch.setenv("RAG_POLICY_FILE", str(policy))

    async def ask(connection: DaemonConnection) -> None:
        permitted = Permitted(connection, McpSettings(enabled=True))
        assert (await permitted.send(request())).status_code == 200
        policy.write_text("mcp: forbidden")
        with pytest.raises(CollectionUnavailable, match="forbidden by the policy"):
            await permitted.send(request())

    talk(data_dir, ask)
    assert len(stub.asked) == 1


def test_a_daemon_that_outlives_us_has_none_of_our_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SOURCE_TOKENS", f"wiki=env:{EDITORS_TOKENS}1")
    monkeypatch.setenv(f"{EDITORS_TOKENS}1", "a-secret")
    monkeypatch.setenv("WIKI_ACCOUNT", "of the source itself")
    given = environment_for(Directories(tmp_path / "data", tmp_path / "models", tmp_path / "config"))
    assert "a-secret" not in given.values()
    assert "RAG_SOURCE_TOKENS" not in given
    assert given["WIKI_ACCOUNT"] == "of the source itself"
    assert given["RAG_DATA_DIR"] == str(tmp_path / "data")


@pytest.mark.slow
def test_a_real_daemon_that_can_not_start_says_why_in_a_private_log(
    tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_RETRIEVAL__TOPK", "3")
    directories = Directories(data_dir, tmp_path / "models", tmp_path / "config")
    launched = LaunchedDaemon(directories, 1)
    assert launched._process.wait(timeout=600) == 2
    assert launched.exit_code == 2
    assert "retrieval.top_k" in launched.last_message()
    printed = directories.logs / "daemon-output.log"
    assert printed.stat().st_mode & 0o777 == 0o600 or os.name == "nt"
