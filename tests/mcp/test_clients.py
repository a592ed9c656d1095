"""Clients that we did not write: the official TypeScript client, the inspector's command line, the conformance suite.

Config snippets of the docs are started by the inspector just as they stand.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..e2e.conftest import wait_for
from . import conformance
from .conftest import TODAY, Served
from .node import CLIENTS, INSPECTOR, Clients

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="starts `rag` by a shell script")]

QUESTION = "How long are snapshots kept?"
ON = {"RAG_MCP__ENABLED": "true"}


@pytest.fixture(scope="module")
def clients(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Clients:
    return Clients(tmp_path_factory.mktemp("clients") / "home", served.data_dir, served.documents)


@pytest.fixture
def notes(served: Served) -> Iterator[Path]:
    """Where agents may read, but in no collection yet: `few` has one document, `many` takes seconds."""
    folder = served.documents / "notes"
    (folder / "few").mkdir(parents=True)
    (folder / "few" / "lunch.md").write_text("# Lunch\n\nThe canteen opens at noon.\n", encoding="utf-8")
    (folder / "many").mkdir()
    for number in range(150):
        words = " ".join(f"word{number}x{index}" for index in range(200))
        (folder / "many" / f"{number:04}.md").write_text(f"# Note {number}\n\n{words}\n", encoding="utf-8")
    yield folder
    shutil.rmtree(folder)


def _server(transport: str, served: Served, clients: Clients) -> dict[str, Any]:
    if transport == "http":
        return {"url": served.agents, "token": served.token}
    return {"command": str(clients.home / "bin" / "rag"), "args": ["mcp"], "env": ON}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_typescript_client_can_use_all_there_is(
    transport: str, mode: str, served: Served, clients: Clients, notes: Path
) -> None:
    name = f"typescript-{transport}-{mode}"
    with served.rest() as rest:
        rest.post("/api/collections", json={"name": name}).raise_for_status()
        try:
            found = clients.typescript(
                {
                    "server": _server(transport, served, clients),
                    "mode": mode,
                    "question": QUESTION,
                    "folder": str(notes / "few"),
                    "many": str(notes / "many"),
                    "collection": name,
                }
            )

            def cancelled() -> Any:
                jobs = rest.get("/api/jobs", params={"status": "cancelled"}).json()["items"]
                return [job for job in jobs if job["collection"] == name]

            wait_for(cancelled, "the job of the cancelled call to be cancelled")
            by_rest = rest.post("/api/query", json={"query": QUESTION, "top_k": 2, "collection": "default"}).json()
        finally:
            rest.delete(f"/api/collections/{name}").raise_for_status()

    assert found["protocol"] == TODAY if mode == "auto" else found["protocol"].startswith("2025-")
    assert found["server"]["name"] == "rag-assistant"
    assert {"tools", "resources", "prompts", "completions"} <= set(found["capabilities"])
    tools = {tool["name"]: tool for tool in found["tools"]}
    assert {"query_knowledge_hub", "get_document", "ingest", "delete_document"} <= set(tools)
    assert all(tool["typed"] for tool in tools.values())
    assert tools["query_knowledge_hub"]["readOnlyHint"]
    assert tools["delete_document"]["destructiveHint"]

    answer = found["query"]
    assert answer["text"].index("[1] ") < answer["text"].index("Snapshots are kept for 35 days.")
    assert [row["chunk_id"] for row in answer["fields"]["results"]] == [row["chunk_id"] for row in by_rest["results"]]
    assert answer["fields"]["trace_id"] in answer["text"]

    assert found["refused"]["isError"]
    assert found["refused"]["structuredContent"]["error"]["code"] == "VALIDATION_ERROR"
    assert (found["unknown"]["code"], found["unknown"]["data"]["code"]) == (-32602, "NOT_FOUND")
    # This client puts data of its own in place of ours when a resource is missing; our code stands in the message, too.
    assert found["missing"]["message"].startswith("DOCUMENT_NOT_FOUND: ")

    told = [event["progress"] for event in found["ingested"]["progress"]]
    assert told == sorted(set(told))
    assert told
    assert found["ingested"]["fields"]["job"]["result"]["added"] == 1
    assert found["cancelled"]["message"] == "no longer wanted"

    assert "collection://default" in found["resources"]
    assert set(found["templates"]) == {"doc://{id}", "asset://{id}", "collection://{name}"}
    assert found["document"]["mimeType"] == "text/markdown"
    assert "Snapshots are kept for 35 days." in found["document"]["text"]
    assert set(found["prompts"]) == {"answer_with_citations", "summarize_document", "compare_documents"}
    assert QUESTION in found["prompt"]
    assert found["completion"]["completion"]["values"] == ["default"]


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_lists_and_calls_what_there_is(transport: str, served: Served, clients: Clients) -> None:
    if transport == "http":
        server = ["--server-url", served.agents, "--transport", "http", "--header", f"Authorization: Bearer {served.token}"]
    else:
        server = ["rag", "mcp", "-e", "RAG_MCP__ENABLED=true"]
    # With --strict it fails when it finds a schema that other clients could not use.
    tools = clients.inspector(*server, "--method", "tools/list", "--strict")["tools"]
    assert "query_knowledge_hub" in [tool["name"] for tool in tools]
    call = ("--method", "tools/call", "--tool-name", "query_knowledge_hub", "--tool-arg", f"query={QUESTION}", "top_k=1")
    called = clients.inspector(*server, "--protocol-era", "modern", *call)
    assert called["structuredContent"]["results"][0]["content"] == "Snapshots are kept for 35 days. Restoring takes ten minutes."
    templates = clients.inspector(*server, "--method", "resources/templates/list")["resourceTemplates"]
    assert "doc://{id}" in [template["uriTemplate"] for template in templates]
    prompts = clients.inspector(*server, "--method", "prompts/list")["prompts"]
    assert "answer_with_citations" in [prompt["name"] for prompt in prompts]


def test_the_inspector_is_refused_without_the_token(served: Served, clients: Clients) -> None:
    run = clients.run(INSPECTOR, "--cli", "--server-url", served.agents, "--stored-auth-only", "--method", "tools/list")
    assert run.returncode != 0
    assert "auth_required" in run.stderr


@pytest.mark.parametrize("version", list(conformance.PASSES))
def test_the_conformance_suite_finds_nothing_but_what_is_explained(
    version: str, served: Served, clients: Clients, tmp_path: Path
) -> None:
    arguments = ["--suite", "all", "--spec-version", version, "--output-dir", str(tmp_path)]
    run = clients.run(CLIENTS / "conformance.mjs", *arguments, MCP_URL=served.agents, MCP_TOKEN=served.token)
    found = conformance.outcomes(tmp_path)
    assert conformance.passing(found) == conformance.PASSES[version], run.stdout[-3000:] + run.stderr[-1000:]
    assert conformance.unexplained(found) == []


SNIPPETS = {"vscode": "servers", "claude-desktop": "mcpServers", "cursor": "mcpServers"}


def test_the_snippets_of_the_docs_are_those_that_are_tried(project_root: Path) -> None:
    files = (project_root / "docs" / "examples" / "mcp").glob("*.json")
    assert {file.stem for file in files} == set(SNIPPETS)


@pytest.mark.parametrize("client", SNIPPETS)
def test_a_snippet_of_the_docs_starts_a_server_that_answers(
    client: str, served: Served, clients: Clients, project_root: Path, tmp_path: Path
) -> None:
    text = (project_root / "docs" / "examples" / "mcp" / f"{client}.json").read_text(encoding="utf-8")
    servers = json.loads(text)[SNIPPETS[client]]
    for entry in servers.values():
        if "url" in entry:
            entry.setdefault("type", "http")  # Cursor needs no type, the inspector does.
    # What the client itself puts in: a variable, or what the user is asked for. And the daemon of a test has a port of its own.
    filled = json.dumps({"mcpServers": servers}).replace("http://127.0.0.1:8765/mcp", served.agents)
    for placeholder in ("${input:rag-token}", "${env:RAG_TOKEN}"):
        filled = filled.replace(placeholder, served.token)
    assert "${" not in filled
    config = tmp_path / "mcp.json"
    config.write_text(filled, encoding="utf-8")
    for name in servers:
        call = ("--method", "tools/call", "--tool-name", "list_collections")
        called = clients.inspector("--config", str(config), "--server", name, *call)
        assert "default" in [row["name"] for row in called["structuredContent"]["collections"]], name
