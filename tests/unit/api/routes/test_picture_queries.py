"""A picture as a question: what it says is searched, and passages that show it come first."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from starlette.testclient import TestClient

pytestmark = pytest.mark.slow


def drawn(text: str, size: tuple[int, int] = (640, 240), form: str = "PNG") -> bytes:
    """A dialog that says something."""
    image = Image.new("RGB", (640, 240), "#f4f4f4")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 640, 36), fill="#dde3ea")
    pen.text((30, 90), text, fill="black", font=ImageFont.load_default(26))
    target = io.BytesIO()
    image.resize(size).save(target, form)
    return target.getvalue()


def asked(data: bytes) -> dict[str, str]:
    return {"data": base64.b64encode(data).decode()}


@pytest.fixture
def notes(client: TestClient, tmp_path: Path, finish: Callable[[str], dict[str, Any]]) -> None:
    """A note that shows a dialog, without a word of it, and one about what the dialog says."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / ".gitignore").write_text("*.png\n", encoding="utf-8")
    (folder / "dialog.png").write_bytes(drawn("The lease has expired"))
    (folder / "shown.md").write_text("# Gallery\n\nAs it looks today.\n\n![](dialog.png)\n", encoding="utf-8")
    (folder / "told.md").write_text("# Leases\n\nWhen the lease has expired, renew it at the desk.\n", encoding="utf-8")
    (folder / "other.md").write_text("# Lunch\n\nThe kitchen opens at noon.\n", encoding="utf-8")
    assert finish(client.post("/api/ingest", json={"paths": [str(folder)]}).json()["job_id"])["status"] == "completed"


def test_a_picture_in_another_size_is_found_where_it_is_shown_and_then_what_is_about_it(client: TestClient, notes: None) -> None:
    found = client.post(
        "/api/query", json={"query": "", "image": asked(drawn("The lease has expired", (480, 180), "JPEG"))}
    ).json()
    assert [result["source"] for result in found["results"]][:2] == ["shown.md", "told.md"]
    (image,) = found["results"][0]["images"]
    assert found["picture"]["alike"] == [image["asset_id"]]
    assert "lease has expired" in found["picture"]["text"]
    assert found["picture"]["description"]
    assert found["found"]
    assert found["confidence"] == 1.0


def test_a_picture_that_nothing_shows_is_searched_by_its_words(client: TestClient, notes: None) -> None:
    found = client.post("/api/query", json={"query": "", "image": asked(drawn("Kitchen opens at noon"))}).json()
    assert found["results"][0]["source"] == "other.md"
    assert found["picture"]["alike"] == []


def test_a_kept_picture_is_asked_with_by_its_id_beside_a_question(client: TestClient, notes: None) -> None:
    shown = client.post("/api/query", json={"query": "gallery as it looks"}).json()["results"][0]["images"][0]["asset_id"]
    found = client.post("/api/query", json={"query": "where is this?", "image": {"asset_id": shown}, "explain": True}).json()
    assert found["results"][0]["source"] == "shown.md"
    assert found["query"].startswith("where is this?")
    assert found["explanation"][0]["stages"]["picture"]["rank"] == 1
    filtered = {"query": "", "image": {"asset_id": shown}, "filters": {"path_prefix": "told"}}
    assert [result["source"] for result in client.post("/api/query", json=filtered).json()["results"]] == ["told.md"]


@pytest.mark.parametrize(
    ("image", "status", "says"),
    [
        ({"data": "no base64!"}, 400, "not in base64"),
        (asked(b"no picture"), 400, "can't be looked at"),
        ({"asset_id": "0" * 32}, 404, "There is no picture"),
        ({}, 400, "either data or asset_id"),
        ({"data": "AAAA", "asset_id": "0" * 32}, 400, "either data or asset_id"),
        (asked(b"\x00" * 2_000_000), 413, ""),
    ],
)
def test_a_picture_that_can_not_be_asked_with_is_refused_with_a_reason(
    client: TestClient, image: dict[str, str], status: int, says: str
) -> None:
    answer = client.post("/api/query", json={"query": "", "image": image})
    assert answer.status_code == status, answer.text
    assert says in answer.text


def test_an_empty_question_without_a_picture_is_refused_still(client: TestClient) -> None:
    assert client.post("/api/query", json={"query": " "}).status_code == 400


def test_a_plain_picture_that_is_not_kept_says_that_nothing_could_be_read(client: TestClient) -> None:
    target = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(target, "PNG")
    answer = client.post("/api/query", json={"query": "", "image": asked(target.getvalue())})
    assert answer.status_code == 400
    assert "No words could be read" in answer.json()["error"]["message"]
