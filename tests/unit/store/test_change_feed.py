"""What one process writes to PostgreSQL, another one hears of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine

from ragd.core.errors import SettingsError
from ragd.store.collections import Collections
from ragd.store.database.change_feed import ChangeFeed
from ragd.store.database.engine import open_engine
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import collections, documents

from ...postgres_server.server import PostgresServer

pytestmark = pytest.mark.slow


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 600
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def engines(postgres_server: PostgresServer, migrated_postgres: str) -> Iterator[tuple[Engine, Engine]]:
    """Two of one database, each of which hears the other."""
    database = postgres_server.create(migrated_postgres)
    with ExitStack() as opened:
        opened.callback(postgres_server.drop, database)
        made = []
        for _ in range(2):
            engine = open_engine(postgres_server.url(database), Path())
            opened.callback(engine.dispose)
            opened.callback(ChangeFeed(engine).close)
            made.append(engine)
        _until(lambda: not any(Revisions.shared(engine).is_blind for engine in made))
        yield made[0], made[1]


def test_what_is_remembered_is_forgotten_when_another_process_writes(engines: tuple[Engine, Engine]) -> None:
    here, there = map(Collections, engines)
    seen, untouched = Revisions.shared(engines[0]).of(collections), Revisions.shared(engines[0]).of(documents)
    assert here.enabled() == []
    there.create("new")
    _until(lambda: Revisions.shared(engines[0]).of(collections) != seen)
    assert [collection.name for collection in here.enabled()] == ["new"]
    assert Revisions.shared(engines[0]).of(documents) == untouched


def test_own_writing_counts_once_and_at_once(engines: tuple[Engine, Engine]) -> None:
    own, other = map(Revisions.shared, engines)
    before = own.of(collections)
    Collections(engines[0]).create("own")
    assert own.of(collections) == before + 1
    seen = other.of(collections)
    Collections(engines[1]).create("its")
    # Notifications come in order: the own one was heard before this one.
    _until(lambda: own.of(collections) > before + 1)
    assert own.of(collections) == before + 2
    assert other.of(collections) > seen


def test_nothing_is_taken_for_known_while_the_server_is_away(
    postgres_server: PostgresServer, engines: tuple[Engine, Engine]
) -> None:
    revisions = Revisions.shared(engines[0])
    assert revisions.of(collections) == revisions.of(collections)
    postgres_server.stop()
    try:
        _until(lambda: revisions.is_blind)
        assert revisions.of(collections) != revisions.of(collections)
    finally:
        postgres_server.start()
    _until(lambda: not revisions.is_blind)
    seen = revisions.of(collections)
    assert revisions.of(collections) == seen
    Collections(engines[1]).create("new")
    _until(lambda: revisions.of(collections) != seen)


def test_who_runs_jobs_alone_keeps_the_lock_when_its_connection_is_cut(
    postgres_server: PostgresServer, migrated_postgres: str
) -> None:
    database = postgres_server.create(migrated_postgres)
    held = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted"
    with ExitStack() as opened:
        opened.callback(postgres_server.drop, database)
        engine = open_engine(postgres_server.url(database), Path())
        opened.callback(engine.dispose)
        opened.callback(ChangeFeed(engine, alone=True).close)
        [(before,)] = postgres_server.run(database, held)
        postgres_server.run(database, f"SELECT pg_terminate_backend({before})")
        _until(lambda: [pid for (pid,) in postgres_server.run(database, held) if pid != before] != [])


def test_those_that_leave_jobs_to_workers_may_be_several(postgres_server: PostgresServer, migrated_postgres: str) -> None:
    database = postgres_server.create(migrated_postgres)
    with ExitStack() as opened:
        opened.callback(postgres_server.drop, database)
        for _ in range(2):
            engine = open_engine(postgres_server.url(database), Path())
            opened.callback(engine.dispose)
            opened.callback(ChangeFeed(engine, alone=False).close)
        refused = open_engine(postgres_server.url(database), Path())
        opened.callback(refused.dispose)
        with pytest.raises(SettingsError, match=r"jobs\.queue: procrastinate"):
            ChangeFeed(refused, alone=True)
