"""`rag worker` processes beside an application that only answers: jobs are shared, and none is lost or done twice."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.core.errors import SettingsError
from ragd.store.jobs import FINISHED

from .conftest import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

SETTINGS = {
    "jobs.queue": "procrastinate",
    "embedding.provider": "fake",
    "sparse.analyzer": "bigram",
    "token_index.provider": "none",
    # Other tests want the cores, too.
    "jobs.niceness": "1",
}

# `rag worker`, whose model waits before a text with "heldback", for as long as a file is there, and notes what it embedded. By
# another file it waits before the entries of an index are written: a version is begun then, and not yet the document's.
WORKER = """
import os, sys, time
from pathlib import Path
from ragd.providers.fakes import FakeEmbedder

embed, folder = FakeEmbedder.embed_passages, Path(os.environ["RAG_CONFIG_DIR"])

def held(self, texts, on_batch=None):
    with open(folder / "embedded", "a", encoding="utf-8") as notes:
        notes.write("".join(f"{os.getpid()} {text.split()[-1]}\\n" for text in texts))
    while any("heldback" in text for text in texts) and (folder / "hold").exists():
        time.sleep(0.02)
    return embed(self, texts, on_batch)

FakeEmbedder.embed_passages = held

from ragd.providers.dense.pgvector import PgvectorStore
upsert = PgvectorStore.upsert

def stored(self, kb_id, ids, vectors):
    while (folder / "hold-storing").exists():
        (folder / "storing").touch()
        time.sleep(0.02)
    return upsert(self, kb_id, ids, vectors)

PgvectorStore.upsert = stored
from ragd.cli import main
sys.argv = ["rag", "worker", *sys.argv[1:]]
main()
"""


class Place:
    """A database, a data directory, an application that only answers, and workers."""

    def __init__(self, folder: Path, server: Any, database: str) -> None:
        self.folder, self._server, self.database = folder, server, database
        self.config = folder / "config"
        self.config.mkdir()
        self._workers: list[subprocess.Popen[bytes]] = []
        explicit = SETTINGS | {"store.url": server.url(database)}
        settings = load_settings(self.config, environment={}, explicit=explicit)
        self.app = Application(settings, Directories(folder / "data", folder / "models", self.config))
        self.client = TestClient(
            create_api(self.app, token="t"), base_url="http://127.0.0.1:8765", headers={"Authorization": "Bearer t"}
        )

    def worker(self, *options: str) -> subprocess.Popen[bytes]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
        ours = {f"RAG_{name.upper().replace('.', '__')}": value for name, value in SETTINGS.items()}
        places = {"RAG_DATA_DIR": str(self.folder / "data"), "RAG_CONFIG_DIR": str(self.config)}
        environment = inherited | ours | places | {"RAG_STORE__URL": self._server.url(self.database)}
        with (self.folder / "printed").open("ab") as printed:
            process = subprocess.Popen([sys.executable, "-c", WORKER, *options], env=environment, stderr=printed)
        self._workers.append(process)
        return process

    def close(self) -> None:
        self.release()
        for process in self._workers:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.client.close()
        self.app.close()

    def upload(self, collection: str, name: str, text: str) -> str:
        answer = self.client.post("/api/ingest", data={"collection": collection}, files=[("files", (name, text))])
        assert answer.status_code == 202, answer.text
        return str(answer.json()["job_id"])

    def job(self, job_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/api/jobs/{job_id}").json()
        return found

    def finished(self, *job_ids: str) -> list[dict[str, Any]]:
        left = list(job_ids)

        def all_ended() -> bool:
            assert any(process.poll() is None for process in self._workers), (self.folder / "printed").read_text("utf-8")
            while left and self.job(left[0])["status"] in FINISHED:
                left.pop(0)
            return not left

        wait_for(all_ended, "the jobs to end", 120)
        return [self.job(job_id) for job_id in job_ids]

    def sql(self, statement: str) -> list[Any]:
        rows: list[Any] = self._server.run(self.database, statement)
        return rows

    def embedded(self) -> list[str]:
        """The process and the last word of each text that a worker's model was given."""
        notes = self.config / "embedded"
        return notes.read_text("utf-8").splitlines() if notes.exists() else []

    def hold(self) -> None:
        (self.config / "hold").touch()

    def release(self) -> None:
        (self.config / "hold").unlink(missing_ok=True)

    def held(self, word: str) -> None:
        """Wait until a worker's model holds a text that ends so."""
        wait_for(lambda: any(line.endswith(f" {word}") for line in self.embedded()), f"a worker to begin '{word}'", 120)

    def logs(self) -> str:
        return "".join(path.read_text("utf-8") for path in (self.folder / "data" / "processes").glob("*/logs/worker.log"))


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def _place(folder: Path, server: Any, database: str) -> Iterator[Place]:
    place = Place(folder, server, database)
    try:
        yield place
    finally:
        place.close()


