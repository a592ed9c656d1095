"""The engine of the database. SQLite in WAL mode by default; nothing that builds on it knows which database it is."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, DBAPIError

from ragd.core.errors import ServiceUnavailable
from ragd.store.database.migrate import migrate

T = TypeVar("T")

log = logging.getLogger(__name__)

# How long a connection waits for another one, in milliseconds; and for readers whose pages are in the log, to be rid of it.
_BUSY_MS = 15_000
_TRUNCATE_MS = 200
# SQLite's `user_version` of a file in which everything deleted was overwritten.
_OVERWRITES = 1
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
        if engine.dialect.name == "sqlite":
            _rewrite_once(engine)
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
        # secure_delete: what is deleted is overwritten.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_BUSY_MS}", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        reading = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def truncate_log(engine: Engine) -> bool:
    """Empty SQLite's log, which has pages as they were before: then no file of the database holds what was deleted.

    False when somebody reads by it just now. Other databases look after this themselves.
    """
    if engine.dialect.name != "sqlite":
        return True
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={_TRUNCATE_MS}")
        busy = bool(cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        return not busy
    finally:
        connection.close()


def _rewrite_once(engine: Engine) -> None:
    """Write the whole file anew, once: earlier releases left the text of deleted documents in it."""
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        if cursor.execute("PRAGMA user_version").fetchone()[0] < _OVERWRITES:
            cursor.execute("VACUUM")
            cursor.execute(f"PRAGMA user_version={_OVERWRITES}")
    except sqlite3.OperationalError as error:  # in use, or too little room: at the next start, then
        log.warning("the database could not be rewritten without what was deleted", extra={"reason": str(error)})
        return
    finally:
        connection.close()
    truncate_log(engine)


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
