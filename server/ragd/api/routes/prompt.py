"""Questions to the messages for a model of the client's own."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from ragd.api.common import App, collection_available
from ragd.api.responses import explained_response, prompt_response
from ragd.api.schemas.prompt import PromptAnswer, PromptBody
from ragd.api.source_tokens import SourceTokens

router = APIRouter(tags=["chat"])


@router.post(
    "/api/prompt",
    response_model=PromptAnswer,
    response_model_exclude_unset=True,
    dependencies=[Depends(collection_available)],
)
def prompt(body: PromptBody, app: App, tokens: SourceTokens) -> dict[str, Any]:
    """Find the passages that answer a question, and build the messages that a model of the client should get.

    Send the model's answer to `/api/answers/verify` with the citations that are `given`. Where the model counts more tokens than
    it takes, ask again with a smaller `max_tokens`.
    """
    result, built = app.answers.prompt(body.request(tokens))
    return prompt_response(result, built) | (explained_response(result) if body.explain else {})
