"""What fails around the daemon while it works: the disk fills up, a reading process is killed, two ingest the same folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.testing.token_index import write_basis

from .conftest import Daemon, ended, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX")]

MEGABYTE = 1024 * 1024
REAL_INDEXES = {"RAG_DENSE__BACKEND": "usearch", "RAG_SPARSE__BACKEND": "tantivy"}
SAME_SETTINGS = {"embedding.provider": "fake", "sparse.analyzer": "bigram"}
QUEUE_STOPPED = "the job queue can't be used; trying again"
MOUNTED = 'mount -t tmpfs -o size=48m tmpfs "$0" && exec "$@"'


class SmallDisk:
    """A file system of 48 MB under the data directory, in a mount namespace of the daemon's own: no rights are needed for it."""

    def __init__(self, data_dir: Path) -> None:
        data_dir.mkdir()
        self._data_dir = data_dir
        self.within = ("unshare", "--map-root-user", "--mount", "sh", "-c", MOUNTED, str(data_dir))

    @staticmethod
    def works(probe: Path) -> bool:
        probe.mkdir()
        command = ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNTED, str(probe), "true"]
        return bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True, check=False).returncode == 0

    def enter(self, daemon: Daemon) -> None:
        """See the daemon's files where it sees them (proc(5), root)."""
        daemon.data_dir = Path(f"/proc/{daemon.process.pid}/root{self._data_dir}")
        self._filler = daemon.data_dir / "filler"

    def fill(self) -> None:
        with contextlib.suppress(OSError), self._filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def make_room(self) -> None:
        self._filler.unlink()


class SmallFiles:
    """A limit on the size of every file that the daemon writes, where no file system may be mounted: writes past it fail.

    The nearest to a full disk that the file layer itself can be told: not the device but each file is full, and the error is
    EFBIG instead of ENOSPC. Both reach the daemon as a write that the system refused.
    """

    within = ()

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def enter(self, daemon: Daemon) -> None:
        self._process = psutil.Process(daemon.process.pid)

    def fill(self) -> None:
        _, hard = self._process.rlimit(psutil.RLIMIT_FSIZE)
        self._process.rlimit(psutil.RLIMIT_FSIZE, (4096, hard))

    def make_room(self) -> None:
        _, hard = self._process.rlimit(psutil.RLIMIT_FSIZE)
        self._process.rlimit(psutil.RLIMIT_FSIZE, (hard, hard))


Disk = SmallDisk | SmallFiles


@pytest.fixture(params=[SmallDisk, SmallFiles])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Disk:
    if request.param is SmallDisk and not SmallDisk.works(tmp_path / "probe"):
        pytest.skip("no file system may be mounted here, not even in a namespace of its own")
    if request.param is SmallFiles and not hasattr(psutil, "RLIMIT_FSIZE"):
        pytest.skip("the limits of another process can't be set on this system")
    made: Disk = request.param(tmp_path / "data")
    return made


def post(client: httpx2.Client, folder: Path) -> str:
    return str(client.post("/api/ingest", json={"paths": [str(folder)]}).raise_for_status().json()["job_id"])


def running(client: httpx2.Client, job_id: str, done: int = 0) -> None:
    def far_enough() -> bool:
        job = client.get(f"/api/jobs/{job_id}").json()
        return bool(job["status"] != "queued" and job["progress"]["done"] >= done)

    wait_for(far_enough, f"job {job_id} to run")


def told(client: httpx2.Client, job_id: str) -> str:
    """What the job says that went wrong; nothing while it runs."""
    error = client.get(f"/api/jobs/{job_id}").raise_for_status().json()["error"] or {"message": ""}
    return str(error["message"])


def ready(client: httpx2.Client) -> int:
    return int(client.get("/api/documents", params={"status": "ready"}).json()["total"])


def verify(data_dir: Path, models_dir: Path, copy: Path, basis: Path) -> dict[str, Any]:
    """The report on a copy of a daemon's data."""
    shutil.copytree(data_dir, copy)
    settings = load_settings(copy, environment={}, explicit=SAME_SETTINGS | {"token_index.basis": str(basis)})
    app = Application(settings, Directories(copy, models_dir, copy))
    try:
        return app.reconciler.verify()
    finally:
        app.close()


def test_a_full_disk_stops_the_job_but_not_the_answers(
    start: Callable[..., Daemon], disk: Disk, many: Path, tmp_path: Path, models_dir: Path
) -> None:
    first = tmp_path / "first"
    first.mkdir()
    for number in range(5):
        (first / f"first-{number}.md").write_text(f"# 最初 {number}\n\nThe first value is alpha{number}.\n", encoding="utf-8")
    basis = write_basis(tmp_path / "basis.npz")
    daemon = start(within=disk.within, **REAL_INDEXES, RAG_TOKEN_INDEX__BASIS=str(basis))
    disk.enter(daemon)
    with daemon.client() as client:
        assert ended(client, post(client, first))["result"]["added"] == 5

        def answers() -> None:
            found = client.post("/api/query", json={"query": "alpha3", "strategy": "sparse_only"}).raise_for_status().json()
            assert found["results"][0]["source"] == "first-3.md"

        job_id = post(client, many)
        running(client, job_id)
        disk.fill()
        answers()
        # What failed is told in the job, or, where not even that can be written, by the daemon.
        wait_for(lambda: "refused" in told(client, job_id) or QUEUE_STOPPED in daemon.printed(), "the full disk to be told", 120)
        answers()
        assert ready(client) >= 5
        disk.make_room()
        ended(client, job_id)
        job = ended(client, post(client, many))
        assert (job["status"], job["result"]["failed"]) == ("completed", [])
        assert ready(client) == 5 + 150
        answers()
        wait_for(
            lambda: client.get("/api/status").json()["token_index"]["building"] is None, "what lacks token vectors to get them"
        )
        report = verify(daemon.data_dir, models_dir, tmp_path / "copy", basis)
        assert report["ok"], report
        assert (report["collections"][0]["documents"], report["collections"][0]["missing_tokens"]["count"]) == (155, 0)


def test_a_folder_that_is_ingested_twice_at_once_is_taken_in_once(start: Callable[..., Daemon], many: Path) -> None:
    daemon = start()
    with daemon.client() as client:
        job_ids = [post(client, many) for _ in range(2)]
        results = [ended(client, job_id)["result"] for job_id in job_ids]
        assert [(result["added"], result["unchanged"], result["failed"]) for result in results] == [(150, 0, []), (0, 150, [])]
        assert ready(client) == 150


def test_a_reading_process_that_is_killed_costs_one_file_at_most(start: Callable[..., Daemon], many: Path) -> None:
    daemon = start()
    with daemon.client() as client:
        job_id = post(client, many)
        readers = wait_for(lambda: psutil.Process(daemon.process.pid).children(), "a process that reads")
        running(client, job_id, done=10)
        for reader in readers:
            os.kill(reader.pid, signal.SIGKILL)
        job = ended(client, job_id)
        failed = job["result"]["failed"]
        assert job["status"] == "completed"
        assert len(failed) <= len(readers)
        assert {failure["code"] for failure in failed} <= {"PARSE_FAILED"}
        assert ready(client) == 150 - len(failed)
        again = ended(client, post(client, many))["result"]
        assert (again["added"] + again["updated"], again["failed"]) == (len(failed), [])
        assert ready(client) == 150
