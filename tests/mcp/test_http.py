"""`/mcp` of a real daemon: what the official client finds there, and what clients that keep to no rule are told."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client

from .conftest import Served
from .messages import ACCEPT, INITIALIZE, TODAY, Session, call, message, reply, today

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

METHODS = ("POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD")
QUESTION = "How long are snapshots kept?"


@pytest.fixture
def http(served: Served) -> Any:
    with served.rest() as client:
        yield client


# What agents get


def test_the_same_answers_in_every_version_of_the_protocol_as_by_rest(served: Served, http: httpx2.Client) -> None:
    async def all_of(protocol: str) -> tuple[Any, ...]:
        async with served.agent(protocol) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("query_knowledge_hub", {"query": QUESTION, "top_k": 2})
            japanese = await client.call_tool("search_by_keyword", {"query": "経費の精算", "top_k": 1})
            wrong = await client.call_tool("query_knowledge_hub", {"query": ["x"]})
            fields = [result.structured_content["results"] for result in (found, japanese)]
            return client.protocol_version, names, fields, wrong.structured_content["error"]

    newest, *of_today = anyio.run(all_of, TODAY)
    before, *of_2025 = anyio.run(all_of, "legacy")
    assert newest == TODAY
    assert before.startswith("2025-")
    assert of_today == of_2025
    names, (found, japanese), wrong = of_today
    assert {"query_knowledge_hub", "search_by_keyword", "list_collections"} <= names
    by_rest = http.post("/api/query", json={"query": QUESTION, "top_k": 2}).json()
    assert [row["chunk_id"] for row in found] == [row["chunk_id"] for row in by_rest["results"]]
    assert [row["source"] for row in japanese] == ["経費.md"]
    assert wrong["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_older_versions_are_negotiated(http: httpx2.Client, version: str) -> None:
    body = INITIALIZE | {"params": INITIALIZE["params"] | {"protocolVersion": version}}
    assert reply(http.post("/mcp", headers=ACCEPT, json=body))["result"]["protocolVersion"] == version


def test_two_clients_at_once_get_each_its_own_results(served: Served) -> None:
    sources: dict[str, set[str]] = {}

    async def ask(protocol: str, query: str) -> None:
        async with served.agent(protocol) as client:
            for _ in range(10):
                found = await client.call_tool("search_by_keyword", {"query": query, "top_k": 1})
                sources.setdefault(query, set()).add(found.structured_content["results"][0]["source"])

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(ask, "legacy", "snapshots restoring")
            group.start_soon(ask, TODAY, "経費の精算")

    anyio.run(both)
    assert sources == {"snapshots restoring": {"backup.md"}, "経費の精算": {"経費.md"}}


@pytest.mark.parametrize("protocol", [TODAY, "legacy"])
def test_a_hundred_calls_at_once_are_all_answered(served: Served, protocol: str) -> None:
    answers: list[list[str]] = []

    async def ask(client: Client) -> None:
        found = await client.call_tool("query_knowledge_hub", {"query": QUESTION, "top_k": 1})
        assert not found.is_error, found.content
        answers.append([row["source"] for row in found.structured_content["results"]])

    async def all_at_once() -> None:
        async with served.agent(protocol) as client, anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(ask, client)

    anyio.run(all_at_once)
    assert answers == [["backup.md"]] * 100


def test_an_unknown_tool_is_an_error_and_wrong_arguments_a_result_with_a_code(http: httpx2.Client) -> None:
    unknown = http.post("/mcp", **call("read_any_file", path="/etc/passwd"))
    assert unknown.json()["error"]["code"] == -32602
    assert "read_any_file" in unknown.json()["error"]["message"]
    for arguments in ({}, {"query": ["x"]}, {"query": "x", "top_k": "many"}, {"query": "x", "filters": 7}, {"quary": "x"}):
        result = http.post("/mcp", **call("query_knowledge_hub", **arguments)).json()["result"]
        assert result["isError"]
        assert result["structuredContent"]["error"]["code"] == "VALIDATION_ERROR"
    no_object = http.post("/mcp", **today("tools/call", name="query_knowledge_hub", arguments=["x"]))
    assert no_object.json()["error"]["code"] == -32602


# Who may not come in


@pytest.mark.parametrize(
    "path", ["/mcp", "/mcp?token={token}", "/mcp?access_token={token}", "/mcp?Authorization=Bearer%20{token}"]
)
@pytest.mark.parametrize(
    "authorization", [(), ("Bearer wrong",), ("Bearer {token}x",), ("Basic {token}",), ("Bearer {token}",) * 2, ("Bearer",)]
)
def test_only_the_one_right_token_in_its_header_lets_in(served: Served, path: str, authorization: tuple[str, ...]) -> None:
    headers = [*ACCEPT.items(), *(("Authorization", value.format(token=served.token)) for value in authorization)]
    with httpx2.Client(base_url=served.url, trust_env=False, timeout=60) as stranger:
        for method in METHODS:
            answer = stranger.request(method, path.format(token=served.token), headers=headers, content=json.dumps(INITIALIZE))
            assert answer.status_code == 401
            assert answer.headers["WWW-Authenticate"] == "Bearer"
            assert method == "HEAD" or answer.json()["error"]["code"] == "UNAUTHORIZED"
    assert served.token not in served.log()


def test_a_session_is_of_no_use_without_the_token(served: Served, http: httpx2.Client) -> None:
    session = Session(http)
    with httpx2.Client(base_url=served.url, trust_env=False, timeout=60) as stranger:
        body = message("tools/call", name="list_collections", arguments={})
        assert stranger.post("/mcp", headers=session.headers, json=body).status_code == 401
        assert stranger.get("/mcp", headers=session.headers).status_code == 401
        assert stranger.delete("/mcp", headers=session.headers).status_code == 401
    assert session.ask("ping").status_code == 200


ORIGINS = {
    "a page in the browser (CVE-2025-49596)": "https://evil.example",
    "a page on another port of this machine": "http://127.0.0.1:6274",
    "a file or a sandboxed frame": "null",
    "a webview of the editor": "vscode-webview://0abc",
    "a name that begins like ours": "http://127.0.0.1.evil.com",
    "a name with ours before an at sign": "http://localhost@evil.com",
    "an empty one": "",
}


@pytest.mark.parametrize("origin", ORIGINS.values(), ids=ORIGINS)
def test_foreign_origins_are_refused_whatever_they_ask(served: Served, http: httpx2.Client, origin: str) -> None:
    for method in METHODS:
        answer = http.request(method, "/mcp", headers=ACCEPT | {"Origin": origin}, content=json.dumps(INITIALIZE))
        assert answer.status_code == 403
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert method == "HEAD" or answer.json()["error"]["code"] == "FORBIDDEN_ORIGIN"
    own = ACCEPT | {"Origin": served.url}
    assert http.post("/mcp", headers=own, json=INITIALIZE).status_code == 200


HOSTS = {
    "DNS rebinding of a Python server (CVE-2025-66416)": ["evil.example"],
    "DNS rebinding of a TypeScript server (CVE-2025-66414)": ["evil.example:{port}"],
    "DNS rebinding of the inspector's proxy (CVE-2025-49596)": ["0.0.0.0:{port}"],
    "BadHost: a path in the host (CVE-2026-48710)": ["a/?x="],
    "BadHost: our name, then a path": ["127.0.0.1:{port}/health?x="],
    "BadHost: our name after a fragment": ["evil.example#@127.0.0.1:{port}"],
    "a name that begins like ours": ["127.0.0.1.evil.com"],
    "ours before an at sign": ["localhost@evil.com"],
    "a name with the dot of the root": ["localhost."],
    "a number that is ours": ["2130706433:{port}"],
    "the short form of ours": ["127.1:{port}"],
    "a port that is none": ["127.0.0.1:{port}:{port}"],
    "two names in one": ["127.0.0.1:{port}, evil.example"],
    "two of them, the second evil": ["127.0.0.1:{port}", "evil.example"],
    "two of them, the first evil": ["evil.example", "127.0.0.1:{port}"],
    "empty": [""],
    "none": [],
}


@pytest.mark.parametrize("hosts", HOSTS.values(), ids=HOSTS)
@pytest.mark.parametrize("with_token", [False, True], ids=["no token", "the right token"])
def test_foreign_hosts_are_refused_before_anything_else(served: Served, hosts: list[str], with_token: bool) -> None:
    port = served.url.rpartition(":")[2]
    told = [f"Host: {host.format(port=port)}" for host in hosts]
    token = [f"Authorization: Bearer {served.token}"] * with_token
    body = json.dumps(INITIALIZE)
    for method in ("POST", "GET", "DELETE", "OPTIONS"):
        lines = [f"{method} /mcp HTTP/1.1", *told, *token, *(f"{name}: {value}" for name, value in ACCEPT.items())]
        answer = spoken(int(port), "\r\n".join([*lines, "Connection: close", f"Content-Length: {len(body)}", "", body]))
        assert answer.startswith(("HTTP/1.1 403", "HTTP/1.1 400")), answer
        # What no server may take for HTTP, uvicorn refuses itself; what it lets through, the middleware does.
        assert "FORBIDDEN_HOST" in answer or "This is not HTTP/1.1" in answer


def spoken(port: int, request: str) -> str:
    """The whole answer to bytes that a client library would not send."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request.encode())
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


