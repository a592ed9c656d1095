"""Chat completions: the collection that is named as the model answers the last message, with citations."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from ragd.answer.answerer import Delta
from ragd.answer.responses import citation_response
from ragd.api.answer_stream import BegunAnswer, answering
from ragd.api.common import App, CallerOf, Life, SourceTokens
from ragd.api.description import COMPLETIONS
from ragd.api.errors import failure_response
from ragd.api.routes.openai import FAILURES, TAG
from ragd.api.schemas.openai import ChatCompletion, ChatCompletionBody, ChatCompletionChunk, OpenAiMessage
from ragd.app.container import Application
from ragd.core.errors import ServiceUnavailable, ValidationFailed
from ragd.core.logs import request_id
from ragd.core.query import ChatRequest, Turn
from ragd.core.results import Answer, Citation
from ragd.retrieve.filters import parse_filters
from ragd.retrieve.history import MAX_TURN_CHARS, MAX_TURNS

router = APIRouter(tags=[TAG], responses=FAILURES)

_MARK: Final = re.compile(r"\[(\d{1,3})\]")
# What `_listed` puts below an answer, as it comes back in the history of the next question.
_LISTED: Final = re.compile(r"\n\n---\n(?:\[\d{1,3}\] [^\n]*(?:\n|\Z))+\Z")
_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/event-stream": {"itemSchema": {"$ref": f"#/components/schemas/{ChatCompletionChunk.__name__}"}}}}
}
_NO_RULES: Final = (
    "System messages are left out of account: the rules of answers are those of the daemon's config/prompts/answer.md."
)


async def _model_available(request: Request, app: App) -> None:
    """The collection that the body names as its model, if it names one, must exist and be enabled."""
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        return
    named = body.get("model") if isinstance(body, dict) else None
    if isinstance(named, str):
        await run_in_threadpool(app.collections.available, named)


async def _begun(
    request: Request, body: ChatCompletionBody, app: App, tokens: SourceTokens, caller: CallerOf
) -> AsyncIterator[tuple[ChatCompletionBody, BegunAnswer]]:
    body.require_supported()
    spoken = [message for message in body.messages if message.role in ("user", "assistant")]
    if not spoken or spoken[-1].role != "user":
        raise ValidationFailed.of_field("messages", "no_question", "The last message must be the user's: it is the question.")
    asked = ChatRequest(
        text=spoken[-1].text,
        collection=body.model,
        top_k=body.top_k,
        filters=parse_filters(body.filters),
        history=_turns(spoken[:-1]),
        request_id=request_id.get(),
        source_tokens=tokens,
        readable=caller.readable,
    )
    async with answering(request, app, asked) as begun:
        yield body, begun


@router.post(
    COMPLETIONS,
    response_model=ChatCompletion,
    response_model_exclude_unset=True,
    responses=_STREAM,
    dependencies=[Depends(_model_available)],
    operation_id="openai_chat_completions",
)
async def chat_completions(
    request: Request, begun: Annotated[tuple[ChatCompletionBody, BegunAnswer], Depends(_begun)], app: App, life: Life
) -> Any:
    """Answer the last message from the passages of a collection; with `stream`, as server-sent events, the last one `[DONE]`."""
    body, answer = begun
    completion = _Completion(app, body, answer)
    if body.stream:
        return StreamingResponse(completion.events(request, life), media_type="text/event-stream")
    async for piece in answer.pieces(life, request.is_disconnected):
        match piece:
            case Answer():
                return await run_in_threadpool(completion.whole, piece)
            case Exception():
                raise piece
    raise ServiceUnavailable("The answer was called off: the daemon is stopping.")


class _Completion:
    """One answer in OpenAI's shapes."""

    def __init__(self, app: Application, body: ChatCompletionBody, begun: BegunAnswer) -> None:
        self._app = app
        self._body = body
        self._begun = begun
        self._head = {"id": f"chatcmpl-{begun.result.trace_id}", "created": round(time.time()), "model": body.model}

    def whole(self, answer: Answer) -> dict[str, Any]:
        message = {
            "role": "assistant",
            "content": answer.text + _listed(answer.citations),
            "refusal": None,
            "annotations": _annotations(answer),
        }
        choice = {"index": 0, "message": message, "finish_reason": _finish(answer), "logprobs": None}
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [choice],
            "usage": self._usage(answer),
            **self._own_fields(answer),
        }

    async def events(self, request: Request, life: Life) -> AsyncIterator[str]:
        yield self._chunk({"role": "assistant", "content": ""})
        async for piece in self._begun.pieces(life):
            match piece:
                case Delta(text):
                    yield self._chunk({"content": text})
                case Answer():
                    if listed := _listed(piece.citations):
                        yield self._chunk({"content": listed})
                    yield self._chunk({"annotations": _annotations(piece)}, _finish(piece), **self._own_fields(piece))
                    if self._body.stream_options and self._body.stream_options.include_usage:
                        usage = await run_in_threadpool(self._usage, piece)
                        yield _event({**self._head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
                case _:
                    yield _event(json.loads(bytes(failure_response(piece, request.scope).body)))
        yield "data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any], finish: str | None = None, **own: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({**self._head, "object": "chat.completion.chunk", "choices": [choice], **own})

    def _own_fields(self, answer: Answer) -> dict[str, Any]:
        rules = [_NO_RULES] if any(message.role in ("system", "developer") for message in self._body.messages) else []
        return {
            "citations": [citation_response(citation) for citation in answer.citations],
            "found": answer.found,
            "warnings": [*rules, *self._begun.result.warnings, *answer.warnings],
        }

    def _usage(self, answer: Answer) -> dict[str, int]:
        count = self._app.models.count_tokens
        asked = answer.usage.get("input_tokens")
        said = answer.usage.get("output_tokens")
        asked = sum(count(message.text) for message in self._body.messages) if asked is None else asked
        said = count(answer.text) if said is None else said
        return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _turns(messages: Sequence[OpenAiMessage]) -> tuple[Turn, ...]:
    """The newest turns that a question may have, without the lists of citations below our own answers."""
    # `messages` are of users and assistants alone.
    turns = [Turn(message.role, _LISTED.sub("", message.text)[:MAX_TURN_CHARS]) for message in messages]  # type: ignore[arg-type]
    return tuple([turn for turn in turns if turn.text.strip()][-MAX_TURNS:])


def _listed(citations: Sequence[Citation]) -> str:
    """What the marks of an answer stand for, for people: it goes below the answer."""
    lines = [f"[{citation.id}] {citation.passage.reference}" for citation in citations]
    return "\n\n---\n" + "\n".join(" ".join(line.split()) for line in lines) if lines else ""


def _annotations(answer: Answer) -> list[dict[str, Any]]:
    by_id = {citation.id: citation.passage for citation in answer.citations}
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": mark.start(),
                "end_index": mark.end(),
                "title": by_id[int(mark[1])].title,
                "url": by_id[int(mark[1])].source_uri,
            },
        }
        for mark in _MARK.finditer(answer.text)
        if int(mark[1]) in by_id
    ]


def _finish(answer: Answer) -> str:
    return "stop" if answer.finish == "complete" else "length"


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
