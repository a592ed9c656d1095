"""Runs of the daemon that are judged: by a stand-in for a language model, and by a stranger's set of metrics."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from starlette.testclient import TestClient

from ragd.app.container import Application
from ragd.evaluation.external import environments
from ragd.evaluation.external.protocol import ANSWER, PASSAGES, Case, Value
from ragd.evaluation.judges.prompts import controls
from ragd.providers.registry import TABLE
from ragd.testing.chat_server import ChatServer, Scripted

pytestmark = pytest.mark.slow

ITEMS = [
    {"id": "one", "query": "How is it set up?", "relevant": [{"source": "install.md", "place": {}}], "facts": ["kestrel setup"]},
    {"id": "two", "query": "経費の精算", "lang": "ja", "relevant": [{"source": "経費.md", "place": {}}]},
]
YES = Scripted(pieces=("REASON: It says so.\n", "VERDICT: YES"))


class Lengths:
    """A stranger's set: asks the judge once a case, and the embedding model for a vector."""

    name = "lengths"
    version = "0.1"
    metrics: ClassVar = {"context_relevance": frozenset({PASSAGES}), "answered": frozenset({ANSWER})}
    calls: ClassVar = {"context_relevance": (1, 0), "answered": (1, 2)}

    def require(self) -> None:
        """It is here."""

    def measure(self, cases: Iterable[tuple[Case, Sequence[str]]], advisor: Any) -> Generator[dict[str, Value], None, None]:
        for case, wanted in cases:
            assert advisor.reply(f"How good is {case.passages[0]}?")
            assert sum(value * value for value in advisor.vectors([case.question])[0]) == pytest.approx(1, abs=1e-3)
            yield {name: Value(0.25) for name in wanted}


@pytest.fixture
def judge() -> Iterator[ChatServer]:
    with ChatServer(YES) as server:
        yield server


@pytest.fixture
def changes(tmp_path: Path, judge: ChatServer) -> dict[str, Any]:
    model = {"llm.provider": "openai_compatible", "llm.model": "judge", "llm.url": judge.url}
    return {"security.allowed_roots": [str(tmp_path)], **model}


@pytest.fixture
def mine(client: TestClient, ingested: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, ("metric_set", "lengths"), f"{__name__}:Lengths")
    body = {"name": "mine", "text": yaml.safe_dump(ITEMS, allow_unicode=True)}
    assert client.post("/api/datasets", json=body).status_code == 201


@pytest.fixture
def measured(
    app: Application, client: TestClient, mine: None, finish_in: Callable[..., dict[str, Any]]
) -> Callable[..., dict[str, Any]]:
    """Has a run made and judged; gives it whole."""

    def run(**wanted: Any) -> dict[str, Any]:
        started = client.post("/api/evaluations/jobs", json={"dataset": "mine", "collection": "default", **wanted})
        assert started.status_code == 202, started.text
        job_id = started.json()["job_id"]
        ended = finish_in(app, client, job_id)
        assert ended["status"] == "completed", ended
        (run_id,) = client.get(f"/api/evaluations/jobs/{job_id}").json()["run_ids"]
        found: dict[str, Any] = client.get(f"/api/evaluations/{run_id}").json()
        return found

    return run


def test_our_judge_and_others_metrics_stand_in_one_run_with_what_they_cost(
    client: TestClient, judge: ChatServer, measured: Callable[..., dict[str, Any]]
) -> None:
    run = measured(judge=True, metrics=["lengths:context_relevance"], name="judged")
    values = run["metrics"]["overall"]["metrics"]
    assert (values["context_relevance"], values["lengths:context_relevance"]) == (1, 0.25)
    account, (tool,) = run["options"]["judge"], run["options"]["metric_sets"]
    assert (account["provider"], account["model"], account["stopped"]) == ("openai_compatible", "judge", "")
    assert account["controls"]["asked"] == len(controls("en"))
    # Who says yes to everything is often wrong.
    assert not account["reliable"]
    assert (tool["name"], tool["version"], tool["calls"], tool["missing"], tool["stopped"]) == ("lengths", "0.1", 2, 0, "")
    assert len(judge.asked) == account["calls"] + tool["calls"]
    assert {asked.body["temperature"] for asked in judge.asked} == {0.0}
    (job,) = client.get("/api/evaluations/jobs").json()["items"]
    assert (job["judge"], job["metrics"], job["judge_strategy"]) == (True, ["lengths:context_relevance"], "default")
    # The same judge is not asked the same again.
    again = measured(judge=True)["options"]["judge"]
    assert (again["cached"] > 0, again["calls"]) == (True, len(controls("en")))