@pytest.fixture
def place(tmp_path: Path, postgres_server: Any, migrated_postgres: str) -> Iterator[Place]:
    database = postgres_server.create(migrated_postgres)
    with _place(tmp_path, postgres_server, database) as place:
        yield place
    postgres_server.drop(database)


def test_two_workers_share_uploads_and_read_each_once(place: Place) -> None:
    for number in range(4):
        place.client.post("/api/collections", json={"name": f"c{number}"})
    texts = [f"# Page {number}\n\nIt says word{number}" for number in range(40)]
    jobs = [place.upload(f"c{number % 4}", f"page-{number}.md", text) for number, text in enumerate(texts)]
    ports = [_free_port(), _free_port()]
    for port in ports:
        place.worker("--concurrency", "2", "--metrics-port", str(port))
    assert [(job["status"], job["result"]["added"]) for job in place.finished(*jobs)] == [("completed", 1)] * 40
    words = [word for line in place.embedded() if (word := line.split()[1]).startswith("word")]
    assert sorted(words) == sorted(f"word{number}" for number in range(40))
    assert place.sql("SELECT status, count(*) FROM documents GROUP BY status") == [("ready", 40)]
    assert place.sql("SELECT count(*) FROM versions WHERE status <> 'ready'") == [(0,)]
    wait_for(lambda: place.sql("SELECT count(*) FROM procrastinate_jobs") == [(0,)], "every delivery to be acknowledged")
    told = [httpx2.get(f"http://127.0.0.1:{port}/metrics", trust_env=False, timeout=60).text for port in ports]
    counts = [re.search(r'^document_ingestion_total\{status="completed"\} ([\d.]+)$', text, re.M) for text in told]
    assert sum(float(count[1]) for count in counts if count) == 40


def test_a_killed_workers_job_is_taken_up_by_another(place: Place) -> None:
    place.hold()
    first = place.worker()
    jobs = [place.upload("default", "held.md", "# Held\n\nIt is heldback and says middle")]
    place.held("middle")
    assert psutil.Process(first.pid).nice() == psutil.Process().nice() + 1
    jobs.append(place.upload("default", "next.md", "# Next\n\nIt says after"))
    place.worker()
    first.kill()
    place.release()
    assert [(job["status"], job["result"]["added"]) for job in place.finished(*jobs)] == [("completed", 1)] * 2
    assert place.sql("SELECT status, count(*) FROM documents GROUP BY status") == [("ready", 2)]
    assert place.sql("SELECT count(*) FROM versions") == [(2,)]
    # It was the leader, too: what it held is held by the other.
    assert place.logs().count("this worker leads") == 2
    assert place.client.post("/api/query", json={"query": "middle"}).json()["results"]


