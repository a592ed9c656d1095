"""Questions to passages."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request

from ragd.api.common import App, CallerOf, SourceTokens, collection_available, in_turn
from ragd.api.responses import explained_response, query_response
from ragd.api.schemas.query import QueryAnswer, QueryBody

router = APIRouter(tags=["query"])


@router.post(
    "/api/query",
    response_model=QueryAnswer,
    response_model_exclude_unset=True,
    dependencies=[Depends(collection_available)],
)
async def query(request: Request, body: QueryBody, app: App, tokens: SourceTokens, caller: CallerOf) -> dict[str, Any]:
    """Find the passages that answer a question, with citations and a context for a model."""
    found = await in_turn(request, lambda: app.search.query(body.request(tokens, caller.readable), highlighted=True))
    return query_response(found) | (explained_response(found) if body.explain else {})
