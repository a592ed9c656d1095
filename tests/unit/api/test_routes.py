"""What each address gives, and how each bad input is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from ragd.api.schemas.query import FiltersBody, PreferBody, TurnBody
from ragd.app.container import Application
from ragd.core.query import Filters, Preferences, Turn

Finish = Callable[[str], dict[str, Any]]


def ingest(client: TestClient, finish: Finish, *paths: Path, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/ingest", json={"paths": [str(path) for path in paths], **more})
    assert answer.status_code == 202, answer.text
    return finish(answer.json()["job_id"])


def error(answer: Any, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "request_id", "details"}
    assert body["error"]["code"] == code
    assert body["error"]["request_id"] == answer.headers["X-Request-ID"]
    return dict(body["error"])


def fields_of(problem: dict[str, Any]) -> set[str]:
    return {detail["field"] for detail in problem["details"]}


def test_health_and_status(client: TestClient, app: Application) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/api/health").json() == {"status": "ok"}
    status = client.get("/api/status").json()
    assert status["counts"] == {"collections": 1, "documents": 0, "chunks": 0}
    assert status["stores"] == {"facts": "sqlite", "dense": "exact", "sparse": "fts5"}
    assert status["ready"] is False
    app.maintenance.warm()
    status = client.get("/api/status").json()
    assert status["ready"] is True
    assert status["model"]["dim"] == 256


@pytest.mark.slow
def test_a_folder_is_ingested_and_answers_with_places(client: TestClient, finish: Finish, guide: Path) -> None:
    job = ingest(client, finish, guide)
    assert job["status"] == "completed"
    assert job["result"]["added"] == 2
    assert job["result"]["failed"] == []
    answer = client.post("/api/query", json={"query": "HTTPS_PROXY", "top_k": 1}).json()
    [result] = answer["results"]
    assert result["source"] == "install.md"
    assert result["line_range"][0] >= 5
    assert "page" not in result
    assert "bbox" not in result
    citation = answer["citations"][0]
    shared = ("chunk_id", "doc_id", "collection", "content", "doc_type", "source", "source_uri", "title", "line_range", "images")
    assert {name: citation[name] for name in shared} == {name: result[name] for name in shared}
    assert citation["content"] in answer["context"]
    assert answer["effective"]["strategy"] == "hybrid"
    trace = client.get(f"/api/traces/{answer['trace_id']}").json()
    assert trace["trace_type"] == "query"
    assert trace["links"]["request_id"]
    rows = client.get("/api/traces", params={"type": "ingestion", "job_id": job["job_id"]}).json()
    assert rows["total"] == 2
    assert client.get("/api/jobs").json()["items"][0]["job_id"] == job["job_id"]


@pytest.mark.slow
def test_documents_can_be_listed_read_and_deleted(client: TestClient, finish: Finish, guide: Path) -> None:
    ingest(client, finish, guide)
    listed = client.get("/api/documents", params={"collection": "default", "page_size": 1, "page": 1}).json()
    assert (listed["total"], len(listed["items"]), listed["page"], listed["page_size"]) == (2, 1, 1, 1)
    doc_id = listed["items"][0]["id"]
    assert "error" not in listed["items"][0]
    assert client.get(f"/api/documents/{doc_id}").json()["versions"][0]["status"] == "ready"
    content = client.get(f"/api/documents/{doc_id}/content").json()
    assert content["id"] == doc_id
    assert content["markdown"].startswith("# Install")
    sections = client.get(f"/api/documents/{doc_id}/sections", params={"page_size": 1, "page": 2}).json()
    assert (sections["total"], len(sections["items"])) == (2, 1)
    chunks = client.get(f"/api/documents/{doc_id}/chunks").json()
    assert chunks["total"] == len(chunks["items"]) > 0
    assert "slide" not in chunks["items"][0]
    assert client.delete(f"/api/documents/{doc_id}").status_code == 204
    error(client.get(f"/api/documents/{doc_id}"), 410, "DOCUMENT_DELETED")
    error(client.delete(f"/api/documents/{doc_id}"), 410, "DOCUMENT_DELETED")
    assert client.get("/api/documents", params={"status": "ready"}).json()["total"] == 1


@pytest.mark.slow
def test_collections_with_japanese_names_live_and_die(client: TestClient, finish: Finish, guide: Path) -> None:
    name = "規程 2026"
    made = client.post("/api/collections", json={"name": name, "description": "d"})
    assert made.status_code == 201
    assert made.json()["status"] == "enabled"
    error(client.post("/api/collections", json={"name": name}), 409, "KNOWLEDGE_BASE_NAME_CONFLICT")
    ingest(client, finish, guide, collection=name)
    address = f"/api/collections/{quote(name)}"
    assert client.patch(address, json={"status": "disabled"}).json()["document_count"] == 2
    error(client.post("/api/query", json={"query": "x", "collection": name}), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    error(client.post("/api/ingest", json={"paths": ["/x"], "collection": name}), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    renamed = client.patch(address, json={"name": "規程", "status": "enabled"}).json()
    assert renamed["name"] == "規程"
    assert client.get("/api/collections").json()["total"] == 2
    assert client.delete(f"/api/collections/{quote('規程')}").status_code == 204
    error(client.delete(f"/api/collections/{quote('規程')}"), 404, "KNOWLEDGE_BASE_NOT_FOUND")
    error(client.delete("/api/collections/default"), 400, "VALIDATION_ERROR")


@pytest.mark.slow
def test_reindex_rebuilds_and_answers_with_a_job(client: TestClient, finish: Finish, guide: Path) -> None:
    ingest(client, finish, guide)
    for body in ({}, {"collection": "default"}):
        answer = client.post("/api/reindex", json=body)
        assert answer.status_code == 202
        assert finish(answer.json()["job_id"])["status"] == "completed"
    assert client.post("/api/reindex").status_code == 202
    error(client.post("/api/reindex", json={"collection": "none"}), 404, "KNOWLEDGE_BASE_NOT_FOUND")


def test_a_queued_job_is_cancelled_at_once(client: TestClient, guide: Path) -> None:
    job_id = client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"]
    answer = client.delete(f"/api/jobs/{job_id}")
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert client.get("/api/jobs", params={"status": "cancelled"}).json()["total"] == 1


@pytest.mark.slow
def test_events_end_with_the_finished_job(client: TestClient, finish: Finish, guide: Path) -> None:
    job_id = client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"]
    answer = client.get(f"/api/jobs/{job_id}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [
        (block.split("\n")[0].removeprefix("event: "), json.loads(block.split("\n")[1].removeprefix("data: ")))
        for block in answer.text.strip().split("\n\n")
    ]
    assert events[-1][0] == "end"
    assert events[-1][1] == client.get(f"/api/jobs/{job_id}").json()
    assert {name for name, _ in events[:-1]} <= {"progress"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": "x", "top_k": 0}, "top_k"),
        ({"query": "x", "top_k": 21}, "top_k"),
        ({"query": "x", "top_k": "5"}, "top_k"),
        ({"query": "x", "top_k": True}, "top_k"),
        ({"query": ""}, "query"),
        ({"query": " \n\u200b "}, "query"),
        ({}, "query"),
        ({"query": None}, "query"),
        ({"query": "\ud800"}, "body"),
        ({"query": "x", "histroy": []}, "histroy"),
        ({"query": "x", "history": {}}, "history"),
        ({"query": "x", "history": [{"role": "robot", "text": "x"}]}, "history[0].role"),
        ({"query": "x", "prefer": {"newest": True}}, "prefer.newest"),
        ({"query": "x", "filters": {"version_id": "none"}}, "filters.version_id"),
        ({"query": "x", "filters": {"doctype": "pdf"}}, "filters.doctype"),
        ({"query": "x", "filters": {"doc_type": "spreadsheet"}}, "filters.doc_type"),
        ({"query": "x", "filters": []}, "filters"),
        ({"query": "x", "strategy": "nearest"}, "strategy"),
        ({"query": "x", "max_context_tokens": 0}, "max_context_tokens"),
        ([], "body"),
        ("x", "body"),
    ],
)
def test_a_query_that_can_not_be_used_names_the_field(client: TestClient, body: Any, field: str) -> None:
    content = json.dumps(body)
    answer = client.post("/api/query", content=content, headers={"Content-Type": "application/json"})
    assert field in fields_of(error(answer, 400, "VALIDATION_ERROR"))


def test_a_very_long_query_is_cut_with_a_warning(client: TestClient) -> None:
    answer = client.post("/api/query", json={"query": "経費" * 50_000})
    assert answer.status_code == 200
    assert "8,192" in answer.json()["warnings"][0]


@pytest.mark.parametrize("content", [b"{", b"", b"\xff\xfe", b"{'a': 1}", b"[" * 100_000, b'{"query": NaN}'])
@pytest.mark.parametrize("path", ["/api/query", "/api/ingest", "/api/collections"])
def test_malformed_json_is_a_validation_error_in_our_shape(client: TestClient, content: bytes, path: str) -> None:
    answer = client.post(path, content=content, headers={"Content-Type": "application/json"})
    error(answer, 400, "VALIDATION_ERROR")


def test_a_body_of_another_type_is_refused(client: TestClient) -> None:
    error(client.post("/api/query", content=b"query=x", headers={"Content-Type": "text/plain"}), 400, "VALIDATION_ERROR")
    error(client.post("/api/ingest", content=b"x", headers={"Content-Type": "text/plain"}), 415, "UNSUPPORTED_MEDIA_TYPE")


def test_what_does_not_exist_is_told_before_what_is_invalid(client: TestClient) -> None:
    for path, body in [
        ("/api/query", {"query": "x", "collection": "none", "top_k": 0, "history": 1}),
        ("/api/ingest", {"paths": 5, "collection": "none"}),
        ("/api/reindex", {"collection": "none", "x": 1}),
    ]:
        error(client.post(path, json=body), 404, "KNOWLEDGE_BASE_NOT_FOUND")
    error(client.patch("/api/collections/none", json={"status": "gone"}), 404, "KNOWLEDGE_BASE_NOT_FOUND")
    error(client.get("/api/documents?collection=none&page=0"), 404, "KNOWLEDGE_BASE_NOT_FOUND")
    error(client.get("/api/documents/none/chunks?page=0"), 404, "DOCUMENT_NOT_FOUND")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/documents/none", "DOCUMENT_NOT_FOUND"),
        ("/api/documents/none/content", "DOCUMENT_NOT_FOUND"),
        ("/api/documents/none/sections", "DOCUMENT_NOT_FOUND"),
        ("/api/jobs/none", "JOB_NOT_FOUND"),
        ("/api/jobs/none/events", "JOB_NOT_FOUND"),
        ("/api/traces/none", "TRACE_NOT_FOUND"),
        ("/api/nothing", "NOT_FOUND"),
        ("/api/collections/", "NOT_FOUND"),
        ("/", "NOT_FOUND"),
    ],
)
def test_what_does_not_exist_is_404_with_its_own_code(client: TestClient, path: str, code: str) -> None:
    error(client.get(path), 404, code)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/api/query", "POST"),
        # Not of documents with the id `verify`.
        ("/api/documents/verify", "POST"),
        ("/api/documents/none", "DELETE, GET"),
    ],
)
def test_a_method_that_an_address_does_not_have_is_405(client: TestClient, path: str, allowed: str) -> None:
    answer = client.put(path)
    error(answer, 405, "METHOD_NOT_ALLOWED")
    assert answer.headers["Allow"] == allowed


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/api/collections", "/api/documents", "/api/jobs", "/api/traces"])
@pytest.mark.parametrize("paging", ["page=0", "page=-1", "page=x", "page=99999999999999999999", "page_size=0", "page_size=101"])
def test_a_page_out_of_range_is_refused_on_every_list(client: TestClient, path: str, paging: str) -> None:
    assert fields_of(error(client.get(f"{path}?{paging}"), 400, "VALIDATION_ERROR")) == {paging.partition("=")[0]}


def test_an_unknown_status_or_type_is_refused(client: TestClient) -> None:
    error(client.get("/api/documents?status=gone"), 400, "VALIDATION_ERROR")
    error(client.get("/api/traces?type=x"), 400, "VALIDATION_ERROR")
    error(client.patch("/api/collections/default", json={"status": "deleted"}), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("paths", [[], [""], ["a\0b"], [5], ["relative.md"], ["/does/not/exist.md"], "/x"])
def test_paths_that_can_not_be_used_are_refused(client: TestClient, paths: Any) -> None:
    error(client.post("/api/ingest", json={"paths": paths}), 400, "VALIDATION_ERROR")


class TestAllowedRoots:
    @pytest.fixture
    def changes(self, guide: Path) -> dict[str, Any]:
        return {"security.allowed_roots": [str(guide)]}

    def test_a_path_that_leaves_the_roots_by_dots_or_by_a_link_is_forbidden(self, client: TestClient, guide: Path) -> None:
        secret = guide.parent / "secret.md"
        secret.write_text("secret")
        (guide / "link.md").symlink_to(secret)
        for path in (secret, guide / ".." / "secret.md", guide / "link.md", Path("/etc/passwd")):
            error(client.post("/api/ingest", json={"paths": [str(path)]}), 403, "FORBIDDEN_PATH")

    @pytest.mark.slow
    def test_a_link_below_an_allowed_folder_is_left_out_with_its_reason(
        self, client: TestClient, finish: Finish, guide: Path
    ) -> None:
        (guide.parent / "secret.md").write_text("secret")
        (guide / "link.md").symlink_to(guide.parent / "secret.md")
        result = ingest(client, finish, guide)["result"]
        assert result["added"] == 2
        assert [(failure["source"], failure["code"]) for failure in result["failed"]] == [("link.md", "FORBIDDEN_PATH")]


@pytest.mark.slow
def test_the_description_covers_every_address_and_has_no_422(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    operations = {f"{method.upper()} {path}": item for path, item in described["paths"].items() for method, item in item.items()}
    assert {
        "GET /health", "GET /api/health", "GET /api/status", "GET /api/checks", "POST /api/query", "POST /api/chat",
        "GET /api/overview",
        "POST /api/prompt", "GET /api/suggest",
        "GET /api/collections", "POST /api/collections",
        "GET /api/collections/{name}/guide", "GET /api/documents/{doc_id}/guide", "GET /api/documents/folders",
        "GET /api/assets", "GET /api/assets/{asset_id}/table", "GET /api/assets/{asset_id}/details", "POST /api/assets/caption",
        "POST /api/captions/requests", "PATCH /api/captions/requests/{lease_id}", "DELETE /api/captions/lenders/{lender}",
        "POST /api/captions/requests/{lease_id}/answer", "POST /api/captions/requests/{lease_id}/failure",
        "PATCH /api/collections/{name}", "DELETE /api/collections/{name}", "GET /api/documents", "GET /api/documents/{doc_id}",
        "DELETE /api/documents/{doc_id}", "GET /api/documents/{doc_id}/content", "GET /api/documents/{doc_id}/sections",
        "GET /api/documents/{doc_id}/chunks", "POST /api/ingest", "POST /api/reindex", "GET /api/jobs", "GET /api/jobs/{job_id}",
        "DELETE /api/jobs/{job_id}", "GET /api/jobs/{job_id}/events", "GET /api/traces", "GET /api/traces/{trace_id}",
        "POST /api/traces/{trace_id}/replay", "GET /api/traces/{trace_id}/flow", "GET /api/traces/{trace_id}/whereabouts",
        "GET /api/settings",
        "GET /api/documents/{doc_id}/outline", "GET /api/documents/{doc_id}/pages", "GET /api/documents/{doc_id}/rows",
        "GET /api/documents/{doc_id}/merged-cells", "GET /api/documents/{doc_id}/slides",
        "GET /api/documents/{doc_id}/pages/{page}", "GET /api/documents/{doc_id}/pages/{page}/text",
        "POST /api/documents/verify", "GET /api/assets/{asset_id}",
        "GET /api/sources", "POST /api/sources", "GET /api/sources/{source_id}", "PATCH /api/sources/{source_id}",
        "DELETE /api/sources/{source_id}", "POST /api/sources/{source_id}/sync", "POST /api/sources/{source_id}/retry",
            "GET /api/sources/{source_id}/ledger", "GET /api/sources/{source_id}/ledger/items",
        "GET /api/evaluations", "POST /api/evaluations", "GET /api/evaluations/{run_id}", "POST /api/evaluations/query",
        "POST /api/evaluations/answer", "GET /api/evaluations/choices", "GET /api/evaluations/jobs",
        "POST /api/evaluations/jobs", "GET /api/evaluations/jobs/{job_id}", "POST /api/evaluations/jobs/{job_id}/strategy",
        "POST /api/evaluations/tuning", "POST /api/evaluations/cost",
        "GET /api/datasets", "POST /api/datasets", "POST /api/datasets/sample", "GET /api/datasets/{name}",
        "GET /api/datasets/{name}/text", "PATCH /api/datasets/{name}", "DELETE /api/datasets/{name}",
        "GET /v1/models", "GET /v1/models/{model}", "POST /v1/chat/completions", "POST /v1/embeddings", "POST /v1/rerank",
        "GET /api/backup", "GET /api/keys", "POST /api/keys", "POST /api/keys/{key_id}/rotate", "DELETE /api/keys/{key_id}",
        "POST /api/browser-link", "POST /api/dashboard-link",
        "GET /api/events", "POST /api/stop", "POST /api/answers/verify", "POST /api/documents/{doc_id}/reindex",
        "GET /api/feedback", "POST /api/feedback", "DELETE /api/feedback/{feedback_id}",
        "GET /api/labels", "POST /api/labels", "DELETE /api/labels/{label_id}", "GET /api/labels/questions",
        "GET /api/labels/agreement", "GET /api/traces/{trace_id}/passages", "GET /api/evaluations/{run_id}/figures",
        "GET /api/evaluations/{run_id}/questions", "GET /api/evaluations/{run_id}/comparison",
        "GET /knowledge_bases", "POST /knowledge_bases", "GET /knowledge_bases/{kb_id}", "PATCH /knowledge_bases/{kb_id}",
        "DELETE /knowledge_bases/{kb_id}", "GET /knowledge_bases/{kb_id}/documents", "POST /knowledge_bases/{kb_id}/documents",
        "GET /documents/{doc_id}", "DELETE /documents/{doc_id}", "GET /cleanup_tasks/{task_id}",
        "POST /cleanup_tasks/{task_id}/retry", "POST /search", "GET /ready", "GET /metrics",
    } == set(operations)  # fmt: skip
    for name, operation in operations.items():
        assert "422" not in operation["responses"]
        failure = operation["responses"]["default"]["content"]["application/json"]["schema"]["$ref"]
        assert failure.endswith("/OpenAiErrorBody" if " /v1/" in name else "/ErrorBody")


@pytest.mark.slow
def test_the_documentation_page_needs_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert "POST /api/query" in page.text
    assert "<script" not in page.text
    assert not re.findall(r"(?:src|href)=[\"'](?![#/])|url\(|@import", page.text)
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    query = page.text[page.text.index('id="POST--api-query"') : page.text.index('id="POST--api-chat"')]
    assert "<code>max_context_tokens</code>" in query, "fields of a request"
    assert "<code>latency_ms</code>*" in query, "and of its answer"
    targets = set(re.findall(r'href="#([^"]+)"', page.text))
    assert targets <= set(re.findall(r' id="([^"]+)"', page.text))


def test_the_described_parts_of_a_query_are_those_that_it_takes() -> None:
    assert set(FiltersBody.model_fields) == {field.name for field in fields(Filters)} - {"also", "without"}
    assert set(PreferBody.model_fields) == {field.name for field in fields(Preferences)}
    assert set(TurnBody.model_fields) == {field.name for field in fields(Turn)}


@pytest.mark.parametrize("path", ["/v1/embeddings", "/api/query"])
def test_half_a_character_is_refused_as_anything_else_that_is_not_there(client: TestClient, path: str) -> None:
    body = json.dumps({"model": "\ud800", "input": "x", "query": "x", "\udfff": 1})
    answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"].lower()) in ((404, "model_not_found"), (400, "validation_error"))
