"""A daemon that an editor started: it stops when the last window has gone, or when it is asked to, as for a signal."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import Daemon, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals and file modes of POSIX")]

UNUSED = {"options": ("--stop-when-unused", "1")}

# A window of an editor, as a process that can be killed: it says when the first state has come.
_WINDOW = """
import sys, httpx2
headers = {"Authorization": "Bearer " + sys.argv[2]}
with httpx2.stream("GET", sys.argv[1] + "/api/events", headers=headers, timeout=None, trust_env=False) as answer:
    for line in answer.iter_lines():
        print(line, flush=True)
"""


@contextmanager
def window(daemon: Daemon) -> Iterator[subprocess.Popen[str]]:
    """An open window, killed at the end."""
    info = daemon.info()
    command = [sys.executable, "-c", _WINDOW, info["url"], info["token"]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "event: state\n"
        try:
            yield process
        finally:
            process.kill()


def lives(daemon: Daemon, seconds: float) -> bool:
    try:
        daemon.process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def reasons(daemon: Daemon) -> list[str]:
    lines = (daemon.data_dir / "logs" / "daemon.jsonl").read_text().splitlines()
    return [line["reason"] for line in map(json.loads, lines) if line["message"] == "daemon stops"]


def test_a_daemon_lives_as_long_as_a_window_and_stops_after_the_last_was_killed(start: Callable[..., Daemon]) -> None:
    daemon = start(**UNUSED)
    with window(daemon):
        with window(daemon):
            pass
        assert lives(daemon, 2.5)
    assert daemon.process.wait(timeout=180) == 0
    assert reasons(daemon) == ["no editor window for 1 s"]
    assert not (daemon.data_dir / "daemon.json").exists()


def test_a_running_job_keeps_no_unused_daemon_and_goes_on_at_the_next_start(start: Callable[..., Daemon], many: Path) -> None:
    daemon = start(**UNUSED)
    with window(daemon), daemon.client() as client:
        job_id = client.post("/api/ingest", json={"paths": [str(many)]}).json()["job_id"]
        wait_for(lambda: client.get(f"/api/jobs/{job_id}").json()["status"] == "running", "the job to run")
    assert daemon.process.wait(timeout=180) == 0
    with sqlite3.connect(daemon.data_dir / "rag.db") as database:
        (status,) = database.execute("SELECT status FROM jobs WHERE job_id = ?", (job_id,)).fetchone()
    database.close()
    assert status in {"queued", "completed"}


def test_a_daemon_that_was_not_told_so_outlives_its_windows(start: Callable[..., Daemon]) -> None:
    daemon = start()
    with window(daemon):
        pass
    assert lives(daemon, 2.5)


def test_a_client_can_stop_the_daemon_and_gets_its_answer_first(start: Callable[..., Daemon]) -> None:
    daemon = start()
    with window(daemon) as process, daemon.client() as client:
        answer = client.post("/api/stop")
        assert (answer.status_code, answer.json()) == (202, {"stopping": True})
        assert daemon.process.wait(timeout=180) == 0
        # The window's stream ends by itself, which is no failure.
        assert process.wait(timeout=180) == 0
    assert reasons(daemon) == ["asked to by a client"]
    assert not (daemon.data_dir / "daemon.json").exists()


def test_stopping_needs_the_token(start: Callable[..., Daemon]) -> None:
    daemon = start()
    with daemon.client() as client:
        assert client.post("/api/stop", headers={"Authorization": "Bearer no"}).status_code == 401
        assert client.get("/api/status").status_code == 200