def test_answers_are_judged_too_and_the_calls_that_are_allowed_are_the_most(
    judge: ChatServer, measured: Callable[..., dict[str, Any]]
) -> None:
    allowed = len(controls("en")) + 1
    run = measured(judge=True, metrics=["lengths:answered"], mode="end_to_end", judge_calls=allowed, limit=1)
    assert run["options"]["judge"]["stopped"]
    assert run["options"]["metric_sets"][0]["stopped"]
    assert run["options"]["judge"]["calls"] + run["options"]["metric_sets"][0]["calls"] == allowed
    assert "hit@5" in run["metrics"]["overall"]["metrics"]


def test_what_it_costs_is_said_before_and_asks_nobody(client: TestClient, judge: ChatServer, mine: None) -> None:
    body = {"dataset": "mine", "collection": "default", "judge": True, "metrics": ["lengths:context_relevance"], "top_k": 3}
    found = client.post("/api/evaluations/cost", json={**body, "strategies": ["default", "sparse_only"]}).json()
    # Three passages of each of two questions, and the expected answer of one.
    assert found == {"questions": 2, "calls": {"judge": 2 * 7, "lengths": 2 * 2}, "total": 18, "limit": 5000}
    answers = {**body, "mode": "end_to_end", "metrics": ["lengths:answered"], "limit": 1, "judge_calls": 9}
    found = client.post("/api/evaluations/cost", json=answers).json()
    assert found == {"questions": 1, "calls": {"judge": 3 + 1 + 4 + 1 + 1, "lengths": 1 + 2 * 3}, "total": 17, "limit": 9}
    assert judge.asked == []


def test_choices_tell_what_can_judge_and_how_the_rest_is_added(
    client: TestClient, app: Application, mine: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    strategies = app.directories.config / "strategies"
    strategies.mkdir(parents=True)
    (strategies / "strict.yaml").write_text("llm: {model: strict}\n")
    (strategies / "deep.yaml").write_text("retrieval: {top_k: 12}\n")
    found = client.get("/api/evaluations/choices").json()
    assert found["judges"] == [
        {"strategy": "default", "model": "openai_compatible judge"},
        {"strategy": "strict", "model": "openai_compatible strict"},
    ]
    sets = {one["name"]: one for one in found["metric_sets"]}
    assert set(sets) == {*environments.FOR, "lengths"}
    for name in environments.FOR:
        assert sets[name]["command"] == f"rag extras add {name}"
        assert sets[name]["command"] in sets[name]["missing"]
    assert sets["lengths"] == {
        "name": "lengths",
        "metrics": [
            {"name": "context_relevance", "needs": ["passages"]},
            {"name": "answered", "needs": ["answer"]},
        ],
        "missing": "",
        "command": "",
    }


@pytest.mark.parametrize(
    ("wanted", "status", "message"),
    [
        ({"metrics": ["lenghts:answered"]}, 400, "no set of metrics 'lenghts'"),
        ({"metrics": ["lengths:answered"]}, 400, "measures an answer"),
        ({"metrics": ["ragas:context_relevance"]}, 503, "rag extras add ragas"),
        ({"judge": True, "judge_strategy": "mute"}, 400, "needs a language model"),
        ({"judge": True, "judge_strategy": "unheard"}, 400, "unheard"),
        ({"judge": True, "judge_calls": 0}, 400, "judge_calls"),
    ],
)
def test_who_can_not_judge_is_said_before_anything_is_queued(
    client: TestClient,
    app: Application,
    mine: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wanted: dict[str, Any],
    status: int,
    message: str,
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    strategies = app.directories.config / "strategies"
    strategies.mkdir(parents=True)
    (strategies / "mute.yaml").write_text("llm: {provider: none}\n")
    answer = client.post("/api/evaluations/jobs", json={"dataset": "mine", **wanted})
    assert (answer.status_code, message in answer.text) == (status, True), answer.text
    assert client.get("/api/evaluations/jobs").json()["total"] == 0
