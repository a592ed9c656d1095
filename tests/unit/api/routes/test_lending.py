"""A window lends its editor's model by REST: pictures wait for it; what it says is checked and searched like any description."""

from __future__ import annotations

import base64
import io
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from starlette.testclient import TestClient

from ragd.app.container import Application
from ragd.jobs.captions import KIND, DescribePictures
from ragd.testing.captions import picture_and_words

ANSWER = {
    "image_type": "table",
    "summary": "A zeppelin over the harbour.",
    "key_points": [],
    "entities": [],
    "uncertainties": [],
    "numbers": [{"name": "Bonn", "value": "4711", "unit": "", "context": "cell"}],
    # Of every profile, whatever the picture is taken for.
    "nodes": [],
    "edges": [],
    "chart": {},
    "ui": {},
}


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"captions.provider": "editor", "ocr.provider": "none", "captions.max_per_day": 2}


def until(is_so: Callable[[], Any]) -> Any:
    """What `is_so` gives, once it is something."""
    end = time.monotonic() + 600
    while not (found := is_so()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
    return found


def waiting(app: Application) -> Any:
    """The job that waits for a lender."""
    return until(lambda: [job for job in app.jobs.waiting(KIND) if job.not_before])[0]


def take(client: TestClient, lender: str = "window") -> dict[str, Any]:
    """The next request, as a window that comes for it again and again gets it."""

    def come() -> Any:
        answer = client.post("/api/captions/requests", json={"lender": lender})
        assert answer.status_code == 200, answer.text
        return answer.json()["request"]

    return dict(until(come))


def say(client: TestClient, request: dict[str, Any], text: str = json.dumps(ANSWER)) -> int:
    path = f"/api/captions/requests/{request['lease_id']}/answer"
    return client.post(path, json={"text": text, "model": "Sees 1"}).status_code


@pytest.fixture
def report(client: TestClient, tmp_path: Path, finish: Callable[[str], dict[str, Any]]) -> Path:
    """A document with a picture, read while nobody lends a model."""
    (tmp_path / "orders.png").write_bytes(picture_and_words()[0])
    path = tmp_path / "report.md"
    path.write_text("# Report\n\nThe quarter went well.\n\n![Orders by region](orders.png)\n", encoding="utf-8")
    finish(client.post("/api/ingest", json={"paths": [str(path)]}).json()["job_id"])
    return path


def details(client: TestClient) -> dict[str, Any]:
    (item,) = client.get("/api/assets").json()["items"]
    return dict(client.get(f"/api/assets/{item['asset_id']}/details").json())


@pytest.mark.slow
def test_pictures_wait_for_a_window_and_are_described_by_its_model(app: Application, client: TestClient, report: Path) -> None:
    assert "No window of VS Code" in (waiting(app).error or {})["message"]
    assert client.post("/api/query", json={"query": "quarter"}).json()["results"][0]["source"] == report.name
    request = take(client)
    rules, question = request["messages"]
    assert rules["role"] == "system"
    assert rules["picture"] is None
    assert "Orders by region" in question["text"]
    assert Image.open(io.BytesIO(base64.b64decode(question["picture"]["data"]))).size == (520, 240)
    assert client.patch(f"/api/captions/requests/{request['lease_id']}").status_code == 204
    assert say(client, request) == 204
    assert say(client, request) == 404
    until(lambda: not app.captions.is_due)
    found = details(client)
    assert found["description"]["summary"] == "A zeppelin over the harbour."
    assert (found["description"]["provider"], found["description"]["model"]) == ("editor", "Sees 1")
    # Checked as what services say: this number was not read in the picture.
    assert found["description"]["numbers"] == []
    assert found["description"]["unseen_numbers"] == 1
    until(lambda: client.post("/api/query", json={"query": "zeppelin", "strategy": "sparse_only"}).json()["results"])
    assert client.post("/api/captions/requests", json={"lender": "window"}).json() == {"request": None, "more": False}


@pytest.mark.slow
@pytest.mark.usefixtures("report")
def test_a_window_that_comes_while_a_job_gives_up_waiting_has_it_go_on(
    app: Application, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(client, take(client))
    until(lambda: not app.captions.is_due)
    client.delete("/api/captions/lenders/window")
    come = threading.Event()
    put_off = DescribePictures._apply

    def came_meanwhile(*args: Any) -> Any:
        """Between nobody having been there and the job being put off."""
        if not come.is_set():
            come.set()
            assert client.post("/api/captions/requests", json={"lender": "window"}).json()["request"] is None
        return put_off(*args)

    monkeypatch.setattr(DescribePictures, "_apply", came_meanwhile)
    client.post("/api/assets/caption", json={"asset_ids": [details(client)["asset_id"]], "anew": True})
    until(come.is_set)
    assert say(client, take(client)) == 204


@pytest.mark.slow
@pytest.mark.usefixtures("report")
def test_a_window_that_stops_costs_nothing_and_another_one_goes_on(app: Application, client: TestClient) -> None:
    waiting(app)
    request = take(client, "first")
    assert client.delete("/api/captions/lenders/first").status_code == 204
    waiting(app)
    assert details(client)["descriptions"] == []
    assert say(client, request) == 404
    assert say(client, take(client, "second")) == 204
    until(lambda: not app.captions.is_due)
    assert details(client)["description"]["summary"] == ANSWER["summary"]


@pytest.mark.slow
@pytest.mark.usefixtures("report")
def test_a_refusal_is_kept_with_its_reason_and_asked_for_again_on_demand(app: Application, client: TestClient) -> None:
    waiting(app)
    request = take(client)
    path = f"/api/captions/requests/{request['lease_id']}/failure"
    assert client.post(path, json={"message": "No pictures of tables.", "refused": True}).status_code == 204
    until(lambda: details(client)["descriptions"])
    found = details(client)
    assert found["description"] is None
    assert found["descriptions"][0]["error"] == "No pictures of tables."
    assert client.get("/api/assets", params={"state": "failed"}).json()["total"] == 1
    assert client.post("/api/assets/caption", json={"asset_ids": [found["asset_id"]]}).json()["job_id"]
    assert say(client, take(client)) == 204
    until(lambda: details(client)["description"])


@pytest.mark.slow
@pytest.mark.usefixtures("report")
def test_a_job_that_is_cancelled_does_not_wait_for_the_model(app: Application, client: TestClient) -> None:
    job = waiting(app)
    request = take(client)
    client.delete(f"/api/jobs/{job.job_id}")
    until(lambda: app.jobs.get(job.job_id).status == "cancelled")
    assert say(client, request) == 404


@pytest.mark.slow
def test_the_days_budget_holds_for_lent_models(app: Application, client: TestClient, report: Path) -> None:
    waiting(app)
    say(client, take(client))
    until(lambda: not app.captions.is_due)
    for colour in ("red", "blue"):
        picture = io.BytesIO()
        image = Image.new("RGB", (300, 200), "white")
        ImageDraw.Draw(image).ellipse((20, 20, 260, 180), outline="black", fill=colour)
        image.save(picture, "PNG")
        (report.parent / f"{colour}.png").write_bytes(picture.getvalue())
    report.write_text(report.read_text("utf-8") + "\n![Red](red.png)\n\n![Blue](blue.png)\n", encoding="utf-8")
    client.post("/api/ingest", json={"paths": [str(report)]})
    say(client, take(client))
    put_off = until(lambda: [job for job in app.jobs.waiting(KIND) if "max_per_day" in (job.error or {}).get("message", "")])
    assert len(put_off) == 1
    assert client.post("/api/captions/requests", json={"lender": "window"}).json() == {"request": None, "more": False}


def test_bodies_are_strict_and_unknown_leases_are_404(client: TestClient) -> None:
    assert client.post("/api/captions/requests", json={"lender": ""}).status_code == 400
    assert client.post("/api/captions/requests", json={"lender": "w", "x": 1}).status_code == 400
    assert client.post("/api/captions/requests/nobody/answer", json={"text": "x", "model": "m"}).status_code == 404
    assert client.post("/api/captions/requests/nobody/failure", json={"message": "x"}).status_code == 404
    assert client.patch("/api/captions/requests/nobody").status_code == 404


class TestOtherProviders:
    @pytest.fixture
    def changes(self) -> dict[str, Any]:
        return {"captions.provider": "rules", "ocr.provider": "none"}

    def test_a_daemon_that_wants_no_lent_model_says_so(self, client: TestClient) -> None:
        answer = client.post("/api/captions/requests", json={"lender": "window"})
        assert answer.status_code == 400
        assert "captions.provider is rules" in answer.json()["error"]["message"]


class TestServerMode:
    @pytest.fixture
    def changes(self) -> dict[str, Any]:
        return {"captions.provider": "editor", "security.mode": "server", "ocr.provider": "none"}

    def test_a_service_for_many_borrows_nobodys_model(self, client: TestClient) -> None:
        answer = client.post("/api/captions/requests", json={"lender": "window"})
        assert answer.status_code == 400
        assert "security.mode" in answer.json()["error"]["message"]
