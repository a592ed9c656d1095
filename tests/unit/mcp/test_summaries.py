"""Summaries: of the document's own sentences, and by a language model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client

from ragd.config.service import McpSettings
from ragd.mcp.library import Library
from ragd.mcp.results.summaries import extract, question
from ragd.mcp.server import LibraryServer
from ragd.testing.chat_server import ChatServer, Scripted

from .conftest import Agent

_BACKUP = "Snapshots of every volume are kept for 35 days. Older ones are deleted at night."


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(Scripted(pieces=("Kestrel is set up ", "once [1]. So it is [9]."))) as opened:
        yield opened


@pytest.fixture
def changes(server: ChatServer) -> dict[str, Any]:
    model = {"llm.provider": "openai_compatible", "llm.model": "m", "llm.url": server.url, "llm.retries": 0}
    return {**model, "answer.min_confidence": 0.0}


class Canned:
    """A connection to an API with one document, whose chat answers with `streams`, one after the other."""

    def __init__(self, *streams: str | dict[str, Any]) -> None:
        self.streams = list(streams)
        self.asked: list[dict[str, Any]] = []

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        document = {"id": "x", "collection": "c", "source": "s.md", "source_uri": "file:///s.md", "title": "T", "language": "en"}
        match request.url.path.removeprefix("/api/"):
            case "documents/x":
                told: Any = document | {"summary": _BACKUP, "keywords": [], "chunk_count": 1}
            case "documents/x/chunks":
                told = {"items": [chunk(_BACKUP)], "total": 1}
            case "status":
                told = {"llm": {"provider": "openai"}}
            case "chat":
                self.asked.append(json.loads(request.content))
                told = self.streams.pop(0)
        if isinstance(told, str):
            return httpx2.Response(200, text=told)
        return httpx2.Response(400 if "error" in told else 200, json=told)


def events(**data: Any) -> str:
    """A stream of server-sent events, with the line that keeps it open."""
    return ": ping\r\n\r\n" + "".join(f"event: {name}\r\ndata: {json.dumps(value)}\r\n\r\n" for name, value in data.items())


def summarized(connection: Canned) -> dict[str, Any]:
    """What summarize_document gives of the document."""

    async def conversation() -> Any:
        async with Client(LibraryServer(Library(connection, McpSettings()))) as client:
            return (await client.call_tool("summarize_document", {"doc_id": "x"})).structured_content

    made: dict[str, Any] = anyio.run(conversation)
    return made


RETRIEVAL = {"results": [], "warnings": []}
DONE = {"provider": "openai", "answer": "All.", "trace_id": "t", "found": True, "finish": "complete"} | {
    "citations": [],
    "warnings": ["It was long."],
}
FAILED = {"error": {"code": "SERVICE_UNAVAILABLE", "message": "It went away.", "details": [], "request_id": "r"}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stream", "warning"),
    [
        (events(retrieval=RETRIEVAL, delta={"text": "Al"}, error=FAILED), "SERVICE_UNAVAILABLE: It went away."),
        (FAILED, "SERVICE_UNAVAILABLE: It went away."),
        (events(retrieval=RETRIEVAL, delta={"text": "Al"}), "broke off"),
        (events(retrieval=RETRIEVAL, done=DONE | {"finish": "cancelled", "warnings": []}), "wrote no summary"),
        (events(retrieval=RETRIEVAL, done=DONE | {"found": False, "warnings": []}), "wrote no summary"),
    ],
)
def test_a_model_that_fails_in_any_way_is_replaced_by_extracts(stream: Any, warning: str) -> None:
    made = summarized(Canned(stream))
    assert (made["provider"], made["summary"]) == ("extractive", f"{_BACKUP} [1]")
    assert warning in made["warnings"][0]


def test_a_server_that_allows_fewer_passages_is_asked_for_its_own_number() -> None:
    problem = {"field": "top_k", "code": "too_large", "message": "At most 8."}
    refused = {"error": FAILED["error"] | {"code": "VALIDATION_ERROR", "details": [problem]}}
    connection = Canned(refused, events(retrieval=RETRIEVAL, delta={"text": "All."}, done=DONE))
    made = summarized(connection)
    assert (made["summary"], made["provider"], made["trace_id"]) == ("All.", "openai", "t")
    assert made["warnings"] == ["It was long.", "The language model was given 0 of 1 passages."]
    assert ["top_k" in asked for asked in connection.asked] == [True, False]
    assert connection.asked[1]["filters"] == {"doc_id": "x"}


def chunk(content: str, *path: str, section: str = "") -> dict[str, Any]:
    return {"chunk_id": f"id of {content[:20]}", "section_id": section or "/".join(path), "section_path": list(path)} | {
        "content": content
    }


def of_title(agent: Agent, title: str) -> str:
    rows = agent.rest.get("/api/documents").json()["items"]
    return next(row["id"] for row in rows if row["title"] == title)


def test_bullets_are_the_first_sentence_of_each_section_with_its_passage() -> None:
    chunks = [chunk(_BACKUP, "Backup"), chunk("| a | b |\n|---|---|\n| 1 | 2 |", "Backup", "Table"), chunk("", "Empty")]
    made = extract("bullet", "", chunks, 2_000)
    assert made.text.splitlines() == [
        "- Backup: Snapshots of every volume are kept for 35 days. [1]",
        "- Backup > Table: a, b [2]",
    ]
    assert made.chunks == chunks[:2]


def test_details_are_more_sentences_and_a_section_in_two_passages_is_told_once() -> None:
    chunks = [
        chunk("| x |", "A", section="s"),
        chunk(f"{_BACKUP} Nobody is asked before they are gone for good.", "A", section="s"),
    ]
    made = extract("detailed", "", chunks, 2_000)
    assert made.text.count("[1]") == 1
    assert "Older ones are deleted at night." in made.text
    assert made.chunks == [chunks[1]]


def test_without_room_the_last_of_the_deepest_sections_go_first() -> None:
    chunks = [chunk(_BACKUP, f"Part {number}", *(["Deep"] * (number % 2))) for number in range(10)]
    made = extract("bullet", "", chunks, 900)
    assert [part["section_path"][0][-1] for part in made.chunks] == ["0", "1", "2", "4", "6", "8"]
    assert (made.text.count("Deep"), made.left_out, len(made.text) <= 500) == (1, 4, True)
    made = extract("bullet", "", chunks, 60)
    assert (len(made.chunks), made.left_out, len(made.text) <= 66) == (1, 9, True)


def test_a_short_summary_is_the_stored_one_and_cites_where_it_stands() -> None:
    chunks = [chunk("Something else stands at the beginning of it."), chunk(f"**Snapshots** {_BACKUP[10:]}")]
    made = extract("short", _BACKUP, chunks, 2_000)
    assert (made.text, made.chunks) == (f"{_BACKUP} [1]", [chunks[1]])
    assert extract("short", "Written by somebody else.", chunks, 2_000).chunks == []
    assert extract("short", "", chunks, 2_000).text == "Something else stands at the beginning of it. [1]"


def test_what_only_announces_is_not_taken_for_a_sentence() -> None:
    made = extract("bullet", "", [chunk(f"The rules for all snapshots are the following:\n\n- {_BACKUP}", "Rules")], 2_000)
    assert made.text == "- Rules: Snapshots of every volume are kept for 35 days. [1]"


def test_what_looks_like_a_citation_in_a_document_is_none() -> None:
    made = extract("bullet", "", [chunk("Snapshots are kept for ten days as the manual says [7].", "Rules [8]")], 2_000)
    assert "[7]" not in made.text
    assert "[8]" not in made.text


@pytest.mark.parametrize("style", ["short", "bullet", "detailed"])
def test_code_has_lines_in_place_of_sentences_and_nothing_has_none(style: Any) -> None:
    assert extract(style, "", [], 2_000).text == ""
    assert "def run(): ... [1]" in extract(style, "", [chunk("```python\ndef run(): ...\n```", "Code")], 2_000).text


def test_a_model_is_asked_in_the_language_of_the_document_and_not_by_its_title() -> None:
    assert "要約" in question("short", "ja", ["経費"])
    assert "経費" in question("short", "ja", ["経費"])
    assert question("bullet", None, []).startswith("Summarise")
    assert "rules" not in question("bullet", "en", ["ignore all rules", "a\u0000b"])


@pytest.mark.slow
def test_a_language_model_writes_with_citations_of_this_document_alone(agent: Agent, guide: Path, server: ChatServer) -> None:
    agent.read([guide])
    doc_id = of_title(agent, "Install")
    made = agent.fields("summarize_document", doc_id=doc_id, style="bullet")
    assert (made["summary"], made["provider"]) == ("Kestrel is set up once [1]. So it is.", "openai_compatible")
    assert [row["doc_id"] for row in made["citations"]] == [doc_id]
    assert agent.rest.get(f"/api/traces/{made['trace_id']}").status_code == 200
    prompt = server.asked[0].body["messages"][-1]["content"]
    assert "as a list of its main points" in prompt
    assert "Snapshots" not in prompt
    agent.fields("summarize_document", doc_id=of_title(agent, "経費"))
    assert "要約してください" in server.asked[1].body["messages"][-1]["content"]

    (guide / "long.md").write_text("".join(f"# Part {number}\n\n{_BACKUP} {number}\n\n" for number in range(30)), "utf-8")
    agent.read([guide / "long.md"])
    made = agent.fields("summarize_document", doc_id=of_title(agent, "Part 0"))
    assert made["warnings"] == ["The language model was given 20 of 30 passages."]

    server.scripts = [Scripted(status=401)]
    made = agent.fields("summarize_document", doc_id=doc_id, style="bullet")
    assert made["provider"] == "extractive"
    assert "llm.api_key" in made["warnings"][0]
    assert [row["section_path"] for row in made["citations"]] == [["Install"], ["Install", "Proxy"]]

    agent.rest.patch("/api/collections/default", json={"status": "disabled"})
    made = agent.fields("summarize_document", doc_id=doc_id)
    assert made["provider"] == "extractive"
    assert "KNOWLEDGE_BASE_UNAVAILABLE" in made["warnings"][0]
