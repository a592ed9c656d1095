"""Lists of documents, groups of them, and what each is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragd.client import asynchronous
from ragd.mcp.results.documents import document_lines, groups
from ragd.mcp.tools import documents

from .conftest import Agent

pytestmark = pytest.mark.slow


def row(number: int, *tags: str, **changed: Any) -> dict[str, Any]:
    known = {"id": f"id{number}", "source": f"s{number}.md", "title": f"Title {number}", "collection": "default"}
    return known | {"doc_type": "markdown", "status": "ready", "tags": list(tags)} | changed


@pytest.fixture
def filled(agent: Agent, guide: Path, tmp_path: Path) -> Agent:
    for name, tags in (("install", "setup, ops"), ("backup", "ops")):
        file = guide / f"{name}.md"
        file.write_text(f"---\ntags: [{tags}]\n---\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    (guide / "notes [1].txt").write_text("x", encoding="utf-8")
    agent.read([guide])
    agent.rest.post("/api/collections", json={"name": "other", "description": ""})
    (tmp_path / "elsewhere.md").write_text("# Elsewhere\n\nIt stands elsewhere.\n", encoding="utf-8")
    agent.read([tmp_path / "elsewhere.md"], "other")
    return agent


def sources(rows: Any) -> list[str]:
    return [row["source"] for row in rows]


def test_documents_are_those_of_rest_page_by_page(filled: Agent) -> None:
    by_rest = filled.rest.get("/api/documents", params={"page": 2, "page_size": 2}).json()
    found = filled.fields("list_documents", page=2, page_size=2)
    # No language is told of a text this short: what the schema requires is there though it is null.
    assert found["documents"] == by_rest["items"]
    assert any(item["language"] is None for item in filled.fields("list_documents")["documents"])
    assert (found["total"], found["page"], found["page_size"]) == (5, 2, 2)
    assert "groups" not in found
    text = filled.text("list_documents", collection="default")
    assert text.startswith("4 documents, page 1 of 1:")
    assert "(notes \\[1\\].txt) · default · text · doc_id " in text
    assert " · tags setup, ops · doc_id " in text
    assert sources(filled.fields("library.list_documents", collection="other")["documents"]) == ["elsewhere.md"]


def test_documents_in_groups_tags_and_folders(filled: Agent) -> None:
    by_tag = filled.fields("list_documents", group_by="tag")
    assert [(group["key"], group["count"]) for group in by_tag["groups"]] == [("ops", 2), ("setup", 1), ("", 3)]
    assert sources(by_tag["groups"][0]["documents"]) == ["backup.md", "install.md"]
    assert (by_tag["groups_total"], by_tag["examined"], by_tag["available"], by_tag["total"]) == (3, 5, 5, 5)
    assert "tag setup: 1\n- Install (install.md) · doc_id " in filled.text("list_documents", group_by="tag")
    by_type = filled.fields("list_documents", group_by="doc_type", collection="default")
    assert {group["key"]: group["count"] for group in by_type["groups"]} == {"markdown": 3, "text": 1}
    by_name = filled.fields("list_documents", group_by="collection")
    assert {group["key"]: group["count"] for group in by_name["groups"]} == {"default": 4, "other": 1}

    tagged = filled.fields("list_documents", tag="ops", page=2, page_size=1)
    assert (sources(tagged["documents"]), tagged["total"]) == (["install.md"], 2)
    assert sources(filled.fields("list_documents", path_prefix="ba")["documents"]) == ["backup.md"]
    assert sources(filled.fields("list_documents", path_prefix="経費")["documents"]) == ["経費.md"]
    assert filled.fields("list_documents", tag="ops", path_prefix="x")["documents"] == []


def test_what_was_not_looked_at_is_said(filled: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_EXAMINED", 2)
    monkeypatch.setattr(asynchronous, "MAX_PAGE_SIZE", 1)
    found = filled.fields("list_documents", group_by="doc_type")
    assert (found["examined"], found["available"], found["total"]) == (2, 5, 2)
    assert filled.text("list_documents", tag="ops").startswith("Only the first 2 of 5 documents were looked at;")


def test_a_document_is_described_as_rest_does(filled: Agent) -> None:
    doc_id = filled.fields("list_documents", tag="setup")["documents"][0]["id"]
    by_rest = filled.rest.get(f"/api/documents/{doc_id}").json()
    assert filled.fields("get_document_summary", doc_id=doc_id)["document"] == by_rest
    text = filled.text("get_document_summary", doc_id=doc_id)
    assert text.startswith("**Install** (install.md, default) · doc_id ")
    assert "Tags: setup, ops" in text
    assert f"```\n{by_rest['summary']}\n```" in text


def test_a_summary_without_a_model_is_made_of_the_documents_own_sentences(filled: Agent) -> None:
    doc_id = filled.fields("list_documents", tag="setup")["documents"][0]["id"]
    made = filled.fields("library.summarize_document", doc_id=doc_id, style="bullet")
    chunks = filled.rest.get(f"/api/documents/{doc_id}/chunks").json()["items"]
    assert made["provider"] == "extractive"
    assert made["summary"].splitlines()[-1] == "- Install > Proxy: Set HTTPS_PROXY before the first start. [2]"
    assert [row["chunk_ids"] for row in made["citations"]] == [[chunk["chunk_id"]] for chunk in chunks]
    assert made["citations"][1]["place"] == "## Proxy, line 10"
    assert made["warnings"] == []
    text = filled.text("summarize_document", doc_id=doc_id, style="bullet")
    assert f"[2] ## Proxy, line 10 · chunk_id {chunks[1]['chunk_id']}" in text
    short = filled.fields("summarize_document", doc_id=doc_id)
    assert short["summary"].startswith(filled.rest.get(f"/api/documents/{doc_id}").json()["summary"])


def test_wrong_lists_are_refused_as_rest_does(agent: Agent) -> None:
    for wrong in ({"status": "gone"}, {"group_by": "size"}, {"page": 0}, {"page_size": 101}, {"page": "x"}, {"tags": "a"}):
        assert agent.failure("list_documents", **wrong)["code"] == "VALIDATION_ERROR", wrong
    assert agent.failure("list_documents", collection="none")["code"] == "KNOWLEDGE_BASE_NOT_FOUND"
    assert agent.failure("list_documents", collection="none", group_by="tag")["code"] == "KNOWLEDGE_BASE_NOT_FOUND"
    empty = agent.fields("list_documents", group_by="tag")
    assert (empty["documents"], empty["groups"], empty["total"]) == ([], [], 0)
    assert agent.failure("summarize_document", doc_id="x", style="long")["code"] == "VALIDATION_ERROR"
    assert agent.failure("summarize_document", doc_id="x")["code"] == "DOCUMENT_NOT_FOUND"


def test_what_needs_a_token_stays_unnamed() -> None:
    hidden = row(1, source="", title="", restricted=True)
    assert document_lines([hidden], 1_000) == ["- (named only to a token that may read it) · default · markdown · doc_id id1"]
    assert documents.selected([hidden, row(2)], None, "") == [row(2)]
    assert documents.selected([hidden, row(2, "a")], "a", None) == [row(2, "a")]
    (without,), _ = groups([hidden], "tag", 1_000)
    assert (without.key, without.documents[0].title) == ("", "")


def test_groups_and_lines_that_do_not_fit_are_counted() -> None:
    rows = [row(number, f"tag {number % 30}", "all") for number in range(300)]
    found, total = groups(rows, "tag", 3_000)
    assert total == 31
    assert found[0].key == "all"
    assert found[0].count == 300
    assert 0 < len(found[0].documents) < 10
    assert sum(len(group.documents) for group in found) < 60
    few, total = groups(rows, "tag", 100)
    assert (len(few), total) == (2, 31)
    lines = document_lines(rows, 1_000)
    assert lines[-1] == f"… and {301 - len(lines)} more of this page, which did not fit: ask for a smaller page_size."
    assert sum(map(len, lines)) < 1_200
