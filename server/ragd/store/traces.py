"""Traces in the database: the sink that keeps them, and how they are found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Engine, Row, select

from ragd.core.errors import TraceNotFound
from ragd.store.database.engine import independent
from ragd.store.database.repository import Repository, forget_oldest
from ragd.store.database.schema import traces

Only = Literal["degraded", "failed", "nothing_found", "slow"]

_SLOW_MS: Final = 1000
_ONLY: Final[dict[Only, ColumnElement[bool]]] = {
    "degraded": traces.c.degraded != "",
    "failed": traces.c.status != "ok",
    "nothing_found": traces.c.results == 0,
    "slow": traces.c.latency_ms >= _SLOW_MS,
}


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
            | _summary(envelope)
            for envelope in envelopes
        ]
        with independent(self._engine).begin() as connection:
            connection.execute(traces.insert(), rows)
            forget_oldest(connection, traces.c.trace_id, traces.c.started_at, self._keep)

    def page(
        self,
        page: int = 1,
        page_size: int = 20,
        *,
        trace_type: str | None = None,
        job_id: str | None = None,
        text: str | None = None,
        only: Only | None = None,
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of trace rows without their envelopes, newest first, and how many there are in all.

        `text` is a part of the question, in whatever case; `only` leaves those of one kind.
        """
        where = [traces.c.trace_type == trace_type] if trace_type else []
        if job_id:
            where.append(traces.c.job_id == job_id)
        if text:
            where.append(traces.c.question.icontains(text, autoescape=True))
        if only:
            where.append(_ONLY[only])
        columns = [column for column in traces.c if column.name != "envelope"]
        newest = select(*columns).where(*where).order_by(traces.c.started_at.desc(), traces.c.trace_id)
        return self._page(newest, page, page_size, _row)

    def get(self, trace_id: str) -> dict[str, Any]:
        """The whole envelope. Raises `TraceNotFound`."""
        row = self._first(select(traces.c.envelope).where(traces.c.trace_id == trace_id))
        if row is None:
            raise TraceNotFound(f"There is no trace '{trace_id}'. The oldest are deleted (`observability.keep_traces`).")
        return dict(row.envelope)


def _summary(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """What lists show: the question as far as the trace holds it, the passages of the answer, what was worked without."""
    payloads: dict[str, Mapping[str, Any]] = {event["kind"]: event["payload"] for event in envelope["events"]}
    degraded = {event["payload"]["stage"]: None for event in envelope["events"] if event["kind"] == "degraded"}
    return {
        "question": payloads.get("query.normalized", {}).get("query"),
        "results": payloads.get("response.envelope", {}).get("results"),
        "degraded": " ".join(degraded),
    }


def _row(row: Row[Any]) -> dict[str, Any]:
    return {**row._mapping, "degraded": (row.degraded or "").split()}
