"""What a request must pass before anything else sees it: Host, Origin, credential, rate, readiness, size. Pure ASGI, decides on
raw values. What its caller may do is decided by its route: see `permissions`.

Against DNS rebinding (Ollama before 0.1.29, CVE-2024-28224) the Host header is matched as a whole; `request.url`, which is made
from it (CVE-2026-48710), is never looked at. Against cross-site requests every foreign Origin is refused, whatever the method.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable, Sequence

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragd.access.authentication import Authenticator
from ragd.access.callers import Caller
from ragd.api.errors import error_response, failure_response
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware import dashboard
from ragd.api.middleware.browser import PAGES, BrowserSessions
from ragd.api.middleware.dashboard import DashboardSessions
from ragd.api.middleware.headers import CALLER
from ragd.api.middleware.server_mode import RATE_HEADERS, ServerRules
from ragd.config.service import LimitsSettings
from ragd.core.errors import (
    ForbiddenHost,
    ForbiddenOrigin,
    PayloadTooLarge,
    RagError,
    ServiceUnavailable,
    Unauthorized,
    ValidationFailed,
)
from ragd.core.logs import request_id
from ragd.core.trace_context import HEADER, calling, received

log = logging.getLogger(__name__)

OPEN_PATH = "/health"
"""The one address that needs no token and answers while the daemon is warming up."""

READY_PATH = "/ready"
"""In server mode it needs none either: whoever restarts containers has no key."""

ANSWER_PATHS = {"/api/chat", "/v1/chat/completions"}
EVALUATIONS_PATH = "/api/evaluations"
DATASETS_PATH = "/api/datasets"
AGENTS_PATH = "/mcp"
"""Where agents ask by MCP, when that is on."""

MAX_HEAD_BYTES = 65_536
"""Bytes of a request's address and headers together."""

MAX_HEADERS = 100
MAX_ADDRESS_BYTES = 16_384

ON_AUTHENTICATED = "ragd.authenticated"
"""The ASGI extension by which a server learns that a request showed the token: `{"call": function}` in the scope."""

MAX_OPEN_REQUESTS = 128
"""Requests of one kind that are answered at the same time; more get 503. Reading what is there (`GET`) is of another kind than
work: a daemon that is busy with questions still says how it is."""

MAX_STREAMS = 256
"""Open streams of events, which cost next to nothing. Those of agents are bounded by their sessions."""

_SLOTS = {
    "work": MAX_OPEN_REQUESTS,
    "answer": MAX_OPEN_REQUESTS,
    "reading": MAX_OPEN_REQUESTS,
    "stream": MAX_STREAMS,
    "agent": 2 * MAX_STREAMS,
}

_LOOK_UPS = 4
"""Threads that find out who asks."""

_UPLOADS = re.compile(r"/api/ingest|/knowledge_bases/[^/]+/documents")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_BEARER = re.compile(rb"bearer +([\x21-\x7e]+)", re.IGNORECASE)
_CLIENT_LEFT = 499

