"""Several `rag serve` processes on one PostgreSQL, with a worker beside them: what one is told, every one knows."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from sqlalchemy import Engine

from ragd.store.api_keys import ApiKeys, Limits
from ragd.store.database.engine import open_engine

from .conftest import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

SETTINGS = {
    "JOBS__QUEUE": "procrastinate",
    "JOBS__NICENESS": "0",
    "EMBEDDING__PROVIDER": "fake",
    "SPARSE__ANALYZER": "bigram",
    "TOKEN_INDEX__PROVIDER": "none",
    "SECURITY__MODE": "server",
    "MCP__ENABLED": "true",
}
AGENT = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Replica:
    """One process that answers, by its address."""

    def __init__(self, process: subprocess.Popen[bytes], info: Path, printed: Path) -> None:
        self.process, self._info, self._printed = process, info, printed
        self.url = ""

    def ready(self) -> Replica:
        def address() -> str:
            assert self.process.poll() is None, self._printed.read_text("utf-8")
            if not self._info.exists():
                return ""
            known = json.loads(self._info.read_text("utf-8"))
            return str(known.get("url", "")) if known["pid"] == self.process.pid else ""

        self.url = wait_for(address, "a replica to be ready", 120)
        return self

    def ask(self, method: str, path: str, key: str, **options: Any) -> httpx2.Response:
        headers = options.pop("headers", {}) | ({"Authorization": f"Bearer {key}"} if key else {})
        return httpx2.request(method, self.url + path, headers=headers, timeout=30, trust_env=False, **options)


class Service:
    """A database, and processes on it."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        (folder / "config").mkdir()
        self.printed = folder / "printed"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.engine: Engine = open_engine(url, folder)
        self.keys = ApiKeys(self.engine)
        self.admin = self.keys.create("root", "admin", None)[1]

    def start(self, data: str, *command: str, **settings: str) -> subprocess.Popen[bytes]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
        ours = {f"RAG_{name}": value for name, value in (SETTINGS | settings).items()}
        places = {"RAG_DATA_DIR": str(self.folder / data), "RAG_CONFIG_DIR": str(self.folder / "config")}
        with self.printed.open("ab") as printed:
            process = subprocess.Popen(
                [sys.executable, "-m", "ragd", *command],
                env=inherited | places | {"RAG_STORE__URL": self.url} | ours,
                stdout=printed,
                stderr=printed,
            )
        self._processes.append(process)
        return process

    def serve(self, data: str, own: str = "", **settings: str) -> Replica:
        """A replica in this data directory; `own` is its folder there when it shares that."""
        return Replica(
            self.start(data, "serve", "--port", "0", **settings), self.folder / data / own / "daemon.json", self.printed
        )

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.engine.dispose()


@pytest.fixture
def service(tmp_path: Path, postgres_server: Any, migrated_postgres: str) -> Iterator[Service]:
    database = postgres_server.create(migrated_postgres)
    service = Service(tmp_path, postgres_server.url(database))
    yield service
    service.close()
    postgres_server.drop(database)


def _upload(replica: Replica, key: str, name: str, text: str) -> str:
    files = [("files", (name, text.encode()))]
    answer = replica.ask("POST", "/api/ingest", key, data={"collection": "shared"}, files=files)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["job_id"])


def _followed(replica: Replica, key: str, job_id: str) -> dict[str, Any]:
    """The data of the last event of a job's stream."""
    stream = replica.ask("GET", f"/api/jobs/{job_id}/events", key).text
    *_, last = [block for block in stream.split("\n\n") if "event: end" in block]
    found: dict[str, Any] = json.loads(next(line[6:] for line in last.splitlines() if line.startswith("data: ")))
    return found


def _found(replica: Replica, key: str, query: str) -> list[str]:
    answer = replica.ask("POST", "/api/query", key, json={"query": query, "collection": "shared"})
    assert answer.status_code == 200, answer.text
    return [result["source"] for result in answer.json()["results"]]


