"""Questions to passages."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request

from ragd.answer.responses import explained_response, query_response
from ragd.api.common import Access, App, CallerOf, SourceTokens, collection_available, in_turn
from ragd.api.schemas.query import QueryAnswer, QuestionBody
from ragd.retrieve.pipeline import QueryResult

router = APIRouter(tags=["query"])


@router.post(
    "/api/query",
    response_model=QueryAnswer,
    response_model_exclude_unset=True,
    dependencies=[Depends(collection_available)],
)
async def query(
    request: Request, body: QuestionBody, app: App, tokens: SourceTokens, access: Access, caller: CallerOf
) -> dict[str, Any]:
    """Find the passages that answer a question, with citations and a context for a model; or those that a picture is about."""
    told: dict[str, Any] = {}

    def asked() -> QueryResult:
        made = body.request(tokens, caller.readable)
        if body.image:
            made, told["picture"] = app.picture_questions.asked(made, body.image.content(), body.image.asset_id, access)
        return app.search.query(made, highlighted=True)

    found = await in_turn(request, asked)
    return query_response(found) | told | (explained_response(found) if body.explain else {})
