"""Labels by REST: who gave them, what becomes of them when documents change, and how they are taken back."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.slow

QUESTION = "How is it set up?"


@pytest.fixture
def hit(client: TestClient, finish, guide: Path) -> dict[str, Any]:
    """The first passage of an answer, and the answer's trace."""
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    answer = client.post("/api/query", json={"query": "kestrel setup", "filters": {"source": "install.md"}}).json()
    return {**answer["results"][0], "trace_id": answer["trace_id"]}


def give(client: TestClient, hit: dict[str, Any], status: int = 201, **body: Any) -> dict[str, Any]:
    given = {"question": QUESTION, "collection": "default", "chunk_id": hit["chunk_id"], "grade": 2, **body}
    answer = client.post("/api/labels", json=given)
    assert answer.status_code == status, answer.text
    return dict(answer.json())


def labels(client: TestClient, **wanted: Any) -> list[dict[str, Any]]:
    answer = client.get("/api/labels", params=wanted)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])


def test_a_label_has_its_author_place_and_question_and_is_listed(client: TestClient, hit: dict[str, Any]) -> None:
    kept = give(client, hit, trace_id=hit["trace_id"])
    assert (kept["author"], kept["grade"], kept["source"], kept["state"]) == (getpass.getuser(), 2, "install.md", "there")
    assert kept["place"]["lines"][0] in (1, 3)
    assert kept["text"] == hit["content"]
    assert labels(client, mine=True, question=f" {QUESTION}") == [kept]
    (asked,) = client.get("/api/labels/questions").json()["items"]
    assert (asked["question"], asked["authors"]) == (QUESTION, {kept["author"]: 1})


def test_a_mark_is_taken_back_and_the_one_before_counts(client: TestClient, hit: dict[str, Any]) -> None:
    first, second = give(client, hit), give(client, hit, grade=0)
    assert [one["grade"] for one in labels(client)] == [0]
    assert client.delete(f"/api/labels/{second['label_id']}").status_code == 204
    assert labels(client) == [first]
    give(client, hit, grade=None)
    assert labels(client) == []
    assert client.delete(f"/api/labels/{second['label_id']}").status_code == 404


def test_two_who_judge_the_same_passages_are_compared(client: TestClient, hit: dict[str, Any]) -> None:
    other = client.post("/api/query", json={"query": "経費", "filters": {"source": "経費.md"}}).json()["results"][0]
    for author, grades in (("ada", (2, 0)), ("grace", (2, 1))):
        for passage, grade in zip((hit, other), grades, strict=True):
            give(client, passage, grade=grade, author=author)
    (pair,) = client.get("/api/labels/agreement").json()["pairs"]
    assert (pair["first"], pair["second"], pair["passages"], pair["agreed"]) == ("ada", "grace", 2, 0.5)
    # p_e = 1/2 * 1/2: only the grade 2 is given by both.
    assert pair["kappa"] == pytest.approx((0.5 - 0.25) / 0.75)
    assert [one["author"] for one in labels(client, author="grace")] == ["grace", "grace"]


def test_labels_outlive_a_document_that_changes_elsewhere_and_tell_when_theirs_is_another(
    client: TestClient, finish, guide: Path, hit: dict[str, Any]
) -> None:
    kept = give(client, hit)
    path = guide / "install.md"
    before = path.read_text()
    path.write_text(f"# Before\n\nNew words.\n\n{before}")
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    (moved,) = labels(client)
    assert (moved["state"], moved["text"]) == ("there", kept["text"])
    assert moved["place"]["lines"] == [line + 4 for line in kept["place"]["lines"]]
    path.write_text(before.replace("kestrel", "condor").replace("HTTPS_PROXY", "PROXY"))
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    (changed,) = labels(client)
    assert (changed["state"], changed["chunk_id"], changed["text"]) == ("changed", None, None)
    client.delete(f"/api/documents/{kept['doc_id']}")
    (gone,) = labels(client)
    assert (gone["state"], gone["source"]) == ("gone", "install.md")


def test_the_passages_of_a_question_come_with_their_texts(client: TestClient, hit: dict[str, Any]) -> None:
    found = client.get(f"/api/traces/{hit['trace_id']}/passages").json()
    assert found["query"] == "kestrel setup"
    (first, *_) = found["passages"]
    assert (first["end"], first["collection"], first["source"]) == ("context", "default", "install.md")
    assert hit["content"] in [one["text"] for one in found["passages"]]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"question": " "}, 400, "VALIDATION_ERROR"),
        ({"grade": 3}, 400, "VALIDATION_ERROR"),
        ({"grade": True}, 400, "VALIDATION_ERROR"),
        ({"chunk_id": "f" * 32}, 400, "VALIDATION_ERROR"),
        ({"author": "x" * 256}, 400, "VALIDATION_ERROR"),
        ({"collection": "nowhere"}, 404, "KNOWLEDGE_BASE_NOT_FOUND"),
        ({"collection": "other"}, 400, "VALIDATION_ERROR"),
    ],
)
def test_what_can_not_be_kept_is_told(
    client: TestClient, hit: dict[str, Any], body: dict[str, Any], status: int, code: str
) -> None:
    client.post("/api/collections", json={"name": "other"})
    assert give(client, hit, status, **body)["error"]["code"] == code
    assert labels(client) == []
