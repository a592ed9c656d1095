"""Requirement 1 of the service contract: knowledge bases and their clean-up. A test is named after its criterion."""

from __future__ import annotations

import threading
import uuid
from datetime import datetime
from typing import Any

import pytest

from ragd.ingest.reading import Report
from ragd.store.jobs import PURGE, Job


def test_1_01_creation_keeps_and_returns_it(service: Any) -> None:
    created = service.ok(service.client.post("/knowledge_bases", json={"name": "Tenders 1.01", "description": "Of 2026"}), 201)
    assert {"id", "name", "status", "created_at"} <= set(created)
    assert (created["name"], created["description"]) == ("Tenders 1.01", "Of 2026")
    assert service.ok(service.client.get(f"/knowledge_bases/{created['id']}"), 200) == created
    assert datetime.fromisoformat(created["created_at"]).tzinfo is not None


def test_1_02_a_name_in_use_is_a_conflict(service: Any) -> None:
    service.create("Tenders")
    error = service.refused(
        service.client.post("/knowledge_bases", json={"name": "Tenders"}), 409, "KNOWLEDGE_BASE_NAME_CONFLICT"
    )
    assert "Tenders" in error["message"]
    other = service.create("Bids")
    renamed = service.client.patch(f"/knowledge_bases/{other}", json={"name": "Tenders"})
    service.refused(renamed, 409, "KNOWLEDGE_BASE_NAME_CONFLICT")


def test_1_03_it_begins_enabled(service: Any) -> None:
    kb_id = service.create()
    assert service.ok(service.client.get(f"/knowledge_bases/{kb_id}"), 200)["status"] == "enabled"


