"""Datasets made of questions that people asked: which are drawn, and how they come by what answers them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from starlette.testclient import TestClient

from ragd.app.container import Application
from ragd.app.evaluations.sampling import Which
from ragd.cli.eval.sample import WHICH

QUESTIONS = ("kestrel setup", "the proxy", "経費の精算", "月末まで", "who pays")


@pytest.fixture
def changes(tmp_path: Path) -> dict[str, Any]:
    return {"security.allowed_roots": [str(tmp_path)]}


@pytest.fixture
def asked(client: TestClient, ingested: Any) -> dict[str, str]:
    """Question -> id of its newest trace. One was asked twice, in other blanks; evaluations and a replay asked, too."""
    ids = {query: ask(client, query) for query in QUESTIONS}
    ids["kestrel setup"] = ask(client, "kestrel  setup")
    ask(client, "asked by a run", evaluation="e" * 32)
    ask(client, "kestrel setup", evaluation="e" * 32)
    assert client.post(f"/api/traces/{ids['the proxy']}/replay", json={}).status_code == 200
    return ids


def ask(client: TestClient, query: str, **more: Any) -> str:
    answer = client.post("/api/query", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["trace_id"])


def drawn(client: TestClient, name: str, **wanted: Any) -> list[dict[str, Any]]:
    answer = client.post("/api/datasets/sample", json={"name": name, "consent": True, **wanted})
    assert answer.status_code == 201, answer.text
    items: list[dict[str, Any]] = yaml.safe_load(client.get(f"/api/datasets/{name}/text").json()["text"])
    assert answer.json()["questions"] == len(items)
    return items


def test_each_question_that_people_asked_is_drawn_once_and_waits_for_labels(client: TestClient, asked: dict[str, str]) -> None:
    items = drawn(client, "all")
    assert {item["id"] for item in items} == set(asked.values())
    assert all(item["unlabelled"] for item in items)
    found = client.get("/api/datasets/all").json()
    assert (found["unlabelled"], found["questions"]["total"]) == (5, 5)


def test_a_seed_draws_the_same_ones_again_and_another_draws_others(client: TestClient, asked: dict[str, str]) -> None:
    first = drawn(client, "first", count=2, seed=7)
    assert len(first) == 2
    assert drawn(client, "again", count=2, seed=7) == first
    others = {frozenset(item["id"] for item in drawn(client, f"seed-{seed}", count=2, seed=seed)) for seed in range(12)}
    assert len(others) > 1


def test_they_are_chosen_by_day_collection_filters_outcome_and_feedback(client: TestClient, asked: dict[str, str]) -> None:
    today = datetime.now(UTC).date()
    assert len(drawn(client, "today", since=(today - timedelta(1)).isoformat(), until=today.isoformat())) == 5
    client.post("/api/collections", json={"name": "notes"})
    of_notes = ask(client, "asked of notes", collection="notes")
    assert [item["id"] for item in drawn(client, "notes", collection="notes", which="nothing_found")] == [of_notes]
    filtered = ask(client, "only markdown", filters={"doc_type": ["markdown"]})
    assert {item["id"]: item.get("filters") for item in drawn(client, "filters")}[filtered] == {"doc_type": ["markdown"]}
    body = {"question": "who pays", "chunk_ids": [], "trace_id": asked["who pays"]}
    assert client.post("/api/feedback", json={**body, "verdict": "down"}).status_code == 201
    for which in ("feedback", "down"):
        assert [item["query"] for item in drawn(client, f"of-{which}", which=which)] == ["who pays"]


@pytest.mark.parametrize(
    ("wanted", "status", "message"),
    [
        ({"consent": False}, 400, "consent"),
        ({"since": "2026-13-01"}, 400, "since"),
        ({"which": "odd"}, 400, "which"),
        ({"count": 0}, 400, "count"),
        ({"collection": "nowhere"}, 404, "nowhere"),
        ({"until": "2001-01-01"}, 400, "no such question"),
        ({"which": "up"}, 400, "no such question"),
    ],
)
def test_what_can_not_be_drawn_is_said_and_no_dataset_is_made(
    client: TestClient, asked: dict[str, str], wanted: dict[str, Any], status: int, message: str
) -> None:
    answer = client.post("/api/datasets/sample", json={"name": "none", "consent": True, **wanted})
    assert (answer.status_code, message in answer.text) == (status, True), answer.text
    assert client.get("/api/datasets").json()["total"] == 0


def test_consent_must_be_said(client: TestClient, asked: dict[str, str]) -> None:
    assert client.post("/api/datasets/sample", json={"name": "none"}).status_code == 400


def test_labels_are_taken_over_and_then_the_question_is_measured(
    client: TestClient, app: Application, asked: dict[str, str], finish_in: Callable[..., dict[str, Any]]
) -> None:
    base = drawn(client, "mine") and client.get("/api/datasets/mine").json()["version"]["digest"]
    start = {"dataset": "mine", "collection": "default"}
    refused = client.post("/api/evaluations/jobs", json=start)
    assert (refused.status_code, "5 wait for labels" in refused.text) == (400, True)
    early = client.patch("/api/datasets/mine", json={"base": base, "take_labels": True})
    assert (early.status_code, "labelled with 1 or 2" in early.text) == (400, True)
    passages = client.get(f"/api/traces/{asked['経費の精算']}/passages").json()["passages"]
    good = next(one for one in passages if one["source"] == "経費.md")
    label = {"question": "経費の精算", "collection": "default", "chunk_id": good["chunk_id"], "author": "ada"}
    assert client.post("/api/labels", json={**label, "grade": 2}).status_code == 201
    made = client.patch("/api/datasets/mine", json={"base": base, "take_labels": True})
    assert made.status_code == 200, made.text
    found = client.get("/api/datasets/mine").json()
    assert (found["unlabelled"], found["version"]["position"]) == (4, 2)
    waiting = client.get("/api/datasets/mine", params={"unlabelled": True}).json()["questions"]
    assert waiting["total"] == 4
    (labelled,) = [row["question"] for row in found["questions"]["items"] if "relevant" in row["question"]]
    assert (labelled["query"], "unlabelled" in labelled) == ("経費の精算", False)
    assert [(one["source"], one["grade"]) for one in labelled["relevant"]] == [("経費.md", 2)]
    job_id = client.post("/api/evaluations/jobs", json=start).json()["job_id"]
    assert finish_in(app, client, job_id)["status"] == "completed"
    (run_id,) = client.get(f"/api/evaluations/jobs/{job_id}").json()["run_ids"]
    run = client.get(f"/api/evaluations/{run_id}").json()
    assert [one["query"] for one in run["questions"]] == ["経費の精算"]
    assert run["metrics"]["overall"]["metrics"]["hit@5"] == 1


def test_without_kept_texts_there_is_nothing_to_draw(tmp_path: Path, opened: Any, served: Any) -> None:
    with opened(tmp_path, {"observability.detail_level": "minimal"}) as app, served(app) as client:
        ask(client, "what is kept")
        answer = client.post("/api/datasets/sample", json={"name": "none", "consent": True})
        assert (answer.status_code, "detail_level minimal" in answer.text) == (400, True)


def test_the_command_knows_what_the_service_knows() -> None:
    assert get_args(Which) == WHICH
