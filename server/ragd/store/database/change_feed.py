"""What other processes write to the same PostgreSQL, heard by LISTEN and NOTIFY, so that nothing here remembers too long."""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import SQLAlchemyError

from ragd.store.database.engine import independent
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import collections, documents, jobs, occurrences, sources

log = logging.getLogger(__name__)

_CHANNEL: Final = "rag_changes"
_WATCHED: Final = {table.name for table in (collections, documents, jobs, occurrences, sources)}
_LISTEN_S: Final = 0.5
_RETRY_S: Final = 1.0


class ChangeFeed:
    """Tells others in the transaction that writes, so that they hear of it when it is committed, and hears of theirs.

    SQLite has one process, and needs none of it. While the server is away nothing is taken for known.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._revisions = Revisions.shared(engine)
        self._process = uuid.uuid4().hex
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        if engine.dialect.name != "sqlite":
            self._revisions.is_blind = True
            event.listen(engine, "commit", self._tell)
            self._thread = threading.Thread(target=self._listen, name="rag-changes", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread:
            with suppress(SQLAlchemyError), independent(self._engine).begin() as connection:
                self._notify(connection)  # it waits for something to hear
            self._thread.join(2 * _LISTEN_S)

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
        pooled = self._engine.raw_connection()
        pooled.detach()
        try:
            connection: Any = pooled.dbapi_connection
            connection.autocommit = True
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
