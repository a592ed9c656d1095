"""What routes share: the app behind them, paging, the user's tokens, and the checks that come before a request's own validity."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Annotated, Any, Final, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Query, Request
from fastapi.sse import ServerSentEvent
from starlette.concurrency import run_in_threadpool

from ragd.access.callers import NOBODY, Caller
from ragd.access.context import AccessContext
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.headers import CALLER, SOURCE_TOKEN
from ragd.app.container import Application
from ragd.core.errors import ServiceUnavailable, ValidationFailed

Answered = TypeVar("Answered")


async def _application(request: Request) -> Application:
    application: Application = request.app.state.application
    return application


async def _lifecycle(request: Request) -> Lifecycle:
    lifecycle: Lifecycle = request.app.state.lifecycle
    return lifecycle


STREAM_END: Final = ServerSentEvent(data={"reason": "The daemon is about to stop."}, event="stopping")
"""The last event of a stream that ends though more could come."""

App = Annotated[Application, Depends(_application)]
Life = Annotated[Lifecycle, Depends(_lifecycle)]


@dataclass(frozen=True, slots=True)
class _Paging:
    """Which page of a list is wanted."""

    page: int
    page_size: int

    def of(self, items: Sequence[Answered]) -> Sequence[Answered]:
        """The page of a list that is there whole."""
        return items[(self.page - 1) * self.page_size : self.page * self.page_size]

    def answer(self, items: Sequence[Any], total: int) -> dict[str, Any]:
        """One page in the shape of every list."""
        return {"items": list(items), "total": total, "page": self.page, "page_size": self.page_size}


async def _paging(
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1, page_size: Annotated[int, Query(ge=1, le=100)] = 20
) -> _Paging:
    return _Paging(page, page_size)


Pages = Annotated[_Paging, Depends(_paging)]


async def _source_tokens(request: Request) -> Mapping[str, str]:
    tokens: dict[str, str] = {}
    for value in (one for line in request.headers.getlist(SOURCE_TOKEN) for one in line.split(",")):
        source_id, sign, token = value.partition("=")
        if not sign or not source_id.strip() or not token.strip():
            message = f"{SOURCE_TOKEN} must be '<source id>=<token>'; repeat the header for several sources."
            raise ValidationFailed.of_field(SOURCE_TOKEN, "invalid", message)
        tokens[source_id.strip()] = token.strip()
    return tokens


def media_type(request: Request) -> str:
    """What the request says its body is, in small letters and without parameters, as FastAPI reads it."""
    message = Message()
    message["content-type"] = request.headers.get("content-type", "")
    return message.get_content_type()


async def json_body(request: Request) -> Any:
    """The request's body as JSON; None for any other, and for one that is broken, which is reported later."""
    main, _, sub = media_type(request).partition("/")
    # Exactly when a route takes it for JSON: who may ask is decided by this reading of it.
    if main != "application" or not (sub == "json" or sub.endswith("+json")):
        return None
    try:
        return await request.json()
    except (ValueError, RecursionError):
        return None


def caller_of(request: Request) -> Caller:
    """Who asks; nobody in particular where nothing had to be shown."""
    caller: Caller = request.scope.get(CALLER, NOBODY)
    return caller


def author_of(caller: Caller) -> str:
    """By what name it is kept what somebody says or changes."""
    return _user() if caller.kind == "local" else caller.name or caller.id


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without a name for its user
        return "local"


async def _caller(request: Request) -> Caller:
    return caller_of(request)


CallerOf = Annotated[Caller, Depends(_caller)]

SourceTokens = Annotated[Mapping[str, str], Depends(_source_tokens)]
"""source id -> the asking user's token, as this request brought them. They never stand in an address, a log, a trace or an error.

In one header several stand with commas between them: clients join repeated headers (RFC 9110, 5.3), and no token has a comma.
"""


async def _access(app: App, tokens: SourceTokens, caller: CallerOf) -> AccessContext:
    return app.access.context(tokens, caller.readable)


Access = Annotated[AccessContext, Depends(_access)]
"""What the user of this request may see."""

# Questions that are answered at the same time. More would only share the processor; the framework has 40 threads in all, and the
# rest of them is for those who look at what is there.
_questions: Final = CapacityLimiter(16)


async def in_turn(request: Request, work: Callable[[], Answered], among: CapacityLimiter = _questions) -> Answered:
    """What `work` gives, in a thread. Further questions wait, in the order in which they came, `among` those of their kind.

    A question whose client has gone when its turn comes is not asked: a panel that searches while somebody types calls off all
    but the last. Raises `ServiceUnavailable` then, which nobody reads.
    """
    async with among:
        if await request.is_disconnected():
            raise ServiceUnavailable("The client has gone.")
        return await to_thread.run_sync(work, limiter=CapacityLimiter(1))


# Checks run in the order exists, available, permitted, valid. The framework validates a request only after its dependencies
# have run, so these say what does not exist before it says what is wrong with the rest.


async def _named_collections(request: Request) -> list[str]:
    try:
        body = await request.json()
        named = body.get("collection") if isinstance(body, dict) else None
        return [name for name in (named if isinstance(named, list) else [named]) if isinstance(name, str) and name.encode()]
    except (ValueError, RecursionError):
        return []


async def collection_available(request: Request, app: App) -> None:
    """The collections that the body names, if it names any, must exist and be enabled."""
    for name in await _named_collections(request):
        await run_in_threadpool(app.collections.available, name)


async def collection_exists(request: Request, app: App) -> None:
    """The collection that the body names, if it names one, must exist."""
    for name in await _named_collections(request):
        await run_in_threadpool(app.collections.get, name)
