"""Which tables may have changed, known from memory."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Table, event


class Revisions:
    """Counts, for each table, the transactions that wrote to it and have ended. One that was rolled back counts, too.

    They are those of this process; a `ChangeFeed` adds what other processes write.
    """

    def __init__(self, engine: Engine) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.is_blind = False
        """Whether others may write unseen just now: then every table has changed, whenever somebody asks."""

        @event.listens_for(engine, "after_cursor_execute")
        def _executed(
            connection: Connection, _cursor: Any, _statement: str, _parameters: Any, context: Any, _executemany: bool
        ) -> None:
            if context.isinsert or context.isupdate or context.isdelete:
                connection.info.setdefault(self, set()).add(context.compiled.statement.table.name)

        # Not the event `commit`: that comes before the commit is done, and who looked then would see the old rows.
        @event.listens_for(engine, "checkin")
        def _returned(_connection: Any, record: Any) -> None:
            if written := record.info.pop(self, None):
                self.changed(written)

    @classmethod
    def shared(cls, engine: Engine) -> Revisions:
        """The one of an engine."""
        with _SHARING:
            return _SHARED.get(engine) or _SHARED.setdefault(engine, cls(engine))

    def of(self, *tables: Table) -> int:
        """A number that differs whenever one of the tables may have changed."""
        with self._lock:
            if self.is_blind:
                self._counts.update(table.name for table in tables)
            return sum(self._counts[table.name] for table in tables)

    def changed(self, tables: Iterable[str]) -> None:
        with self._lock:
            self._counts.update(tables)

    def written(self, connection: Connection) -> set[str]:
        """The tables that the present transaction of a connection has written to."""
        found: set[str] = connection.info.get(self, set())
        return found


_SHARED: WeakKeyDictionary[Engine, Revisions] = WeakKeyDictionary()
_SHARING = threading.Lock()
