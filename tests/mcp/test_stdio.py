"""`rag mcp` as a real process: through the official client, and through pipes where a client would never do such a thing."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from ragd.core.instance import Ownership, is_owned, read_info

from ..e2e.conftest import LIGHT
from .conftest import ON, TODAY, Served, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

COMMAND = [sys.executable, "-m", "ragd", "mcp"]
IDLE_S = 2
QUERY = {"name": "query_knowledge_hub", "arguments": {"query": "table of parts"}}


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
    home = {"RAG_DATA_DIR": str(data_dir), "RAG_CONFIG_DIR": str(data_dir / "config")}
    return inherited | LIGHT | ON | home | {"RAG_MCP__DAEMON_IDLE_S": str(IDLE_S)} | more


@asynccontextmanager
async def agent(data_dir: Path, protocol: str = "auto", **more: str) -> AsyncIterator[Client]:
    """The official client with a server process of its own."""
    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment(data_dir, **more))
    async with Client(stdio_client(server), mode=protocol) as client:
        yield client


class Pipes:
    """A server process, and what it has printed, line by line. Every line must be a message of the protocol."""

    def __init__(self, data_dir: Path, **more: str) -> None:
        self.process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(data_dir, **more),
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: Mapping[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def answer(self, request_id: int) -> dict[str, Any]:
        """The answer to a request; messages about others are passed over."""
        while True:
            line = self._lines.get(timeout=60)
            assert len(line) < 100_000
            message: dict[str, Any] = json.loads(line)
            assert message["jsonrpc"] == "2.0", message
            if message.get("id") == request_id:
                return message

    def ask(self, request_id: int, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of a request."""
        self.send({"id": request_id, "method": method, "params": params or {}})
        answer = self.answer(request_id)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def shake_hands(self, version: str = "2025-06-18") -> dict[str, Any]:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        result = self.ask(0, "initialize", params)
        self.send({"method": "notifications/initialized"})
        return result

    def close(self) -> int:
        """Close stdin. Gives the exit code, which must come soon."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            code = self.process.wait(timeout=180)
        finally:
            self.process.kill()
            self.process.wait()
            self._reading.join()
            assert self.process.stdout is not None
            self.process.stdout.close()
        rest = [json.loads(line) for line in self._lines.queue]
        assert all(message["jsonrpc"] == "2.0" for message in rest), rest
        return code


@pytest.fixture
def pipes() -> Iterator[Callable[..., Pipes]]:
    started: list[Pipes] = []

    def start(data_dir: Path, **more: str) -> Pipes:
        started.append(Pipes(data_dir, **more))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data directory without a daemon. One that is started there is ended."""
    folder = tmp_path / "data"
    folder.mkdir()
    yield folder
    if is_owned(folder) and (info := read_info(folder)):
        os.kill(info.pid, signal.SIGKILL)


def started_daemons(data_dir: Path) -> int:
    lines = (data_dir / "logs" / "daemon.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(json.loads(line)["message"] == "daemon started" for line in lines)


@pytest.mark.parametrize("protocol", [TODAY, "legacy"])
def test_a_client_of_either_era_gets_the_answers_of_the_daemon_that_runs(served: Served, protocol: str) -> None:
    async def conversation() -> None:
        async with agent(served.data_dir, protocol) as client, served.agent(protocol) as by_http:
            asked = [await one.call_tool(QUERY["name"], QUERY["arguments"]) for one in (client, by_http)]
            (ours, theirs) = [one.structured_content for one in asked]
            assert ours["results"]
            assert ours["results"] == theirs["results"]
            assert "[1]" in asked[0].content[0].text
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                tool.name for tool in (await by_http.list_tools()).tools
            ]

    anyio.run(conversation)
    assert started_daemons(served.data_dir) == 1


def test_a_hundred_calls_at_once_are_all_answered(served: Served) -> None:
    failures: list[Any] = []

    async def conversation() -> None:
        async with agent(served.data_dir) as client:

            async def call(number: int) -> None:
                result = await client.call_tool("search_by_keyword", {"query": f"snapshots {number}"})
                if result.is_error or not result.structured_content["results"]:
                    failures.append(result)

            async with anyio.create_task_group() as group:
                for number in range(100):
                    group.start_soon(call, number)

    anyio.run(conversation)
    assert failures == []