def test_two_replicas_and_a_worker_are_one_service_and_one_that_is_killed_is_not_missed(service: Service) -> None:
    one, two = service.serve("one"), service.serve("two")
    service.start("two", "worker")
    one.ready(), two.ready()
    admin = service.admin
    assert [replica.ask("GET", "/ready", admin).status_code for replica in (one, two)] == [200, 200]

    assert one.ask("POST", "/api/collections", admin, json={"name": "shared"}).status_code == 201
    ended = _followed(one, admin, _upload(two, admin, "first.md", "# First\n\nIt says zebra"))
    assert (ended["status"], ended["result"]["added"]) == ("completed", 1)
    assert [_found(replica, admin, "zebra") for replica in (one, two)] == [["first.md"], ["first.md"]]
    # What was searched before, and is remembered, is not what is answered after a write by others.
    _followed(one, admin, _upload(two, admin, "second.md", "# Second\n\nIt says zebra, too"))
    wait_for(lambda: set(_found(one, admin, "zebra")) == {"first.md", "second.md"}, "one to hear of the second", 60)

    key, text = service.keys.create("program", "reader", None)
    assert [replica.ask("GET", "/api/collections", text).status_code for replica in (one, two)] == [200, 200]
    assert one.ask("DELETE", f"/api/keys/{key.key_id}", admin).status_code in (200, 204)
    assert [replica.ask("GET", "/api/collections", text).status_code for replica in (one, two)] == [401, 401]

    _, limited = service.keys.create("limited", "reader", None, limits=Limits(rate_per_minute=6))
    answers = [replica.ask("GET", "/api/collections", limited) for _ in range(5) for replica in (one, two)]
    assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 4
    assert all(1 <= int(answer.headers["Retry-After"]) <= 10 for answer in answers[6:])

    one.process.kill()
    one.process.wait()
    assert set(_found(two, admin, "zebra")) == {"first.md", "second.md"}
    assert _followed(two, admin, _upload(two, admin, "third.md", "# Third\n\nIt says gnu"))["status"] == "completed"
    assert _found(two, admin, "gnu")[0] == "third.md"
    documents = two.ask("GET", "/api/documents", admin, params={"collection": "shared"}).json()["items"]
    assert {(one["source"], one["status"]) for one in documents} == {(f"{n}.md", "ready") for n in ("first", "second", "third")}
    two.process.terminate()
    assert two.process.wait(180) == 0


def test_replicas_on_one_machine_may_share_the_data_directory(service: Service) -> None:
    first = service.serve("data").ready()
    second = service.serve("data", "processes/api-1").ready()
    service.start("data", "worker")
    assert first.url != second.url
    assert first.ask("POST", "/api/collections", service.admin, json={"name": "shared"}).status_code == 201
    for replica, name in ((first, "a.md"), (second, "b.md")):
        job_id = _upload(replica, service.admin, name, f"# Page\n\nIt says okapi in {name}")
        assert _followed(replica, service.admin, job_id)["status"] == "completed"
    assert set(_found(second, service.admin, "okapi")) == {"a.md", "b.md"}
    first.process.terminate()
    assert first.process.wait(180) == 0
    assert (service.folder / "data/processes/api-1/daemon.json").exists()
    assert set(_found(second, service.admin, "okapi")) == {"a.md", "b.md"}


def test_a_second_process_that_would_run_jobs_by_itself_is_refused(service: Service) -> None:
    alone = service.serve("one", JOBS__QUEUE="process").ready()
    for queue in ("process", "procrastinate"):
        refused = service.start("two", "serve", "--port", "0", JOBS__QUEUE=queue)
        assert refused.wait(180) != 0
    assert service.printed.read_text("utf-8").count("set jobs.queue: procrastinate for each") == 2
    assert alone.ask("GET", "/ready", service.admin).status_code == 200
    # Its lock ends with it, also when it is killed.
    alone.process.kill()
    alone.process.wait()
    assert service.serve("two").ready().ask("GET", "/ready", service.admin).status_code == 200


def _children(replica: Replica) -> list[psutil.Process]:
    """The processes that answer: each in a group of its own, where the watchdogs are in sessions of their own."""
    return [one for one in psutil.Process(replica.process.pid).children() if os.getpgid(one.pid) == one.pid and _is_replica(one)]


def _is_replica(process: psutil.Process) -> bool:
    return "spawn_main" in " ".join(process.cmdline())


def _answering(service: Service, data: str) -> list[int]:
    """Processes that said that they answer."""
    log = (service.folder / data / "logs/daemon.jsonl").read_text("utf-8")
    return [int(one) for one in re.findall(r'"a replica answers".*?"process_id": (\d+)', log)]


def _counted(replica: Replica, key: str) -> float:
    text = replica.ask("GET", "/metrics", key).text
    found = re.search(r'^http_requests_total\{endpoint="/api/collections",method="GET",status="200"\} ([\d.]+)$', text, re.M)
    return float(found[1]) if found else 0.0


