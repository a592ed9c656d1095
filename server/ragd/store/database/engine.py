"""The engine of the database. SQLite in WAL mode by default; nothing that builds on it knows which database it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, DBAPIError

from ragd.core.errors import ServiceUnavailable
from ragd.store.database.migrate import migrate

T = TypeVar("T")

# Parameters of one statement: SQLite's oldest builds allow 32,766, PostgreSQL's protocol 65,535.
_BATCH = 500


def open_engine(url: str, data_dir: Path) -> Engine:
    """Connect, set up, and migrate. An empty `url` means `<data_dir>/rag.db`.

    Raises `ServiceUnavailable` that says how to mend it when the database can't be used.
    """
    engine = create_engine(url or f"sqlite:///{data_dir / 'rag.db'}")
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine)
    try:
        migrate(engine)
    except DatabaseError as error:
        engine.dispose()
        raise ServiceUnavailable(
            f"The database {engine.url.render_as_string()} can't be opened: {error.orig}. "
            "Put back a copy of the file, or move it away to start anew and ingest your documents again."
        ) from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def _prepare_sqlite(engine: Engine) -> None:
    # The driver's own transaction handling commits before DDL and begins late; we begin ourselves, so that a migration is one
    # transaction and a writer takes its lock at the start instead of failing in the middle.
    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=15000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        reading = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def reading(engine: Engine) -> Engine:
    """The engine for transactions that only read: on SQLite they take no write lock."""
    return engine.execution_options(reading=True)


def is_busy(error: DBAPIError) -> bool:
    """Whether the database refused because another transaction held it for too long; nothing is wrong with it."""
    return getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_BUSY")


def batches(items: Sequence[T] | Iterator[T], size: int = _BATCH) -> Iterator[list[T]]:
    """The items in lists of at most `size`, for statements with one parameter an item."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
