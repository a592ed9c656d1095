"""The worker that runs jobs: what becomes of a job that fails, is cancelled, or is cut off."""

from __future__ import annotations

import ctypes
import platform
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from sqlalchemy import Engine, event
from sqlalchemy.exc import OperationalError

from ragd.core.errors import IndexDamaged
from ragd.core.jobs import EVALUATION, EvaluationResult, Failure, IngestResult
from ragd.jobs.runner import JobHandler, JobRunner
from ragd.store.database.engine import open_engine
from ragd.store.jobs import FINISHED, Job, Jobs

PATIENCE_S = 20.0


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine("", tmp_path)
    yield engine
    engine.dispose()


@pytest.fixture
def jobs(engine: Engine) -> Jobs:
    return Jobs(engine, max_queued=100, keep=1000)


@pytest.fixture
def run(jobs: Jobs) -> Iterator[Callable[..., JobRunner]]:
    """Starts a runner with one handler for jobs of the kind `work`."""
    started: list[JobRunner] = []

    def start(handler: JobHandler, queue: Jobs = jobs, delays: Sequence[float] = ()) -> JobRunner:
        runner = JobRunner(queue, {"work": handler}, {"work": delays}, retry_after_s=0.01)
        started.append(runner)
        runner.start()
        return runner

    yield start
    for runner in started:
        assert runner.stop(PATIENCE_S)


def add(jobs: Jobs, name: str = "", kind: str = "work") -> str:
    return jobs.add(kind, collection="default", kb_id="k", payload={"name": name}, request_id=None).job_id


def ended(jobs: Jobs, runner: JobRunner, job_id: str) -> Job:
    """The job once it has finished."""
    limit = time.monotonic() + PATIENCE_S
    while (job := jobs.get(job_id)).status not in FINISHED:
        assert time.monotonic() < limit, f"still {job.status}"
        runner.wait_for_change(0.05)
    return job


def done(_job: Job, _report: Any) -> IngestResult:
    return IngestResult(added=1, failed=(Failure("a.md", "EMPTY", "no text"),))


@pytest.mark.slow
def test_jobs_run_one_at_a_time_in_their_order_and_keep_their_result(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    order: list[str] = []
    busy = threading.Lock()

    def handler(job: Job, report: Any) -> IngestResult:
        assert busy.acquire(blocking=False)
        order.append(job.job_id)
        busy.release()
        return done(job, report)

    added = [add(jobs) for _ in range(5)]
    runner = run(handler)
    found = [ended(jobs, runner, job_id) for job_id in added]
    assert order == added
    assert {job.status for job in found} == {"completed"}
    assert found[0].result is not None
    assert found[0].result["failed"] == [{"source": "a.md", "code": "EMPTY", "message": "no text"}]
    assert found[0].finished_at


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (IndexDamaged("The index is damaged. Rebuild it."), "SERVICE_UNAVAILABLE", "The index is damaged. Rebuild it."),
        (OSError(28, "No space left on device"), "SERVICE_UNAVAILABLE", "No space left on device"),
        (
            OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full")),
            "SERVICE_UNAVAILABLE",
            "disk is full",
        ),
        (ZeroDivisionError("secret"), "INTERNAL_ERROR", "the log has the details"),
    ],
)
def test_a_failed_job_says_why_and_the_next_one_runs(
    jobs: Jobs, run: Callable[..., JobRunner], error: Exception, code: str, said: str
) -> None:
    def handler(job: Job, report: Any) -> IngestResult:
        if job.payload["name"] == "bad":
            raise error
        return done(job, report)

    bad, good = add(jobs, "bad"), add(jobs)
    runner = run(handler)
    failed = ended(jobs, runner, bad)
    assert failed.error is not None
    assert (failed.status, failed.error["code"]) == ("failed", code)
    assert said in failed.error["message"]
    assert "secret" not in failed.error["message"]
    assert ended(jobs, runner, good).status == "completed"


