"""Several processes write to one PostgreSQL: what counts on one writer at a time holds, and what needs no turn waits for none."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError

from ragd.store.collections import Collections
from ragd.store.database.engine import independent, is_away, is_busy, open_engine, reading
from ragd.store.database.schema import jobs
from ragd.store.jobs import Jobs
from ragd.store.traces import Traces

from ...postgres_server.server import PostgresServer

pytestmark = pytest.mark.slow

_PROCESSES = 2
_EACH = 150
_HAMMER = """
import sys
from pathlib import Path
from ragd.core.errors import CollectionNameConflict
from ragd.store.collections import Collections
from ragd.store.database.engine import open_engine
from ragd.store.jobs import Jobs

url, count = sys.argv[1], int(sys.argv[2])
engine = open_engine(url, Path())
queue, collections = Jobs(engine, 10_000, 10_000), Collections(engine)
collections.ensure_default()
print("ready", flush=True)
sys.stdin.readline()
made = 0
for number in range(count):
    queue.add("kind", collection="c", kb_id="k", payload={}, request_id=None)
    if number % 10 == 0:
        try:
            collections.create(f"name {number}")
            made += 1
        except CollectionNameConflict:
            pass
taken = []
while job := queue.take():
    queue.progress(job.job_id, {"stage": "x", "done": 1, "total": 1})
    queue.finish(job.job_id, "completed")
    taken.append(job.job_id)
print(made, *taken)
"""


@pytest.fixture
def database(postgres_server: PostgresServer, migrated_postgres: str) -> Iterator[str]:
    name = postgres_server.create(migrated_postgres)
    yield name
    postgres_server.drop(name)


@pytest.fixture
def engine(postgres_server: PostgresServer, database: str) -> Iterator[Engine]:
    engine = open_engine(postgres_server.url(database), Path())
    yield engine
    engine.dispose()


def test_two_processes_number_jobs_without_a_gap_and_take_each_once(
    postgres_server: PostgresServer, postgres_database: str
) -> None:
    """They start together from an empty database: one migrates it, and makes the default collection."""
    command = [sys.executable, "-c", _HAMMER, postgres_server.url(postgres_database), str(_EACH)]
    with ExitStack() as running:
        started = [
            running.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for _ in range(_PROCESSES)
        ]
        for process in started:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        for process in started:
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
        said = [process.communicate(timeout=600)[0].split() for process in started]
    numbers = [row[0] for row in postgres_server.run(postgres_database, "SELECT sequence FROM jobs ORDER BY sequence")]
    assert numbers == list(range(1, _PROCESSES * _EACH + 1))
    assert max(Counter(job_id for words in said for job_id in words[1:]).values()) == 1
    ended = postgres_server.run(postgres_database, "SELECT status, attempts, count(*) FROM jobs GROUP BY status, attempts")
    assert ended == [("completed", 1, _PROCESSES * _EACH)]
    assert sum(int(words[0]) for words in said) == _EACH // 10
    assert postgres_server.run(postgres_database, "SELECT count(*) FROM collections WHERE name = 'default'") == [(1,)]


def test_what_needs_no_turn_goes_on_while_another_writes(engine: Engine) -> None:
    queue, traces = Jobs(engine, 100, 100), Traces(engine, 10)
    first, second = (queue.add("kind", collection="c", kb_id="k", payload={}, request_id=None) for _ in range(2))
    with engine.begin() as other:
        other.execute(jobs.update().where(jobs.c.job_id == first.job_id).values(payload={"changed": True}))
        # What another one is changing is left to it.
        taken = queue.take()
        assert taken is not None
        assert taken.job_id == second.job_id
        assert queue.progress(second.job_id, {"stage": "x", "done": 1, "total": 2}) is False
        assert traces.page() == ([], 0)
        with independent(engine).begin() as free, reading(engine).connect() as reader:
            assert free.scalar(select(jobs.c.payload).where(jobs.c.job_id == first.job_id)) == {}
            assert reader.scalar(select(jobs.c.status).where(jobs.c.job_id == second.job_id)) == "running"


def test_a_job_that_is_being_taken_is_cancelled_as_a_running_one(engine: Engine) -> None:
    queue = Jobs(engine, 100, 100)
    job = queue.add("kind", collection="c", kb_id="k", payload={}, request_id=None)
    with independent(engine).begin() as taking:
        taking.execute(jobs.update().where(jobs.c.job_id == job.job_id).values(status="running"))
        cancelling = threading.Thread(target=queue.cancel, args=(job.job_id,))
        cancelling.start()
        _until_somebody_waits(engine)
    cancelling.join(60)
    cancelled = queue.get(job.job_id)
    assert (cancelled.status, cancelled.cancel_requested) == ("running", True)


def test_who_waits_for_a_turn_in_vain_is_told_that_the_database_is_busy(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragd.store.database.postgres._WAIT", "50ms")
    with engine.begin(), pytest.raises(DBAPIError) as refused:
        Collections(engine).create("second")
    assert (is_busy(refused.value), is_away(refused.value)) == (True, False)


def test_a_reader_sees_one_state_throughout(engine: Engine) -> None:
    collections = Collections(engine)
    with reading(engine).connect() as reader:
        before = reader.exec_driver_sql("SELECT count(*) FROM collections").scalar()
        collections.create("new")
        assert reader.exec_driver_sql("SELECT count(*) FROM collections").scalar() == before
        with pytest.raises(DBAPIError, match="read-only"):
            reader.execute(jobs.delete())


def test_text_that_postgresql_can_not_hold_is_stored_all_the_same(engine: Engine) -> None:
    queue = Jobs(engine, 100, 100)
    odd = {"nul": "a\0b", "half": ["\ud800", {"whole": "\U0001f600"}], "backslash": ["\\u0000", "\\\0"], "size": 2**40}
    job = queue.add("kind", collection="a\0b", kb_id="k", payload=odd, request_id=None)
    assert job.collection == "a\ufffdb"
    assert job.payload == odd | {"nul": "a\ufffdb", "backslash": ["\\u0000", "\\\ufffd"]}
    assert queue.page(status="que\0ued") == ([], 0)


def _until_somebody_waits(engine: Engine) -> None:
    with engine.connect().execution_options(independent=True) as looking:
        end = time.monotonic() + 600
        while not looking.exec_driver_sql("SELECT count(*) FROM pg_locks WHERE NOT granted").scalar():
            assert time.monotonic() < end
            looking.rollback()
            time.sleep(0.01)
