"""Requirements 4 and 5 of the service contract: readiness, request ids, errors, metrics. A test is named after its criterion.

4.1 to 4.3 are in test_4_latency.py.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.api.lifecycle import Lifecycle
from ragd.core.errors import RagError
from ragd.core.logs import logging_to

from .samples import samples

APPENDIX_B = {
    ("VALIDATION_ERROR", 400),
    ("KNOWLEDGE_BASE_NOT_FOUND", 404),
    ("DOCUMENT_NOT_FOUND", 404),
    ("CLEANUP_TASK_NOT_FOUND", 404),
    ("KNOWLEDGE_BASE_UNAVAILABLE", 403),
    ("KNOWLEDGE_BASE_NAME_CONFLICT", 409),
    ("KNOWLEDGE_BASE_DELETED", 409),
    ("CLEANUP_TASK_NOT_RETRYABLE", 409),
    ("DOCUMENT_DELETED", 410),
    ("PAYLOAD_TOO_LARGE", 413),
    ("UNSUPPORTED_MEDIA_TYPE", 415),
    ("INTERNAL_ERROR", 500),
    ("SERVICE_UNAVAILABLE", 503),
}


def test_4_04_health_asks_nothing_and_ready_asks_database_and_model(idle: Any) -> None:
    assert idle.client.get("/health", headers={"Authorization": ""}).json() == {"status": "ok"}
    assert idle.ok(idle.client.get("/ready"), 200) == {"status": "ready"}


def test_4_04_not_ready_before_the_model_is_open(opened_in: Any, tmp_path: Path) -> None:
    with opened_in(tmp_path, runs=False, reconciles=False) as service:
        error = service.refused(service.client.get("/ready"), 503, "SERVICE_UNAVAILABLE")
        assert "Model" in error["message"]
        assert service.client.get("/health").status_code == 200


def test_4_04_not_ready_while_starting_or_stopping(idle: Any) -> None:
    lifecycle = Lifecycle()
    headers = {"Authorization": "Bearer t"}
    api = create_api(idle.app, token="t", lifecycle=lifecycle)
    with TestClient(api, base_url="http://127.0.0.1:8765", headers=headers) as client:
        idle.refused(client.get("/ready"), 503, "SERVICE_UNAVAILABLE")
        lifecycle.ready.set()
        assert client.get("/ready").status_code == 200
        lifecycle.stop("a test")
        idle.refused(client.get("/ready"), 503, "SERVICE_UNAVAILABLE")
        assert client.get("/health").status_code == 200


def test_4_04_not_ready_without_the_database(idle: Any) -> None:
    idle.app.maintenance.database.dispose()
    with idle.store.stopped():
        idle.refused(idle.client.get("/ready"), 503, "SERVICE_UNAVAILABLE")
        assert idle.client.get("/health").status_code == 200
    assert idle.client.get("/ready").status_code == 200


def test_5_01_each_request_has_an_id_of_its_own(idle: Any) -> None:
    answers = [
        idle.client.get(path) for path in ("/knowledge_bases", "/knowledge_bases", "/documents/none", "/nowhere", "/health")
    ]
    ids = [answer.headers["X-Request-ID"] for answer in answers]
    assert len(set(ids)) == 5
    assert {uuid.UUID(one).version for one in ids} == {4}
    # A client's own is not taken over.
    assert idle.client.get("/health", headers={"X-Request-ID": "mine"}).headers["X-Request-ID"] != "mine"


def test_5_02_what_is_wrong_with_a_request_is_said_field_by_field(idle: Any) -> None:
    answer = idle.client.post("/knowledge_bases", json={"description": 3, "colour": "red"})
    error = idle.refused(answer, 400, "VALIDATION_ERROR")
    assert {detail["field"] for detail in error["details"]} == {"name", "description", "colour"}
    idle.refused(idle.client.post("/knowledge_bases", json={"name": "a/b"}), 400, "VALIDATION_ERROR")


def test_5_02_every_code_of_the_appendix_has_its_status() -> None:
    kinds = [RagError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    assert {(kind.code, kind.status) for kind in kinds} >= APPENDIX_B


def test_5_02_checks_run_in_one_order(idle: Any) -> None:
    there, gone, nowhere = idle.create(), idle.create(), uuid.uuid4().hex
    idle.delete(gone)
    wrong = {"knowledge_base_id": nowhere, "query": "", "top_k": 99}
    anonymous = {"headers": {"Authorization": ""}}
    idle.refused(idle.client.post("/search", json=wrong, **anonymous), 401, "UNAUTHORIZED")
    idle.refused(idle.client.post("/search", json=wrong), 404, "KNOWLEDGE_BASE_NOT_FOUND")
    idle.refused(idle.client.post("/search", json=wrong | {"knowledge_base_id": gone}), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    idle.refused(idle.client.post("/search", json=wrong | {"knowledge_base_id": there}), 400, "VALIDATION_ERROR")
    for path in ("/ready", "/metrics", f"/knowledge_bases/{there}", f"/documents/{nowhere}", f"/cleanup_tasks/{nowhere}"):
        idle.refused(idle.client.get(path, **anonymous), 401, "UNAUTHORIZED")
        idle.refused(idle.client.get(path, headers={"Origin": "https://evil.example.com"}), 403, "FORBIDDEN_ORIGIN")
        idle.refused(idle.client.get(path, headers={"Host": "evil.example.com"}), 403, "FORBIDDEN_HOST")


def test_5_03_an_internal_failure_says_nothing_of_the_inside_and_is_logged_whole(idle: Any, tmp_path: Path) -> None:
    task_id = idle.delete(idle.create())
    idle.store.run("UPDATE jobs SET status = 'running', progress = '[]'")
    with logging_to(tmp_path / "logs", "ragd.log", "INFO"):
        answer = idle.client.get(f"/cleanup_tasks/{task_id}?why=this")
    error = idle.refused(answer, 500, "INTERNAL_ERROR")
    assert error["details"] == []
    assert "TypeError" not in answer.text
    assert "Traceback" not in answer.text
    [line] = [
        line
        for line in map(json.loads, (tmp_path / "logs" / "ragd.log").read_text().splitlines())
        if line["message"] == "request failed"
    ]
    assert "TypeError" in line["exc_info"]
    assert line["request_id"] == error["request_id"]
    assert (line["method"], line["path"], line["parameters"]) == ("GET", f"/cleanup_tasks/{task_id}", "why=this")


def test_5_04_a_failed_ingestion_says_why(service: Any) -> None:
    document = service.read(service.upload(service.create(), "empty.txt", b""))
    assert (document["status"], bool(document["error_message"])) == ("failed", True)


def test_5_05_metrics_have_the_names_and_labels_of_the_contract(own: Any) -> None:
    kb_id = own.create()
    own.add(kb_id, "a.md", "# A\n\nWords of a page.")
    own.read(own.upload(kb_id, "empty.txt", b""))
    own.search(kb_id, "words")
    own.client.get("/nowhere")
    own.client.get("/knowledge_bases", headers={"Authorization": ""})
    off = own.create()
    own.client.patch(f"/knowledge_bases/{off}", json={"status": "disabled"})
    own.until(f"/knowledge_bases/{kb_id}/documents?status=processing", lambda page: page["total"] == 0)
    own.app.tracer.flush()
    found = samples(own.client)

    def of(name: str, **labels: str) -> float:
        return found[name, tuple(sorted(labels.items()))]

    assert of("http_requests_total", method="POST", endpoint="/search", status="200") == 1
    assert of("http_requests_total", method="POST", endpoint="/knowledge_bases/{kb_id}/documents", status="202") == 2
    assert of("http_requests_total", method="GET", endpoint="none", status="404") == 1
    assert of("http_requests_total", method="GET", endpoint="none", status="401") == 1
    assert of("http_request_duration_seconds_count", method="POST", endpoint="/search") == 1
    buckets = [float(dict(labels)["le"]) for name, labels in found if name == "http_request_duration_seconds_bucket"]
    assert {0.01, 10.0} <= set(buckets)
    assert min(buckets) == 0.01
    assert of("document_ingestion_total", status="completed") == 1
    assert of("document_ingestion_total", status="failed") == 1
    assert of("knowledge_bases_active") == 2
    assert of("chunks_total") == 1
    assert of("jobs_unfinished") == of("jobs_oldest_seconds") == 0
    assert of("query_stage_duration_seconds_count", stage="rerank") == 1
    own.task(own.delete(kb_id), "completed")
    assert samples(own.client)["chunks_total", ()] == 0


def test_5_05_metrics_can_be_switched_off(opened: Any) -> None:
    with opened({"observability.metrics": False}, runs=False) as service:
        service.refused(service.client.get("/metrics"), 404, "NOT_FOUND")


@pytest.mark.parametrize("count", [0, 3])
def test_5_05_waiting_jobs_show_in_the_depth_and_age_of_the_queue(idle: Any, count: int) -> None:
    kb_id = idle.create()
    for number in range(count):
        idle.upload(kb_id, f"{number}.md", "words")
    found = samples(idle.client)
    assert found["jobs_unfinished", ()] == count
    assert (found["jobs_oldest_seconds", ()] > 0) is bool(count)
