"""`POST /api/documents/{id}/reindex`: one document's file read again, by force."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application

pytestmark = pytest.mark.slow

Finish = Callable[[str], dict[str, Any]]

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="90"><rect width="90" height="40"/></svg>'


@pytest.fixture
def changes(tmp_path: Path) -> dict[str, Any]:
    return {"security.allowed_roots": [str(tmp_path / "guide")], "ocr.provider": "none"}


@pytest.fixture
def document(client: TestClient, finish: Finish, guide: Path) -> dict[str, Any]:
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    return named(client, "install.md")


def named(client: TestClient, source: str) -> dict[str, Any]:
    (found,) = [item for item in client.get("/api/documents").json()["items"] if item["source"] == source]
    return dict(found)


def reread(client: TestClient, document: dict[str, Any]) -> Any:
    return client.post(f"/api/documents/{document['id']}/reindex")


def test_an_unchanged_file_is_read_again(client: TestClient, finish: Finish, document: dict[str, Any]) -> None:
    answer = reread(client, document)
    assert answer.status_code == 202
    job = finish(answer.json()["job_id"])
    assert (job["kind"], job["status"], job["collection"]) == ("reread", "completed", "default")
    assert (job["result"]["updated"], job["result"]["unchanged"], job["result"]["reused"]) == (1, 0, document["chunk_count"])
    assert named(client, "install.md")["id"] == document["id"]


def test_a_changed_file_gives_what_it_says_now(client: TestClient, finish: Finish, document: dict[str, Any], guide: Path) -> None:
    (guide / "install.md").write_text("# Install\n\nEverything is different.\n")
    finish(reread(client, document).json()["job_id"])
    assert "different" in client.get(f"/api/documents/{document['id']}/content").json()["markdown"]


def test_an_upload_is_read_from_where_it_was_kept_whatever_else_may_be_read(client: TestClient, finish: Finish) -> None:
    files = [("files", ("経費.md", "# 経費\n\n精算は月末。".encode()))]
    finish(client.post("/api/ingest", files=files).json()["job_id"])
    job = finish(reread(client, named(client, "経費.md")).json()["job_id"])
    assert job["result"]["updated"] == 1


def test_a_document_of_a_source_stays_with_it_and_keeps_its_pictures(client: TestClient, finish: Finish, guide: Path) -> None:
    (guide / "sub").mkdir()
    (guide / "chart.svg").write_text(SVG)
    (guide / "sub" / "load.md").write_text("# Load\n\nThe load ![Load](../chart.svg) of each month.\n")
    added = client.post("/api/sources", json={"type": "folder", "config": {"path": str(guide), "watch": False}}).json()
    finish(added["job_id"])
    before = client.get(f"/api/sources/{added['id']}").json()["document_count"]
    document = named(client, "sub/load.md")
    pictures = client.get(f"/api/documents/{document['id']}/chunks").json()["items"][0]["image_refs"]
    assert finish(reread(client, document).json()["job_id"])["result"]["updated"] == 1
    assert client.get(f"/api/sources/{added['id']}").json()["document_count"] == before
    assert client.get(f"/api/documents/{document['id']}/chunks").json()["items"][0]["image_refs"] == pictures != []


def test_a_document_that_failed_is_read_again_once_its_file_is_mended(client: TestClient, finish: Finish, guide: Path) -> None:
    (guide / "broken.md").write_bytes(b"")
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    (failed,) = client.get("/api/documents", params={"status": "failed"}).json()["items"]
    assert (failed["source"], failed["error"]["code"], bool(failed["error"]["message"])) == ("broken.md", "EMPTY", True)
    (guide / "broken.md").write_text("# Mended\n\nIt is whole again.\n")
    finish(reread(client, failed).json()["job_id"])
    assert (named(client, "broken.md")["status"], named(client, "broken.md").get("error")) == ("ready", None)


def test_what_waits_already_is_not_queued_twice(
    client: TestClient, app: Application, finish: Finish, document: dict[str, Any]
) -> None:
    target = app.collections.get("default")
    app.runner.stop(10)
    first, second = (reread(client, document).json()["job_id"] for _ in range(2))
    assert first == second
    assert len(app.jobs.waiting("reread", target.kb_id)) == 1


def test_a_file_that_is_gone_and_a_document_that_is_not_there_are_told(
    client: TestClient, document: dict[str, Any], guide: Path
) -> None:
    (guide / "install.md").unlink()
    answer = reread(client, document)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VANISHED")
    assert "install.md" in answer.json()["error"]["message"]
    assert reread(client, {"id": "f" * 32}).status_code == 404
    client.delete(f"/api/documents/{document['id']}")
    assert reread(client, document).status_code == 410


def test_a_document_of_a_disabled_collection_is_left_alone(client: TestClient, document: dict[str, Any]) -> None:
    client.patch("/api/collections/default", json={"status": "disabled"})
    answer = reread(client, document)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "KNOWLEDGE_BASE_UNAVAILABLE")
