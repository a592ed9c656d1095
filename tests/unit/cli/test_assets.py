"""`rag assets`: the pictures of documents, what is said of them, and having them described."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragd.store.database.engine import open_engine
from ragd.store.pictures.descriptions import Descriptions
from ragd.testing.captions import picture_and_words
from ragd.vision.description import Description

pytestmark = pytest.mark.slow

SAID = Description(
    "caption.table_v1",
    "table",
    summary="A table of orders by region.",
    key_points=("Osaka: 1240",),
    uncertainties=("The last row is blurred.",),
    table=(("Region", "Orders"), ("Osaka", "1240")),
    provider="rules",
    prompt_id="rules-1",
)


@pytest.fixture
def picture(rag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a picture in a document that was read while nothing described pictures."""
    monkeypatch.setenv("RAG_OCR__PROVIDER", "none")
    monkeypatch.setenv("RAG_CAPTIONS__PROVIDER", "none")
    (tmp_path / "orders.png").write_bytes(picture_and_words()[0])
    (tmp_path / "report.md").write_text("# Report\n\nWell.\n\n![Orders by region](orders.png)\n", encoding="utf-8")
    rag("ingest", str(tmp_path / "report.md"))
    (item,) = json.loads(rag("assets", "list", "--json").stdout)["items"]
    return str(item["asset_id"])


@pytest.fixture
def described(picture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, with a description."""
    engine = open_engine("", tmp_path / "data")
    Descriptions(engine).put(picture, SAID, "")
    engine.dispose()
    monkeypatch.setenv("RAG_CAPTIONS__PROVIDER", "rules")
    return picture


def test_pictures_without_a_description_are_listed_as_missing_and_what_can_not_be_done_is_said(rag, picture: str) -> None:
    listed = rag("assets", "list", "--state", "missing").stdout
    assert "report.md" in listed
    assert "missing" in listed
    assert picture in listed
    assert rag("assets", "list", "--state", "failed").stdout == "No pictures.\n"
    assert "not described" in rag("assets", "show", picture).stdout
    assert "captions.provider is none" in rag("assets", "caption", code=2).stderr
    assert "No table" in rag("assets", "show", picture, "--csv", code=1).stderr


def test_a_picture_is_shown_with_all_that_is_said_of_it(rag, described: str) -> None:
    assert "A table of orders by region." in rag("assets", "list", "--state", "described").stdout
    shown = rag("assets", "show", described).stdout
    for told in ("report.md", "520 x 240, image/png", "table", "rules", SAID.summary, *SAID.key_points, *SAID.uncertainties):
        assert told in shown
    assert json.loads(rag("assets", "show", described, "--json").stdout)["description"]["summary"] == SAID.summary
    assert rag("assets", "show", described, "--csv").stdout == "Region,Orders\nOsaka,1240\n"


def test_pictures_of_a_captioner_are_described_anew_by_a_job(rag, described: str) -> None:
    started = rag("assets", "caption", "--redo", "rules").stdout
    assert started.startswith("Pictures are being described: job ")
    job = json.loads(rag("assets", "caption", "--redo", "rules", described, "--json").stdout)
    assert json.loads(rag("jobs", "show", job["job_id"], "--json").stdout)["kind"] == "captions"
