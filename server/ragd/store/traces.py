"""Traces in the database: the sink that keeps them, and how they are found again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Engine, Row, Text, cast, select

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


@dataclass(frozen=True, slots=True)
class Activity:
    """What was done since some moment, as far as the traces are kept. Times are in milliseconds, None where nothing was done."""

    count: int
    p50_ms: int | None
    p95_ms: int | None
    failed: int
    degraded: int
    nothing_found: int


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
        doc_id: str | None = None,
        chunk_id: str | None = None,
    ) -> tuple[list[dict[str, Any]], int]:
        """One page of trace rows without their envelopes, newest first, and how many there are in all.

        `text` is a part of the question, in whatever case; `only` leaves those of one kind; `doc_id` the ingestions of one
        document; `chunk_id` the questions of which some list held the passage. These two look through the traces themselves.
        """
        where = [traces.c.trace_type == trace_type] if trace_type else []
        if job_id:
            where.append(traces.c.job_id == job_id)
        if text:
            where.append(traces.c.question.icontains(text, autoescape=True))
        if only:
            where.append(_ONLY[only])
        for named, one in (("ingestion", doc_id), ("query", chunk_id)):
            if one:
                where += [traces.c.trace_type == named, cast(traces.c.envelope, Text).contains(f'"{one}"', autoescape=True)]
        columns = [column for column in traces.c if column.name != "envelope"]
        newest = select(*columns).where(*where).order_by(traces.c.started_at.desc(), traces.c.trace_id)
        return self._page(newest, page, page_size, _row)

    def questions(self, since: str, until: str, only: Only | None = None) -> list[tuple[str, str]]:
        """`(trace_id, question)` of what people asked from `since` to before `until`, newest first.

        Both are ISO 8601 in UTC, "" is no bound. Left out are those of evaluations and replays, and whose text was not kept.
        """
        links = traces.c.envelope["links"]
        where = [traces.c.trace_type == "query", traces.c.question.is_not(None)]
        where += [links[name].as_string().is_(None) for name in ("eval", "replay_of")]
        where += [traces.c.started_at >= since] if since else []
        where += [traces.c.started_at < until] if until else []
        where += [_ONLY[only]] if only else []
        rows = self._rows(select(traces.c.trace_id, traces.c.question).where(*where).order_by(traces.c.started_at.desc()))
        return [(row.trace_id, row.question) for row in rows]

    def envelopes(self, trace_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The whole envelopes of those that are kept, by id."""
        rows = self._rows_in(select(traces.c.trace_id, traces.c.envelope), traces.c.trace_id, trace_ids)
        return {row.trace_id: row.envelope for row in rows}

    def documents(self, trace_ids: Iterable[str]) -> dict[str, str]:
        """The document that each of these ingestions read, by the trace's id."""
        read = self.envelopes(trace_ids)
        decided = {trace_id: _payloads(one).get("ingest.dedup_decision", {}) for trace_id, one in read.items()}
        return {trace_id: payload["doc_id"] for trace_id, payload in decided.items() if "doc_id" in payload}

    def activity(self, trace_type: str, since: str) -> Activity:
        """Of queries, those of evaluations count, too: they load the daemon as others do."""
        columns = (traces.c.latency_ms, traces.c.status, traces.c.degraded, traces.c.results)
        rows = self._rows(select(*columns).where(traces.c.trace_type == trace_type, traces.c.started_at >= since))
        times = sorted(row.latency_ms for row in rows)
        return Activity(
            count=len(rows),
            p50_ms=_percentile(times, 0.5),
            p95_ms=_percentile(times, 0.95),
            failed=sum(row.status != "ok" for row in rows),
            degraded=sum(bool(row.degraded) for row in rows),
            nothing_found=sum(row.results == 0 for row in rows),
        )

    def cache(self, newest: int) -> tuple[int, int]:
        """Vectors that the newest ingestions took over, and those that they had made."""
        counters = traces.c.envelope["aggregates"]["counters"]
        counted = select(counters["cache_hits"].as_integer().label("hits"), counters["cache_misses"].as_integer().label("misses"))
        of = counted.where(traces.c.trace_type == "ingestion").order_by(traces.c.started_at.desc()).limit(newest)
        rows = self._rows(of)
        return sum(row.hits or 0 for row in rows), sum(row.misses or 0 for row in rows)

    def get(self, trace_id: str) -> dict[str, Any]:
        """The whole envelope. Raises `TraceNotFound`."""
        row = self._first(select(traces.c.envelope).where(traces.c.trace_id == trace_id))
        if row is None:
            raise TraceNotFound(f"There is no trace '{trace_id}'. The oldest are deleted (`observability.keep_traces`).")
        return dict(row.envelope)


def _percentile(ordered: Sequence[int], share: float) -> int | None:
    """The smallest value that is not less than this share of all."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None


def _summary(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """What lists show: the question as far as the trace holds it, the passages of the answer, what was worked without."""
    payloads = _payloads(envelope)
    degraded = {event["payload"]["stage"]: None for event in envelope["events"] if event["kind"] == "degraded"}
    return {
        "question": payloads.get("query.normalized", {}).get("query"),
        "results": payloads.get("response.envelope", {}).get("results"),
        "degraded": " ".join(degraded),
    }


def _payloads(envelope: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {event["kind"]: event["payload"] for event in envelope["events"]}


def _row(row: Row[Any]) -> dict[str, Any]:
    return {**row._mapping, "degraded": (row.degraded or "").split()}
