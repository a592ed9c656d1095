#!/usr/bin/env python3
"""One table of every tool: the same question by REST, by MCP over HTTP and stdio, and by the extension on each transport.

    .venv/bin/python scripts/bench/compare_transports.py

Starts a daemon with the real model on a folder of its own, takes the sample documents in, and asks. A cell says how many items
came (passages, documents, sections …) and the first digits of the hash of all of them with their citations: equal cells are
equal answers. Ends with status 1 when a row differs. The extension's client needs Node.js and `npm ci` in `extension/`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
from ingest_query import ingest, start_daemon
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data" / "samples"
ENGLISH = "How do I force an election for a shard?"
JAPANESE = "社内の証明書を追加したら再起動が必要ですか"
PICTURED = "The queues of the admin console"

Way = dict[str, Any]
"""Row -> what came, as a value that can be compared."""


@dataclass(frozen=True)
class World:
    """What the questions are about."""

    doc_id: str
    asset_id: str
    job_id: str
    folder: str
    citations: list[dict[str, Any]]
    answer: str
    doomed: Mapping[str, str]
    """Way -> a document that it may delete."""


@dataclass(frozen=True)
class Row:
    """A tool with its arguments, what its typed fields say, and the same by REST (None where REST has no such thing)."""

    tool: str
    arguments: Callable[[World, str], dict[str, Any]]
    read: Callable[[CallToolResult], Any]
    rest: Callable[[httpx2.Client, World], Any] | None
    note: str = ""

    @property
    def name(self) -> str:
        return f"{self.tool} {self.note}".strip()


def found(answer: Mapping[str, Any]) -> list[Any]:
    """Passages in their order, and what each number stands for."""
    passages = [row["chunk_id"] for row in answer["results"]]
    cited = [
        [row["id"], row.get("chunk_ids") or [row["chunk_id"]], row["source"], row.get("page")] for row in answer["citations"]
    ]
    return [*passages, *cited]


def fields(result: CallToolResult) -> Mapping[str, Any]:
    if result.is_error or result.structured_content is None:
        raise SystemExit(f"A call failed: {result.content}")
    told: Mapping[str, Any] = result.structured_content
    return told


def digest(data: bytes) -> list[str]:
    return [hashlib.sha256(data).hexdigest()]


def judged(answer: Mapping[str, Any]) -> list[Any]:
    return [*answer["support"], answer["answer"], answer["removed_citations"]]


def counted(job: Mapping[str, Any]) -> list[Any]:
    return [job["status"], job["result"]["unchanged"], job["result"]["added"]]


def picture(result: CallToolResult) -> list[str]:
    fields(result)
    return digest(base64.b64decode(next(item.data for item in result.content if item.type == "image")))


def asking(tool: str, text: str, note: str, **body: Any) -> Row:
    def by_rest(rest: httpx2.Client, _world: World) -> Any:
        return found(rest.post("/api/query", json={"query": text, **body}).raise_for_status().json())

    return Row(tool, lambda _world, _way: {"query": text}, lambda result: found(fields(result)), by_rest, note)


def ids(rows: list[dict[str, Any]], name: str = "id") -> list[Any]:
    return [row[name] for row in rows]


def by_rest_pictures(rest: httpx2.Client, _world: World) -> list[Any]:
    body = {"query": PICTURED, "top_k": 5, "filters": {"has_image": True}}
    results = rest.post("/api/query", json=body).raise_for_status().json()["results"]
    return list(dict.fromkeys(image["asset_id"] for row in results for image in row["images"]))[:5]


def by_rest_ingest(rest: httpx2.Client, world: World) -> Any:
    return counted(ingest(rest, Path(world.folder)))


def by_rest_delete(rest: httpx2.Client, world: World) -> Any:
    rest.delete(f"/api/documents/{world.doomed['REST']}").raise_for_status()
    return [rest.get(f"/api/documents/{world.doomed['REST']}").json()["error"]["code"]]


ROWS = [
    asking("query_knowledge_hub", ENGLISH, "(English)"),
    asking("query_knowledge_hub", JAPANESE, "(Japanese)"),
    asking("search_by_keyword", "kestrelctl shard", "", strategy="sparse_only", rerank=False),
    asking("search_by_semantic", ENGLISH, "", strategy="dense_only", rerank=False),
    Row(
        "verify_answer",
        lambda world, _way: {"answer": world.answer, "citations": world.citations},
        lambda result: judged(fields(result)),
        lambda rest, world: judged(
            rest.post("/api/answers/verify", json={"answer": world.answer, "citations": world.citations}).json()
        ),
    ),
    Row(
        "list_collections",
        lambda _world, _way: {},
        lambda result: ids(fields(result)["collections"], "name"),
        lambda rest, _world: ids(rest.get("/api/collections").json()["items"], "name"),
    ),
    Row(
        "list_documents",
        lambda _world, _way: {"page_size": 20},
        lambda result: ids(fields(result)["documents"]),
        lambda rest, _world: ids(rest.get("/api/documents", params={"page_size": 20}).json()["items"]),
    ),
    Row(
        "get_document_summary",
        lambda world, _way: {"doc_id": world.doc_id},
        lambda result: [fields(result)["document"]["version_id"], fields(result)["document"]["summary"]],
        lambda rest, world: [rest.get(f"/api/documents/{world.doc_id}").json()[name] for name in ("version_id", "summary")],
    ),
    Row(
        "summarize_document",
        lambda world, _way: {"doc_id": world.doc_id, "style": "bullet"},
        lambda result: [fields(result)["summary"]],
        None,
    ),
    Row(
        "get_document",
        lambda world, _way: {"doc_id": world.doc_id},
        lambda result: digest(fields(result)["markdown"].encode()),
        lambda rest, world: digest(rest.get(f"/api/documents/{world.doc_id}/content").json()["markdown"].encode()),
    ),
    Row(
        "list_document_sections",
        lambda world, _way: {"doc_id": world.doc_id},
        lambda result: ids(fields(result)["sections"], "section_id"),
        lambda rest, world: ids(
            rest.get(f"/api/documents/{world.doc_id}/sections", params={"page_size": 100}).json()["items"], "section_id"
        ),
    ),
    Row(
        "search_pictures",
        lambda _world, _way: {"query": PICTURED, "top_k": 5},
        lambda result: ids(fields(result)["pictures"], "asset_id"),
        by_rest_pictures,
    ),
    Row(
        "query_assets",
        lambda world, _way: {"asset_ids": [world.asset_id]},
        picture,
        lambda rest, world: digest(rest.get(f"/api/assets/{world.asset_id}", params={"variant": "thumb"}).content),
    ),
    Row(
        "ingest",
        lambda world, _way: {"paths": [world.folder]},
        lambda result: counted(fields(result)["job"]),
        by_rest_ingest,
    ),
    Row(
        "get_job",
        lambda world, _way: {"job_id": world.job_id},
        lambda result: counted(fields(result)["job"]),
        lambda rest, world: counted(rest.get(f"/api/jobs/{world.job_id}").json()),
    ),
    Row(
        "delete_document",
        lambda world, way: {"doc_id": world.doomed[way]},
        lambda result: [fields(result)["doc_id"]],
        by_rest_delete,
    ),
]


async def by_mcp(way: str, world: World, client: Client) -> Way:
    got: Way = {}
    async with client:
        for row in ROWS:
            got[row.name] = row.read(await client.call_tool(row.tool, row.arguments(world, way)))
        gone = await client.call_tool("get_document_summary", {"doc_id": world.doomed[way]})
        got["delete_document"] = [(gone.structured_content or {})["error"]["code"]]
    return got


def by_extension(transport: str, world: World, info: Mapping[str, Any]) -> Way:
    """The extension's own client, in Node.js."""
    asked = {
        "transport": transport,
        "connection": {"url": info["url"], "token": info["token"]},
        "questions": {"query_knowledge_hub (English)": ENGLISH, "query_knowledge_hub (Japanese)": JAPANESE},
        "doc_id": world.doc_id,
        "asset_id": world.asset_id,
        "folder": world.folder,
        "answer": world.answer,
        "citations": world.citations,
        "doomed": world.doomed[f"extension, {transport}"],
    }
    command = ["node", "scripts/ask-by-transport.mjs"]
    done = subprocess.run(command, cwd=ROOT / "extension", input=json.dumps(asked), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    came = json.loads(done.stdout)
    queries = {name: found(answer) for name, answer in came["queries"].items()}
    return queries | {
        "verify_answer": judged(came["verified"]),
        "list_collections": ids(came["collections"], "name"),
        "list_documents": ids(came["documents"]),
        "get_document_summary": [came["document"]["version_id"], came["document"]["summary"]],
        "get_document": digest(came["content"].encode()),
        "list_document_sections": ids(came["sections"], "section_id"),
        "query_assets": digest(base64.b64decode(came["picture"])),
        "ingest": counted(came["job"]),
        "delete_document": [came["deleted"]],
    }


def prepare(rest: httpx2.Client, folder: Path, ways: list[str]) -> World:
    """Take the samples in, and one document for each way to delete."""
    job = ingest(rest, SAMPLES)
    spare = folder / "spare"
    spare.mkdir()
    for number, way in enumerate(ways):
        (spare / f"spare-{number}.md").write_text(f"# Spare {number}\n\nMay be deleted by {way}.\n", encoding="utf-8")
    ingest(rest, spare)
    again = folder / "again"
    again.mkdir()
    (again / "note.md").write_text("# Note\n\nTaken in once more by each.\n", encoding="utf-8")
    ingest(rest, again)
    documents = rest.get("/api/documents", params={"page_size": 100}).json()["items"]
    by_source = {row["source"]: row["id"] for row in documents}
    asked = rest.post("/api/query", json={"query": ENGLISH, "top_k": 3}).json()
    citations = [{"id": row["id"], "chunk_ids": row.get("chunk_ids") or [row["chunk_id"]]} for row in asked["citations"]]
    pictures = rest.post("/api/query", json={"query": "diagram", "prefer": {"has_image": True}, "top_k": 20}).json()["results"]
    return World(
        doc_id=by_source["operations/runbook-failover.md"],
        asset_id=next(image["asset_id"] for row in pictures for image in row["images"]),
        job_id=job["job_id"],
        folder=str(again),
        citations=citations,
        answer=f"{asked['results'][0]['content'].splitlines()[0]} [1] Nothing else is known [9].",
        doomed={way: by_source[f"spare-{number}.md"] for number, way in enumerate(ways)},
    )


def cell(value: Any) -> str:
    return f"{len(value)} · {hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:6]}"


def main() -> int:
    ways = ["REST", "MCP HTTP", "MCP stdio"]
    extension = ["extension, rest", "extension, mcp"] if shutil.which("node") else []
    with tempfile.TemporaryDirectory(prefix="rag-transports-") as name:
        folder = Path(name).resolve()
        os.environ |= {"RAG_DATA_DIR": str(folder / "data"), "RAG_MCP__ENABLED": "true", "RAG_RERANK__BUDGET_MS": "60000"}
        os.environ["RAG_SECURITY__ALLOWED_ROOTS"] = json.dumps([str(SAMPLES), str(folder)])
        # Descriptions of pictures that come meanwhile would change what is found.
        os.environ["RAG_CAPTIONS__PROVIDER"] = "none"
        serve = [sys.executable, "-m", "ragd", "serve", "--port", "0"]
        process, info = start_daemon(folder / "data", serve)
        try:
            headers = {"Authorization": f"Bearer {info['token']}"}
            with httpx2.Client(base_url=info["url"], headers=headers, timeout=120, trust_env=False) as rest:
                world = prepare(rest, folder, ways + extension)
                by_rest = {row.name: row.rest(rest, world) for row in ROWS if row.rest}
                http = streamable_http_client(f"{info['url']}/mcp", http_client=httpx2.AsyncClient(headers=headers, timeout=120))
                rag = StdioServerParameters(command=sys.executable, args=["-m", "ragd", "mcp"], env=dict(os.environ))
                columns: dict[str, Way] = {
                    "REST": by_rest,
                    "MCP HTTP": anyio.run(by_mcp, "MCP HTTP", world, Client(http)),
                    "MCP stdio": anyio.run(by_mcp, "MCP stdio", world, Client(stdio_client(rag))),
                }
                columns |= {way: by_extension(way.removeprefix("extension, "), world, info) for way in extension}
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
    print(f"| tool | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    differ: list[str] = []
    for row in ROWS:
        came = {way: values[row.name] for way, values in columns.items() if row.name in values}
        cells = [cell(came[way]) if way in came else "—" for way in columns]
        print(f"| {row.name} | {' | '.join(cells)} |")
        if len({cell(value) for value in came.values()}) > 1:
            differ.append(row.name)
    print("\nEvery row is the same in all columns." if not differ else f"\nThese differ: {', '.join(differ)}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
