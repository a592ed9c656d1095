"""Traces in the facts store: the sink that keeps them, and how they are found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Engine, delete, func, select

from ragd.core.errors import TraceNotFound
from ragd.store.database.engine import reading
from ragd.store.database.schema import traces


class Traces:
    """A sink for finished traces that keeps the newest `keep`."""

    def __init__(self, engine: Engine, keep: int) -> None:
        self._engine = engine
        self._reader = reading(engine)
        self._keep = keep

    def write(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        """Keep the envelopes, and let the oldest go beyond the limit."""
        rows = [
            {
                **{
                    key: envelope[key]
                    for key in ("trace_id", "trace_type", "status", "started_at", "ended_at", "strategy_config_id")
                },
                "latency_ms": round(envelope["aggregates"]["latency_ms"]),
                "job_id": envelope["links"]["job_id"],
                "request_id": envelope["links"]["request_id"],
                "envelope": dict(envelope),
            }
            for envelope in envelopes
        ]
        with self._engine.begin() as connection:
            connection.execute(traces.insert(), rows)
            surplus = (connection.scalar(select(func.count()).select_from(traces)) or 0) - self._keep
            if surplus > 0:
                oldest = select(traces.c.trace_id).order_by(traces.c.started_at).limit(surplus)
                connection.execute(delete(traces).where(traces.c.trace_id.in_(oldest)))

    def page(
        self, page: int = 1, page_size: int = 20, *, trace_type: str | None = None, job_id: str | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of trace rows without their envelopes, newest first, and how many there are in all."""
        where = [traces.c.trace_type == trace_type] if trace_type else []
        if job_id:
            where.append(traces.c.job_id == job_id)
        columns = [column for column in traces.c if column.name != "envelope"]
        with self._reader.connect() as connection:
            total = connection.scalar(select(func.count()).select_from(traces).where(*where)) or 0
            newest = select(*columns).where(*where).order_by(traces.c.started_at.desc(), traces.c.trace_id)
            rows = connection.execute(newest.limit(page_size).offset((page - 1) * page_size))
            return [dict(row._mapping) for row in rows], total

    def get(self, trace_id: str) -> dict[str, Any]:
        """The whole envelope. Raises `TraceNotFound`."""
        with self._reader.connect() as connection:
            envelope = connection.scalar(select(traces.c.envelope).where(traces.c.trace_id == trace_id))
        if envelope is None:
            raise TraceNotFound(f"There is no trace '{trace_id}'. It may have been among the oldest, which are let go.")
        return dict(envelope)
