"""What is said of pictures: in results of questions, on a page of its own, as a table, and in a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ragd.app.container import Application
from ragd.testing.captions import picture_and_words
from ragd.vision.description import Description, Number, Usage

SAID = Description(
    "caption.table_v1",
    "table",
    title="Orders",
    summary="A table of orders by region.",
    numbers=(Number("Osaka", "1240", "", "cell"),),
    table=(("Region", "Orders"), ("Osaka", "1240"), ("Lisbon, old town", "870")),
    mermaid="flowchart TB\n",
    usage=Usage(1000, 100),
    provider="rules",
    prompt_id="rules-3",
)


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"captions.provider": "rules", "captions.input_price": 3.0, "captions.output_price": 15.0, "ocr.provider": "none"}


@pytest.fixture
def picture(app: Application, client: TestClient, tmp_path: Path, finish: Callable[[str], dict[str, Any]]) -> str:
    """The id of a picture in a document, with a description of it in the database."""
    (tmp_path / "orders.png").write_bytes(picture_and_words()[0])
    path = tmp_path / "report.md"
    path.write_text("# Report\n\nThe quarter went well.\n\n![Orders by region](orders.png)\n", encoding="utf-8")
    job = client.post("/api/ingest", json={"paths": [str(path)]}).json()
    finish(job["job_id"])
    for waiting in client.get("/api/jobs").json()["items"]:
        finish(waiting["job_id"])
    asset_id = client.post("/api/query", json={"query": "quarter"}).json()["results"][0]["images"][0]["asset_id"]
    app.descriptions.put(asset_id, SAID, "")
    assert client.post("/api/assets/caption", json={}).json()["job_id"]
    for waiting in client.get("/api/jobs").json()["items"]:
        finish(waiting["job_id"])
    return str(asset_id)


@pytest.mark.slow
def test_a_result_shows_what_is_said_of_its_pictures_and_who_says_it(client: TestClient, picture: str) -> None:
    found = client.post("/api/query", json={"query": "table of orders by region"}).json()
    (image,) = found["results"][0]["images"]
    assert image["asset_id"] == picture
    assert (image["image_type"], image["described_by"]) == ("table", "rules")
    assert image["description"] == SAID.summary
    assert image["mermaid"] == SAID.mermaid
    assert SAID.summary not in found["results"][0]["content"]
    assert "Description of the picture Orders by region, by rules: A table of orders" in found["context"]


@pytest.mark.slow
def test_a_picture_has_a_page_with_its_text_its_descriptions_their_costs_and_its_documents(
    client: TestClient, picture: str
) -> None:
    found = client.get(f"/api/assets/{picture}/details").json()
    assert found["description"]["summary"] == SAID.summary
    assert found["description"]["cost"] == pytest.approx(0.0045)
    assert found["description"]["numbers"] == [{"name": "Osaka", "value": "1240", "unit": "", "context": "cell"}]
    assert [document["source"] for document in found["documents"]] == ["report.md"]
    assert (found["width"], found["height"]) == (520, 240)


@pytest.mark.slow
def test_the_table_of_a_picture_is_given_as_csv(app: Application, client: TestClient, picture: str) -> None:
    answer = client.get(f"/api/assets/{picture}/table")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text == 'Region,Orders\nOsaka,1240\n"Lisbon, old town",870\n'
    app.descriptions.put(picture, replace(SAID, table=()), "")
    assert client.get(f"/api/assets/{picture}/table").text == ""


@pytest.mark.slow
def test_the_list_says_which_pictures_lack_a_description(app: Application, client: TestClient, picture: str) -> None:
    assert [item["state"] for item in client.get("/api/assets").json()["items"]] == ["described"]
    app.descriptions.put(picture, replace(SAID, low_quality=True), "")
    (item,) = client.get("/api/assets", params={"state": "low_quality"}).json()["items"]
    assert (item["source"], item["asset_id"], item["caption"]) == ("report.md", picture, "Orders by region")
    assert client.get("/api/assets", params={"state": "missing"}).json()["total"] == 0


def test_an_unknown_picture_has_no_page(client: TestClient) -> None:
    assert client.get(f"/api/assets/{'0' * 32}/details").status_code == 404
    assert client.get(f"/api/assets/{'0' * 32}/table").status_code == 404


def test_nothing_to_describe_is_no_job(client: TestClient) -> None:
    assert client.post("/api/assets/caption", json={"redo": "some-model"}).json() == {"job_id": None}
    assert client.post("/api/assets/caption", json={"unknown": 1}).status_code == 400
