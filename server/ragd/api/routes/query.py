"""Questions to passages."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from ragd.api.common import Core, collection_available
from ragd.api.responses import explained_response, query_response
from ragd.api.schemas.query import QueryAnswer, QueryBody
from ragd.api.source_tokens import SourceTokens
from ragd.core.logs import request_id

router = APIRouter(tags=["query"])


@router.post(
    "/api/query",
    response_model=QueryAnswer,
    response_model_exclude_unset=True,
    dependencies=[Depends(collection_available)],
)
def query(body: QueryBody, core: Core, tokens: SourceTokens) -> dict[str, Any]:
    """Find the passages that answer a question, with citations and a context for a model."""
    found = core.query(
        body.query,
        collection=body.collection,
        top_k=body.top_k,
        strategy=body.strategy,
        rerank=body.rerank is not False,
        filters=body.filters,
        prefer=body.prefer,
        history=body.history,
        max_context_tokens=body.max_context_tokens,
        request_id=request_id.get(),
        evaluation=body.evaluation,
        tokens=tokens,
    )
    return query_response(found) | (explained_response(found) if body.explain else {})
