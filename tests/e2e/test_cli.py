"""`rag` as real processes: with a daemon and without one, and when something stands in the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

LIGHT = {
    "RAG_EMBEDDING__PROVIDER": "fake",
    "RAG_DENSE__BACKEND": "exact",
    "RAG_SPARSE__BACKEND": "fts5",
    "RAG_SPARSE__ANALYZER": "bigram",
    # A busy machine must not change what is found.
    "RAG_RERANK__BUDGET_MS": "60000",
    "RAG_OCR__PROVIDER": "none",
    # A description that is made meanwhile would change what is found.
    "RAG_CAPTIONS__PROVIDER": "none",
}
QUESTIONS = ("restore a backup", "有給休暇は何日前までに申請すればよいですか", "max_connections")


class Cli:
    """`python -m ragd` on one data directory."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
        home = {"RAG_DATA_DIR": str(data_dir), "RAG_CONFIG_DIR": str(data_dir / "config")}
        # A proxy that answers nothing: whoever asked it for a loopback address would fail.
        self.environment = inherited | LIGHT | home | {"HTTP_PROXY": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9"}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "ragd", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        """What a command prints to stdout and stderr."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        assert process.returncode == code, out + err
        assert "Traceback" not in out + err
        return out, err

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json")[0])

    @contextmanager
    def daemon(self) -> Iterator[subprocess.Popen[str]]:
        """A daemon that is ready; it is stopped at the end."""
        process = self.start("serve", "--port", "0")
        try:
            wait_for(lambda: process.poll() is not None or "url" in read_info(self.data_dir), "daemon.json")
            assert process.poll() is None, process.communicate()
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=180)


def read_info(data_dir: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((data_dir / "daemon.json").read_text()))
    except FileNotFoundError:
        return {}


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.02)


@pytest.fixture
def rag(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "data")


@pytest.fixture
def samples(project_root: Path) -> str:
    return str(project_root / "data" / "samples")


@pytest.fixture
def texts(samples: str, tmp_path: Path) -> str:
    """Samples that are quickly read."""
    for name in ("guides", "operations", "reference", "code", "meetings"):
        shutil.copytree(f"{samples}/{name}", tmp_path / "texts" / name)
    return str(tmp_path / "texts")


