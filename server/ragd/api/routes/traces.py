"""Traces: what a query or an ingestion did, stage by stage."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from ragd.api.common import App, Pages
from ragd.api.schemas.traces import Trace, TracePage
from ragd.core.tracing import TraceType

router = APIRouter(prefix="/api/traces", tags=["traces"])


@router.get("", response_model=TracePage)
def list_traces(
    app: App,
    paging: Pages,
    trace_type: Annotated[TraceType | None, Query(alias="type")] = None,
    job_id: Annotated[str | None, Query()] = None,
) -> dict[str, Any]:
    """Traces, newest first, without their spans and events."""
    app.tracer.flush()
    return paging.answer(*app.traces.page(paging.page, paging.page_size, trace_type=trace_type, job_id=job_id))


@router.get("/{trace_id}", response_model=Trace)
def get_trace(trace_id: str, app: App) -> dict[str, Any]:
    """One whole trace."""
    app.tracer.flush()
    return app.traces.get(trace_id)
