"""What the protocol promises, in each of its versions: the same tools and results, honest schemas, cancellation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from mcp.client import Client, session

from ragd.config.service import McpSettings
from ragd.mcp.library import Library
from ragd.mcp.server import LibraryServer

from .conftest import Agent
from .test_names import rows, server

NEWEST = "2026-07-28"
OLDER = ("2025-11-25", "2025-06-18", "2025-03-26")


def without_trace(value: Any) -> Any:
    """A result without what differs from call to call."""
    if isinstance(value, dict):
        return {key: without_trace(item) for key, item in value.items() if key not in ("trace_id", "latency_ms", "timings_ms")}
    if isinstance(value, list):
        return [without_trace(item) for item in value]
    return re.sub(r"trace_id: \S+", "trace_id", value) if isinstance(value, str) else value


@pytest.mark.slow
def test_every_version_gets_the_same_tools_and_results(agent: Agent, guide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent.read([guide])

    async def conversation(client: Client) -> dict[str, Any]:
        result = await client.call_tool("query_knowledge_hub", {"query": "How long are snapshots kept?", "top_k": 2})
        failure = await client.call_tool("get_document", {"doc_id": "none"})
        return {
            "version": client.protocol_version,
            "tools": [(tool.name, tool.description, tool.input_schema) for tool in (await client.list_tools()).tools],
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "resources": [resource.uri for resource in (await client.list_resources()).resources],
            "text": without_trace(result.content[0].text),  # type: ignore[union-attr]
            "links": [block.type for block in result.content[1:]],
            "fields": without_trace(result.structured_content),
            "failure": without_trace(failure.content[0].text),  # type: ignore[union-attr]
            "failed": failure.is_error,
        }

    newest = agent.talk(conversation, mode=NEWEST)
    assert newest.pop("version") == NEWEST
    assert newest["fields"]["citations"][0]["title"] == "Backup"
    assert newest["links"] == ["resource_link"] * 2
    for version in OLDER:
        # The SDK's client is made to know none that is newer.
        monkeypatch.setattr(session, "LATEST_HANDSHAKE_VERSION", version)
        found = agent.talk(conversation, mode="legacy")
        # The oldest has no links.
        links = [] if version == "2025-03-26" else newest["links"]
        assert found == newest | {"version": version, "links": links}


def test_a_client_of_the_future_is_offered_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LATEST_HANDSHAKE_VERSION", "2099-01-01")

    async def conversation() -> str:
        async with Client(server(), mode="legacy") as client:
            return client.protocol_version

    assert anyio.run(conversation) == OLDER[0]


class Told:
    """Arguments of every tool, right ones and wrong ones."""

    def __init__(self, agent: Agent, guide: Path) -> None:
        (listed,) = [row for row in agent.rest.get("/api/documents").json()["items"] if row["source"] == "install.md"]
        found = agent.rest.post("/api/query", json={"query": "snapshots", "top_k": 1}).json()["citations"][0]
        doc_id, none = {"doc_id": listed["id"]}, {"doc_id": "none"}
        job = agent.rest.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"]
        citations = [{"id": found["id"], "chunk_ids": found.get("chunk_ids") or [found["chunk_id"]]}]
        question, wrong = {"query": "snapshots"}, {"query": " "}
        self.right: dict[str, dict[str, Any]] = {
            "query_knowledge_hub": question | {"detail": "full", "explain": True, "thumbnails": True},
            "search_by_keyword": question,
            "search_by_semantic": question,
            "list_collections": {},
            "list_documents": {"group_by": "doc_type"},
            "get_document_summary": doc_id,
            "summarize_document": doc_id,
            "get_document": doc_id | {"format": "chunks"},
            "list_document_sections": doc_id,
            "verify_answer": {"answer": "Kept for 35 days [1].", "citations": citations},
            "search_pictures": question,
            "query_assets": {"asset_ids": ["none"]},
            "ingest": {"paths": [str(guide)]},
            "get_job": {"job_id": job},
            "delete_document": doc_id,
        }
        self.wrong: dict[str, dict[str, Any]] = {
            "query_knowledge_hub": wrong,
            "search_by_keyword": wrong,
            "search_by_semantic": wrong,
            "list_collections": {"page": 0},
            "list_documents": {"collection": "none"},
            "get_document_summary": none,
            "summarize_document": none,
            "get_document": none,
            "list_document_sections": none,
            "verify_answer": {"answer": "x", "citations": [{"id": 1, "chunk_ids": []}]},
            "search_pictures": {"query": "x", "top_k": 21},
            "query_assets": {"asset_ids": []},
            "ingest": {"paths": ["/etc/passwd"]},
            "get_job": {"job_id": "none"},
            "delete_document": none,
        }


@pytest.mark.slow
def test_typed_fields_of_every_tool_fit_the_published_schema(agent: Agent, guide: Path) -> None:
    agent.read([guide])
    told = Told(agent, guide)
    names = [row.name for row in rows()]
    assert sorted(told.right) == sorted(told.wrong) == sorted(names)

    async def conversation(client: Client) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        for name in names:
            for arguments, fails in ((told.wrong[name], True), (told.right[name], False)):
                result = await client.call_tool(name, arguments)
                assert result.is_error is fails, (name, result.content)
                check(schemas[name], result.structured_content)
                assert result.content[0].type == "text"
                assert result.content[0].text.endswith(f"trace_id: {result.structured_content['trace_id']}"), name

    def check(schema: Any, fields: Any) -> None:
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(fields, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"trace_id": fields["trace_id"]}, schema)

    agent.talk(conversation)


class Waiting:
    """A connection whose answers never come; it notes that a request began and that it was given up."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.given_up = anyio.Event()

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        self.begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.given_up.set()
        raise AssertionError(request)


@pytest.mark.parametrize("how", [NEWEST, "legacy"])
def test_cancelling_a_call_reaches_the_tool(how: str) -> None:
    async def conversation() -> None:
        waiting = Waiting()
        async with Client(LibraryServer(Library(waiting, McpSettings())), mode=how) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "query_knowledge_hub", {"query": "x"})
            with anyio.fail_after(10):
                await waiting.begun.wait()
                group.cancel_scope.cancel()
        with anyio.fail_after(10):
            await waiting.given_up.wait()

    anyio.run(conversation)


def test_an_older_client_is_told_that_the_server_lives() -> None:
    async def conversation() -> Any:
        async with Client(server(), mode="legacy") as client:
            return await client.session.send_ping()

    assert anyio.run(conversation) is not None


@pytest.mark.parametrize("how", ["auto", "legacy"])
def test_no_capability_is_claimed_that_is_not_served(how: str) -> None:
    async def conversation() -> dict[str, Any]:
        async with Client(server(), mode=how) as client:
            return client.server_capabilities.model_dump(exclude_none=True)

    assert anyio.run(conversation) == {
        "tools": {"list_changed": False},
        "prompts": {"list_changed": False},
        "resources": {"list_changed": False, "subscribe": False},
        "completions": {},
    }


@pytest.mark.parametrize("how", ["auto", "legacy"])
def test_the_server_says_who_it_is_and_how_to_begin(how: str) -> None:
    async def conversation() -> tuple[Any, Any]:
        async with Client(server(), mode=how) as client:
            return client.server_info, client.instructions

    info, instructions = anyio.run(conversation)
    assert (info.name, info.title) == ("rag-assistant", "RAG Assistant")
    assert re.match(r"\d+\.\d+", info.version)
    assert "Ask query_knowledge_hub first" in instructions
