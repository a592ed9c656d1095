"""One of several processes does what is to be done once: whoever holds a lock of the database, which ends with its connection."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from ragd.core.errors import RagError
from ragd.jobs.deliveries import QUIET, Deliveries
from ragd.store.database.revisions import Revisions
from ragd.store.database.schema import documents, occurrences, sources

log = logging.getLogger(__name__)

# "ragl" and a number.
_LEADS: Final = 0x7261676C00000001
_RETRY_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Duties:
    """What the leader does. `reconcile` and `sweep` are called while no job runs anywhere, the first once."""

    begin: Callable[[], object]
    follow_changes: Callable[[], object]
    """Sources were added, changed or removed."""
    reconcile: Callable[[], object]
    sweep: Callable[[], object]
    end: Callable[[], object]
    """It leads no more. Also called when `begin` failed."""


class Leader:
    """Tries to lead, and does the duties for as long as it does. Another process leads a few seconds after this one is gone."""

    def __init__(self, engine: Engine, deliveries: Deliveries, duties: Duties) -> None:
        self._engine = engine
        self._deliveries = deliveries
        self._duties = duties
        self._stopping = threading.Event()
        self._connection: Any = None
        self._revisions = Revisions.shared(engine)
        self._followed_at = 0
        self._swept_at: int | None = None
        self._thread = threading.Thread(target=self._loop, name="rag-leader", daemon=True)
        self.is_alone = False
        """Whether no job runs in any process, and none can begin."""

    def start(self) -> None:
        self._thread.start()

    def stop(self, grace_s: float) -> bool:
        """Lead no more. Returns whether that worked in time."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(grace_s)
        return not self._thread.is_alive()

    def _look(self) -> None:
        if mended := self._deliveries.mend():
            log.warning("jobs queued again that were cut off", extra={"jobs": mended})
        if (revision := self._revisions.of(sources)) != self._followed_at:
            self._duties.follow_changes()
            self._followed_at = revision
        revision = self._revisions.of(documents, occurrences)
        if revision != self._swept_at and not self._deliveries.running() and self._ask("SELECT pg_try_advisory_lock(%s)", QUIET):
            try:
                self.is_alone = not self._deliveries.running()
                if self.is_alone:
                    (self._duties.reconcile if self._swept_at is None else self._duties.sweep)()
                    self._swept_at = revision
            finally:
                self.is_alone = False
                self._ask("SELECT pg_advisory_unlock(%s)", QUIET)

    def _ask(self, statement: str, *values: int) -> bool:
        return bool(self._connection.execute(statement, values).fetchone()[0])

    def _loop(self) -> None:
        while not self._stopping.is_set():
            try:
                self._lead()
            except (RagError, SQLAlchemyError, OSError, self._engine.dialect.loaded_dbapi.Error) as error:
                log.warning("this worker does not lead", extra={"reason": str(error)})
            except Exception:
                log.exception("this worker does not lead")
            self._stopping.wait(_RETRY_S)

    def _lead(self) -> None:
        pooled = self._engine.raw_connection()
        pooled.detach()
        try:
            self._connection = pooled.dbapi_connection
            self._connection.autocommit = True
            if not self._ask("SELECT pg_try_advisory_lock(%s)", _LEADS):
                return
            log.info("this worker leads")
            try:
                self._swept_at = None
                self._followed_at = self._revisions.of(sources)
                self._duties.begin()
                while not self._stopping.is_set():
                    self._ask("SELECT true")  # raises once the connection, and the lock with it, is lost
                    self._look()
                    self._stopping.wait(_RETRY_S)
            finally:
                self._duties.end()
        finally:
            pooled.close()
