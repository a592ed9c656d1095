"""What an editor shows all the time: right after every change, and without a look at the database when nothing has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine, event

from ragd.core.jobs import Failure
from ragd.core.storage import Version
from ragd.store import overview as module
from ragd.store.collections import Collections
from ragd.store.database.schema import documents
from ragd.store.documents import DocumentWriter
from ragd.store.jobs import Jobs
from ragd.store.overview import Growth, Overview, Overviews
from ragd.store.passages import Passages
from ragd.store.sources import Sources


@pytest.fixture
def jobs(engine: Engine) -> Jobs:
    return Jobs(engine, max_queued=5, keep=20)


@pytest.fixture
def behind() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def overviews(engine: Engine, collections: Collections, passages: Passages, jobs: Jobs, behind: ThreadPoolExecutor) -> Overviews:
    return Overviews(engine, passages, jobs, behind)


@pytest.fixture
def statements(engine: Engine) -> list[str]:
    """What the database was asked, from now on."""
    asked: list[str] = []

    @event.listens_for(engine, "before_cursor_execute")
    def _before(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        asked.append(statement)

    return asked


def test_counts_and_changes_follow_the_documents(
    overviews: Overviews, ingest: Callable[[Version], object], make_version: Callable[..., Version], writer: DocumentWriter
) -> None:
    empty = overviews.get()
    assert dict(empty.counts) == {"collections": 1, "documents": 0, "chunks": 0}
    version = make_version("a.md", "one", "two")
    ingest(version)
    filled = overviews.get()
    assert dict(filled.counts) == {"collections": 1, "documents": 1, "chunks": 2}
    writer.tombstone([version.doc_id])
    assert overviews.get().counts["documents"] == 0
    assert len({empty.changes, filled.changes, overviews.get().changes}) == 3


def test_a_document_that_failed_is_counted(overviews: Overviews, writer: DocumentWriter, kb_id: str) -> None:
    overviews.get()
    writer.fail(kb_id, "d" * 32, "file:///a.pdf", "pdf", 1, Failure("a.pdf", "EMPTY", "Nothing in it."))
    assert overviews.get().failed_documents == 1


def test_collections_and_sources_are_changes_and_jobs_are_none(
    engine: Engine, overviews: Overviews, collections: Collections, kb_id: str, jobs: Jobs
) -> None:
    seen = [overviews.get().changes]
    collections.create("規程")
    seen.append(overviews.get().changes)
    Sources(engine).add("folder", "docs", kb_id, {"path": "/docs"})
    seen.append(overviews.get().changes)
    assert len(set(seen)) == 3
    jobs.add("ingest", collection="default", kb_id=kb_id, payload={"paths": ["/docs"]}, request_id=None)
    assert overviews.get().changes == seen[-1]


def test_unfinished_jobs_are_listed_oldest_first_as_they_move(overviews: Overviews, jobs: Jobs) -> None:
    first, second = (
        jobs.add("ingest", collection="default", kb_id="k", payload={"paths": [name]}, request_id=None) for name in "ab"
    )
    assert [job.job_id for job in overviews.get().jobs] == [first.job_id, second.job_id]
    jobs.take()
    jobs.progress(first.job_id, {"stage": "reading", "done": 1, "total": 3})
    running, waiting = overviews.get().jobs
    assert (running.status, running.progress["done"], waiting.status) == ("running", 1, "queued")
    assert running.payload == {}
    jobs.finish(first.job_id, "completed")
    overview = overviews.get()
    assert ([job.job_id for job in overview.jobs], overview.unfinished_jobs) == ([second.job_id], 1)


def test_of_many_jobs_the_first_are_listed_and_all_are_counted(
    overviews: Overviews, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_JOBS", 2)
    for _ in range(4):
        jobs.add("ingest", collection="default", kb_id="k", payload={}, request_id=None)
    overview = overviews.get()
    assert (len(overview.jobs), overview.unfinished_jobs) == (2, 4)


def test_without_a_change_the_database_is_not_asked(overviews: Overviews, statements: list[str]) -> None:
    first: Overview = overviews.get()
    statements.clear()
    assert overviews.get() is first
    assert overviews.is_current(first)
    assert statements == []


def test_the_progress_of_a_job_reads_no_documents(overviews: Overviews, jobs: Jobs, statements: list[str]) -> None:
    job = jobs.add("ingest", collection="default", kb_id="k", payload={}, request_id=None)
    jobs.take()
    first = overviews.get()
    jobs.progress(job.job_id, {"stage": "reading", "done": 1, "total": 3})
    statements.clear()
    assert not overviews.is_current(first)
    overviews.get()
    assert not [statement for statement in statements if "documents" in statement]


def test_the_token_of_another_process_is_another_one(
    engine: Engine, overviews: Overviews, passages: Passages, jobs: Jobs, behind: ThreadPoolExecutor
) -> None:
    assert Overviews(engine, passages, jobs, behind).get().changes != overviews.get().changes


def test_growth_counts_what_came_since_and_can_be_found(
    engine: Engine,
    overviews: Overviews,
    ingest: Callable[[Version], object],
    make_version: Callable[..., Version],
    writer: DocumentWriter,
) -> None:
    old, new, gone = (make_version(name, *texts) for name, texts in (("a.md", ["1", "2"]), ("b.md", ["3"]), ("c.md", ["4"])))
    for version in (old, new, gone):
        ingest(version)
    writer.tombstone([gone.doc_id])
    with engine.begin() as connection:
        connection.execute(
            documents.update().where(documents.c.doc_id == old.doc_id).values(created_at="2026-01-01T00:00:00.000Z")
        )
    since = {"day": "2026-01-02T00:00:00.000Z", "month": "2025-12-31T00:00:00.000Z"}
    assert overviews.growth(**since) == {
        "documents": Growth(2, 1, 2),
        "chunks": Growth(3, 1, 3),
        "pictures": Growth(0, 0, 0),
    }


def test_growth_is_counted_again_after_a_change_and_for_another_minute_only(
    overviews: Overviews, ingest: Callable[[Version], object], make_version: Callable[..., Version], statements: list[str]
) -> None:
    day, month = "2026-01-02T00:00:00.000Z", "2025-12-31T00:00:00.000Z"
    ingest(make_version("a.md", "1"))
    first = overviews.growth(day, month)
    statements.clear()
    assert overviews.growth("2026-01-02T00:00:59.999Z", month) == first
    assert statements == []
    assert overviews.growth("2999-01-02T00:01:00.000Z", month)["documents"] == Growth(1, 0, 1)
    assert statements
    ingest(make_version("b.md", "2", "3"))
    assert overviews.growth(day, month) == {
        "documents": Growth(2, 2, 2),
        "chunks": Growth(3, 3, 3),
        "pictures": Growth(0, 0, 0),
    }