def test_processes_of_one_address_are_one_service_and_one_that_is_killed_is_begun_again(service: Service) -> None:
    admin = service.admin
    whole = Replica(
        service.start("data", "serve", "--workers", "2", "--port", "0"), service.folder / "data/daemon.json", service.printed
    ).ready()
    service.start("data", "worker")
    wait_for(lambda: len(_answering(service, "data")) == 2, "both to answer", 120)
    one, other = (psutil.Process(pid) for pid in _answering(service, "data"))
    assert whole.ask("POST", "/api/collections", admin, json={"name": "shared"}).status_code == 201
    assert _followed(whole, admin, _upload(whole, admin, "first.md", "# First\n\nIt says zebra"))["status"] == "completed"

    # Agents by a protocol of 2025 need no session, which the other process would not know.
    first, then = (
        whole.ask("POST", "/mcp", admin, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers=AGENT)
        for method, params in (("initialize", HELLO), ("tools/list", {}))
    )
    assert (first.status_code, first.headers.get("mcp-session-id"), then.status_code) == (200, None, 200), then.text
    assert "query_knowledge_hub" in then.text

    # A rate and the counts are of both, whoever answers; a link of one opens at the other.
    _, limited = service.keys.create("limited", "reader", None, limits=Limits(rate_per_minute=6))

    def collections(_number: int) -> int:
        return whole.ask("GET", "/api/collections", limited).status_code

    with ThreadPoolExecutor(10) as pool:
        assert Counter(pool.map(collections, range(10))) == {200: 6, 429: 4}
    assert _counted(whole, admin) == 6
    for paused, asked in ((one, other), (other, one)):
        paused.suspend()
        path = whole.ask("POST", "/api/dashboard-link", admin).json()["path"]
        paused.resume(), asked.suspend()
        opened = whole.ask("GET", path, "")
        asked.resume()
        assert opened.status_code == 303
        cookie, key = opened.headers["set-cookie"].partition(";")[0], opened.headers["location"].partition("key=")[2]
        asked.suspend()
        headers = {"Cookie": cookie, "X-Dashboard-Key": key}
        assert httpx2.get(f"{whole.url}/api/status", headers=headers, timeout=30, trust_env=False).status_code == 200
        asked.resume()
        assert whole.ask("GET", path, "").status_code == 401
    assert [_counted(whole, admin) for _ in range(3)] == [6] * 3

    one.kill()
    assert [_found(whole, admin, "zebra") for _ in range(3)] == [["first.md"]] * 3
    wait_for(lambda: len(_answering(service, "data")) == 3, "another one", 120)
    third = psutil.Process(_answering(service, "data")[2])
    other.suspend()
    assert _found(whole, admin, "zebra") == ["first.md"]
    other.resume()

    whole.process.send_signal(signal.SIGTERM)
    assert whole.process.wait(180) == 0
    assert not other.is_running()
    assert not third.is_running()


def test_a_client_ends_all_processes_of_an_address_and_they_end_with_the_one_that_minds_them(service: Service) -> None:
    def begun() -> Replica:
        process = service.start("data", "serve", "--workers", "2", "--port", "0")
        whole = Replica(process, service.folder / "data/daemon.json", service.printed).ready()
        wait_for(lambda: len(_children(whole)) == 2, "both to begin", 120)
        return whole

    whole = begun()
    assert whole.ask("POST", "/api/stop", service.admin).status_code == 202
    assert whole.process.wait(180) == 0
    whole = begun()
    children = _children(whole)
    whole.process.kill()
    whole.process.wait()
    psutil.wait_procs(children, timeout=60)
    assert not any(one.is_running() for one in children)


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"JOBS__QUEUE": "process"}, "jobs.queue: procrastinate"), ({"STORE__URL": ""}, "SQLite is for one")],
)
def test_several_processes_at_an_address_are_refused_where_they_could_not_share(
    service: Service, settings: dict[str, str], said: str
) -> None:
    refused = service.start("data", "serve", "--workers", "2", "--port", "0", **settings)
    assert refused.wait(180) == 2
    assert said in service.printed.read_text("utf-8")


def test_a_service_whose_first_process_can_not_begin_ends_with_its_exit_code(service: Service) -> None:
    refused = service.start("data", "serve", "--workers", "2", "--port", "0", SPARSE__BACKEND="tantivy")
    assert refused.wait(120) == 2
    assert "only one process can use it" in service.printed.read_text("utf-8")
