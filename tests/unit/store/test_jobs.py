"""The queue of jobs."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import Engine

from ragd.core.errors import JobNotFound, ServiceUnavailable
from ragd.store.jobs import Job, Jobs


@pytest.fixture
def jobs(engine: Engine) -> Jobs:
    return Jobs(engine, max_queued=5, keep=20)


def add(jobs: Jobs, name: str = "x") -> Job:
    return jobs.add("ingest", collection="default", kb_id="k", payload={"paths": [name]}, request_id="r1")


def test_a_new_job_waits_with_what_it_was_given(jobs: Jobs) -> None:
    job = add(jobs, "文書\ud83d.md")
    assert jobs.get(job.job_id) == job
    assert (job.status, job.kind, job.collection, job.request_id) == ("queued", "ingest", "default", "r1")
    assert job.payload == {"paths": ["文書\ud83d.md"]}
    assert job.progress == {"stage": "queued", "done": 0, "total": 0}
    assert (job.started_at, job.finished_at, job.result, job.error) == (None, None, None, None)


def test_jobs_are_taken_in_the_order_they_came(jobs: Jobs) -> None:
    added = [add(jobs).job_id for _ in range(5)]
    taken = [jobs.take() for _ in range(6)]
    assert [job.job_id for job in taken[:5] if job] == added
    assert taken[5] is None
    assert {job.status for job in taken if job} == {"running"}


def test_what_a_person_waits_for_is_taken_before_folders_and_these_before_what_goes_over_everything(jobs: Jobs) -> None:
    for kind in ("rebuild", "ingest", "upload", "sync", "cleanup"):
        jobs.add(kind, collection="default", kb_id="k", payload={"files": []}, request_id=None)
    taken = [jobs.take() for _ in range(5)]
    assert [job.kind for job in taken if job] == ["upload", "cleanup", "ingest", "sync", "rebuild"]


def test_one_job_is_taken_by_one_taker(jobs: Jobs) -> None:
    added = {add(jobs).job_id for _ in range(5)}
    taken: list[Job | None] = []
    threads = [threading.Thread(target=lambda: taken.append(jobs.take())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [job.job_id for job in taken if job]
    assert sorted(found) == sorted(added)


def test_a_job_that_was_cut_off_goes_back_to_its_old_place(jobs: Jobs) -> None:
    first, second = add(jobs), add(jobs)
    jobs.take()
    assert jobs.requeue() == 1
    again = jobs.take()
    assert again is not None
    assert again.job_id == first.job_id
    assert jobs.requeue(second.job_id) == 0
    assert jobs.requeue(first.job_id) == 1
    assert jobs.get(first.job_id).started_at is None


@pytest.mark.slow
def test_a_queued_job_is_cancelled_at_once(jobs: Jobs) -> None:
    job = add(jobs)
    cancelled = jobs.cancel(job.job_id)
    assert cancelled.status == "cancelled"
    assert cancelled.finished_at
    assert jobs.take() is None


def test_a_running_job_learns_of_its_cancellation_with_its_progress(jobs: Jobs) -> None:
    job = add(jobs)
    jobs.take()
    assert jobs.progress(job.job_id, {"stage": "reading", "done": 1, "total": 2}) is False
    assert jobs.cancel(job.job_id).status == "running"
    assert jobs.progress(job.job_id, {"stage": "reading", "done": 2, "total": 2}) is True
    assert jobs.get(job.job_id).progress == {"stage": "reading", "done": 2, "total": 2}


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_finished_job_stays_as_it_is(jobs: Jobs, status: str) -> None:
    job = add(jobs)
    jobs.take()
    jobs.finish(job.job_id, status, result={"added": 1})  # type: ignore[arg-type]
    before = jobs.get(job.job_id)
    assert before.status == status
    assert jobs.cancel(job.job_id) == before
    assert jobs.requeue() == 0


def test_too_many_waiting_jobs_are_refused_until_one_is_taken(jobs: Jobs) -> None:
    for _ in range(5):
        add(jobs)
    with pytest.raises(ServiceUnavailable, match="5 jobs are waiting") as caught:
        add(jobs)
    assert caught.value.retryable
    jobs.take()
    assert add(jobs).status == "queued"


def test_pages_show_the_newest_first_and_by_status(jobs: Jobs) -> None:
    added = [add(jobs).job_id for _ in range(3)]
    jobs.take()
    assert [job.job_id for job in jobs.page(1, 2)[0]] == [added[2], added[1]]
    assert [job.job_id for job in jobs.page(2, 2)[0]] == [added[0]]
    found, total = jobs.page(status="running")
    assert ([job.job_id for job in found], total) == ([added[0]], 1)


def test_an_unknown_job_is_told(jobs: Jobs) -> None:
    for ask in (jobs.get, jobs.cancel):
        with pytest.raises(JobNotFound, match="no job 'nothing'"):
            ask("nothing")


def test_a_job_with_a_delay_is_not_taken_before_its_time(jobs: Jobs) -> None:
    later = jobs.add("cleanup", collection="default", kb_id="k", payload={}, request_id=None, delay_s=3600)
    now = add(jobs)
    assert [job and job.job_id for job in (jobs.take(), jobs.take())] == [now.job_id, None]
    assert jobs.get(later.job_id).status == "queued"


def test_a_job_that_is_tried_again_counts_its_attempts_and_says_why(jobs: Jobs) -> None:
    job = add(jobs)
    jobs.take()
    jobs.retry(job.job_id, 0.0, {"code": "SERVICE_UNAVAILABLE", "message": "full"})
    waiting = jobs.get(job.job_id)
    assert (waiting.status, waiting.attempts, waiting.error) == ("queued", 1, {"code": "SERVICE_UNAVAILABLE", "message": "full"})
    again = jobs.take()
    assert again is not None
    assert again.attempts == 2


def test_a_job_that_was_only_interrupted_has_lost_no_attempt(jobs: Jobs) -> None:
    job = add(jobs)
    jobs.take()
    jobs.requeue(job.job_id)
    assert jobs.get(job.job_id).attempts == 0


def test_the_oldest_finished_jobs_go_and_unfinished_ones_never(engine: Engine) -> None:
    jobs = Jobs(engine, max_queued=100, keep=3)
    waiting = add(jobs)
    finished = []
    for _ in range(6):
        job = add(jobs)
        jobs.finish(job.job_id, "completed")
        finished.append(job.job_id)
    add(jobs)
    known = {job.job_id for job in jobs.page(page_size=100)[0]}
    assert waiting.job_id in known
    assert known & set(finished) == set(finished[3:])


def test_a_job_that_was_put_off_by_a_clock_that_was_ahead_is_taken(jobs: Jobs) -> None:
    four_years_s = 4 * 366 * 24 * 3600
    job = jobs.add("cleanup", collection="default", kb_id="k", payload={}, request_id=None, delay_s=four_years_s)
    taken = jobs.take()
    assert taken is not None
    assert taken.job_id == job.job_id
