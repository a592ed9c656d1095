"""The middleware itself: Host, Origin, token, sizes, request ids; before anything else sees a request."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.access.authentication import Authenticator
from ragd.api.application import create_api
from ragd.api.lifecycle import Lifecycle
from ragd.api.middleware.security import MAX_OPEN_REQUESTS, MAX_STREAMS, AuthMiddleware
from ragd.app.container import Application
from ragd.config.service import LimitsSettings

from .conftest import TOKEN, URL

FOREIGN_HOSTS = [
    b"evil.com",
    b"127.0.0.1.evil.com",
    b"127.0.0.1.evil.com:8765",
    b"localhost@evil.com",
    b"localhost:8765@evil.com",
    b"localhost.",
    b"",
    b"a/?x=",
    b"localhost/?x=",
    b"localhost:8765/?x=",
    b"127.0.0.1:",
    b"127.0.0.1:8765:1",
    b"127.0.0.1:999999",
    b"127.0.0.1\n",
    b" 127.0.0.1",
    b"127.0.0.2",
    b"0.0.0.0",
    b"2130706433",
    b"[::1",
    b"::1",
    b"[::ffff:127.0.0.1]",
    b"\xff",
]


def call(
    api: Any,
    path: str = "/api/status",
    *,
    method: str = "GET",
    headers: list[tuple[bytes, bytes]] | None = None,
    body: list[bytes] | None = None,
) -> tuple[int, Mapping[bytes, bytes], bytes]:
    """One request as raw ASGI, so that headers are sent exactly as written. Gives status, headers, body."""
    pieces = list(body or [b""])
    sent: list[dict[str, Any]] = []
    begun = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not pieces:
            await begun.wait()  # the client goes once the answer has begun
            return {"type": "http.disconnect"}
        piece = pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        begun.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers or [],
        "server": ("127.0.0.1", 8765),
        "client": ("127.0.0.1", 1),
    }
    asyncio.run(api(scope, receive, send))
    whole = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], dict(sent[0]["headers"]), whole


def allowed(*more: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"127.0.0.1:8765"), (b"authorization", f"Bearer {TOKEN}".encode()), *more]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("path", ["/health", "/api/status"])
def test_a_foreign_host_is_refused_even_with_the_token(app: Application, host: bytes, path: str) -> None:
    headers = [(b"host", host), (b"authorization", f"Bearer {TOKEN}".encode())]
    status, _, body = call(create_api(app, token=TOKEN), path, headers=headers)
    assert status == 403
    assert b"FORBIDDEN_HOST" in body


def test_two_host_headers_and_none_are_refused(app: Application) -> None:
    api = create_api(app, token=TOKEN)
    assert call(api, headers=allowed((b"host", b"127.0.0.1:8765")))[0] == 403
    assert call(api, "/health", headers=[])[0] == 403


@pytest.mark.parametrize("host", [b"127.0.0.1", b"localhost:1", b"LOCALHOST:8765", b"[::1]", b"[::1]:8765", b"127.0.0.1:65535"])
def test_the_names_of_this_machine_are_accepted_with_any_port(app: Application, host: bytes) -> None:
    assert call(create_api(app, token=TOKEN), "/health", headers=[(b"host", host)])[0] == 200


@pytest.mark.parametrize(
    "origin",
    [
        b"https://evil.com",
        b"null",
        b"",
        b"http://127.0.0.1:9999",
        b"https://127.0.0.1:8765",
        b"http://127.0.0.1:8765.evil.com",
        b"http://localhost",
        b"vscode-webview://x",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_a_foreign_origin_is_refused_with_every_method(app: Application, origin: bytes, method: str) -> None:
    status, _, body = call(create_api(app, token=TOKEN), method=method, headers=allowed((b"origin", origin)))
    assert status == 403
    assert b"FORBIDDEN_ORIGIN" in body


@pytest.mark.parametrize("origin", [b"http://127.0.0.1:8765", b"http://localhost:8765"])
def test_the_daemons_own_origin_is_accepted(app: Application, origin: bytes) -> None:
    assert call(create_api(app, token=TOKEN), headers=allowed((b"origin", origin)))[0] == 200


def test_one_foreign_origin_beside_an_own_one_is_refused(app: Application) -> None:
    headers = allowed((b"origin", b"http://localhost:8765"), (b"origin", b"https://evil.com"))
    assert call(create_api(app, token=TOKEN), headers=headers)[0] == 403


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer wrong",
        f"Bearer {TOKEN}x".encode(),
        f"Bearer {TOKEN} x".encode(),
        f"Basic {TOKEN}".encode(),
        TOKEN.encode(),
        b"Bearer \xff\xfe",
    ],
)
@pytest.mark.parametrize("path", ["/api/status", "/api/health", "/docs", "/openapi.json", "/nothing", "/health/"])
def test_a_wrong_token_is_refused_everywhere(app: Application, value: bytes, path: str) -> None:
    headers = [(b"host", b"127.0.0.1"), (b"authorization", value)]
    status, answer, body = call(create_api(app, token=TOKEN), path, headers=headers)
    assert status == 401
    assert b"UNAUTHORIZED" in body
    assert answer[b"www-authenticate"] == b"Bearer"
    assert TOKEN.encode() not in body


def test_a_missing_or_repeated_token_is_refused(app: Application) -> None:
    api = create_api(app, token=TOKEN)
    assert call(api, headers=[(b"host", b"localhost")])[0] == 401
    assert call(api, headers=allowed((b"authorization", f"Bearer {TOKEN}".encode())))[0] == 401


def test_host_is_checked_before_origin_and_origin_before_token(app: Application) -> None:
    api = create_api(app, token=TOKEN)
    _, _, body = call(api, headers=[(b"host", b"evil.com"), (b"origin", b"https://evil.com")])
    assert b"FORBIDDEN_HOST" in body
    _, _, body = call(api, headers=[(b"host", b"localhost"), (b"origin", b"https://evil.com")])
    assert b"FORBIDDEN_ORIGIN" in body


def test_every_answer_has_a_request_id_of_our_own(client: TestClient) -> None:
    answer = client.get("/nothing", headers={"X-Request-ID": "mine"})
    given = answer.headers["X-Request-ID"]
    assert uuid.UUID(given).version == 4
    assert answer.json()["error"]["request_id"] == given
    assert client.get("/health").headers["X-Request-ID"] != given


def test_answers_are_not_cached_or_sniffed(client: TestClient) -> None:
    answer = client.get("/health")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_body_that_says_it_is_too_large_is_refused_unread(app: Application) -> None:
    limit = app.settings.limits.max_body_size
    headers = allowed((b"content-type", b"application/json"), (b"content-length", str(limit + 1).encode()))
    status, _, body = call(create_api(app, token=TOKEN), "/api/query", method="POST", headers=headers)
    assert status == 413
    assert b"PAYLOAD_TOO_LARGE" in body


@pytest.mark.parametrize("path", ["/api/query", "/api/ingest"])
def test_a_body_that_grows_too_large_while_it_streams_is_refused(app: Application, path: str) -> None:
    pieces = [b" " * 65536] * (app.settings.limits.max_body_size // 65536 + 1)
    headers = allowed((b"content-type", b"application/json"), (b"transfer-encoding", b"chunked"))
    status, _, body = call(create_api(app, token=TOKEN), path, method="POST", headers=headers, body=pieces)
    assert status == 413
    assert b"PAYLOAD_TOO_LARGE" in body


def test_the_limit_of_uploads_is_not_lent_to_other_addresses(app: Application) -> None:
    length = str(app.settings.limits.max_body_size + 1).encode()
    headers = allowed((b"content-type", b"multipart/form-data; boundary=x"), (b"content-length", length))
    assert call(create_api(app, token=TOKEN), "/api/query", method="POST", headers=headers)[0] == 413


def test_until_the_daemon_is_ready_only_health_answers(app: Application) -> None:
    lifecycle = Lifecycle()
    api = create_api(app, token=TOKEN, lifecycle=lifecycle)
    assert call(api, "/health", headers=allowed())[0] == 200
    status, headers, body = call(api, headers=allowed())
    assert (status, b"retry-after" in headers) == (503, True)
    assert b"SERVICE_UNAVAILABLE" in body
    assert call(api, headers=[(b"host", b"localhost")])[0] == 401
    lifecycle.ready.set()
    assert call(api, headers=allowed())[0] == 200
    lifecycle.stopping.set()
    assert call(api, headers=allowed())[0] == 503


@pytest.mark.parametrize(
    ("open_", "count", "further", "status"),
    [
        (("GET", "/api/documents"), MAX_OPEN_REQUESTS, ("GET", "/api/status"), 503),
        (("POST", "/api/query"), MAX_OPEN_REQUESTS, ("POST", "/api/prompt"), 503),
        (("POST", "/api/chat"), MAX_OPEN_REQUESTS, ("POST", "/api/chat"), 503),
        (("POST", "/api/chat"), MAX_OPEN_REQUESTS, ("POST", "/api/query"), 200),
        (("GET", "/api/events"), MAX_STREAMS, ("GET", "/api/jobs/1/events"), 503),
        (("POST", "/api/query"), MAX_OPEN_REQUESTS, ("GET", "/api/status"), 200),
        (("GET", "/api/events"), MAX_STREAMS, ("GET", "/api/status"), 200),
        (("GET", "/api/events"), MAX_STREAMS, ("POST", "/api/query"), 200),
    ],
)
def test_beyond_the_bound_of_requests_of_a_kind_clients_are_told_to_come_back(
    open_: tuple[str, str], count: int, further: tuple[str, str], status: int
) -> None:
    lifecycle = Lifecycle()
    lifecycle.ready.set()

    async def scenario() -> list[int]:
        release = asyncio.Event()
        statuses: list[int] = []

        async def slow(_scope: Any, _receive: Any, send: Any) -> None:
            await release.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b""}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        middleware = AuthMiddleware(slow, callers=Authenticator(TOKEN), lifecycle=lifecycle, limits=LimitsSettings())

        async def ask(method: str, path: str) -> None:
            head = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": allowed()}
            await middleware({**head, "server": ("127.0.0.1", 8765)}, receive, send)

        waiting = [asyncio.create_task(ask(*open_)) for _ in range(count)]
        await asyncio.sleep(0)
        last = asyncio.create_task(ask(*further))
        await asyncio.sleep(0)
        release.set()
        await asyncio.gather(last, *waiting)
        await ask(*further)
        return statuses

    statuses = asyncio.run(scenario())
    # A refusal is written at once, an answer after those that came before.
    assert statuses.pop(0 if status == 503 else count) == status
    assert statuses == [200] * (count + 1)


def test_websockets_are_closed(app: Application) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    lifecycle = Lifecycle()
    middleware = AuthMiddleware(
        create_api(app, token=TOKEN), callers=Authenticator(TOKEN), lifecycle=lifecycle, limits=app.settings.limits
    )
    asyncio.run(middleware({"type": "websocket", "path": "/", "headers": allowed()}, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_a_failure_inside_tells_nothing_of_the_inside(app: Application, caplog: pytest.LogCaptureFixture) -> None:
    api = create_api(app, token=TOKEN)

    @api.get("/fails")
    def fails() -> None:
        raise RuntimeError("secret detail")

    with TestClient(api, base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        answer = client.get("/fails")
    assert answer.status_code == 500
    error = answer.json()["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert "secret" not in answer.text
    failure = next(record for record in caplog.records if record.getMessage() == "request failed")
    assert failure.exc_info
    assert "secret detail" in str(failure.exc_info[1])


def test_each_request_is_logged_without_its_query_string_or_token(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "ragd"):
        client.get("/api/documents?collection=very-private")
    line = next(record for record in caplog.records if record.getMessage() == "request")
    assert (line.__dict__["method"], line.__dict__["path"], line.__dict__["status"]) == ("GET", "/api/documents", 404)
    told = "".join(str(record.__dict__) for record in caplog.records if record.name.startswith("ragd"))
    assert TOKEN not in told
    assert "very-private" not in str(line.__dict__)


def test_the_events_of_a_job_end_when_the_client_leaves(app: Application) -> None:
    job = app.reconciler.rebuild()  # nothing runs it: it stays queued
    status, _, body = call(create_api(app, token=TOKEN), f"/api/jobs/{job.job_id}/events", headers=allowed())
    assert status == 200
    assert b"event: end" not in body
