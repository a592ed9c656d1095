from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient


def test_a_document_and_its_collection_have_guides(
    client: TestClient, guide: Path, finish: Callable[[str], dict[str, Any]]
) -> None:
    (guide.parent / "queue.md").write_text(
        "# The queue\n\nCopyright 2026, all rights reserved.\n\n## Leases\n\n"
        "A lease is a promise that a job belongs to one worker.\n\n"
        "## Election of leaders\n\nWhen a node stops, the others elect a leader within seconds.\n",
        "utf-8",
    )
    finish(client.post("/api/ingest", json={"paths": [str(guide.parent)]}).json()["job_id"])
    rows = client.get("/api/documents").json()["items"]
    doc_id = next(row["id"] for row in rows if row["source"].endswith("queue.md"))
    found = client.get(f"/api/documents/{doc_id}/guide").json()
    assert [entry["title"] for entry in found["outline"]] == ["The queue", "Leases", "Election of leaders"]
    assert "Copyright" not in found["summary"]
    assert "A lease is a promise that a job belongs to one worker." in found["summary"]
    assert found["questions"]
    # Without a language model the rules answer.
    assert client.get(f"/api/documents/{doc_id}/guide", params={"by": "model"}).json() == found
    whole = client.get("/api/collections/default/guide").json()
    assert {row["id"] for row in rows} == {document["id"] for document in whole["documents"]}
    assert {one["text"] for one in whole["questions"]} & {one["text"] for one in found["questions"]}


def test_there_is_no_guide_to_what_is_not_there(client: TestClient) -> None:
    assert client.get("/api/documents/unknown/guide").status_code == 404
    assert client.get("/api/collections/unknown/guide").status_code == 404