def test_what_is_deleted_after_its_version_was_begun_stays_deleted(place: Place) -> None:
    """The deletion is another process': the lock within the worker that parts deleting and storing does not hold it."""
    place.client.post("/api/collections", json={"name": "whole"})
    gate = place.config / "hold-storing"
    gate.touch()
    place.worker()
    ended = []
    for collection, path in (("default", "/api/documents/{doc_id}"), ("whole", "/api/collections/whole")):
        job_id = place.upload(collection, "page.md", "# Page\n\nIt says gnu")
        wait_for((place.config / "storing").exists, "a worker to write to an index", 120)
        [row] = place.sql("SELECT doc_id FROM versions WHERE status = 'pending'")
        assert place.client.delete(path.format(doc_id=row[0])).status_code in (202, 204)
        gate.unlink()
        ended += place.finished(job_id)
        gate.touch(), (place.config / "storing").unlink()
    gate.unlink()
    assert [job["status"] for job in ended] == ["completed", "cancelled"]
    wait_for(lambda: not place.sql("SELECT 1 FROM jobs WHERE status IN ('queued', 'running')"), "the clean-up to end")
    assert place.sql("SELECT status, count(*) FROM documents GROUP BY status") == [("deleted", 2)]
    assert place.sql("SELECT (SELECT count(*) FROM versions) + (SELECT count(*) FROM chunks)") == [(0,)]
    tables = place.sql("SELECT schemaname || '.' || tablename FROM pg_tables WHERE tablename LIKE 'entries_%'")
    assert tables
    assert [place.sql(f"SELECT count(*) FROM {name}") for (name,) in tables] == [[(0,)]] * len(tables)
    assert not place.client.post("/api/query", json={"query": "gnu"}).json()["results"]


def test_a_running_job_is_cancelled_from_another_process(place: Place) -> None:
    place.hold()
    place.worker()
    job_id = place.upload("default", "held.md", "# Held\n\nIt is heldback and says middle")
    place.held("middle")
    assert place.client.delete(f"/api/jobs/{job_id}").status_code in (200, 202)
    wait_for(lambda: place.sql("SELECT cancel_requested FROM jobs") == [(True,)], "the wish to be kept")
    time.sleep(0.6)  # so that the next report of this stage is due, and so hears of it
    place.release()
    [job] = place.finished(job_id)
    assert job["status"] == "cancelled"
    assert place.sql("SELECT count(*) FROM documents WHERE status = 'ready'") == [(0,)]


def test_a_stopping_worker_puts_its_job_back_for_another(place: Place) -> None:
    place.hold()
    first = place.worker()
    job_id = place.upload("default", "held.md", "# Held\n\nIt is heldback and says middle")
    place.held("middle")
    first.send_signal(signal.SIGTERM)
    wait_for(lambda: "worker is asked to stop" in place.logs(), "the worker to hear it")
    place.release()
    assert first.wait(180) == 0
    assert place.job(job_id)["status"] == "queued"
    place.worker()
    assert place.finished(job_id)[0]["status"] == "completed"
    assert place.sql("SELECT status, count(*) FROM documents GROUP BY status") == [("ready", 1)]
    assert place.sql("SELECT attempts FROM jobs") == [(1,)]


def _folder(place: Place, name: str, *words: str) -> Path:
    folder = place.folder / name
    folder.mkdir()
    for number, word in enumerate(words):
        (folder / f"page-{number}.md").write_text(f"# Page {number}\n\nIt says {word}", encoding="utf-8")
    return folder


def _ingest(place: Place, folder: Path) -> str:
    answer = place.client.post("/api/ingest", json={"paths": [str(folder)]})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["job_id"])


def test_an_upload_waits_for_no_folder_of_its_collection(place: Place) -> None:
    place.hold()
    folder = _folder(place, "archive", "heldback archive")
    long = _ingest(place, folder)
    after = _ingest(place, _folder(place, "next", "later"))
    place.worker()
    place.held("archive")
    place.worker()
    uploads = [place.upload("default", f"quick-{number}.md", f"# Quick\n\nIt says soon{number}") for number in range(3)]
    assert [job["status"] for job in place.finished(*uploads)] == ["completed"] * 3
    # What one of them leaves is removed meanwhile, and its name comes again, with what it says now.
    [(doc_id,)] = place.sql("SELECT doc_id FROM documents WHERE source = 'quick-0.md'")
    assert place.client.delete(f"/api/documents/{doc_id}").status_code == 204
    again = place.upload("default", "quick-0.md", "# Quick\n\nIt says renewed")
    place.finished(again)
    assert place.sql("SELECT status FROM jobs WHERE kind = 'cleanup'") == [("completed",)]
    # The folder is still being read, and the one after it waits.
    assert [place.job(job_id)["status"] for job_id in (long, after)] == ["running", "queued"]
    assert place.client.post("/api/query", json={"query": "renewed"}).json()["results"][0]["source"] == "quick-0.md"
    place.release()
    assert [job["result"]["added"] for job in place.finished(long, after)] == [1, 1]
    assert place.sql("SELECT status, count(*) FROM documents GROUP BY status") == [("ready", 5)]
    assert place.sql("SELECT count(*) FROM versions WHERE status <> 'ready'") == [(0,)]
    names = [row[0] for row in place.sql("SELECT path FROM roots ORDER BY path")]
    assert names == sorted(str(path) for path in (folder, folder.with_name("next")))


