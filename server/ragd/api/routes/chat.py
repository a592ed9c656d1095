"""Questions to answers in words: written here, as server-sent events, or by a model of the client's own, from our messages."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from ragd.answer.answerer import Delta
from ragd.answer.phrases import phrase
from ragd.answer.prompt import Prompt
from ragd.answer.responses import answer_response, citation_response, explained_response, query_response, support_response
from ragd.api.answer_stream import BegunAnswer, answering
from ragd.api.common import Access, App, CallerOf, Life, SourceTokens, collection_available, in_turn
from ragd.api.description import event_stream
from ragd.api.errors import failure_response
from ragd.api.schemas.chat import AnswerVerifyBody, ChatBody, ChatEvents, PromptAnswer, PromptBody, VerifiedAnswer
from ragd.core.results import Answer
from ragd.retrieve.pipeline import QueryResult

router = APIRouter(tags=["chat"])


async def _begun(
    request: Request, body: ChatBody, app: App, tokens: SourceTokens, caller: CallerOf
) -> AsyncIterator[tuple[ChatBody, BegunAnswer]]:
    async with answering(request, app, body.request(tokens, caller.readable)) as begun:
        yield body, begun


@router.post(
    "/api/chat",
    response_class=EventSourceResponse,
    responses=event_stream(ChatEvents, "Any failure before the first event"),
    dependencies=[Depends(collection_available)],
)
async def chat(
    request: Request, begun: Annotated[tuple[ChatBody, BegunAnswer], Depends(_begun)], life: Life
) -> AsyncIterable[ServerSentEvent]:
    """The event `retrieval` is the answer of `/api/query`; then `delta` with `text`, piece by piece, and `done` with all of it.

    A failure midway is the event `error`, in the shape of every error.
    """
    body, answer = begun
    result = answer.result
    yield ServerSentEvent(data=query_response(result) | (explained_response(result) if body.explain else {}), event="retrieval")
    async for piece in answer.pieces(life):
        match piece:
            case Delta(text):
                yield ServerSentEvent(data={"text": text}, event="delta")
            case Answer():
                yield ServerSentEvent(data=answer_response(piece, result.trace_id), event="done")
            case _:
                yield ServerSentEvent(data=json.loads(bytes(failure_response(piece, request.scope).body)), event="error")


@router.post(
    "/api/prompt",
    response_model=PromptAnswer,
    response_model_exclude_unset=True,
    dependencies=[Depends(collection_available)],
)
async def prompt(request: Request, body: PromptBody, app: App, tokens: SourceTokens, caller: CallerOf) -> dict[str, Any]:
    """Find the passages that answer a question, and build the messages that a model of the client should get.

    Send the model's answer to `/api/answers/verify` with the citations that are `given`. Where the model counts more tokens than
    it takes, ask again with a smaller `max_tokens`.
    """
    result, built = await in_turn(request, lambda: app.search.prompt(body.request(tokens, caller.readable)))
    return _prompt_response(result, built) | (explained_response(result) if body.explain else {})


@router.post("/api/answers/verify", response_model=VerifiedAnswer, response_model_exclude_unset=True)
async def verify_answer(request: Request, body: AnswerVerifyBody, app: App, access: Access) -> dict[str, Any]:
    """Check an answer as `/api/chat` checks its own: references to what was not given are taken out, each sentence is judged.

    `citations` are all that the model was given, with the `chunk_ids` of each (or its one `chunk_id`).
    """
    given = [(citation.id, citation.chunk_ids) for citation in body.citations]
    return _verified_response(await in_turn(request, lambda: app.answer_check.check(body.answer, given, access.readable)))


def _prompt_response(result: QueryResult, prompt: Prompt) -> dict[str, Any]:
    """The answer of `POST /api/prompt`."""
    return query_response(result) | {
        "messages": [{"role": message.role, "text": message.text} for message in prompt.messages],
        "tokens": prompt.tokens,
        "given": [citation.id for citation in prompt.citations],
        "attachments": list(prompt.attachments),
        "turns_left_out": prompt.turns_left_out,
        "not_found": phrase("not_found", result.plan),
    }


def _verified_response(verified: Answer) -> dict[str, Any]:
    """The answer of `POST /api/answers/verify`."""
    return {
        "answer": verified.text,
        "found": verified.found,
        "removed_citations": verified.removed_citations,
        "support": support_response(verified.text, verified.support),
        "citations": [citation_response(citation) for citation in verified.citations],
    }
