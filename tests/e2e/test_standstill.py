"""A daemon that one call keeps from doing anything: it ends when asked to, and does not die of the same file for ever."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from .conftest import Daemon, ended, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

GRACE_S = 2.0
MARK = "keeps-the-lock"
# One call of a quadratic (here: exponential) expression, during which no other thread gets the interpreter's lock.
STUCK = f"""
import re
from ragd.providers.tokenizers.estimate import EstimatedTokenizer
from ragd.providers.fakes import FakeEmbedder

class Tokenizer(EstimatedTokenizer):
    def count(self, text):
        if "{MARK}" in text:
            re.match("(?:a+)+$", "a" * 64 + "b")
        return super().count(text)

class Stuck(FakeEmbedder):
    def __init__(self, **options):
        super().__init__()
        self.tokenizer = Tokenizer()

class StuckSplitter:
    name, profile = "stuck", "stuck-1"
    def __init__(self, tokenizer, chunk_overlap):
        self.tokenizer = tokenizer
    def split(self, text, max_tokens):
        if "{MARK}" in text:
            re.match("(?:a+)+$", "a" * 64 + "b")
        return [(0, len(text))] if text.strip() else []
"""


@pytest.fixture
def plugin(tmp_path: Path) -> dict[str, str]:
    """The environment with an embedder and a splitter of another package that keep the interpreter's lock over a certain text."""
    info = tmp_path / "package" / "stuck-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stuck\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[ragd.providers]\nembedder.stuck = stuck:Stuck\nsplitter.stuck = stuck:StuckSplitter\n"
    )
    (info.parent / "stuck.py").write_text(STUCK)
    path = os.pathsep.join([str(info.parent), os.environ.get("PYTHONPATH", "")])
    return {"PYTHONPATH": path}


@pytest.fixture
def stuck(plugin: dict[str, str]) -> dict[str, str]:
    """The environment in which the daemon itself, which counts the tokens of a text, keeps its lock."""
    return plugin | {"RAG_EMBEDDING__PROVIDER": "stuck", "RAG_SERVER__SHUTDOWN_GRACE_S": str(GRACE_S)}


def write_documents(folder: Path) -> Path:
    folder.mkdir()
    (folder / "bad.md").write_text(f"# Bad\n\nThis text {MARK}.\n")
    (folder / "good.md").write_text("# Good\n\nThe lease timeout is 30 seconds.\n")
    return folder


def stands_still(client: httpx2.Client) -> bool:
    try:
        client.get("/health", timeout=1)
    except httpx2.TimeoutException:
        return True
    return False


def end_by_signal(daemon: Daemon) -> float:
    """Seconds from SIGTERM to the daemon's end."""
    began = time.monotonic()
    daemon.process.send_signal(signal.SIGTERM)
    daemon.process.wait(timeout=180)
    return time.monotonic() - began


def test_a_file_that_stops_the_daemon_is_set_aside_after_two_times(
    start: Callable[..., Daemon], stuck: dict[str, str], tmp_path: Path
) -> None:
    folder = write_documents(tmp_path / "documents")
    job_id = ""
    for _ in range(2):
        daemon = start(**stuck)
        with daemon.client() as client:
            job_id = job_id or client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"]
            wait_for(lambda client=client: stands_still(client), "the daemon to stand still")
        assert end_by_signal(daemon) < GRACE_S + 60
        assert daemon.process.returncode == -signal.SIGKILL
    daemon = start(**stuck)
    with daemon.client() as client:
        job = ended(client, job_id)
        assert (job["status"], job["result"]["added"]) == ("completed", 1)
        failure = job["result"]["failed"][0]
        assert (failure["source"], failure["code"]) == ("bad.md", "INTERRUPTED")
        assert "2 times" in failure["message"]
        assert client.get("/health").status_code == 200
    assert daemon.stop() == 0


def test_a_text_that_stops_a_stage_of_ingestion_fails_in_time_and_the_daemon_answers_meanwhile(
    start: Callable[..., Daemon], plugin: dict[str, str], tmp_path: Path
) -> None:
    folder = write_documents(tmp_path / "documents")
    daemon = start(**plugin, RAG_SPLITTER__STRATEGY="stuck", RAG_INGEST__TIMEOUT_S="6")
    with daemon.client() as client:
        job_id = client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"]
        answered = 0
        while client.get(f"/api/jobs/{job_id}").json()["status"] not in ("completed", "failed"):
            assert client.get("/api/status").status_code == 200
            answered += 1
            time.sleep(0.1)
        # A daemon that stood still would answer when it goes on: once or twice before the job's end.
        assert answered > 2
        job = ended(client, job_id)
        assert (job["status"], job["result"]["added"]) == ("completed", 1)
        failure = job["result"]["failed"][0]
        assert (failure["source"], failure["code"]) == ("bad.md", "TIMEOUT")
        assert "ingest.timeout_s" in failure["message"]
    assert daemon.stop() == 0