def test_uploads_of_one_collection_are_read_side_by_side_and_those_of_one_name_in_order(place: Place) -> None:
    place.hold()
    place.worker()
    first = place.upload("default", "one.md", "# One\n\nIt is heldback and says older")
    place.held("older")
    place.worker("--concurrency", "3")
    second = place.upload("default", "one.md", "# One\n\nIt says newer")
    others = [place.upload("default", f"other-{number}.md", f"# Other\n\nIt says other{number}") for number in range(6)]
    place.finished(*others)
    assert [place.job(job_id)["status"] for job_id in (first, second)] == ["running", "queued"]
    place.release()
    place.finished(first, second)
    found = place.client.post("/api/query", json={"query": "newer"}).json()["results"]
    assert [result["source"] for result in found if "newer" in result["content"]] == ["one.md"]
    assert not [result for result in found if "older" in result["content"]]
    assert place.sql("SELECT status, count(*) FROM documents GROUP BY status") == [("ready", 7)]


def test_the_urgent_goes_first_and_what_goes_over_everything_last(place: Place) -> None:
    rebuild = str(place.client.post("/api/reindex", json={}).json()["job_id"])
    folder = _ingest(place, _folder(place, "archive", "archived"))
    upload = place.upload("default", "quick.md", "# Quick\n\nIt says soon")
    place.worker()
    place.finished(rebuild, folder, upload)
    order = [row[0] for row in place.sql("SELECT kind FROM jobs WHERE kind <> 'tokens' ORDER BY started_at")]
    assert order == ["upload", "ingest", "rebuild"]


def test_a_worker_takes_only_jobs_of_its_queues(place: Place) -> None:
    upload = place.upload("default", "page.md", "# Page\n\nIt says word")
    place.worker("--queues", "parse,sync")
    place.finished(upload)
    rebuild = str(place.client.post("/api/reindex", json={}).json()["job_id"])
    other = place.upload("default", "other.md", "# Other\n\nIt says more")
    place.finished(other)
    assert place.job(rebuild)["status"] == "queued"
    place.worker("--queues", "embed")
    assert place.finished(rebuild)[0]["status"] == "completed"


def test_jobs_that_were_queued_before_there_were_workers_are_delivered(place: Place) -> None:
    job_id = place.upload("default", "page.md", "# Page\n\nIt says word")
    place.sql("DELETE FROM procrastinate_jobs")
    place.worker()
    assert place.finished(job_id)[0]["status"] == "completed"


def test_workers_wait_for_a_database_that_is_restarted(place: Place) -> None:
    place.worker()
    place.finished(place.upload("default", "page.md", "# Page\n\nIt says word"))
    place._server.stop()
    wait_for(lambda: "can't be used" in place.logs(), "the worker to notice")
    place._server.start()
    job_id = wait_for(lambda: _accepted(place), "the application to go on")
    assert place.finished(job_id)[0]["status"] == "completed"


def _accepted(place: Place) -> str | None:
    answer = place.client.post("/api/ingest", data={"collection": "default"}, files=[("files", ("other.md", "It says more"))])
    return str(answer.json()["job_id"]) if answer.status_code == 202 else None


def test_settings_that_only_one_process_can_use_are_refused(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, environment={}, explicit={"jobs.queue": "procrastinate"})
    with pytest.raises(SettingsError, match=r"store\.url"):
        Application(settings, Directories(tmp_path / "data", tmp_path / "models", tmp_path))