# What there is not, and what is no message


def test_there_is_one_address_and_none_of_the_old_ones(http: httpx2.Client) -> None:
    for path in (
        "/sse",
        "/messages",
        "/messages/",
        "/mcp/",
        "/mcp/sse",
        "/mcp/messages",
        "/MCP",
        "/.well-known/oauth-protected-resource",
    ):
        for method in ("GET", "POST"):
            answer = http.request(method, path, headers=ACCEPT, content=json.dumps(INITIALIZE) if method == "POST" else None)
            assert answer.status_code == 404
            assert answer.json()["error"]["code"] == "NOT_FOUND"


def test_other_methods_and_sessions_that_are_not_are_told_so(http: httpx2.Client) -> None:
    for method in ("PUT", "PATCH", "OPTIONS", "HEAD"):
        assert http.request(method, "/mcp", headers=ACCEPT).status_code == 405
    session = Session(http)
    with http.stream("GET", "/mcp", headers=session.headers) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert session.end().status_code == 200
    assert session.ask("ping").status_code == 404
    assert session.end().status_code == 404
    for stranger in ("nope", "../../etc", "x" * 5_000):
        assert http.get("/mcp", headers=ACCEPT | {"Mcp-Session-Id": stranger}).status_code == 404


NO_MESSAGES: dict[str, tuple[bytes, int]] = {
    "not JSON": (b'{"jsonrpc": "2.0", "id"', -32700),
    "nothing": (b"", -32700),
    "no text": (b"\xff\xfe\x00", -32700),
    "a thousand levels of nothing": (
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        -32700,
    ),
    "a number that fills memory": (b'{"jsonrpc":"2.0","id":' + b"1" * 100_000 + b',"method":"ping"}', -32700),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]', -32600),
    "another protocol": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    "no object": (b'"ping"', -32600),
}


