"""`POST /api/answers/verify`: an answer of somebody else's model, held against passages of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

QUESTION = {"query": "kestrel setup proxy", "rerank": False}


@pytest.fixture
def found(client: TestClient, finish, guide: Path) -> dict[str, Any]:
    """The answer of a query whose citations were joined from several chunks, or not."""
    finish(client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"])
    return dict(client.post("/api/query", json=QUESTION).json())


def given(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"id": citation["id"], "chunk_ids": citation.get("chunk_ids", [citation["chunk_id"]])} for citation in found["citations"]
    ]


def verify(client: TestClient, answer: str, citations: list[dict[str, Any]], status: int = 200) -> dict[str, Any]:
    response = client.post("/api/answers/verify", json={"answer": answer, "citations": citations})
    assert response.status_code == status, response.text
    return dict(response.json())


@pytest.mark.slow
def test_marks_are_cleaned_and_sentences_judged(client: TestClient, found: dict[str, Any]) -> None:
    checked = verify(client, "Run `kestrel setup` once [1]. The moon is made of cheese [7].", given(found))
    assert checked["answer"] == "Run `kestrel setup` once [1]. The moon is made of cheese."
    assert checked["removed_citations"] == 1
    first, second = checked["support"]
    assert first["text"] == checked["answer"][first["start"] : first["end"]]
    assert (first["supported"], second["supported"]) == (True, False)
    assert set(first) == {"start", "end", "text", "score", "supported", "citations"}


@pytest.mark.slow
def test_only_what_is_cited_comes_back_as_the_query_told_it(client: TestClient, found: dict[str, Any]) -> None:
    assert len(found["citations"]) > 1
    last = found["citations"][-1]
    checked = verify(client, f"Something [{last['id']}].", given(found))
    assert checked["citations"] == [last]


def test_an_answer_without_passages_loses_its_marks(client: TestClient) -> None:
    assert verify(client, "Nothing is known [1].", []) == {
        "answer": "Nothing is known.",
        "found": True,
        "removed_citations": 1,
        "support": [],
        "citations": [],
    }


@pytest.mark.slow
def test_an_answer_that_says_only_that_nothing_was_found_is_not_found(client: TestClient, found: dict[str, Any]) -> None:
    checked = verify(client, "検索した文書には、この質問への答えが見つかりませんでした。", given(found))
    assert (checked["found"], checked["support"]) == (False, [])


@pytest.mark.slow
def test_an_unknown_passage_is_told(client: TestClient, found: dict[str, Any]) -> None:
    error = verify(client, "So [1].", [{"id": 1, "chunk_ids": ["f" * 32]}], 400)["error"]
    assert (error["code"], error["details"][0]["code"]) == ("VALIDATION_ERROR", "not_live")
    assert "f" * 32 in error["message"]


@pytest.mark.slow
def test_numbers_given_twice_and_chunks_that_are_no_neighbours_are_told(client: TestClient, found: dict[str, Any]) -> None:
    one, other = given(found)[0], given(found)[-1]
    assert "twice" in verify(client, "x", [one, one], 400)["error"]["message"]
    apart = {"id": 1, "chunk_ids": [one["chunk_ids"][0], other["chunk_ids"][0]]}
    assert verify(client, "x", [apart], 400)["error"]["details"][0]["code"] == "not_neighbours"


@pytest.mark.parametrize(
    "body",
    [
        {"answer": "x"},
        {"answer": "x" * 100_001, "citations": []},
        {"answer": "x", "citations": [{"id": 0, "chunk_ids": ["a"]}]},
        {"answer": "x", "citations": [{"id": 1, "chunk_ids": []}]},
        {"answer": "x", "citations": [{"id": 1, "chunk_ids": ["a"] * 51}]},
        {"answer": "x", "citations": [{"id": number, "chunk_ids": ["a"]} for number in range(1, 102)]},
    ],
)
def test_what_is_too_much_or_missing_is_told(client: TestClient, body: dict[str, Any]) -> None:
    answer = client.post("/api/answers/verify", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
