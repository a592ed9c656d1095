"""The real application behind its routes, as other programs use it, on each store that it can have.

`store` is the parameter: whatever it is, the same criteria hold. Providers need no model.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.tracing import utc_text

from ..light import LIGHT
from ..postgres_server.server import PostgresServer

TOKEN = "a-token-for-tests"
_BOUND_S = 60
# As a user has them: usearch and tantivy beside SQLite, pgvector and BM25 in PostgreSQL.
_INDEXES = {"dense.backend": "auto", "sparse.backend": "auto"}


class SqliteStore:
    """SQLite in the data directory. Faults are triggers: the database itself refuses, or takes its time."""

    url = ""

    def __init__(self, folder: Path, migrated: Path) -> None:
        self._file = folder / "rag.db"
        if not folder.exists():
            folder.mkdir(mode=0o700)
            shutil.copy(migrated, folder)

    def run(self, statement: str) -> list[Any]:
        with closing(sqlite3.connect(self._file, timeout=30)) as connection, connection:
            return connection.execute(statement).fetchall()

    def refuse(self, name: str, change: str) -> None:
        """Refuse a change, such as `UPDATE OF source_uri ON documents`."""
        self.run(f"CREATE TRIGGER {name} BEFORE {change} BEGIN SELECT RAISE(ABORT, 'refused by the test'); END")

    def delay_erasing(self, name: str, erased: int, steps: int) -> None:
        """Take `steps` steps of counting before the document is erased that comes after so many others."""
        count = f"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < {steps}) SELECT count(*) FROM c"
        is_next = f"NEW.source_uri = '' AND (SELECT count(*) FROM documents WHERE source_uri = '') = {erased}"
        self.run(f"CREATE TRIGGER {name} BEFORE UPDATE OF source_uri ON documents WHEN {is_next} BEGIN {count}; END")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Within, the database is unusable for every new connection."""
        whole = self._file.read_bytes()
        self._file.write_bytes(b"no database" * 1000)
        yield
        self._file.write_bytes(whole)

    def allow(self, name: str) -> None:
        self.run(f"DROP TRIGGER {name}")


class PostgresStore:
    """A database of PostgreSQL with the tables in it. Faults are triggers here, too."""

    def __init__(self, server: PostgresServer, database: str) -> None:
        self._server, self._database = server, database
        self.url = server.url(database)

    def run(self, statement: str) -> list[Any]:
        return self._server.run(self._database, statement)

    def _on(self, name: str, change: str, steps: str) -> None:
        function = f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {steps}; RETURN NEW; END $$"
        self.run(f"{function}; CREATE TRIGGER {name} BEFORE {change} FOR EACH ROW EXECUTE FUNCTION {name}()")

    def refuse(self, name: str, change: str) -> None:
        self._on(name, change, "RAISE EXCEPTION 'refused by the test'")

    def delay(self, name: str, change: str) -> None:
        """Let a change take longer than anybody waits."""
        self._on(name, change, f"PERFORM pg_sleep({2 * _BOUND_S})")

    def delay_erasing(self, name: str, erased: int, steps: int) -> None:
        is_next = f"NEW.source_uri = '' AND (SELECT count(*) FROM documents WHERE source_uri = '') = {erased}"
        waits = f"IF {is_next} THEN PERFORM pg_sleep({min(steps / 10_000_000, 2 * _BOUND_S)}); END IF"
        self._on(name, "UPDATE OF source_uri ON documents", waits)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        self._server.stop()
        try:
            yield
        finally:
            self._server.start()

    def allow(self, name: str) -> None:
        self.run(f"DROP FUNCTION {name} CASCADE")


Store = SqliteStore | PostgresStore


class Clock:
    """The time of the application's jobs: the real one, and as much later as a test says."""

    def __init__(self) -> None:
        self._ahead_s = 0.0

    def __call__(self, later_s: float) -> str:
        return utc_text(datetime.now(UTC) + timedelta(seconds=self._ahead_s + later_s))

    def forward(self, seconds: float) -> None:
        self._ahead_s += seconds