@pytest.mark.parametrize(("body", "code"), NO_MESSAGES.values(), ids=NO_MESSAGES)
def test_what_is_no_message_is_refused_and_hurts_nobody(http: httpx2.Client, body: bytes, code: int) -> None:
    now = http.post("/mcp", headers=today("ping")["headers"], content=body)
    assert (now.status_code, reply(now)["error"]["code"]) == (400, code)
    session = Session(http)
    for headers in (session.headers, ACCEPT):
        answer = http.post("/mcp", headers=headers, content=body)
        assert answer.status_code == 400
        assert reply(answer)["error"]["code"] in {code, -32602}
    assert session.ask("ping").status_code == 200


def test_arguments_that_are_too_large_or_too_deep_are_refused(http: httpx2.Client) -> None:
    session = Session(http)

    def in_pieces(size: int = 10_000_000) -> Any:
        yield b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'
        for _ in range(size // 100_000):
            yield b"x" * 100_000
        yield b'"}}'

    for headers in (session.headers, today("ping")["headers"]):
        for content in (b"".join(in_pieces()), in_pieces()):
            answer = http.post("/mcp", headers=headers, content=content)
            assert answer.status_code == 413
            assert answer.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"
    deep: Any = "x"
    for _ in range(180):
        deep = {"a": deep}
    for filters in ({"tags": deep}, deep):
        result = reply(http.post("/mcp", **call("query_knowledge_hub", query="x", filters=filters)))["result"]
        assert result["structuredContent"]["error"]["code"] == "VALIDATION_ERROR"
    assert session.ask("ping").status_code == 200


# How it ends


def test_the_daemon_ends_quickly_whatever_agents_hold_open(serve: Callable[..., Served]) -> None:
    served = serve()
    with served.rest() as http, ExitStack() as streams, ThreadPoolExecutor() as pool:
        for _ in range(5):
            stream = streams.enter_context(http.stream("GET", "/mcp", headers=Session(http).headers, timeout=600))
            assert stream.status_code == 200
        listening = today("subscriptions/listen", notifications={"toolsListChanged": True})
        waiting = pool.submit(http.post, "/mcp", **listening, timeout=600)
        half_sent = streams.enter_context(socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2]))))
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.token}\r\nContent-Length: 99\r\n\r\n{{"
        half_sent.sendall(head.encode())
        served.daemon.process.send_signal(signal.SIGTERM)
        # None of them would let go for minutes.
        assert served.daemon.process.wait(timeout=180) == 0
        # Refused at once, or ended with the daemon: either way nobody waits.
        assert waiting.exception(timeout=60) or waiting.result().status_code >= 400
    printed = served.daemon.printed()
    assert "Traceback" not in printed


def test_the_log_tells_of_no_token_question_or_text(serve: Callable[..., Served]) -> None:
    served = serve(RAG_OBSERVABILITY__DETAIL_LEVEL="minimal")
    (served.documents / "plan.md").write_text("# Plan\n\nThe confidential-text is forty.\n", encoding="utf-8")
    served.read(served.documents)

    async def converse(protocol: str) -> None:
        async with served.agent(protocol, **{"X-RAG-Source-Token": "confidential-id=confidential-token"}) as client:
            found = await client.call_tool("query_knowledge_hub", {"query": "confidential-text forty"})
            assert "confidential-text" in str(found.structured_content)
            await client.call_tool("query_knowledge_hub", {"query": ["confidential-type"]})
            await client.call_tool("verify_answer", {"answer": "confidential-answer", "citations": []})
            await client.list_tools()

    for protocol in (TODAY, "legacy"):
        anyio.run(converse, protocol)
    with served.rest() as http:
        session = Session(http)
        for bad in (
            "[" * 300,
            '{"confidential-json',
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"confidential-params"}',
        ):
            http.post("/mcp", headers=session.headers, content=bad)
            http.post("/mcp", headers=today("tools/call", name="x")["headers"], content=bad)
        session.ask("confidential-method", x="confidential-params")
        session.ask("tools/call", name="query_knowledge_hub", arguments=["confidential-list"])
        session.tell("notifications/cancelled", requestId={"x": "confidential-cancel"})
        session.tell("notifications/confidential", x="confidential-news")
        http.post("/mcp", headers=ACCEPT | {"Mcp-Session-Id": "confidential-session"}, json=INITIALIZE)
    assert served.daemon.stop() == 0
    told = served.log() + served.daemon.printed()
    assert served.token not in told
    assert "confidential" not in told
    assert "Traceback" not in told
    lines = [json.loads(line) for line in served.log().splitlines()]
    assert [line["message"] for line in lines if line["level"] in {"ERROR", "CRITICAL"}] == []
    assert len([line for line in lines if line["logger"].startswith("mcp.")]) <= 2
