"""Questions to answers in words: written here, as server-sent events, or by a model of the client's own, from our messages.

The core is synchronous: a thread reads the answer, and a coroutine hands on what comes. A client that goes away ends the
request, which cancels the answer, and so the request to the language model.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
import threading
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from ragd.answer.answerer import Delta
from ragd.answer.cancellation import Cancellation
from ragd.answer.phrases import phrase
from ragd.answer.prompt import Prompt
from ragd.api.common import App, Life, SourceTokens, collection_available, in_turn
from ragd.api.description import event_stream
from ragd.api.errors import failure_response
from ragd.api.lifecycle import Lifecycle
from ragd.api.responses import citation_response, explained_response, named, query_response
from ragd.api.schemas.chat import AnswerVerifyBody, ChatBody, ChatEvents, PromptAnswer, PromptBody, VerifiedAnswer
from ragd.core.results import Answer, Support
from ragd.retrieve.pipeline import QueryResult

router = APIRouter(tags=["chat"])

_Piece = Delta | Answer | Exception | None
"""What a thread reads of an answer; None at the end."""

# Seconds between two looks whether the daemon is to stop, while the language model is silent.
_LOOK_EVERY: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Begun:
    """A question whose passages are found, and whose answer is about to be made."""

    retrieval: dict[str, Any]
    result: QueryResult
    pieces: Iterator[Delta | Answer]
    cancellation: Cancellation


async def _begun(request: Request, body: ChatBody, app: App, tokens: SourceTokens) -> _Begun:
    """What can go wrong before the first event goes wrong here, and is reported as any other error."""
    cancellation = Cancellation()
    result, pieces = await in_turn(request, lambda: app.search.chat(body.request(tokens), cancellation))
    why = explained_response(result) if body.explain else {}
    return _Begun(query_response(result) | why, result, pieces, cancellation)


async def _until_answered(begun: Annotated[_Begun, Depends(_begun)]) -> AsyncIterator[_Begun]:
    """Ends the work with the request. The stream's own `finally` does not: a client can go while it rests at a `yield`."""
    try:
        yield begun
    finally:
        begun.cancellation.cancel()


@router.post(
    "/api/chat",
    response_class=EventSourceResponse,
    responses=event_stream(ChatEvents, "Any failure before the first event"),
    dependencies=[Depends(collection_available)],
)
async def chat(
    request: Request, begun: Annotated[_Begun, Depends(_until_answered)], life: Life
) -> AsyncIterable[ServerSentEvent]:
    """The event `retrieval` is the answer of `/api/query`; then `delta` with `text`, piece by piece, and `done` with all of it.

    A failure midway is the event `error`, in the shape of every error.
    """
    coming: asyncio.Queue[_Piece] = asyncio.Queue()
    context = contextvars.copy_context()
    reader = threading.Thread(
        target=context.run, args=(_read, begun.pieces, coming, asyncio.get_running_loop()), name="rag-chat", daemon=True
    )
    reader.start()
    yield ServerSentEvent(data=begun.retrieval, event="retrieval")
    while (piece := await _next(coming, begun.cancellation, life)) is not None:
        match piece:
            case Delta(text):
                yield ServerSentEvent(data={"text": text}, event="delta")
            case Answer():
                yield ServerSentEvent(data=_answer_response(piece, begun.result.trace_id), event="done")
            case _:
                yield ServerSentEvent(data=json.loads(bytes(failure_response(piece, request.scope).body)), event="error")


def _read(pieces: Iterator[Delta | Answer], coming: asyncio.Queue[_Piece], loop: asyncio.AbstractEventLoop) -> None:
    def put(piece: _Piece) -> None:
        # A closed loop has no reader left.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(coming.put_nowait, piece)

    try:
        for piece in pieces:
            put(piece)
    # The response has begun, so the failure can only be an event.
    except Exception as error:  # noqa: BLE001
        put(error)
    put(None)


async def _next(coming: asyncio.Queue[_Piece], cancellation: Cancellation, life: Lifecycle) -> _Piece:
    """What comes next. A daemon that is to stop cancels the answer, which then comes to its end."""
    while True:
        try:
            return await asyncio.wait_for(coming.get(), _LOOK_EVERY)
        except TimeoutError:
            if life.stopping.is_set():
                cancellation.cancel()


@router.post(
    "/api/prompt",
    response_model=PromptAnswer,
    response_model_exclude_unset=True,
    dependencies=[Depends(collection_available)],
)
async def prompt(request: Request, body: PromptBody, app: App, tokens: SourceTokens) -> dict[str, Any]:
    """Find the passages that answer a question, and build the messages that a model of the client should get.

    Send the model's answer to `/api/answers/verify` with the citations that are `given`. Where the model counts more tokens than
    it takes, ask again with a smaller `max_tokens`.
    """
    result, built = await in_turn(request, lambda: app.search.prompt(body.request(tokens)))
    return _prompt_response(result, built) | (explained_response(result) if body.explain else {})


@router.post("/api/answers/verify", response_model=VerifiedAnswer, response_model_exclude_unset=True)
async def verify_answer(request: Request, body: AnswerVerifyBody, app: App, tokens: SourceTokens) -> dict[str, Any]:
    """Check an answer as `/api/chat` checks its own: references to what was not given are taken out, each sentence is judged.

    `citations` are all that the model was given, with the `chunk_ids` of each (or its one `chunk_id`).
    """
    given = [(citation.id, citation.chunk_ids) for citation in body.citations]
    readable = app.access.context(tokens).readable
    return _verified_response(await in_turn(request, lambda: app.answer_check.check(body.answer, given, readable)))


def _answer_response(answer: Answer, trace_id: str) -> dict[str, Any]:
    """The event `done` of `POST /api/chat`. `start` and `end` of a checked sentence are characters (code points) of `answer`."""
    return {
        "trace_id": trace_id,
        "answer": answer.text,
        **named(answer, "provider", "model", "found", "removed_citations", "finish"),
        "citations": [citation_response(citation) for citation in answer.citations],
        "support": _support_response(answer.text, answer.support),
        "usage": dict(answer.usage),
        "degraded": list(answer.degraded),
        "warnings": list(answer.warnings),
    }


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
        "support": _support_response(verified.text, verified.support),
        "citations": [citation_response(citation) for citation in verified.citations],
    }


def _support_response(text: str, support: Sequence[Support]) -> list[dict[str, Any]]:
    return [
        {
            **named(item, "start", "end", "score", "supported"),
            "text": text[item.start : item.end],
            "citations": list(item.citations),
        }
        for item in support
    ]
