"""Pictures found by what is said of them, and by another picture; those that show the same are one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ImageContent

from ragd.jobs.captions import KIND
from ragd.store.pictures.descriptions import TAKEN_OVER, CaptionerKey
from ragd.vision.description import Description, ImageType, profile_of

from .conftest import Agent, text_of
from .test_assets import chart

pytestmark = pytest.mark.slow

KEY = CaptionerKey("fake", "fake", "fake-1")
FLOW = 'flowchart TB\n  n1["Request"]\n  n2["Approval"]\n  n1 --> n2'


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"ocr.provider": "none", "captions.provider": "fake"}


def said(image_type: ImageType, summary: str, **more: Any) -> Description:
    by: dict[str, Any] = {"provider": KEY.provider, "model": KEY.model, "prompt_id": KEY.prompt_id}
    return Description(profile_of(image_type), image_type, summary=summary, **by, **more)


def wait_until_described(agent: Agent) -> None:
    app, end = agent.app, time.monotonic() + 600
    while app.jobs.waiting(KIND, statuses=("queued", "running")) or app.captions.selection.wanted({}, KEY):
        assert time.monotonic() < end
        app.runner.wait_for_change(0.1)


@pytest.fixture
def pictures(agent: Agent, tmp_path: Path) -> dict[str, str]:
    """name -> asset id of a bar chart, of a copy of it, and of a flow chart, each in a note that says nothing of it."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, name in enumerate(("sales", "copy", "approval")):
        (folder / f"{name}.png").write_bytes(chart(17 + 6 * number))
        (folder / f"{name}.md").write_text(f"# Note {number}\n\nAs it stands today.\n\n![]({name}.png)\n", encoding="utf-8")
    agent.read(sorted(folder.glob("*.md")))
    wait_until_described(agent)
    shown = {item["source"].removesuffix(".md"): item["asset_id"] for item in agent.rest.get("/api/assets").json()["items"]}
    bars = said("chart", "Bar chart of sales by region, Osaka the highest.")
    put = agent.app.descriptions.put
    put(shown["sales"], bars, "")
    put(shown["copy"], said("chart", bars.summary, same_as=shown["sales"]), TAKEN_OVER)
    put(shown["approval"], said("flowchart", "Flow chart of a request and its approval.", mermaid=FLOW), "")
    agent.app.captions.request()
    wait_until_described(agent)
    return shown


def test_a_picture_is_found_by_its_description_and_its_copy_is_not_a_second_one(agent: Agent, pictures: dict[str, str]) -> None:
    result = agent.call("search_pictures", query="Which region has the highest sales?", image_type="chart")
    (found,) = (result.structured_content or {})["pictures"]
    assert found["asset_id"] in (pictures["sales"], pictures["copy"])
    assert found["more"] == 1
    assert (found["image_type"], found["described_by"]) == ("chart", "fake fake")
    assert "Osaka" in found["description"]
    assert "not the document's words: Bar chart of sales by region, Osaka the highest." in text_of(result)
    assert ", and 1 more like it" in text_of(result)


def test_a_flow_chart_comes_with_its_drawing_and_the_document_that_shows_it(agent: Agent, pictures: dict[str, str]) -> None:
    result = agent.call("search_pictures", query="approval of a request", top_k=1)
    (found,) = (result.structured_content or {})["pictures"]
    assert (found["asset_id"], found["mermaid"], found["source"]) == (pictures["approval"], FLOW, "approval.md")
    assert f"```mermaid\n{FLOW}\n```" in text_of(result)


def test_a_picture_is_asked_by_and_small_ones_are_shown(agent: Agent, pictures: dict[str, str]) -> None:
    result = agent.call("search_pictures", like=pictures["approval"], show=True)
    fields = result.structured_content or {}
    assert fields["pictures"][0]["asset_id"] == pictures["approval"]
    assert len([item for item in result.content if isinstance(item, ImageContent)]) == len(fields["pictures"])
    assert agent.failure("search_pictures", like="f" * 32)["code"] == "ASSET_NOT_FOUND"


def test_thumbnails_beside_an_answer_show_one_of_those_that_show_the_same(agent: Agent, pictures: dict[str, str]) -> None:
    result = agent.call("query_knowledge_hub", query="sales by region", thumbnails=True, filters={"image_type": "chart"})
    assert len((result.structured_content or {})["citations"]) == 2
    assert len([item for item in result.content if isinstance(item, ImageContent)]) == 1


def test_nothing_to_ask_by_and_what_is_no_type_are_told(agent: Agent, pictures: dict[str, str]) -> None:
    assert pictures
    for wrong in ({}, {"query": "x", "image_type": "drawing"}, {"query": "x", "top_k": 0}, {"like": "sales"}):
        assert agent.failure("search_pictures", **wrong)["code"] == "VALIDATION_ERROR", wrong
