"""Feedback by REST: kept with the places of its passages, which outlive the passages' ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient


@pytest.fixture
def chunk_ids(client: TestClient, finish, guide: Path) -> list[str]:
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    answer = client.post("/api/query", json={"query": "kestrel setup", "filters": {"source": "install.md"}}).json()
    return [result["chunk_id"] for result in answer["results"]]


def give(client: TestClient, status: int = 201, **body: Any) -> dict[str, Any]:
    answer = client.post("/api/feedback", json={"question": "How is it set up?", "verdict": "up", "chunk_ids": [], **body})
    assert answer.status_code == status, answer.text
    return dict(answer.json())


@pytest.mark.slow
def test_places_are_kept_and_stay_when_the_passages_go(client: TestClient, chunk_ids: list[str]) -> None:
    turns = [{"role": "user", "text": "Hello"}]
    kept = give(client, chunk_ids=chunk_ids, collection="default", filters={"source": "install.md"}, history=turns, comment="好")
    assert {item["source"] for item in kept["relevant"]} == {"install.md"}
    assert {"lines": [3, 3]} in [item["place"] for item in kept["relevant"]]
    (document,) = [item for item in client.get("/api/documents").json()["items"] if item["source"] == "install.md"]
    client.delete(f"/api/documents/{document['id']}")
    assert client.get("/api/feedback").json() == {"items": [kept], "total": 1, "page": 1, "page_size": 20}
    assert (kept["history"], kept["comment"], kept["answer"]) == (turns, "好", None)


def test_feedback_is_deleted(client: TestClient) -> None:
    kept = give(client, verdict="down")
    assert client.delete(f"/api/feedback/{kept['id']}").status_code == 204
    answer = client.delete(f"/api/feedback/{kept['id']}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "FEEDBACK_NOT_FOUND")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"question": " "}, 400, "VALIDATION_ERROR"),
        ({"question": "x" * 20_001}, 400, "VALIDATION_ERROR"),
        ({"verdict": "maybe"}, 400, "VALIDATION_ERROR"),
        ({"chunk_ids": ["f" * 32]}, 400, "VALIDATION_ERROR"),
        ({"filters": {"colour": "red"}}, 400, "VALIDATION_ERROR"),
        ({"history": [{"role": "system", "text": "x"}]}, 400, "VALIDATION_ERROR"),
        ({"trace_id": "../x"}, 400, "VALIDATION_ERROR"),
        ({"collection": "nowhere"}, 404, "KNOWLEDGE_BASE_NOT_FOUND"),
    ],
)
def test_what_can_not_be_kept_is_told(client: TestClient, body: dict[str, Any], status: int, code: str) -> None:
    assert give(client, status, **body)["error"]["code"] == code
    assert client.get("/api/feedback").json()["total"] == 0
