"""Search within one knowledge base."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request, Response
from starlette.concurrency import run_in_threadpool

from ragd.api.common import App, CallerOf, SourceTokens, in_turn
from ragd.api.routes.contract import TAG
from ragd.api.schemas.contract import SearchBody, SearchResults
from ragd.core.errors import ValidationFailed
from ragd.core.logs import request_id
from ragd.core.query import QueryRequest
from ragd.core.storage import Collection

router = APIRouter(tags=[TAG])

_SCORE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "headers": {
            "X-Score": {
                "description": "What `score` is: see there.",
                "schema": {"type": "string", "enum": ["cross_encoder", "remote", "llm", "confidence"]},
            }
        }
    }
}


async def _available(request: Request, app: App) -> Collection | None:
    """The knowledge base that the body names, if it names any, must exist and be enabled."""
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        return None
    kb_id = body.get("knowledge_base_id") if isinstance(body, dict) else None
    return await run_in_threadpool(app.knowledge_bases.available, kb_id) if isinstance(kb_id, str) else None


@router.post("/search", response_model=SearchResults, responses=_SCORE)
async def search(
    request: Request,
    response: Response,
    target: Annotated[Collection | None, Depends(_available)],
    body: SearchBody,
    app: App,
    tokens: SourceTokens,
    caller: CallerOf,
) -> list[dict[str, Any]]:
    """The passages of a knowledge base that answer a query, best first; an empty array where nothing has been read yet."""
    assert target is not None, "a body that is valid names a knowledge base, which was looked at before"
    most = app.settings.limits.max_query_chars
    if len(body.query) > most:
        raise ValidationFailed.of_field("query", "too_long", f"A query has at most {most:,} characters.")
    asked = QueryRequest(
        text=body.query, top_k=body.top_k, source_tokens=tokens, readable=caller.readable, request_id=request_id.get()
    )
    found = await in_turn(request, lambda: app.knowledge_bases.query(asked, target))
    response.headers["X-Score"] = found.judge or "confidence"
    return [
        {
            "chunk_text": hit.passage.content,
            "score": hit.score,
            "document_id": hit.passage.doc_id,
            "filename": hit.passage.source,
            "chunk_index": hit.passage.ordinal,
        }
        for hit in found.hits
    ]
