"""Evaluations that the daemon runs by itself: as the command does, beside other jobs, while people ask."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from ragd.app.container import Application
from ragd.core.jobs import EVALUATION
from ragd.evaluation.tuning import TUNABLE

pytestmark = pytest.mark.slow

Done = Callable[[str], dict[str, Any]]

ITEMS = [
    {"id": "one", "query": "How is it set up?", "relevant": [{"source": "install.md", "place": {}}]},
    {"id": "two", "query": "経費の精算", "lang": "ja", "relevant": [{"source": "経費.md", "place": {}}]},
    {"id": "three", "query": "What is a helicopter on Mars?", "answerable": False},
]


@pytest.fixture
def changes(tmp_path: Path) -> dict[str, Any]:
    return {"security.allowed_roots": [str(tmp_path)]}


@pytest.fixture
def mine(client: TestClient, ingested: Any) -> str:
    """A dataset about the two documents; its digest."""
    body = {"name": "mine", "text": yaml.safe_dump(ITEMS, allow_unicode=True)}
    return str(client.post("/api/datasets", json=body).json()["digest"])


@pytest.fixture
def done(app: Application, client: TestClient, finish_in: Callable[..., dict[str, Any]]) -> Done:
    """Waits until a job has ended; the runner has started with `ingested`."""
    return lambda job_id: finish_in(app, client, job_id)


@pytest.fixture
def held(app: Application, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Questions of evaluations wait until it is set; those of people do not."""
    may_go = threading.Event()
    query = type(app.search).query

    def waiting(search: Any, request: Any, *arguments: Any, **named: Any) -> Any:
        if request.evaluation:
            assert may_go.wait(30)
        return query(search, request, *arguments, **named)

    monkeypatch.setattr(type(app.search), "query", waiting)
    yield may_go
    may_go.set()


def begun(client: TestClient, **body: Any) -> str:
    answer = client.post("/api/evaluations/jobs", json={"dataset": "mine", "collection": "default", **body})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["job_id"])


def test_a_run_measures_each_strategy_and_names_the_digest(client: TestClient, mine: str, done: Done) -> None:
    job_id = begun(client, strategies=["default", "sparse_only"], name="nightly")
    ended = done(job_id)
    assert (ended["status"], ended["result"], ended["progress"]["stage"]) == ("completed", None, "asking")
    job = client.get(f"/api/evaluations/jobs/{job_id}").json()
    assert (job["kind"], job["dataset"], job["name"], job["strategies"]) == (
        "evaluation",
        "mine",
        "nightly",
        ["default", "sparse_only"],
    )
    runs = [client.get(f"/api/evaluations/{run_id}").json() for run_id in job["run_ids"]]
    assert [(run["strategy"], run["dataset_hash"], run["options"]["top_k"]) for run in runs] == [
        ("default", mine, 20),
        ("sparse_only", mine, 20),
    ]
    for run in runs:
        assert run["metrics"]["overall"]["metrics"]["hit@5"] == 1
        first = run["questions"][0]
        trace = client.get(f"/api/traces/{first['trace_id']}").json()
        assert (trace["links"]["eval"], trace["strategy_config_id"]) == (run["run_id"], run["strategy_config_id"])
        assert first["artifacts"]["stages"]


def test_answers_are_measured_too(client: TestClient, mine: str, done: Done) -> None:
    job_id = begun(client, mode="end_to_end", limit=2)
    assert done(job_id)["status"] == "completed"
    (run_id,) = client.get(f"/api/evaluations/jobs/{job_id}").json()["run_ids"]
    run = client.get(f"/api/evaluations/{run_id}").json()
    assert (run["options"]["mode"], run["options"]["limit"], len(run["questions"])) == ("end_to_end", 2, 2)
    assert run["questions"][0]["artifacts"]["answer"]
    assert "refusal" in run["metrics"]["overall"]["metrics"]


def test_while_one_runs_people_ask_files_are_read_and_a_second_waits(
    client: TestClient, mine: str, held: threading.Event, done: Done, guide: Path
) -> None:
    first, second = begun(client, limit=2), begun(client, limit=2)
    assert client.post("/api/query", json={"query": "proxy"}).json()["results"]
    (guide / "more.md").write_text("# More\n\nAnd more.\n")
    reading = client.post("/api/ingest", json={"paths": [str(guide)]}).json()["job_id"]
    assert done(reading)["result"]["added"] == 1
    statuses = [client.get(f"/api/jobs/{job_id}").json()["status"] for job_id in (first, second)]
    assert statuses in (["running", "queued"], ["queued", "queued"])
    held.set()
    assert [done(job_id)["status"] for job_id in (first, second)] == ["completed", "completed"]


def test_one_that_is_cancelled_ends_and_leaves_no_run(
    client: TestClient, mine: str, held: threading.Event, app: Application, done: Done
) -> None:
    job_id = begun(client)
    client.delete(f"/api/jobs/{job_id}")
    held.set()
    assert done(job_id)["status"] == "cancelled"
    assert client.get("/api/evaluations").json()["total"] == 0


def test_one_that_is_cut_off_goes_back_into_the_queue_and_the_end_is_clean(
    client: TestClient, app: Application, mine: str, held: threading.Event
) -> None:
    job_id = begun(client)
    while app.jobs.get(job_id).status != "running":
        app.runner.wait_for_change(0.05)
    app.runner.hold()
    held.set()
    assert app.runner.stop(10)
    assert app.jobs.get(job_id).status == "queued"


