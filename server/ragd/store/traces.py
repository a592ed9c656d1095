"""Traces in the database: the sink that keeps them, and how they are found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Engine, select

from ragd.core.errors import TraceNotFound
from ragd.store.database.engine import independent
from ragd.store.database.repository import Repository, as_dict, forget_oldest
from ragd.store.database.schema import traces


class Traces(Repository):
    """A sink for finished traces that keeps the newest `keep`."""

    def __init__(self, engine: Engine, keep: int) -> None:
        super().__init__(engine)
        self._keep = keep

    def write(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        """Keep the envelopes, and let the oldest go beyond the limit."""
        names = ("trace_id", "trace_type", "status", "started_at", "ended_at", "strategy_config_id")
        rows = [
            {name: envelope[name] for name in names}
            | {name: envelope["links"][name] for name in ("job_id", "request_id")}
            | {"latency_ms": round(envelope["aggregates"]["latency_ms"]), "envelope": dict(envelope)}
            for envelope in envelopes
        ]
        with independent(self._engine).begin() as connection:
            connection.execute(traces.insert(), rows)
            forget_oldest(connection, traces.c.trace_id, traces.c.started_at, self._keep)

    def page(
        self, page: int = 1, page_size: int = 20, *, trace_type: str | None = None, job_id: str | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of trace rows without their envelopes, newest first, and how many there are in all."""
        where = [traces.c.trace_type == trace_type] if trace_type else []
        if job_id:
            where.append(traces.c.job_id == job_id)
        columns = [column for column in traces.c if column.name != "envelope"]
        newest = select(*columns).where(*where).order_by(traces.c.started_at.desc(), traces.c.trace_id)
        return self._page(newest, page, page_size, as_dict)

    def get(self, trace_id: str) -> dict[str, Any]:
        """The whole envelope. Raises `TraceNotFound`."""
        row = self._first(select(traces.c.envelope).where(traces.c.trace_id == trace_id))
        if row is None:
            raise TraceNotFound(f"There is no trace '{trace_id}'. The oldest are deleted (`observability.keep_traces`).")
        return dict(row.envelope)
