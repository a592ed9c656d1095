"""What descriptions of pictures may cost: by document, whatever the number of runs, and by money."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from ragd.app.container import Application
from ragd.jobs.captions import KIND
from ragd.store.jobs import FINISHED, Job
from ragd.store.pictures.descriptions import CaptionerKey
from ragd.testing.chat_server import ChatServer, Scripted

from .conftest import ask, finish

pytestmark = pytest.mark.slow

Open = Callable[..., Application]
RULES = CaptionerKey("rules", "", "rules-3")
SEEN = Scripted(
    pieces=(
        json.dumps(
            {
                "image_type": "photo",
                "summary": "A zeppelin over the harbour.",
                "key_points": [],
                "entities": [],
                "numbers": [],
                "uncertainties": [],
                # Of every profile, whatever the picture is taken for.
                "nodes": [],
                "edges": [],
                "chart": {},
                "ui": {},
            }
        ),
    )
)


@pytest.fixture
def album(tmp_path: Path) -> Path:
    """A document with four pictures, no two alike."""
    for place in range(4):
        target = io.BytesIO()
        image = Image.new("RGB", (320, 240), "white")
        ImageDraw.Draw(image).ellipse((20, 20, 90 + 60 * place, 200), outline="black", fill=(60 * place, 90, 200))
        image.save(target, "PNG")
        (tmp_path / f"{place}.png").write_bytes(target.getvalue())
    path = tmp_path / "album.md"
    path.write_text("# Album\n\n" + "\n\n".join(f"![Harbour {place}]({place}.png)" for place in range(4)), encoding="utf-8")
    return path


def settled(app: Application) -> list[Job]:
    """The jobs that describe pictures, once none of them is due."""
    for _ in range(6000):
        if not [job for job in app.jobs.waiting(KIND, statuses=("queued", "running")) if not job.not_before]:
            return list(app.jobs.waiting(KIND, statuses=("queued", *FINISHED)))  # type: ignore[arg-type]
        app.runner.wait_for_change(0.05)
    raise AssertionError("the pictures are not described")


def described(app: Application) -> list[str]:
    """The titles of the pictures that `rules` have described."""
    return sorted(one.alt for one in app.descriptions.shown(RULES) if one.said)


def test_a_documents_limit_counts_what_earlier_runs_described(open_app: Open, album: Path) -> None:
    app = open_app(captions__provider="rules", captions__max_per_document=2, ocr__provider="none")
    finish(app, app.documents.ingest([str(album)]))
    settled(app)
    assert described(app) == ["Harbour 0", "Harbour 1"]
    for payload in ({}, {"again": True}, {"low_quality": True}):
        app.captions.queue(payload)
        settled(app)
        assert described(app) == ["Harbour 0", "Harbour 1"], payload
    assert app.captions.queue({}) is None
    app = open_app(captions__provider="rules", captions__max_per_document=3, ocr__provider="none")
    settled(app)
    assert described(app) == ["Harbour 0", "Harbour 1", "Harbour 2"]


def test_a_picture_that_is_asked_for_by_its_id_is_described_beyond_the_limit(open_app: Open, album: Path) -> None:
    app = open_app(captions__provider="rules", captions__max_per_document=1, ocr__provider="none")
    finish(app, app.documents.ingest([str(album)]))
    settled(app)
    last = next(one.asset_id for one in app.descriptions.shown(RULES) if one.alt == "Harbour 3")
    assert app.captions.queue({"asset_ids": [last]})
    settled(app)
    assert described(app) == ["Harbour 0", "Harbour 3"]


def test_no_limit_describes_every_picture(open_app: Open, album: Path) -> None:
    app = open_app(captions__provider="rules", captions__max_per_document=0, ocr__provider="none")
    finish(app, app.documents.ingest([str(album)]))
    settled(app)
    assert len(described(app)) == 4


def test_no_more_is_asked_of_a_service_once_the_days_money_is_spent(open_app: Open, album: Path) -> None:
    with ChatServer(SEEN) as server:
        # The service counts 11 tokens in and 2 out, so that a picture costs 15.
        service = {"provider": "openai_compatible", "model": "sees", "url": server.url, "input_price": 1e6, "output_price": 2e6}
        app = open_app(
            ocr__provider="none",
            **{f"captions__{name}": value for name, value in (service | {"max_cost_per_day": 16.0}).items()},
        )
        finish(app, app.documents.ingest([str(album)]))
        (job,) = settled(app)
        assert job.not_before
        assert "captions.max_cost_per_day" in (job.error or {}).get("message", "")
        assert len(server.asked) == 2
        assert ask(app, "zeppelin", strategy="sparse_only").hits
