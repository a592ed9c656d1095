"""A page that is not for everybody: nothing of it reaches an agent without a token that may read it, by no way."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.mcp.http import serve_agents

from ...mcp.messages import Session, call, reply, today
from ..api.asked_cloud import HEADER, OTHER, READER, Cloud, cloud_in, opened
from ..api.test_permissions import SEARCHED, WRONG, secret_ids, shown

pytestmark = pytest.mark.slow

TOKEN = "a-token-for-tests"

Params = Callable[[dict[str, str]], dict[str, Any]]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Application, TestClient]]:
    """REST, the app, and the door for agents on the same app."""
    with opened(tmp_path_factory.mktemp("agents"), **{"mcp.enabled": True, "live.budget_ms": 5000}) as (client, app):
        api = create_api(app, token=TOKEN)
        serve_agents(api, create_api(app, token=TOKEN), app.settings, threading.Event())
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with TestClient(api, base_url="http://127.0.0.1:8765", headers=headers) as agents:
            yield client, app, agents


@pytest.fixture
def cloud(doors: tuple[TestClient, Application, TestClient]) -> Iterator[Cloud]:
    with cloud_in(*doors[:2]) as made:
        yield made


@pytest.fixture
def agents(doors: tuple[TestClient, Application, TestClient]) -> TestClient:
    return doors[2]


def tool(name: str, **arguments: Any) -> tuple[str, Params]:
    """A call of a tool. In arguments `{doc}`, `{file}`, `{chunk}` and `{picture}` stand for ids of the restricted page."""
    return "tools/call", lambda ids: {"name": name, "arguments": filled(arguments, ids)}


def filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, str):
        return value.format(**ids)
    if isinstance(value, dict):
        return {name: filled(item, ids) for name, item in value.items()}
    return [filled(item, ids) for item in value] if isinstance(value, list) else value


def completion(ref: dict[str, str], argument: str, typed: str) -> tuple[str, Params]:
    return "completion/complete", lambda _ids: {"ref": ref, "argument": {"name": argument, "value": typed}}


CITED = {"answer": "It is forty [1].", "citations": [{"id": 1, "chunk_ids": ["{chunk}"]}]}

# Every way for an agent to see a document. What each shows to the right token holds one of the marker words.
SHOWING: dict[str, tuple[str, Params]] = {
    "query": tool("query_knowledge_hub", query=SEARCHED, top_k=20),
    "query with all": tool("query_knowledge_hub", query=SEARCHED, explain=True, detail="full"),
    "query for the document": tool("query_knowledge_hub", query=SEARCHED, filters={"doc_id": "{doc}"}),
    "query for the path": tool("query_knowledge_hub", query=SEARCHED, filters={"path_prefix": "DEV/"}),
    "query by the other name": tool("library.query", query=SEARCHED),
    "keywords": tool("search_by_keyword", query=SEARCHED),
    "meaning": tool("search_by_semantic", query=SEARCHED, top_k=20),
    "pictures": tool("search_pictures", query=SEARCHED, top_k=20),
    "pictures like it": tool("search_pictures", like="{picture}"),
    "documents": tool("list_documents", page_size=100),
    "documents by type": tool("list_documents", group_by="doc_type"),
    "documents by tag": tool("list_documents", group_by="tag"),
    "documents of a path": tool("list_documents", path_prefix="DEV/"),
    "what is known of it": tool("get_document_summary", doc_id="{doc}"),
    "what is known of its file": tool("get_document_summary", doc_id="{file}"),
    "short summary": tool("summarize_document", doc_id="{doc}", style="short"),
    "long summary": tool("summarize_document", doc_id="{doc}"),
    "text": tool("get_document", doc_id="{doc}", include_summary=True),
    "text of its file": tool("get_document", doc_id="{file}"),
    "outline of the text": tool("get_document", doc_id="{doc}", format="sections"),
    "passages": tool("get_document", doc_id="{doc}", format="chunks"),
    "outline": tool("list_document_sections", doc_id="{doc}"),
    "verify": tool("verify_answer", **CITED),
    "address of the document": ("resources/read", lambda ids: {"uri": f"doc://{ids['doc']}"}),
}

# Ways that tell of it to nobody: others read them, too, or they name no documents.
SILENT: dict[str, tuple[str, Params]] = {
    "collections": tool("list_collections"),
    "a job": tool("get_job", job_id="{job}"),
    "ingesting": tool("ingest", paths=["/nowhere"]),
    "tools": ("tools/list", lambda _ids: {}),
    "resources": ("resources/list", lambda _ids: {}),
    "templates": ("resources/templates/list", lambda _ids: {}),
    "prompts": ("prompts/list", lambda _ids: {}),
    "a collection's name": completion({"type": "ref/resource", "uri": "collection://{name}"}, "name", ""),
}

ELSEWHERE = {"query_assets", "delete_document"}
"""Tools with a test of their own below."""


def asked(agents: TestClient, cloud: Cloud, way: tuple[str, Params], ids: dict[str, str], token: str | None) -> str:
    """The text of the answer in 2026-07-28."""
    method, params = way
    request = today(method, **params(ids))
    request["headers"] |= cloud.headers(token)
    return agents.post("/mcp", **request).text


def test_every_way_shows_the_page_to_whoever_may_read_it_and_to_nobody_else(cloud: Cloud, agents: TestClient) -> None:
    ids = secret_ids(cloud)
    for name, way in SHOWING.items():
        right = asked(agents, cloud, way, ids, READER)
        assert shown(right), f"{name} shows nothing to the right token: {right}"
        for wrong in WRONG:
            assert shown(asked(agents, cloud, way, ids, wrong)) == [], (name, wrong)


def test_a_session_of_2025_sees_what_the_token_of_each_request_may_see(cloud: Cloud, agents: TestClient) -> None:
    ids = secret_ids(cloud)
    session = Session(agents)
    bare = session.headers
    for name, (method, params) in SHOWING.items():
        for token in (OTHER, READER, None):
            session.headers = bare | cloud.headers(token)
            answer = session.ask(method, **params(ids)).text
            assert bool(shown(answer)) == (token == READER), (name, token)


def test_ways_that_others_read_tell_nobody(cloud: Cloud, agents: TestClient) -> None:
    job = cloud.client.post(f"/api/sources/{cloud.source_id}/sync").json()["job_id"]
    cloud.finish(job)
    ids = secret_ids(cloud) | {"job": job}
    for name, way in SILENT.items():
        for token in (READER, *WRONG):
            assert shown(asked(agents, cloud, way, ids, token)) == [], (name, token)


def test_no_tool_is_forgotten_here(agents: TestClient) -> None:
    listed = {row["name"] for row in reply(agents.post("/mcp", **today("tools/list")))["result"]["tools"]}
    ways = [params({"doc": "", "file": "", "chunk": "", "job": "", "picture": ""}) for _, params in (SHOWING | SILENT).values()]
    assert listed <= {way.get("name") for way in ways} | ELSEWHERE


def test_a_collection_names_no_restricted_document_to_the_wrong_token(cloud: Cloud, agents: TestClient) -> None:
    ids = secret_ids(cloud)
    way: tuple[str, Params] = ("resources/read", lambda _ids: {"uri": "collection://default"})
    assert shown(asked(agents, cloud, way, ids, READER))
    for wrong in WRONG:
        assert shown(asked(agents, cloud, way, ids, wrong)) == []


@pytest.mark.parametrize("typed", ["Falk", "合併", "{doc}"])
def test_completions_find_a_restricted_document_for_the_right_token_only(cloud: Cloud, agents: TestClient, typed: str) -> None:
    ids = secret_ids(cloud)
    way = completion({"type": "ref/resource", "uri": "doc://{id}"}, "id", typed.format(**ids)[:20])
    assert ids["doc"] in asked(agents, cloud, way, ids, READER)
    for wrong in WRONG:
        answer = asked(agents, cloud, way, ids, wrong)
        assert ids["doc"] not in answer
        assert shown(answer) == []


def test_a_picture_needs_a_token_that_may_read_a_page_which_shows_it(cloud: Cloud, agents: TestClient) -> None:
    ids = secret_ids(cloud)
    for variant in ("thumb", "raw"):
        way = tool("query_assets", asset_ids=["{picture}"], variant=variant)
        assert '"type":"image"' in asked(agents, cloud, way, ids, READER)
        for wrong in WRONG:
            answer = asked(agents, cloud, way, ids, wrong)
            assert '"type":"image"' not in answer
            assert ids["picture"] in answer
    by_address: tuple[str, Params] = ("resources/read", lambda ids: {"uri": f"asset://{ids['picture']}"})
    assert '"blob"' in asked(agents, cloud, by_address, ids, READER)
    for wrong in WRONG:
        answer = asked(agents, cloud, by_address, ids, wrong)
        assert '"blob"' not in answer
        assert "ASSET_NOT_FOUND" in answer


def test_what_may_not_be_seen_is_not_there(cloud: Cloud, agents: TestClient) -> None:
    ids = secret_ids(cloud)
    calls = ("get_document_summary", "summarize_document", "get_document", "list_document_sections", "delete_document")
    for name, token, doc_id in itertools.product(calls, WRONG, (ids["doc"], ids["file"])):
        refused, unknown = (
            reply(agents.post("/mcp", **with_token(call(name, doc_id=asked_for), cloud, token)))["result"]
            for asked_for in (doc_id, "0" * 32)
        )
        assert refused["isError"]
        told, expected = refused["structuredContent"]["error"], unknown["structuredContent"]["error"]
        assert (told["code"], told["message"]) == (expected["code"], expected["message"].replace("0" * 32, doc_id))
    assert cloud.client.get(f"/api/documents/{ids['doc']}", headers=cloud.headers(READER)).status_code == 200


def test_only_a_token_that_may_read_a_document_may_delete_it(cloud: Cloud, agents: TestClient) -> None:
    ids = secret_ids(cloud)
    result = reply(agents.post("/mcp", **with_token(call("delete_document", doc_id=ids["file"]), cloud, READER)))["result"]
    assert not result["isError"], result
    assert cloud.client.get(f"/api/documents/{ids['file']}", headers=cloud.headers(READER)).status_code in {404, 410}


def test_tokens_for_several_sources_may_come_in_headers_of_their_own(cloud: Cloud, agents: TestClient) -> None:
    request = call("query_knowledge_hub", query=SEARCHED)
    lines = [*request["headers"].items(), (HEADER, "another=token"), (HEADER, f"{cloud.source_id}={READER}")]
    assert shown(agents.post("/mcp", headers=lines, json=request["json"]).text)


def test_a_wrong_header_is_told_without_what_it_holds(cloud: Cloud, agents: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    request = call("list_documents")
    request["headers"] |= {HEADER: "very-secret-token"}
    answer = agents.post("/mcp", **request)
    assert reply(answer)["result"]["structuredContent"]["error"]["code"] == "VALIDATION_ERROR"
    assert "very-secret-token" not in answer.text + caplog.text
    for token in (READER, OTHER):
        agents.post("/mcp", **with_token(call("query_knowledge_hub", query=SEARCHED), cloud, token))
    assert READER not in caplog.text
    assert shown(caplog.text) == []


def with_token(request: dict[str, Any], cloud: Cloud, token: str | None) -> dict[str, Any]:
    return {**request, "headers": request["headers"] | cloud.headers(token)}