def test_one_that_goes_on_asks_no_strategy_again_that_was_finished(
    client: TestClient, app: Application, mine: str, done: Done
) -> None:
    job_id = begun(client, strategies=["hybrid", "sparse_only"])
    assert done(job_id)["status"] == "completed"
    before = client.get("/api/evaluations").json()["items"]
    assert app.jobs.restart(job_id, "completed")
    assert done(job_id)["status"] == "completed"
    assert client.get("/api/evaluations").json()["items"] == before
    assert set(client.get(f"/api/evaluations/jobs/{job_id}").json()["run_ids"]) == {run["run_id"] for run in before}


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"dataset": "nothing"}, 404, "no dataset 'nothing'"),
        ({"collection": "nowhere"}, 404, "nowhere"),
        ({"strategies": ["wild"]}, 400, "no strategy 'wild'"),
        ({"strategies": []}, 400, "strategies"),
        ({"mode": "generation_only"}, 400, "carries passages"),
    ],
)
def test_what_can_not_be_run_is_said_at_once(
    client: TestClient, mine: str, body: dict[str, Any], status: int, message: str
) -> None:
    answer = client.post("/api/evaluations/jobs", json={"dataset": "mine", **body})
    assert answer.status_code == status
    assert message in answer.text
    assert client.get("/api/evaluations/jobs").json()["total"] == 0


def test_a_search_finds_what_a_bad_start_lacks_and_saves_it_without_applying_it(
    client: TestClient, app: Application, tmp_path: Path, finish: Done
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    items = []
    for part in ("pump", "valve", "motor", "sensor", "filter", "gauge", "relay", "hinge", "bolt", "spring"):
        for work in ("replaced", "calibrated"):
            (folder / f"{part}-{work}.md").write_text(f"# The {part}\n\nA worn {part} is {work} by two people.\n")
            relevant = [{"source": f"{part}-{work}.md", "place": {}}]
            items.append({"id": f"{part} {work}", "query": f"worn {part} {work}", "relevant": relevant})
    assert finish(client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"])["result"]["added"] == 20
    client.post("/api/datasets", json={"name": "parts", "text": yaml.safe_dump(items)})
    strategies = app.directories.config / "strategies"
    strategies.mkdir(parents=True)
    (strategies / "bad.yaml").write_text("retrieval: {min_score: 1.0, top_k: 7, strategy: sparse_only}\n")
    wanted = {"dataset": "parts", "collection": "default", "strategy": "bad", "settings": ["retrieval.min_score"], "minutes": 2}
    job_id = client.post("/api/evaluations/tuning", json=wanted).json()["job_id"]
    assert finish(job_id)["status"] == "completed"
    job = client.get(f"/api/evaluations/jobs/{job_id}").json()
    assert job["tuned"]["changes"] == {"retrieval.min_score": 0.0}
    assert job["tuned"]["low"] > 0
    assert sum(half["questions"] for half in job["tuned"]["halves"]) == 20
    assert [path.name for path in strategies.iterdir()] == ["bad.yaml"]
    saved = client.post(f"/api/evaluations/jobs/{job_id}/strategy", json={"name": "better"})
    assert saved.status_code == 201
    assert yaml.safe_load(Path(saved.json()["path"]).read_text("utf-8"))["retrieval"] == {
        "min_score": 0.0,
        "strategy": "sparse_only",
        "top_k": 7,
    }
    for name, status in (("better", 400), ("hybrid", 400), ("../x", 400)):
        assert client.post(f"/api/evaluations/jobs/{job_id}/strategy", json={"name": name}).status_code == status
    assert "better" in client.get("/api/evaluations/choices").json()["strategies"]
    # From where nothing is better, nothing is recommended, and there is nothing to save.
    again = client.post("/api/evaluations/tuning", json={**wanted, "strategy": "better"}).json()["job_id"]
    assert finish(again)["status"] == "completed"
    assert client.get(f"/api/evaluations/jobs/{again}").json()["tuned"]["changes"] == {}
    assert "recommends nothing" in client.post(f"/api/evaluations/jobs/{again}/strategy", json={"name": "none"}).text


def test_a_search_that_can_say_nothing_is_refused(client: TestClient, mine: str) -> None:
    few = client.post("/api/evaluations/tuning", json={"dataset": "mine", "collection": "default"})
    assert (few.status_code, "Too few questions" in few.text) == (400, True)
    unknown = client.post("/api/evaluations/tuning", json={"dataset": "mine", "settings": ["llm.model"]})
    assert (unknown.status_code, "'llm.model' is not tuned" in unknown.text) == (400, True)


def test_choices_are_what_can_be_asked_for(client: TestClient, mine: str) -> None:
    found = client.get("/api/evaluations/choices").json()
    assert "mine" in found["datasets"]
    assert "feedback" not in found["datasets"]
    assert found["strategies"][:2] == ["default", "hybrid"]
    assert [one["name"] for one in found["tunable"]] == list(TUNABLE)
    assert found["answers_by"] == ""


def test_other_jobs_are_none_of_these(client: TestClient, app: Application, mine: str) -> None:
    (reading,) = client.get("/api/jobs").json()["items"]
    assert client.get(f"/api/evaluations/jobs/{reading['job_id']}").status_code == 404
    begun(client)
    assert [job["kind"] for job in client.get("/api/evaluations/jobs").json()["items"]] == [EVALUATION]
    assert not app.jobs.others_due("")
