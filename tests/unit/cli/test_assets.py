"""`rag assets`: the pictures of documents, what is said of them, and having them described."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

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
    prompt_id="rules-3",
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


def test_what_several_documents_show_is_one_row_that_says_how_many_more_there_are(rag, described: str, tmp_path: Path) -> None:
    (tmp_path / "again.md").write_text("# Again\n\nOnce more.\n\n![](orders.png)\n", encoding="utf-8")
    rag("ingest", str(tmp_path / "again.md"))
    (row,) = [line for line in rag("assets", "list").stdout.splitlines() if described in line]
    assert row.startswith("again.md")
    assert "(and 1 more like it)" in row
    for listed in (rag("assets", "list", "--each"), rag("assets", "list", "--same-as", described)):
        rows = [line.split()[0] for line in listed.stdout.splitlines() if described in line]
        assert rows == ["again.md", "report.md"]


def test_pictures_of_a_captioner_are_described_anew_by_a_job(rag, described: str) -> None:
    started = rag("assets", "caption", "--redo", "rules").stdout
    assert started.startswith("Pictures are being described: job ")
    job = json.loads(rag("assets", "caption", "--redo", "rules", described, "--json").stdout)
    assert json.loads(rag("jobs", "show", job["job_id"], "--json").stdout)["kind"] == "captions"


def test_documents_with_pictures_that_nothing_is_said_of_are_listed(rag, picture: str, tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("# Plain\n\nNo picture.\n", encoding="utf-8")
    rag("ingest", str(tmp_path / "plain.md"))
    listed = json.loads(rag("documents", "list", "--json").stdout)["items"]
    assert {item["source"]: item["has_unprocessed_images"] for item in listed} == {"plain.md": False, "report.md": True}
    assert "plain.md" not in rag("documents", "list", "--unprocessed-images").stdout
    assert "report.md" in rag("documents", "list", "--unprocessed-images").stdout


def test_a_question_is_asked_by_a_picture_and_what_was_seen_in_it_is_said(rag, described: str, tmp_path: Path) -> None:
    image = Image.open(io.BytesIO(picture_and_words()[0])).convert("RGB")
    image.resize((image.width // 2, image.height // 2)).save(tmp_path / "asked.jpg")
    answer = rag("query", "--image", str(tmp_path / "asked.jpg"))
    assert "report.md" in answer.stdout
    assert "It is kept already, once" in answer.stderr
    assert "Picture: " in answer.stderr
    assert "--image FILE" in rag("query", code=2).stderr
    (tmp_path / "asked.txt").write_text("no picture", encoding="utf-8")
    assert "can't be looked at" in rag("query", "--image", str(tmp_path / "asked.txt"), code=2).stderr


def test_a_large_picture_is_made_smaller_before_it_is_sent(rag, described: str, tmp_path: Path) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (900, 1200, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "large.png")
    assert (tmp_path / "large.png").stat().st_size > 3_000_000
    assert json.loads(rag("query", "Orders", "--image", str(tmp_path / "large.png"), "--json").stdout)["picture"]["alike"] == []
