"""What is SQLite's own: settings of a connection, how writers take turns, and that what is deleted leaves its files."""

from __future__ import annotations

import logging
import sqlite3
from typing import Any

from sqlalchemy import Connection, Engine, event

log = logging.getLogger(__name__)

# How long a connection waits for another one, in milliseconds; and for readers whose pages are in the log, to be rid of it.
_BUSY_MS = 15_000
_TRUNCATE_MS = 200
# SQLite's `user_version` of a file in which everything deleted was overwritten.
_OVERWRITES = 1


def prepare(engine: Engine) -> None:
    """Set up every connection that the engine will make."""

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
    """Empty the log, which has pages as they were before. False when somebody reads by it just now."""
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={_TRUNCATE_MS}")
        busy = bool(cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        return not busy
    finally:
        connection.close()


def rewrite_once(engine: Engine) -> None:
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