def test_a_job_of_a_kind_that_nobody_handles_fails_alone(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    unknown, good = add(jobs, kind="from a newer release"), add(jobs)
    runner = run(done)
    assert ended(jobs, runner, unknown).status == "failed"
    assert ended(jobs, runner, good).status == "completed"


def test_adding_a_job_tells_the_runner(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    first = add(jobs)
    assert jobs.added.is_set()
    runner = run(done)
    assert ended(jobs, runner, first).status == "completed"
    assert ended(jobs, runner, add(jobs)).status == "completed"


def test_a_running_job_stops_at_its_next_report_when_it_is_cancelled(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    running = threading.Event()

    def handler(_job: Job, report: Any) -> IngestResult:
        running.set()
        while True:
            report("embedding", 0, 1)

    job_id, waiting = add(jobs), add(jobs)
    runner = run(handler)
    assert running.wait(PATIENCE_S)
    assert jobs.cancel(waiting).status == "cancelled"
    jobs.cancel(job_id)
    assert ended(jobs, runner, job_id).status == "cancelled"


def test_stopping_puts_the_running_job_back_and_the_next_start_ends_it(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    running = threading.Event()

    def handler(_job: Job, report: Any) -> IngestResult:
        running.set()
        while True:
            report("embedding", 0, 1)

    job_id = add(jobs)
    runner = run(handler)
    assert running.wait(PATIENCE_S)
    assert runner.stop(PATIENCE_S)
    assert jobs.get(job_id).status == "queued"
    assert ended(jobs, run(done), job_id).status == "completed"


def test_a_job_that_a_dead_process_left_running_is_run_again_first(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    first, second = add(jobs), add(jobs)
    jobs.take()
    order: list[str] = []

    def handler(job: Job, report: Any) -> IngestResult:
        order.append(job.job_id)
        return done(job, report)

    ended(jobs, run(handler), second)
    assert order == [first, second]


def test_a_job_outlives_a_database_that_another_writer_holds(
    engine: Engine, jobs: Jobs, run: Callable[..., JobRunner], tmp_path: Path
) -> None:
    @event.listens_for(engine, "checkout")
    def _impatient(connection: Any, *_: Any) -> None:
        connection.execute("PRAGMA busy_timeout=50")

    refused: list[str] = []

    class Watched(Jobs):
        def progress(self, job_id: str, progress: Any, since: str | None = None) -> bool:
            try:
                return super().progress(job_id, progress, since)
            except OperationalError as error:
                refused.append(str(error.orig))
                raise

    def handler(job: Job, report: Any) -> IngestResult:
        with closing(sqlite3.connect(tmp_path / "rag.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            report("reading", 1, 2)
        return done(job, report)

    watched = Watched(engine, 10, 100)
    job_id = add(jobs)
    assert ended(jobs, run(handler, watched), job_id).status == "completed"
    assert refused == ["database is locked"]


def test_progress_is_written_at_each_new_stage_and_else_only_now_and_then(
    engine: Engine, jobs: Jobs, run: Callable[..., JobRunner]
) -> None:
    class Watched(Jobs):
        written: list[str] = []  # noqa: RUF012 - of this test's class alone

        def progress(self, job_id: str, progress: Any, since: str | None = None) -> bool:
            self.written.append(progress["stage"])
            return super().progress(job_id, progress, since)

    def handler(job: Job, report: Any) -> IngestResult:
        for number in range(2000):
            report("reading", number, 2000)
            report("embedding", number, 2000)
        report("done", 2000, 2000)
        return done(job, report)

    watched = Watched(engine, 10, 100)
    job_id = add(jobs)
    job = ended(jobs, run(handler, watched), job_id)
    assert job.progress == {"stage": "done", "done": 2000, "total": 2000}
    assert set(watched.written) == {"reading", "embedding", "done"}
    assert len(watched.written) < 100


def test_a_job_that_could_not_be_closed_is_run_again_without_a_restart(
    engine: Engine, jobs: Jobs, run: Callable[..., JobRunner]
) -> None:
    class Full(Jobs):
        refusals = 2

        def finish(self, *args: Any, **values: Any) -> None:
            if self.refusals:
                self.refusals -= 1
                raise OperationalError("UPDATE", {}, sqlite3.OperationalError("database or disk is full"))
            super().finish(*args, **values)

    job_id = add(jobs)
    runs: list[str] = []

    def handler(job: Job, report: Any) -> IngestResult:
        runs.append(job.job_id)
        return done(job, report)

    assert ended(jobs, run(handler, Full(engine, 10, 100)), job_id).status == "completed"
    assert runs == [job_id] * 3


def test_a_job_that_may_be_tried_again_is_until_it_works(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    attempts: list[int] = []

    def handler(job: Job, report: Any) -> IngestResult:
        attempts.append(job.attempts)
        if job.attempts < 3:
            raise OSError(28, "No space left on device")
        return done(job, report)

    job_id = add(jobs)
    job = ended(jobs, run(handler, delays=(0.0, 0.0, 0.0)), job_id)
    assert (job.status, job.error, attempts) == ("completed", None, [1, 2, 3])


def test_a_job_that_never_works_fails_after_its_last_attempt(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    def handler(_job: Job, _report: Any) -> IngestResult:
        raise OSError(28, "No space left on device")

    job_id = add(jobs)
    job = ended(jobs, run(handler, delays=(0.0, 0.0)), job_id)
    assert (job.status, job.attempts) == ("failed", 3)
    assert job.error is not None
    assert "No space left" in job.error["message"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="what glibc keeps")
def test_memory_that_a_job_took_goes_back_to_the_system(jobs: Jobs, run: Callable[..., JobRunner]) -> None:
    process, last = psutil.Process(), []
    ctypes.CDLL(None).malloc_trim(0)  # what other tests left would be used again, and nothing would grow
    before = process.memory_info().rss

    def hungry(_job: Job, _report: Any) -> IngestResult:
        held = [bytes(2_000) for _ in range(100_000)]
        last.append(held[-1])  # what is still in use at the end of the heap keeps the rest
        most.append(process.memory_info().rss)
        return IngestResult()

    most: list[int] = []
    runner = run(hungry)
    for _ in range(2):  # the second one begins when the first is done with everything
        ended(jobs, runner, add(jobs))
    assert most[0] > before + 150_000_000
    assert most[1] < most[0] + 50_000_000
    limit = time.monotonic() + PATIENCE_S
    while process.memory_info().rss > most[0] - 100_000_000:
        assert time.monotonic() < limit, "nothing went back"
        time.sleep(0.05)


def test_jobs_that_only_ask_run_one_at_a_time_beside_the_others(jobs: Jobs) -> None:
    may_end = threading.Event()
    asking: list[str] = []

    def ask(job: Job, _report: Any) -> EvaluationResult:
        asking.append(job.job_id)
        assert may_end.wait(PATIENCE_S)
        return EvaluationResult(("a",))

    first, second = add(jobs, kind=EVALUATION), add(jobs, kind=EVALUATION)
    assert not jobs.others_due("")
    work = add(jobs)
    assert jobs.others_due("")
    runner = JobRunner(jobs, {"work": done, EVALUATION: ask})
    runner.start()
    try:
        assert ended(jobs, runner, work).status == "completed"
        while not asking:
            runner.wait_for_change(0.01)
        assert (asking, jobs.get(second).status) == ([first], "queued")
        may_end.set()
        assert ended(jobs, runner, second).result == {"run_ids": ["a"], "tuned": None, "strategy_file": ""}
        assert asking == [first, second]
    finally:
        may_end.set()
        assert runner.stop(PATIENCE_S)


def test_what_only_asks_is_put_back_when_the_process_stops(jobs: Jobs) -> None:
    begun = threading.Event()

    def ask(_job: Job, report: Any) -> EvaluationResult:
        while True:
            begun.set()
            report("asking", 0, 1)
            time.sleep(0.001)

    job_id = add(jobs, kind=EVALUATION)
    runner = JobRunner(jobs, {"work": done, EVALUATION: ask})
    runner.start()
    assert begun.wait(PATIENCE_S)
    assert runner.stop(PATIENCE_S)
    job = jobs.get(job_id)
    assert (job.status, job.attempts, job.error) == ("queued", 0, None)
