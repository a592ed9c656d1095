"""What was done since some moment, as the overview shows it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Engine

from ragd.store.traces import Activity, Traces


def envelope(number: int, trace_type: str = "query", **more: Any) -> dict[str, Any]:
    at = more.get("at", "2026-11-26T10:00:00.000Z")
    events = [{"kind": "response.envelope", "payload": {"results": more.get("results", 1)}}]
    events += [{"kind": "degraded", "payload": {"stage": stage}} for stage in more.get("degraded", ())]
    counters = more.get("counters", {})
    return {
        "trace_id": f"{number:032}",
        "trace_type": trace_type,
        "status": more.get("status", "ok"),
        "strategy_config_id": "0" * 32,
        "started_at": at,
        "ended_at": at,
        "links": {"job_id": None, "request_id": None, "eval": None},
        "events": events,
        "aggregates": {"latency_ms": number, "counters": counters},
    }


@pytest.fixture
def traces(engine: Engine) -> Traces:
    return Traces(engine, keep=200)


def test_activity_has_percentiles_and_what_went_wrong_since_a_moment(traces: Traces) -> None:
    traces.write([envelope(number) for number in range(1, 101)])
    traces.write(
        [
            envelope(101, status="error", results=0),
            envelope(102, degraded=["rerank", "fusion"]),
            envelope(103, at="2026-11-25T10:00:00.000Z", status="error"),
            envelope(104, "ingestion"),
        ]
    )
    since = "2026-11-26T00:00:00.000Z"
    assert traces.activity("query", since) == Activity(count=102, p50_ms=51, p95_ms=97, failed=1, degraded=1, nothing_found=1)
    assert traces.activity("query", "2027") == Activity(0, None, None, 0, 0, 0)


def test_the_cache_is_that_of_the_newest_ingestions(traces: Traces) -> None:
    counted = [{"cache_hits": 9, "cache_misses": 1}, {"cache_hits": 2, "cache_misses": 3}, {}]
    traces.write(
        [envelope(number, "ingestion", at=f"2026-11-26T10:00:0{number}.000Z", counters=one) for number, one in enumerate(counted)]
    )
    assert traces.cache(2) == (2, 3)
    assert traces.cache(200) == (11, 4)
