"""Which tables may have changed, known from memory."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from sqlalchemy import Connection, Engine, Table, event


class Revisions:
    """Counts, for each table, the transactions that wrote to it and have ended. One that was rolled back counts, too.

    The process owns its database (see `core.instance.Ownership`), so nobody else's writing is missed.
    """

    def __init__(self, engine: Engine) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

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
                with self._lock:
                    self._counts.update(written)

    def of(self, *tables: Table) -> int:
        """A number that differs whenever one of the tables may have changed."""
        with self._lock:
            return sum(self._counts[table.name] for table in tables)