class Service:
    """A running application, and what a program does with it."""

    def __init__(self, app: Application, client: TestClient, clock: Clock, store: Store) -> None:
        self.app, self.client, self.clock, self.store = app, client, clock, store

    def create(self, name: str = "") -> str:
        """A knowledge base; without a name, by one that no other has."""
        name = name or f"Tenders {uuid.uuid4()}"
        return str(self.ok(self.client.post("/knowledge_bases", json={"name": name}), 201)["id"])

    def upload(self, kb_id: str, name: str, data: bytes | str) -> str:
        answer = self.ok(self.post(kb_id, name, data), 202)
        assert answer["status"] == "processing"
        return str(answer["document_id"])

    def post(self, kb_id: str, name: str, data: bytes | str) -> Any:
        content = data.encode() if isinstance(data, str) else data
        return self.client.post(f"/knowledge_bases/{kb_id}/documents", files={"file": (name, content)})

    def read(self, doc_id: str) -> dict[str, Any]:
        """The document, once it is processed."""
        return self.until(f"/documents/{doc_id}", lambda document: document["status"] != "processing")

    def add(self, kb_id: str, name: str, data: bytes | str) -> str:
        """Upload a document and wait until it can be found."""
        doc_id = self.upload(kb_id, name, data)
        document = self.read(doc_id)
        assert document["status"] == "completed", document
        return doc_id

    def add_many(self, name: str, count: int) -> str:
        """A knowledge base with so many documents, uploaded at once."""
        kb_id = self.create(name)
        files = [("files", (f"page-{number}.md", f"# Page {number}\n\nWords of page {number}.")) for number in range(count)]
        job = self.ok(self.client.post("/api/ingest", data={"collection": name}, files=files), 202)
        assert self.until(f"/api/jobs/{job['job_id']}", lambda job: bool(job["finished_at"]))["result"]["added"] == count
        return kb_id

    def search(self, kb_id: str, query: str, **also: Any) -> list[dict[str, Any]]:
        answer = self.client.post("/search", json={"query": query, "knowledge_base_id": kb_id, **also})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()
        return found

    def delete(self, kb_id: str) -> str:
        return str(self.ok(self.client.delete(f"/knowledge_bases/{kb_id}"), 202)["cleanup_task_id"])

    def until(self, path: str, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        end = time.monotonic() + _BOUND_S
        pause = 0.01
        while not is_so(found := self.ok(self.client.get(path), 200)):
            assert time.monotonic() < end, found
            time.sleep(pause)
            pause = min(pause * 1.1, 0.05)
        return found

    def task(self, task_id: str, status: str) -> dict[str, Any]:
        """The clean-up task, once it has this status."""
        return self.until(f"/cleanup_tasks/{task_id}", lambda task: task["status"] == status)

    @staticmethod
    def ok(answer: Any, status: int) -> dict[str, Any]:
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found

    @staticmethod
    def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
        """The error, whose shape is the same for all."""
        assert answer.status_code == status, answer.text
        body = answer.json()
        assert list(body) == ["error"]
        error: dict[str, Any] = body["error"]
        assert set(error) == {"code", "message", "request_id", "details"}
        assert all(set(detail) == {"field", "code", "message"} for detail in error["details"])
        assert error["code"] == code
        assert error["request_id"] == answer.headers["X-Request-ID"]
        return error


Opened = Callable[..., AbstractContextManager[Service]]


def _sqlite_stores(request: pytest.FixtureRequest) -> Callable[[Path], Store]:
    migrated: Path = request.getfixturevalue("migrated")
    return lambda folder: SqliteStore(folder, migrated)


def _postgres_stores(request: pytest.FixtureRequest) -> Callable[[Path], Store]:
    server: PostgresServer = request.getfixturevalue("postgres_server")
    migrated: str = request.getfixturevalue("migrated_postgres")
    return cache(lambda folder: PostgresStore(server, server.create(migrated)))


_STORES = {"sqlite": _sqlite_stores, "postgres": _postgres_stores}


@pytest.fixture(scope="session", params=_STORES)
def opened_in(request: pytest.FixtureRequest) -> Opened:
    """Opens the application in a folder, with changed settings; what is there already is used.

    With `runs=False` no job is taken up, without `reconciles` not even the model is opened.
    """
    store_in = _STORES[request.param](request)

    @contextmanager
    def open_it(
        folder: Path, changes: Mapping[str, Any] | None = None, *, runs: bool = True, reconciles: bool = True
    ) -> Iterator[Service]:
        clock, store = Clock(), store_in(folder / "data")
        explicit = {**LIGHT, **_INDEXES, "ingest.workers": 1, "store.url": store.url, **(changes or {})}
        settings = load_settings(folder / "config", environment={}, explicit=explicit)
        folders = Directories(folder / "data", folder / "models", folder / "config")
        app = Application(settings, folders, clock=clock)
        try:
            if reconciles:
                app.reconciler.reconcile()
            if runs:
                app.runner.start()
            headers = {"Authorization": f"Bearer {TOKEN}"}
            api = create_api(app, token=TOKEN)
            with TestClient(api, base_url="http://127.0.0.1:8765", headers=headers) as client:
                yield Service(app, client, clock, store)
        finally:
            app.close()

    return open_it


@pytest.fixture(scope="module")
def service(opened_in: Opened, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running service that the tests of a file share, each with knowledge bases of its own."""
    with opened_in(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def opened(opened_in: Opened, tmp_path: Path) -> Opened:
    """Opens the application in the test's folder, as often as it likes."""
    return lambda changes=None, **options: opened_in(tmp_path, changes, **options)


@pytest.fixture
def own(opened: Opened) -> Iterator[Service]:
    """A running service of the test's own."""
    with opened() as service:
        yield service


@pytest.fixture
def idle(opened: Opened) -> Iterator[Service]:
    """A service of the test's own whose jobs wait."""
    with opened(runs=False) as service:
        yield service
