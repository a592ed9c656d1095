"""Several `rag serve` processes on one PostgreSQL, with a worker beside them: what one is told, every one knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import Engine

from ragd.store.api_keys import ApiKeys, Limits
from ragd.store.database.engine import open_engine

from .conftest import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

SETTINGS = {
    "JOBS__QUEUE": "procrastinate",
    "EMBEDDING__PROVIDER": "fake",
    "SPARSE__ANALYZER": "bigram",
    "TOKEN_INDEX__PROVIDER": "none",
    "SECURITY__MODE": "server",
}


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
        headers = {"Authorization": f"Bearer {key}"}
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
                env=inherited | ours | places | {"RAG_STORE__URL": self.url},
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
    wait_for(lambda: set(_found(one, admin, "zebra")) == {"first.md", "second.md"}, "one to hear of the second", 10)

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
    assert two.process.wait(60) == 0


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
    assert first.process.wait(60) == 0
    assert (service.folder / "data/processes/api-1/daemon.json").exists()
    assert set(_found(second, service.admin, "okapi")) == {"a.md", "b.md"}


def test_a_second_process_that_would_run_jobs_by_itself_is_refused(service: Service) -> None:
    alone = service.serve("one", JOBS__QUEUE="process").ready()
    for queue in ("process", "procrastinate"):
        refused = service.start("two", "serve", "--port", "0", JOBS__QUEUE=queue)
        assert refused.wait(60) != 0
    assert service.printed.read_text("utf-8").count("set jobs.queue: procrastinate for each") == 2
    assert alone.ask("GET", "/ready", service.admin).status_code == 200
    # Its lock ends with it, also when it is killed.
    alone.process.kill()
    alone.process.wait()
    assert service.serve("two").ready().ask("GET", "/ready", service.admin).status_code == 200
