"""What other processes write to the same PostgreSQL, heard by LISTEN and NOTIFY, so that nothing here remembers too long."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import SQLAlchemyError

from ragd.core.errors import SettingsError
from ragd.store.database.engine import independent
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import collections, documents, jobs, occurrences, sources

log = logging.getLogger(__name__)

_CHANNEL: Final = "rag_changes"
_WATCHED: Final = {table.name for table in (collections, documents, jobs, occurrences, sources)}
_LISTEN_S: Final = 0.5
_LOOK_EVERY_S: Final = 0.1
_RETRY_S: Final = 1.0
# "ragj" and a number: held alone by a process that runs jobs by itself, and shared by those that leave them to workers.
_JOBS: Final = 0x7261676A00000001
# A process that was killed a moment ago may be held for alive by the server.
_WAIT_FOR_DEAD_S: Final = 5.0
_OTHER_RUNS_JOBS: Final = (
    "Another process uses this database, and one of the two runs jobs by itself, which only a single process may do. "
    "Stop the other one, or set jobs.queue: procrastinate for each and run `rag worker` (docs/service.md)."
)


class ChangeFeed:
    """Tells others in the transaction that writes, so that they hear of it when it is committed, and hears of theirs.

    SQLite has one process, and needs none of it. While the server is away nothing is taken for known. The connection that hears
    also holds the lock that says who runs jobs on this database.
    """

    def __init__(self, engine: Engine, *, alone: bool | None = None) -> None:
        """`alone`: this process runs jobs by itself, and must be the only one that uses the database; False: it leaves them to
        workers, as each other process must; None: it runs none. Raises `SettingsError` where another process forbids that.
        """
        self._engine = engine
        self._revisions = Revisions.shared(engine)
        self._process = uuid.uuid4().hex
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        if engine.dialect.name != "sqlite":
            self._revisions.is_blind = True
            self._alone = alone
            self._pooled: Any = self._entered()
            event.listen(engine, "commit", self._tell)
            self._thread = threading.Thread(target=self._listen, name="rag-changes", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread:
            with suppress(SQLAlchemyError), independent(self._engine).begin() as connection:
                self._notify(connection)  # it waits for something to hear
            self._thread.join(2 * _LISTEN_S)

    def _connected(self) -> Any:
        pooled = self._engine.raw_connection()
        pooled.detach()
        connection: Any = pooled.dbapi_connection
        connection.autocommit = True
        return pooled

    def _entered(self) -> Any:
        """A connection that holds the lock."""
        pooled, until = self._connected(), time.monotonic() + _WAIT_FOR_DEAD_S
        while not self._may_run(pooled.dbapi_connection):
            if time.monotonic() > until:
                pooled.close()
                self._engine.dispose()
                raise SettingsError(_OTHER_RUNS_JOBS)
            time.sleep(_LOOK_EVERY_S)
        return pooled

    def _may_run(self, connection: Any) -> bool:
        """Whether the connection has the lock: it ends with it. Each lock is counted, and ends once."""
        if self._alone is None:
            return True
        kind = "" if self._alone else "_shared"
        return bool(connection.execute(f"SELECT pg_try_advisory_lock{kind}({_JOBS})").fetchone()[0])

    def _tell(self, connection: Connection) -> None:
        if written := sorted(self._revisions.written(connection) & _WATCHED):
            self._notify(connection, *written)

    def _notify(self, connection: Connection, *tables: str) -> None:
        connection.exec_driver_sql("SELECT pg_notify(%s, %s)", (_CHANNEL, " ".join([self._process, *tables])))

    def _listen(self) -> None:
        while not self._closing.is_set():
            try:
                self._hear()
            except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error) as error:
                log.warning("changes of other processes can't be heard", extra={"reason": str(error), "seconds": _RETRY_S})
            finally:
                self._revisions.is_blind = True
            self._closing.wait(_RETRY_S)

    def _hear(self) -> None:
        pooled, self._pooled = self._pooled or self._connected(), None
        try:
            connection: Any = pooled.dbapi_connection
            if not self._may_run(connection):
                log.error("jobs may be run twice", extra={"reason": _OTHER_RUNS_JOBS})
            connection.execute(f"LISTEN {_CHANNEL}")
            self._revisions.is_blind = False
            self._revisions.changed(_WATCHED)  # what was written before
            while not self._closing.is_set():
                for heard in connection.notifies(timeout=_LISTEN_S, stop_after=1):
                    process, *tables = heard.payload.split()
                    if process != self._process:
                        self._revisions.changed(tables)
        finally:
            pooled.close()