NO_ROUTE = "none"
"""Stands in metrics for the route of a request that was refused before any was chosen, or that none serves."""
# Others could be invented without end, and each would be a time series of its own.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class AuthMiddleware:
    """The outermost layer. Gives each request its id, checks it, limits its body, and logs one line when it is done."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        callers: Authenticator,
        lifecycle: Lifecycle,
        limits: LimitsSettings,
        browser: BrowserSessions | None = None,
        pages: DashboardSessions | None = None,
        answered: Callable[[str, str, int, float], None] | None = None,
        server: ServerRules | None = None,
        counted: bool = True,
    ) -> None:
        """`answered` is told method, route, status and seconds of each request. `server` are the rules of server mode, where only
        requests that are `counted` use up their caller's rate."""
        self._app = app
        self._callers = callers
        self._server = server
        self._counted = counted
        self._hosts = _Hosts(server.names if server else ())
        # Not those of the routes, which may all be busy with questions.
        self._look_ups = CapacityLimiter(_LOOK_UPS)
        # A sign-on that is slow to answer holds up nobody's key.
        self._waiting_look_ups = CapacityLimiter(_LOOK_UPS)
        self._lifecycle = lifecycle
        self._limits = limits
        self._answered = answered
        self._browser = browser or BrowserSessions()
        self._pages = pages or DashboardSessions()
        self._open = dict.fromkeys(_SLOTS, 0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        status = 0
        # A client's own X-Request-ID is not taken over: it would let a stranger write into the log.
        ours = str(uuid.uuid4())
        remembered = request_id.set(ours)
        caller = calling.set(received([value.decode("latin-1") for value in _values(scope, HEADER.encode())]))
        kind = _kind(scope)
        self._open[kind] += 1

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = ours
                headers["X-Content-Type-Options"] = "nosniff"
                if self._lifecycle.draining.is_set():
                    headers["Connection"] = "close"
                headers.setdefault("Cache-Control", "no-store")
                for name, value in scope.get(RATE_HEADERS, {}).items():
                    headers[name] = value
            await send(message)

        if self._server:
            self._server.begin(scope)
        try:
            try:
                await self._check(scope, kind)
                limit = self._body_limit(scope)
            except RagError as error:
                await error_response(error, path=scope["path"])(scope, receive, send_marked)
            else:
                await self._app(scope, _counted(receive, limit), send_marked)
        except ClientDisconnect:
            status = _CLIENT_LEFT
        except Exception as error:
            answer = failure_response(error, scope)
            if status:
                raise
            await answer(scope, receive, send_marked)
        finally:
            self._open[kind] -= 1
            taken = time.perf_counter() - started
            shown = {"method": scope["method"], "path": scope["path"], "status": status, "ms": round(taken * 1000, 1)}
            log.info("request", extra=shown)
            if self._answered:
                method = scope["method"] if scope["method"] in _METHODS else "OTHER"
                self._answered(method, getattr(scope.get("route"), "path_format", NO_ROUTE), status, taken)
            if self._server:
                self._server.end(scope, status, taken)
            request_id.reset(remembered)
            calling.reset(caller)

    async def _check(self, scope: Scope, kind: str) -> None:
        _check_head(scope)
        path = scope["path"]
        is_open = path == OPEN_PATH or (self._server is not None and path == READY_PATH)
        # Whoever looks after containers asks by the address of one.
        if not (is_open and self._server):
            self._hosts.check(scope)
        if path == OPEN_PATH:
            return
        if not is_open:
            await self._authenticate(scope)
        if self._lifecycle.stopping.is_set():
            raise ServiceUnavailable("The daemon is stopping. Start it again, or try again when it is back.")
        if not self._lifecycle.ready.is_set():
            raise ServiceUnavailable("The daemon is starting: model and indexes are being opened. Try again in a moment.")
        if self._open[kind] > _SLOTS[kind]:
            raise ServiceUnavailable(f"{_SLOTS[kind]} requests of this kind are being answered already. Try again in a moment.")

    async def _authenticate(self, scope: Scope) -> None:
        """Note the caller in the scope. Raises `Unauthorized`, `RateLimited`, `ServiceUnavailable`."""
        path, shown, cookies = scope["path"], _values(scope, b"authorization"), _values(scope, b"cookie")
        if cookies and not any(shown):
            keys = _values(scope, dashboard.KEY_HEADER.lower().encode())
            session = self._pages.authorization(scope["method"], path, cookies, keys)
            shown = [] if session is None else [session]
        try:
            caller = await self._caller(shown)
        except Unauthorized as error:
            if self._browser.admits(scope["method"], path, cookies) or (scope["method"], path) == ("GET", dashboard.LINK_PATH):
                return
            raise Unauthorized(error.message + _hint(path)) from None
        scope[CALLER] = caller
        if known := scope.get("extensions", {}).get(ON_AUTHENTICATED):
            known["call"]()
        if self._server and self._counted:
            await self._server.count(scope, caller)

    async def _caller(self, shown: list[bytes]) -> Caller:
        match = _BEARER.fullmatch(shown[0]) if len(shown) == 1 else None
        if match is None:
            raise Unauthorized(self._callers.how)
        if (caller := self._callers.known(match[1])) is not None:
            return caller
        limiter = self._waiting_look_ups if self._callers.may_wait(match[1]) else self._look_ups
        return await to_thread.run_sync(self._callers.looked_up, match[1], limiter=limiter)

    def _body_limit(self, scope: Scope) -> int:
        types = _values(scope, b"content-type")
        upload = _UPLOADS.fullmatch(scope["path"]) and any(value.lower().startswith(b"multipart/form-data") for value in types)
        # An evaluation, or a dataset, comes whole, with thousands of questions.
        large = upload or scope["path"] in (EVALUATIONS_PATH, DATASETS_PATH)
        limit = self._limits.max_upload_size if large else self._limits.max_body_size
        for length in _values(scope, b"content-length"):
            if not length.isdigit() or len(length) > 18 or int(length) > limit:
                raise PayloadTooLarge(_too_large(limit))
        return limit


def _counted(receive: Receive, limit: int) -> Receive:
    """Hands the body on until it grows beyond `limit` bytes, whatever its Content-Length said or did not say."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                # The framework lets only its own kind of error through while it reads a body.
                raise HTTPException(413, _too_large(limit))
        return message

    return counted


def _too_large(limit: int) -> str:
    return (
        f"The request's body is larger than {limit:,} bytes. Send less at a time, or raise the limit (limits.* in the settings)."
    )


def _kind(scope: Scope) -> str:
    if scope["method"] not in ("GET", "HEAD"):
        # An answer in words takes a hundred times as long as a query, which it must not crowd out.
        return "answer" if scope["path"] in ANSWER_PATHS else "work"
    if scope["path"] == AGENTS_PATH:
        return "agent"
    return "stream" if scope["path"].endswith("/events") else "reading"


def _hint(path: str) -> str:
    if path in PAGES:
        return " For a browser, `rag docs` gives a link."
    return " For a browser, `rag dashboard` gives a link." if path.startswith(dashboard.PATH) else ""


def _check_head(scope: Scope) -> None:
    address = len(scope["path"]) + len(scope["query_string"])
    headers = scope["headers"]
    if address > MAX_ADDRESS_BYTES:
        raise ValidationFailed(f"The request's address is longer than {MAX_ADDRESS_BYTES:,} bytes.")
    if len(headers) > MAX_HEADERS or address + sum(len(name) + len(value) for name, value in headers) > MAX_HEAD_BYTES:
        raise ValidationFailed(f"A request has at most {MAX_HEADERS} headers, of {MAX_HEAD_BYTES:,} bytes together.")


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


class _Hosts:
    """By which names this service is called, and so from which pages."""

    def __init__(self, names: Sequence[str]) -> None:
        known = "|".join(re.escape(name) for name in (*_LOOPBACK, *names))
        self._names = tuple(names)
        self._host = re.compile(rf"(?:{known})(?::[0-9]{{1,5}})?".encode(), re.IGNORECASE)
        # Behind a proxy that speaks TLS the port is not ours.
        named = "|".join(map(re.escape, names))
        self._origin = re.compile(rf"https?://(?:{named})(?::[0-9]{{1,5}})?".encode(), re.IGNORECASE) if names else None

    def check(self, scope: Scope) -> None:
        """Raises `ForbiddenHost`, `ForbiddenOrigin`."""
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or not self._host.fullmatch(hosts[0]):
            others = f", or one of server.names ({', '.join(self._names)})" if self._names else ""
            message = f"The Host header must be 127.0.0.1, localhost or [::1]{others}. Call the daemon by its own url."
            raise ForbiddenHost(message)
        for origin in _values(scope, b"origin"):
            if origin not in _own_origins(scope) and not (self._origin and self._origin.fullmatch(origin)):
                raise ForbiddenOrigin("Pages of other sites can't call this daemon.")


def _own_origins(scope: Scope) -> set[bytes]:
    _, port = scope["server"]
    return {f"http://{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