def test_garbage_on_stdin_ends_nothing_and_stdout_stays_pure(served: Served, pipes: Callable[..., Pipes]) -> None:
    server = pipes(served.data_dir)
    server.write(b"hello?")
    assert server.shake_hands("2025-06-18")["protocolVersion"] == "2025-06-18"
    for garbage in (
        b"",
        b"\x00\xff\xfe\x80",
        b'{"jsonrpc": "2.0", "id": 90, "method":',
        b'[{"jsonrpc": "2.0", "id": 91, "method": "ping"}]',
        b"null",
        b'{"jsonrpc": "1.0", "id": 92, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 93, "method": 7, "params": []}',
        b'{"jsonrpc": "2.0", "id": 94, "result": {"nobody": "asked"}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}}',
        b'{"jsonrpc": "2.0", "id": 95, "method": "tools/call", "params": {"name": "query\\ud800", "arguments": "no"}}',
        b"[" * 100_000,
        b"x" * 10_000_000,
        b'{"jsonrpc": "2.0", "id": 96, "method": "tools/call", "params": {"name": "' + b"y" * 10_000_000 + b'"}}',
    ):
        server.write(garbage)
    large = {"name": "query_knowledge_hub", "arguments": {"query": "table of parts", "collection": "z" * 10_000_000}}
    refused = server.ask(1, "tools/call", large)
    assert refused["isError"]
    assert len(json.dumps(refused)) < 10_000
    answer = server.ask(2, "tools/call", QUERY)
    assert answer["structuredContent"]["results"]
    assert server.close() == 0


def test_two_at_once_start_one_daemon_which_survives_kill_and_ends_after_them(
    data_dir: Path, pipes: Callable[..., Pipes]
) -> None:
    both = [pipes(data_dir), pipes(data_dir)]
    for server in both:
        # At once, whether there is a daemon or not.
        server.shake_hands()
        assert server.ask(1, "tools/list")["tools"]
    for server in both:
        assert not server.ask(2, "tools/call", {"name": "list_collections"}).get("isError")
    assert started_daemons(data_dir) == 1

    first = read_info(data_dir)
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    for server in both:
        assert not server.ask(3, "tools/call", {"name": "list_collections"}).get("isError")
    second = read_info(data_dir)
    assert second is not None
    assert second.pid != first.pid
    assert started_daemons(data_dir) == 2

    assert both[0].close() == 0
    assert not ends(data_dir, 1.5 * IDLE_S), "one of its clients is still there"
    assert not both[1].ask(4, "tools/call", {"name": "list_collections"}).get("isError")
    assert read_info(data_dir) == second
    assert both[1].close() == 0
    # Had it never seen its clients, it would wait for two minutes.
    assert ends(data_dir, 30)


def ends(data_dir: Path, seconds: float) -> bool:
    """Whether the daemon ends by itself in so many seconds."""
    try:
        wait_for(lambda: not is_owned(data_dir), "the daemon to end", seconds)
    except AssertionError:
        return False
    return True


def test_stdin_closed_midway_through_a_call_ends_it_at_once(data_dir: Path, pipes: Callable[..., Pipes]) -> None:
    """Somebody else is at work in the data directory, so that the call waits for a daemon."""
    owner = Ownership(data_dir)
    try:
        server = pipes(data_dir)
        server.shake_hands()
        server.send({"id": 1, "method": "tools/call", "params": QUERY})
        assert server.ask(2, "tools/list")["tools"]
        assert server.close() == 0
    finally:
        owner.release()


def test_files_are_taken_in_from_allowed_roots_alone(served: Served, pipes: Callable[..., Pipes], tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    server = pipes(served.data_dir, RAG_SECURITY__ALLOWED_ROOTS=f'["{served.documents}"]')
    server.shake_hands()
    refused = server.ask(1, "tools/call", {"name": "ingest", "arguments": {"paths": [str(tmp_path / "secret.md")]}})
    assert refused["structuredContent"]["error"]["code"] == "FORBIDDEN_PATH"
    taken = server.ask(2, "tools/call", {"name": "ingest", "arguments": {"paths": [str(served.documents / "backup.md")]}})
    assert not taken.get("isError"), taken
    assert server.close() == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"RAG_MCP__ENABLED": "false"}, "mcp.enabled: true"),
        ({"RAG_MCP__TRANSPORTS": '["http"]'}, "mcp.transports"),
        ({"RAG_POLICY_FILE": "policy.yaml"}, "forbidden by the policy"),
    ],
)
def test_when_it_is_off_or_forbidden_it_says_so_and_does_nothing(tmp_path: Path, more: dict[str, str], said: str) -> None:
    (tmp_path / "policy.yaml").write_text("mcp: forbidden\n")
    data_dir = tmp_path / "data"
    server = subprocess.run(
        COMMAND,
        input=b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n',
        capture_output=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
        env=environment(data_dir, PYTHONPATH=os.pathsep.join(sys.path), **more),
    )
    assert (server.returncode, server.stdout) == (2, b"")
    assert said in server.stderr.decode()
    assert server.stderr.count(b"\n") == 1
    assert not data_dir.exists()


def test_it_starts_without_the_engine() -> None:
    """A daemon has it; loading it twice would double the time to the first answer."""
    heavy = ["numpy", "onnxruntime", "fastapi", "tantivy", "ragd.app.container", "ragd.api.application"]
    code = f"import sys, ragd.mcp.stdio; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.strip() == "[]"
