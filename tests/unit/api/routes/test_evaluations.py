"""Evaluation runs over REST."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

FIGURES = {"questions": 1, "empty": 0, "metrics": {"hit@1": 1.0}, "latency_ms": {"p50": 3.5, "p95": 3.5}}
QUESTION = {
    "id": "q",
    "query": "有給休暇",
    "groups": {"lang": "ja"},
    "relevant": [{"source": "a.md", "place": {"lines": [1, 2]}, "grade": 1, "rank": 1}],
    "found": [{"chunk_id": "c", "source": "a.md", "section": "", "place": {"line_range": [1, 3]}, "score": 0.5}],
    "results": 1,
    "latency_ms": 3.5,
    "trace_id": "t",
    "metrics": {"hit@1": 1.0},
    "artifacts": {"context": [["c"]], "answer": "五営業日前まで [1]"},
}
RUN = {
    "run_id": "a" * 32,
    "name": "",
    "dataset": "d",
    "dataset_hash": "b" * 32,
    "collection": "c",
    "strategy": "default",
    "strategy_config_id": "c" * 32,
    "options": {"mode": "end_to_end", "rerank": True, "top_k": 20, "limit": None, "judge": None, "metric_sets": []},
    "started_at": "2026-01-01T00:00:00Z",
    "finished_at": "2026-01-01T00:00:01Z",
    "metrics": {"overall": FIGURES, "groups": {}},
    "questions": [QUESTION],
}


def test_a_run_is_kept_listed_and_given_back_whole(client: TestClient) -> None:
    assert client.post("/api/evaluations", json=RUN).status_code == 201
    listed = client.get("/api/evaluations").json()
    assert (listed["total"], "questions" in listed["items"][0]) == (1, False)
    assert client.get(f"/api/evaluations/{'a' * 32}").json() == RUN


def test_a_run_of_a_client_that_knows_no_modes_and_artifacts_is_kept(client: TestClient) -> None:
    options = {name: value for name, value in RUN["options"].items() if name != "mode"}
    questions = [{name: value for name, value in QUESTION.items() if name != "artifacts"}]
    assert client.post("/api/evaluations", json=RUN | {"options": options, "questions": questions}).status_code == 201
    kept = client.get(f"/api/evaluations/{'a' * 32}").json()
    assert (kept["options"]["mode"], kept["questions"][0]["artifacts"]) == ("retrieval_only", {})


@pytest.mark.slow
def test_a_run_of_thousands_of_questions_is_taken(client: TestClient) -> None:
    many = [QUESTION | {"id": str(number), "query": "x" * 1000} for number in range(2500)]
    assert client.post("/api/evaluations", json=RUN | {"questions": many}).status_code == 201


def test_an_unknown_run_is_not_found(client: TestClient) -> None:
    answer = client.get("/api/evaluations/nowhere")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": "../x"},
        {"questions": []},
        {"metrics": {"overall": FIGURES | {"metrics": {"hit@1": 2.0}}, "groups": {}}},
        {"more": 1},
    ],
)
def test_a_run_of_another_shape_is_refused(client: TestClient, change: dict[str, Any]) -> None:
    assert client.post("/api/evaluations", json=RUN | change).status_code == 400
    assert client.get("/api/evaluations").json()["total"] == 0


def test_a_query_names_the_evaluation_that_asks_and_nothing_else(client: TestClient) -> None:
    answer = client.post("/api/query", json={"query": "x", "evaluation": "a" * 32}).json()
    assert client.get(f"/api/traces/{answer['trace_id']}").json()["links"]["eval"] == "a" * 32
    assert client.post("/api/query", json={"query": "x", "evaluation": "no id"}).status_code == 400


def test_pages_get_figures_questions_and_what_differs_from_another_run(client: TestClient) -> None:
    worse = QUESTION | {"metrics": {"hit@1": 0.0}, "trace_id": "t2"}
    figures = FIGURES | {"metrics": {"hit@1": 0.0}}
    other = RUN | {"run_id": "d" * 32, "questions": [worse], "metrics": {"overall": figures, "groups": {"lang": {"ja": figures}}}}
    for run in (RUN, other):
        assert client.post("/api/evaluations", json=run).status_code == 201
    path = f"/api/evaluations/{'a' * 32}"
    found = client.get(f"/api/evaluations/{'d' * 32}/figures").json()
    assert (found["main"], found["metrics"][0]["mean"], found["groups"][0]["group"]) == ("hit@1", 0, "ja")
    assert "questions" not in found["run"]
    page = client.get(f"{path}/questions", params={"text": "有給", "order": "best"}).json()
    assert (page["total"], page["items"][0]["trace_id"], "artifacts" in page["items"][0]) == (1, "t", False)
    assert client.get(f"{path}/questions?page=2").json()["items"] == []
    compared = client.get(f"{path}/comparison", params={"against": "d" * 32}).json()
    assert compared["metrics"][0] | {"p": 0} == {
        "metric": "hit@1", "first": 1, "second": 0, "difference": -1, "p": 0, "wins": 0, "losses": 1,
    }  # fmt: skip
    assert [(one["first_trace"], one["second_trace"]) for one in compared["changed"]["items"]] == [("t", "t2")]
    assert client.get(f"{path}/comparison", params={"against": "e" * 32}).status_code == 404
    assert client.get(f"{path}/questions?metric=x").status_code == 400
    assert client.get(f"{path}/questions?order=x").status_code == 400
