"""Traces: what a query or an ingestion did, stage by stage."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from ragd.api.common import Access, App, CallerOf, Pages, SourceTokens, in_turn
from ragd.api.schemas.labels import TracePassages
from ragd.api.schemas.replays import Replay, ReplayBody
from ragd.api.schemas.traces import Flow, Trace, TracePage, Whereabouts
from ragd.core.tracing import TraceType
from ragd.store.traces import Only

router = APIRouter(prefix="/api/traces", tags=["traces"])

_ID = "^[0-9a-f]{32}$"


@router.get("", response_model=TracePage)
def list_traces(
    app: App,
    paging: Pages,
    access: Access,
    trace_type: Annotated[TraceType | None, Query(alias="type")] = None,
    job_id: Annotated[str | None, Query()] = None,
    text: Annotated[str | None, Query(max_length=1000, description="A part of the question.")] = None,
    only: Annotated[Only | None, Query(description="`slow`: a second or more.")] = None,
    doc_id: Annotated[str | None, Query(pattern=_ID, description="Ingestions of this document.")] = None,
    chunk_id: Annotated[str | None, Query(pattern=_ID, description="Questions of which some list held this passage.")] = None,
) -> dict[str, Any]:
    """Traces, newest first, without their spans and events."""
    app.tracer.flush()
    wanted: dict[str, Any] = {"trace_type": trace_type, "job_id": job_id, "text": text, "only": only}
    rows, total = app.traces.page(paging.page, paging.page_size, **wanted, doc_id=doc_id, chunk_id=chunk_id)
    read = app.explanations.documents_read(rows, access)
    return paging.answer([row | {"document": read.get(row["trace_id"])} for row in rows], total)


@router.get("/{trace_id}", response_model=Trace)
def get_trace(trace_id: str, app: App) -> dict[str, Any]:
    """One whole trace."""
    app.tracer.flush()
    return app.traces.get(trace_id)


def _trace_exists(trace_id: str, app: App) -> None:
    app.tracer.flush()
    app.traces.get(trace_id)


@router.get("/{trace_id}/flow", response_model=Flow, dependencies=[Depends(_trace_exists)])
def trace_flow(trace_id: str, app: App, access: Access) -> dict[str, Any]:
    """How each passage of a question moved from list to list, and where it ended."""
    return app.explanations.flow(trace_id, access)


@router.get("/{trace_id}/passages", response_model=TracePassages, dependencies=[Depends(_trace_exists)])
def trace_passages(trace_id: str, app: App, access: Access) -> dict[str, Any]:
    """The passages that a question's lists held, with their texts, to be labelled."""
    return app.explanations.candidates(trace_id, access)


@router.get("/{trace_id}/whereabouts", response_model=Whereabouts, dependencies=[Depends(_trace_exists)])
def whereabouts(
    trace_id: str,
    app: App,
    access: Access,
    document: Annotated[str, Query(min_length=1, max_length=1000, description="An id, or a part of a path or a title.")],
) -> dict[str, Any]:
    """Why a document is in the answer to a question, or is not."""
    return app.explanations.whereabouts(trace_id, document, access)


@router.post(
    "/{trace_id}/replay",
    response_model=Replay,
    response_model_exclude_unset=True,
    dependencies=[Depends(_trace_exists)],
)
async def replay_trace(
    trace_id: str, request: Request, body: ReplayBody, app: App, tokens: SourceTokens, caller: CallerOf
) -> dict[str, Any]:
    """Do again what a trace is of, on today's data and settings or changed ones, and say what differs.

    A question is asked with the rights of whoever replays it. A file is read again, and nothing of it is stored.
    """
    asked = body.request(tokens, caller.readable)
    return await in_turn(request, lambda: app.replays.run(trace_id, asked))
