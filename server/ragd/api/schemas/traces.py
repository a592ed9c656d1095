"""Traces."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ragd.api.schemas.base import Page
from ragd.core.tracing import Status as TraceStatus
from ragd.core.tracing import TraceType


class TraceRow(BaseModel):
    trace_id: str
    trace_type: TraceType
    status: TraceStatus
    started_at: str
    ended_at: str
    latency_ms: int
    strategy_config_id: str
    job_id: str | None
    request_id: str | None


class TracePage(Page[TraceRow]): ...


class Trace(BaseModel):
    """A whole trace; `core/schemas/trace.schema.json` in the package has every detail."""

    trace_id: str
    trace_type: TraceType
    status: TraceStatus
    started_at: str
    ended_at: str
    strategy_config_id: str
    build: str
    spans: list[dict[str, Any]]
    events: list[dict[str, Any]]
    aggregates: dict[str, Any]
    links: dict[str, Any]