def test_1_04_name_description_and_status_change(service: Any) -> None:
    kb_id = service.create()
    service.add(kb_id, "terms.md", "# Terms\n\nPayment within thirty days.")
    at = f"/knowledge_bases/{kb_id}"
    changed = service.ok(service.client.patch(at, json={"name": "Won bids", "description": "Won", "status": "disabled"}), 200)
    assert (changed["name"], changed["description"], changed["status"]) == ("Won bids", "Won", "disabled")
    asked = {"query": "payment", "knowledge_base_id": kb_id}
    service.refused(service.client.post("/search", json=asked), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    service.ok(service.client.patch(at, json={"status": "enabled"}), 200)
    assert service.search(kb_id, "payment")
    # `deleted` is reached by deletion alone.
    service.refused(service.client.patch(at, json={"status": "deleted"}), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("change", [{"status": "enabled"}, {"status": "disabled"}, {"name": "Back"}, {"status": "nonsense"}])
def test_1_04_a_deleted_one_takes_no_change(idle: Any, change: dict[str, str]) -> None:
    kb_id = idle.create()
    idle.delete(kb_id)
    idle.refused(idle.client.patch(f"/knowledge_bases/{kb_id}", json=change), 409, "KNOWLEDGE_BASE_DELETED")
    idle.refused(idle.client.delete(f"/knowledge_bases/{kb_id}"), 409, "KNOWLEDGE_BASE_DELETED")


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_1_05_an_unknown_id_is_not_found(idle: Any, method: str) -> None:
    # Before what is wrong with the body.
    body = {"status": "nonsense"} if method == "PATCH" else None
    answer = idle.client.request(method, f"/knowledge_bases/{uuid.uuid4().hex}", json=body)
    idle.refused(answer, 404, "KNOWLEDGE_BASE_NOT_FOUND")


def test_1_06_deletion_marks_at_once_and_removes_all_behind(own: Any) -> None:
    kb_id = own.create()
    kept = own.create("Kept")
    own.add(kept, "kept.md", "# Kept\n\nThe granite quarry opens at nine.")
    doc_id = own.add(kb_id, "gone.md", "# Gone\n\nThe basalt quarry opens at ten.")
    task_id = own.delete(kb_id)
    assert own.ok(own.client.get(f"/knowledge_bases/{kb_id}"), 200)["status"] == "deleted"
    assert own.task(task_id, "completed")["knowledge_base_id"] == kb_id
    indexes = own.app.indexes()
    assert indexes.dense.ids(kb_id) == indexes.sparse.ids(kb_id) == set()
    assert indexes.dense.ids(kept)
    for table in ("chunks", "versions", "document_tags"):
        assert own.store.run(f"SELECT count(*) FROM {table} WHERE doc_id = '{doc_id}'") == [(0,)]
    assert not list((own.app.directories.data / "uploads").rglob("gone.md"))
    content = b"".join(path.read_bytes() for path in own.app.directories.data.rglob("*") if path.is_file())
    assert b"granite" in content
    assert b"basalt" not in content
    assert own.store.run(f"SELECT source, title FROM documents WHERE doc_id = '{doc_id}'") == [("", "")]
    own.refused(own.client.get(f"/documents/{doc_id}"), 410, "DOCUMENT_DELETED")


def test_1_07_a_clean_up_that_fails_is_tried_after_1_2_and_4_minutes(own: Any, caplog: pytest.LogCaptureFixture) -> None:
    kb_id = own.create()
    own.add(kb_id, "terms.md", "# Terms\n\nPayment within thirty days.")
    own.store.refuse("refuse_erasing", "UPDATE OF source_uri ON documents")
    task_id = own.delete(kb_id)
    for attempt, minutes in enumerate((1, 2, 4), start=1):
        job = own.until(f"/api/jobs/{task_id}", lambda job, n=attempt: job["attempts"] == n and job["status"] == "queued")
        task = own.task(task_id, "pending")
        assert "refused by the test" in task["error_message"]
        waits = datetime.fromisoformat(job["not_before"]) - datetime.fromisoformat(task["updated_at"])
        assert waits.total_seconds() == pytest.approx(60 * minutes, abs=1)
        own.clock.forward(60 * minutes - 2)
        own.app.jobs.added.set()
        assert not own.app.jobs.others_due("")
        own.clock.forward(2)
        own.app.jobs.added.set()
    task = own.task(task_id, "failed")
    assert "refused by the test" in task["error_message"]
    assert sum(record.message == "job failed" for record in caplog.records) == 4
    # Nobody can use it, and an administrator still sees it.
    own.refused(own.post(kb_id, "a.md", "a"), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    asked = {"query": "payment", "knowledge_base_id": kb_id}
    own.refused(own.client.post("/search", json=asked), 403, "KNOWLEDGE_BASE_UNAVAILABLE")
    listed = own.ok(own.client.get("/knowledge_bases?status=deleted"), 200)
    assert [item["id"] for item in listed["items"]] == [kb_id]


def test_1_08_a_task_that_waits_has_processed_nothing(idle: Any) -> None:
    kb_id = idle.create()
    task_id = idle.delete(kb_id)
    task = idle.ok(idle.client.get(f"/cleanup_tasks/{task_id}"), 200)
    keys = {"task_id", "knowledge_base_id", "status", "progress", "error_message", "created_at", "updated_at"}
    assert set(task) == keys
    assert (task["task_id"], task["knowledge_base_id"], task["status"]) == (task_id, kb_id, "pending")
    assert task["progress"] == {"processed": 0, "total": None, "percentage": None}
    assert task["error_message"] is None
    # What is deleted must go: nobody can cancel it.
    assert idle.client.delete(f"/api/jobs/{task_id}").json()["status"] == "queued"


def test_1_08_progress_only_grows_and_is_whole_at_the_end(own: Any) -> None:
    kb_id = own.add_many("Many", 45)
    seen: set[int] = set()
    reached = threading.Condition()
    remove = own.app.runner._handlers[PURGE]

    def step_by_step(job: Job, report: Report) -> Any:
        """Each report is repeated, as reports close to each other are not written, until it was seen."""

        def reported(stage: str, done: int, total: int) -> None:
            report(stage, done, total)
            with reached:
                while not reached.wait_for(lambda: done in seen, 0.05):
                    report(stage, done, total)

        return remove(job, reported)

    own.app.runner._handlers[PURGE] = step_by_step
    task_id = own.delete(kb_id)
    for processed in (0, 20, 40, 45):
        wanted = {"processed": processed, "total": 45, "percentage": processed / 45}
        task = own.until(f"/cleanup_tasks/{task_id}", lambda task, wanted=wanted: task["progress"] == wanted)
        assert (task["status"], task["error_message"]) == ("running", None)
        with reached:
            seen.add(processed)
            reached.notify_all()
    assert own.task(task_id, "completed")["progress"] == {"processed": 45, "total": 45, "percentage": 1.0}


def test_1_08_nothing_to_remove_is_all_of_it(service: Any) -> None:
    task = service.task(service.delete(service.create()), "completed")
    assert task["progress"] == {"processed": 0, "total": 0, "percentage": 1.0}


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/retry")])
def test_1_09_an_unknown_task_is_not_found(service: Any, method: str, path: str) -> None:
    service.refused(service.client.request(method, f"/cleanup_tasks/{uuid.uuid4().hex}{path}"), 404, "CLEANUP_TASK_NOT_FOUND")
    # Another job is no clean-up task.
    job = service.ok(service.client.post("/api/reindex"), 202)["job_id"]
    service.refused(service.client.request(method, f"/cleanup_tasks/{job}{path}"), 404, "CLEANUP_TASK_NOT_FOUND")


def test_1_10_only_a_failed_task_is_tried_again(opened: Any) -> None:
    with opened({"jobs.cleanup_retries_s": ()}) as service:
        kb_id = service.create()
        service.add(kb_id, "terms.md", "# Terms\n\nPayment within thirty days.")
        service.store.refuse("refuse_erasing", "UPDATE OF source_uri ON documents")
        task_id = service.delete(kb_id)
        service.task(task_id, "failed")
        service.app.runner.stop(10)
        again = service.ok(service.client.post(f"/cleanup_tasks/{task_id}/retry"), 202)
        assert (again["status"], again["progress"]["processed"], again["error_message"]) == ("pending", 0, None)
        service.refused(service.client.post(f"/cleanup_tasks/{task_id}/retry"), 409, "CLEANUP_TASK_NOT_RETRYABLE")
        service.store.allow("refuse_erasing")
    with opened() as service:
        assert service.task(task_id, "completed")["progress"]["processed"] == 1
        service.refused(service.client.post(f"/cleanup_tasks/{task_id}/retry"), 409, "CLEANUP_TASK_NOT_RETRYABLE")


def test_1_11_lists_are_paged_and_filtered(idle: Any) -> None:
    ids = {name: idle.create(name) for name in ("Bids", "Tenders 2025", "tenders 2026", "100% off")}
    idle.client.patch(f"/knowledge_bases/{ids['Bids']}", json={"status": "disabled"})
    idle.delete(ids["Tenders 2025"])

    def names(query: str) -> list[str]:
        page = idle.ok(idle.client.get(f"/knowledge_bases{query}"), 200)
        assert set(page) == {"items", "total", "page", "page_size"}
        assert page["total"] >= len(page["items"])
        return [item["name"] for item in page["items"]]

    assert set(names("")) == {*ids, "default"}
    assert names("?name_contains=TENDERS") == ["Tenders 2025", "tenders 2026"]
    assert names("?name_contains=TENDERS&status=enabled") == ["tenders 2026"]
    assert names("?name_contains=%25") == ["100% off"]
    assert names("?status=deleted") == ["Tenders 2025"]
    assert names("?status=disabled") == ["Bids"]
    pages = [names(f"?page={page}&page_size=2") for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [2, 2, 1, 0]
    assert {name for page in pages for name in page} == {*ids, "default"}
    for wrong in ("page=0", "page_size=0", "page_size=101", "status=gone", "page=x"):
        error = idle.refused(idle.client.get(f"/knowledge_bases?{wrong}"), 400, "VALIDATION_ERROR")
        assert error["details"][0]["field"] == wrong.partition("=")[0]