def without_run(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what differs between any two runs."""
    return {key: value for key, value in answer.items() if key not in {"trace_id", "latency_ms", "timings_ms"}}


def test_a_daemon_and_no_daemon_give_the_same_answers(rag: Cli, texts: str) -> None:
    added = rag.json("ingest", texts)
    assert added["result"]["added"] > 10
    assert added["result"]["failed"] == []
    alone = [without_run(rag.json("query", question, "--top-k", "10")) for question in QUESTIONS]
    listed, shown = rag.json("documents", "list"), rag.json("collections", "list")
    with rag.daemon() as daemon:
        assert read_info(rag.data_dir)["pid"] == daemon.pid
        assert f"http://127.0.0.1:{read_info(rag.data_dir)['url'].rpartition(':')[2]}" in rag.run("status")[0]
        asked = [without_run(rag.json("query", question, "--top-k", "10")) for question in QUESTIONS]
        assert asked == alone
        assert all(answer["results"] for answer in asked)
        assert (rag.json("documents", "list"), rag.json("collections", "list")) == (listed, shown)
        again = rag.json("ingest", texts)
        assert again["result"]["unchanged"] == added["result"]["added"]
        assert read_info(rag.data_dir)["pid"] == daemon.pid
    assert not (rag.data_dir / "daemon.json").exists()


def test_serve_tells_its_address_and_how_to_stop_it_but_never_the_token(rag: Cli) -> None:
    with rag.daemon() as daemon:
        info = read_info(rag.data_dir)
        daemon.send_signal(signal.SIGINT)
        out, err = daemon.communicate(timeout=180)
    assert daemon.returncode == 0
    assert info["url"] in err
    assert str(rag.data_dir) in err
    assert "Ctrl-C" in err
    assert info["token"] not in out + err


def test_a_second_daemon_says_where_the_first_is_and_stop_ends_that(rag: Cli) -> None:
    with rag.daemon() as daemon:
        info = read_info(rag.data_dir)
        _, err = rag.run("serve", "--port", "0", code=4)
        assert f"already served at {info['url']} (process {daemon.pid})" in err
        assert "Stopped." in rag.run("stop")[1]
        daemon.communicate(timeout=180)
        assert daemon.returncode == 0
    assert "No daemon is running." in rag.run("stop")[1]


def test_questions_are_answered_while_a_folder_is_watched_without_a_daemon(rag: Cli, samples: str) -> None:
    watching = rag.start("watch", f"{samples}/guides")
    try:
        wait_for(lambda: watching.poll() is not None or "url" in read_info(rag.data_dir), "daemon.json")
        assert watching.poll() is None, watching.communicate()
        wait_for(lambda: rag.json("status")["counts"]["documents"] >= 3, "the first reading")
        assert rag.json("query", QUESTIONS[0])["results"]
        assert {check["name"]: check["level"] for check in rag.json("doctor")["checks"]}["daemon"] == "ok"
        assert "Ctrl-C in its terminal stops it" in rag.run("stop", code=1)[1]
    finally:
        watching.send_signal(signal.SIGINT)
        _, err = watching.communicate(timeout=180)
    assert "Stopped watching." in err
    assert not (rag.data_dir / "daemon.json").exists()


def test_a_port_that_is_taken_gives_exit_code_5(rag: Cli) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        _, err = rag.run("serve", "--port", str(taken.getsockname()[1]), code=5)
    assert "--port" in err


def test_a_daemon_that_was_killed_is_not_believed(rag: Cli, samples: str) -> None:
    rag.run("ingest", f"{samples}/guides")
    with rag.daemon() as daemon:
        daemon.kill()
        daemon.wait(timeout=180)
        assert "url" in read_info(rag.data_dir)
        assert rag.json("query", QUESTIONS[0])["results"]
    assert read_info(rag.data_dir) == {}


@contextmanager
def held(rag: Cli) -> Iterator[subprocess.Popen[bytes]]:
    """A process that owns the directory and never gets ready, like a daemon that hangs at its start; it ends with the block."""
    hold = (
        "import sys, pathlib; from ragd.core.instance import Ownership; "
        "owner = Ownership(pathlib.Path(sys.argv[1])); print(flush=True); sys.stdin.read(); owner.release()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(rag.data_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=rag.environment
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield holder
        if holder.poll() is None:
            holder.communicate(b"")


def test_a_data_directory_in_use_is_told_with_exit_code_4(rag: Cli) -> None:
    with held(rag) as holder:
        _, err = rag.run("status", code=4)
    assert "Waiting up to 10 s" in err
    assert f"in use by process {holder.pid}" in err
    rag.run("status")


def test_a_command_waits_for_another_that_is_about_to_end(rag: Cli, samples: str) -> None:
    rag.run("ingest", f"{samples}/guides")
    with held(rag) as holder:
        waiting = rag.start("documents", "list", "--json")
        assert waiting.stderr is not None
        assert "Waiting up to 10 s" in waiting.stderr.readline()
        holder.communicate(b"")
        out, err = waiting.communicate(timeout=180)
    assert waiting.returncode == 0, err
    assert json.loads(out)["total"] >= 3


def test_ctrl_c_ends_an_ingestion_with_130_and_leaves_no_job_running(rag: Cli, tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(1500):
        (many / f"{number}.md").write_text(f"# Note {number}\n\n" + " ".join(f"word{number}x{index}" for index in range(300)))
    with rag.daemon():
        process = rag.start("ingest", str(many))
        info = read_info(rag.data_dir)
        with httpx2.Client(headers={"Authorization": f"Bearer {info['token']}"}, trust_env=False, timeout=60) as http:
            running = f"{info['url']}/api/jobs?status=running"
            wait_for(lambda: http.get(running).json()["total"] == 1, "the job")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=180)
        assert process.returncode == 130
        assert "Cancelled" in err
        assert [job["status"] for job in rag.json("jobs", "list")["items"]] == ["cancelled"]


def test_output_in_a_pipe_is_utf_8_whatever_the_locale(rag: Cli, samples: str) -> None:
    rag.run("ingest", f"{samples}/guides")
    rag.environment |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    out, _ = rag.run("query", QUESTIONS[0])
    assert "passages from" in out
    assert "�" not in rag.run("documents", "list", "--limit", "100")[0]
