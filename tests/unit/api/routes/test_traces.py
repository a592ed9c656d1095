"""Traces by the document that was read and the passage that was found, the versions they came from, and the overview."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.slow

Finish = Callable[[str], dict[str, Any]]


@pytest.fixture
def changes(tmp_path: Path) -> dict[str, Any]:
    return {"security.allowed_roots": [str(tmp_path / "guide")]}


def ingest(client: TestClient, finish: Finish, guide: Path) -> None:
    assert finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])["status"] == "completed"


def items(client: TestClient, path: str) -> list[dict[str, Any]]:
    return list(client.get(path).json()["items"])


def test_readings_of_a_document_and_questions_that_came_upon_a_passage(client: TestClient, finish: Finish, guide: Path) -> None:
    ingest(client, finish, guide)
    (guide / "install.md").write_text("# Install\n\nRun `kestrel setup` twice.\n")
    ingest(client, finish, guide)
    install = next(one for one in items(client, "/api/documents") if one["source"] == "install.md")
    read = items(client, f"/api/traces?type=ingestion&doc_id={install['id']}")
    assert [one["document"] for one in read] == [{"doc_id": install["id"], "source": "install.md"}] * 2
    assert len(items(client, "/api/traces?type=ingestion")) > 2
    asked = client.post("/api/query", json={"query": "kestrel setup"}).json()
    (chunk,) = items(client, f"/api/documents/{install['id']}/chunks")
    assert [one["trace_id"] for one in items(client, f"/api/traces?chunk_id={chunk['chunk_id']}")] == [asked["trace_id"]]
    assert items(client, f"/api/traces?chunk_id={'0' * 32}") == []
    assert client.get("/api/traces?chunk_id=%25").status_code == 400


def test_an_older_version_can_be_read_while_it_is_kept(client: TestClient, finish: Finish, guide: Path) -> None:
    ingest(client, finish, guide)
    (guide / "install.md").write_text("# Install\n\nRun `kestrel setup` twice.\n")
    ingest(client, finish, guide)
    install, other = sorted(items(client, "/api/documents"), key=lambda one: one["source"] != "install.md")
    versions = client.get(f"/api/documents/{install['id']}").json()["versions"]
    path = f"/api/documents/{install['id']}/content"
    texts = {one["version_id"]: client.get(f"{path}?version_id={one['version_id']}").json()["markdown"] for one in versions}
    assert sorted("twice" in text for text in texts.values()) == [False, True]
    assert "twice" in texts[install["version_id"]]
    for never in (other["version_id"], "0" * 32):
        assert client.get(f"{path}?version_id={never}").status_code == 404
    client.delete(f"/api/documents/{install['id']}")
    assert client.get(f"{path}?version_id={versions[0]['version_id']}").status_code == 410


def test_the_overview_counts_what_there_is_and_what_was_done(client: TestClient, finish: Finish, guide: Path) -> None:
    ingest(client, finish, guide)
    client.post("/api/query", json={"query": "kestrel setup"})
    overview = client.get("/api/overview").json()
    assert overview["documents"] == {"total": 2, "day": 2, "month": 2}
    assert overview["pictures"]["total"] == 0
    assert overview["queries"]["day"]["count"] == 1
    assert overview["queries"]["day"]["p95_ms"] is not None
    assert overview["ingestions"]["month"]["count"] >= 2
    assert overview["cache"]["misses"] == overview["chunks"]["total"]
