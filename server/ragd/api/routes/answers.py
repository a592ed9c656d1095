"""Answers that were written elsewhere, from passages of ours."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from ragd.api.common import App
from ragd.api.responses import verified_response
from ragd.api.schemas.chat import AnswerVerifyBody, VerifiedAnswer
from ragd.api.source_tokens import SourceTokens

router = APIRouter(prefix="/api/answers", tags=["chat"])


@router.post("/verify", response_model=VerifiedAnswer, response_model_exclude_unset=True)
def verify_answer(body: AnswerVerifyBody, app: App, tokens: SourceTokens) -> dict[str, Any]:
    """Check an answer as `/api/chat` checks its own: references to what was not given are taken out, each sentence is judged.

    `citations` are all that the model was given, with the `chunk_ids` of each (or its one `chunk_id`).
    """
    given = [(citation.id, citation.chunk_ids) for citation in body.citations]
    return verified_response(app.answer_check.check(body.answer, given, app.access.context(tokens).readable))
