"""A watched folder with real processes: the daemon follows it, over restarts and kills, and `rag watch` tells what happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from .conftest import LIGHT, Daemon, ended, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

QUICK = {"RAG_WATCH__DEBOUNCE_S": "0.2"}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "guide").mkdir(parents=True)
    (folder / "guide" / "backup.md").write_text("# Backup\n\nRun `kestrel restore --from snapshot` and wait.\n")
    (folder / "休暇規程.md").write_text("# 休暇規程\n\n有給休暇は五営業日前までに申請する。\n")
    return folder


def add(client: httpx2.Client, folder: Path) -> str:
    """Add the folder as a source, and wait until it is read."""
    answer = client.post("/api/sources", json={"type": "folder", "config": {"path": str(folder)}})
    assert answer.status_code == 201, answer.text
    assert ended(client, answer.json()["job_id"])["status"] == "completed"
    return str(answer.json()["id"])


def sources(client: httpx2.Client) -> set[str]:
    """What the documents are called that can be found."""
    answer = client.get("/api/documents", params={"status": "ready", "page_size": 100}).json()
    return {document["source"] for document in answer["items"]}


def best(client: httpx2.Client, question: str) -> str:
    results = client.post("/api/query", json={"query": question, "top_k": 1}).json()["results"]
    return str(results[0]["source"]) if results else ""


def test_the_daemon_follows_a_folder_and_answers_from_what_it_holds_now(start: Callable[..., Daemon], docs: Path) -> None:
    daemon = start(**QUICK)
    with daemon.client() as client:
        source_id = add(client, docs)
        assert best(client, "有給休暇の申請") == "休暇規程.md"
        (docs / "guide" / "errors.md").write_text("# Errors\n\nE1045 means that the lease of a falcon ran out.\n")
        wait_for(lambda: best(client, "lease of a falcon") == "guide/errors.md", "a new file")
        (docs / "guide").rename(docs / "handbook")
        wait_for(lambda: sources(client) == {"handbook/backup.md", "handbook/errors.md", "休暇規程.md"}, "a renamed folder")
        (docs / "休暇規程.md").unlink()
        wait_for(lambda: sources(client) == {"handbook/backup.md", "handbook/errors.md"}, "a deleted file")
        wait_for(lambda: client.get(f"/api/sources/{source_id}").json()["state"] == "watching", "the end of the work")
        embedded = [job["result"]["embedded"] for job in client.get("/api/jobs").json()["items"] if job["kind"] == "sync"]
        # The first reading and the new file; a move embeds nothing.
        assert sum(embedded) == 3
    assert daemon.stop() == 0


def test_what_changed_while_no_daemon_ran_is_followed_at_its_start(start: Callable[..., Daemon], docs: Path) -> None:
    first = start(**QUICK)
    with first.client() as client:
        add(client, docs)
    assert first.stop() == 0
    (docs / "new.md").write_text("# New\n\nA page of its own.\n")
    (docs / "休暇規程.md").rename(docs / "規程.md")
    second = start(**QUICK)
    with second.client() as client:
        wait_for(lambda: sources(client) == {"guide/backup.md", "new.md", "規程.md"}, "the changes")


def test_a_daemon_that_is_killed_while_it_reads_goes_on_where_it_was(start: Callable[..., Daemon], many: Path) -> None:
    first = start(**QUICK)
    with first.client() as client:
        answer = client.post("/api/sources", json={"type": "folder", "config": {"path": str(many)}})
        wait_for(lambda: client.get(f"/api/jobs/{answer.json()['job_id']}").json()["status"] == "running", "the reading")
    first.process.kill()
    first.process.wait()
    (many / "0000.md").unlink()
    second = start(**QUICK)
    with second.client() as client:
        [source] = client.get("/api/sources").json()["items"]

        def is_whole() -> bool:
            found = client.get(f"/api/sources/{source['id']}").json()
            return bool(found["document_count"] == 149 and found["state"] == "watching")

        wait_for(is_whole, "149 documents", 120)
        assert client.get("/api/status").json()["counts"]["documents"] == 149


class Watch:
    """One `rag watch` with what it has printed so far."""

    def __init__(self, data_dir: Path, *arguments: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
        home = {"RAG_DATA_DIR": str(data_dir), "RAG_CONFIG_DIR": str(data_dir / "config"), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ragd", "watch", *arguments],
            env=inherited | LIGHT | QUICK | home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def until(self, text: str) -> None:
        def said() -> bool:
            assert self.process.poll() is None, self.lines
            return any(text in line for line in self.lines)

        wait_for(said, f"'{text}'")

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=180)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        if self.process.stdout:
            self.process.stdout.close()


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., Watch]]:
    started: list[Watch] = []

    def start_it(*arguments: str) -> Watch:
        started.append(Watch(tmp_path / "data", *arguments))
        return started[-1]

    yield start_it
    for one in started:
        one.close()


def scene(watching: Watch, docs: Path) -> None:
    """Things happen to the folder, and are told."""
    watching.until("Ctrl-C stops")
    (docs / "new 新.md").write_text("# New\n\nA page of its own.\n")
    watching.until("1 added (1 embedded, 0 reused)")
    (docs / "new 新.md").rename(docs / "guide" / "renamed.md")
    watching.until("1 moved (0 embedded, 1 reused)")
    (docs / "guide" / "renamed.md").unlink()
    watching.until("1 deleted")


def test_rag_watch_without_a_daemon_follows_a_folder_until_ctrl_c(watch: Callable[..., Watch], docs: Path) -> None:
    watching = watch(str(docs))
    watching.until("docs: 2 added; ")
    scene(watching, docs)
    assert watching.interrupt() == 0
    wait_for(lambda: watching.lines[-1] == "Stopped watching.", "the last word")
    assert not (docs.parent / "data" / "daemon.json").exists()


def test_rag_watch_tells_what_a_daemon_does_which_goes_on_afterwards(
    start: Callable[..., Daemon], watch: Callable[..., Watch], docs: Path
) -> None:
    daemon = start(**QUICK)
    with daemon.client() as client:
        watching = watch(str(docs))
        scene(watching, docs)
        assert watching.interrupt() == 0
        wait_for(lambda: "The daemon goes on watching" in watching.lines[-1], "the last word")
        (docs / "after.md").write_text("# After\n\nNobody is looking.\n")
        wait_for(lambda: "after.md" in sources(client), "a file that came after")


def test_a_folder_that_vanishes_under_a_daemon_is_told_and_loses_nothing(
    start: Callable[..., Daemon], docs: Path, watch: Callable[..., Watch]
) -> None:
    daemon = start(**QUICK)
    with daemon.client() as client:
        source_id = add(client, docs)
        watching = watch(str(docs))
        watching.until("Ctrl-C stops")
        docs.rename(docs.with_name("away"))
        watching.until("The folder is not there")
        told: dict[str, Any] = client.get(f"/api/sources/{source_id}").json()
        assert (told["state"], told["document_count"]) == ("error", 2)
        assert best(client, "有給休暇の申請") == "休暇規程.md"
        docs.with_name("away").rename(docs)
        watching.until("Watching again.")
        assert watching.interrupt() == 0
