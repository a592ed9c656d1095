"""The second pass over pictures: documents are found at once, their pictures' descriptions when they come."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from ragd.app.container import Application
from ragd.core.errors import ServiceUnavailable
from ragd.ingest.workers.looks import Look, LookTask
from ragd.ingest.workers.pool import WorkerPool
from ragd.jobs import captions
from ragd.jobs.captions import KIND
from ragd.store.jobs import FINISHED, Job
from ragd.testing.chat_server import ChatServer, Scripted
from ragd.vision.description import Description

from .conftest import ask, finish

pytestmark = pytest.mark.slow

Open = Callable[..., Application]
ROWS = (("Region", "Orders", "Returns"), ("Osaka", "1240", "31"), ("Lisbon", "870", "12"), ("Nairobi", "455", "9"))


def table_picture() -> bytes:
    """A ruled table."""
    image = Image.new("RGB", (760, 260), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(26)
    for row, cells in enumerate(ROWS):
        for column, cell in enumerate(cells):
            left, top = 20 + column * 240, 20 + row * 55
            draw.rectangle((left, top, left + 240, top + 55), outline="black", width=2)
            draw.text((left + 18, top + 12), cell, font=font, fill="black")
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


@pytest.fixture
def pictured(tmp_path: Path) -> Path:
    folder = tmp_path / "pictured"
    folder.mkdir()
    (folder / "orders.png").write_bytes(table_picture())
    (folder / "report.md").write_text(
        "# Report\n\nThe quarter went well.\n\n![Table 1: orders by region](orders.png)\n\nMore next time.\n", encoding="utf-8"
    )
    return folder


def ingest(app: Application, path: Path) -> Job:
    job = app.documents.ingest([str(path)])
    return finish(app, job)


def described(app: Application) -> Job:
    """Wait until the pictures are described."""
    for _ in range(6000):
        if not app.jobs.waiting(KIND, statuses=("queued", "running")):
            return app.jobs.waiting(KIND, statuses=tuple(FINISHED))[-1]  # type: ignore[arg-type]
        app.runner.wait_for_change(0.05)
    raise AssertionError("the pictures are not described")


def said_of(app: Application, text: str) -> Description:
    """What is said of the picture of the first passage for a question."""
    (image,) = ask(app, text).hits[0].passage.images
    return app.captioning.described([image.asset_id])[image.asset_id].description


def dense_views(app: Application) -> set[str]:
    """Ids of the entries of the dense index."""
    return set(app.indexes().dense.ids(app.collections.live_ids()[0]))


def test_a_table_in_a_picture_is_found_by_its_description_and_not_cited_as_the_documents_words(
    open_app: Open, pictured: Path
) -> None:
    app = open_app(captions__provider="rules")
    ingest(app, pictured / "report.md")
    job = described(app)
    assert job.status == "completed", job.error
    hit = ask(app, "Table with 3 rows and 3 columns").hits[0]
    assert hit.passage.source == "report.md"
    assert "3 columns" not in hit.passage.content
    said = said_of(app, "quarter")
    assert said.table == ROWS
    assert said.summary == "Table “Table 1: orders by region”: 3 rows and 3 columns (Region, Orders, Returns)."
    assert ("Osaka / Orders", "1240") in [(number.name, number.value) for number in said.numbers]


def test_a_picture_that_is_a_document_is_described_like_any_other(open_app: Open, pictured: Path) -> None:
    app = open_app(captions__provider="rules")
    ingest(app, pictured / "orders.png")
    described(app)
    assert said_of(app, "Lisbon").table == ROWS


def test_a_document_is_found_before_its_pictures_are_described(open_app: Open, pictured: Path) -> None:
    app = open_app(ocr__provider="none")
    ingest(app, pictured / "report.md")
    assert [hit.passage.source for hit in ask(app, "The quarter went well").hits] == ["report.md"]
    assert app.captioning.described([ask(app, "quarter").hits[0].passage.images[0].asset_id]) == {}


def test_another_document_waits_for_one_slow_picture_and_not_for_all(
    open_app: Open, pictured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = [f"![Table {number}]({number}.png)" for number in range(3)]
    for number in range(3):
        image = Image.new("RGB", (300 + 100 * number, 300), ("white", "gray", "black")[number])
        ImageDraw.Draw(image).ellipse((20, 20, 280, 120 + 80 * number), fill="orange")
        image.save(pictured / f"{number}.png")
    (pictured / "album.md").write_text("# Album\n\n" + "\n\n".join(shown), encoding="utf-8")
    (pictured / "next.md").write_text("# Next\n\nIt can be found.\n", encoding="utf-8")
    monkeypatch.setattr(captions, "_TURN_S", 0.0)
    # However busy the machine is, no look is broken off.
    monkeypatch.setattr(captions, "_PATIENCE_S", 600.0)
    app = open_app(captions__provider="rules", ocr__provider="none")
    look = WorkerPool.look
    looks: list[str] = []
    others: list[Job] = []

    def slow(pool: WorkerPool, task: LookTask) -> Look:
        if not looks:
            others.append(app.documents.ingest([str(pictured / "next.md")]))
        looks.append(task.name)
        return look(pool, task)

    monkeypatch.setattr(WorkerPool, "look", slow)
    ingest(app, pictured / "album.md")
    while not looks:
        app.runner.wait_for_change(0.05)
    finish(app, others[0])
    assert len(looks) == 1, "the document came after the first of three pictures"
    described(app)
    assert len(looks) == 3


def test_a_look_that_takes_long_is_broken_off_for_a_document_and_made_again_behind_it(
    open_app: Open, pictured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pictured / "next.md").write_text("# Next\n\nIt can be found.\n", encoding="utf-8")
    monkeypatch.setattr(captions, "_PATIENCE_S", 0.0)
    app = open_app(captions__provider="rules", ocr__provider="none")
    look, ended = WorkerPool.look, threading.Event()
    others: list[Job] = []
    second: list[str] = []

    def endless(pool: WorkerPool, task: LookTask) -> Look:
        if not others:
            others.append(app.documents.ingest([str(pictured / "next.md")]))
            ended.wait(60)
            raise ServiceUnavailable
        second.append(app.jobs.get(others[0].job_id).status)
        return look(pool, task)

    monkeypatch.setattr(WorkerPool, "look", endless)
    monkeypatch.setattr(WorkerPool, "end_busy", lambda _pool, _name: ended.set())
    ingest(app, pictured / "report.md")
    assert described(app).status == "completed"
    assert ended.is_set()
    assert second == ["completed"]
    assert said_of(app, "quarter").table is not None


def test_views_follow_the_captioner_of_the_settings_at_the_next_start(open_app: Open, pictured: Path) -> None:
    app = open_app(ocr__provider="none")
    ingest(app, pictured / "report.md")
    plain = dense_views(app)
    app = open_app(captions__provider="rules", ocr__provider="none")
    described(app)
    with_descriptions = dense_views(app)
    assert with_descriptions != plain
    app = open_app(captions__provider="none", ocr__provider="none")
    described(app)
    assert dense_views(app) == plain


def test_a_description_that_was_kept_before_a_kill_gets_into_the_views_without_being_made_again(
    open_app: Open, pictured: Path
) -> None:
    app = open_app(ocr__provider="none")
    ingest(app, pictured / "report.md")
    (image,) = ask(app, "quarter").hits[0].passage.images
    kept = Description(
        "caption.generic_v1", "unknown", summary="A zeppelin over the harbour.", provider="rules", prompt_id="rules-3"
    )
    stored = app.descriptions.put(image.asset_id, kept, "")
    app = open_app(captions__provider="rules", ocr__provider="none")
    assert described(app).status == "completed"
    assert app.descriptions.of(image.asset_id) == [stored]
    assert ask(app, "zeppelin over the harbour", strategy="sparse_only").hits[0].passage.source == "report.md"


def test_a_picture_that_another_document_shows_is_described_once(open_app: Open, pictured: Path) -> None:
    app = open_app(captions__provider="rules", ocr__provider="none")
    ingest(app, pictured / "report.md")
    described(app)
    (image,) = ask(app, "quarter").hits[0].passage.images
    before = app.descriptions.of(image.asset_id)
    (pictured / "second.md").write_text("# Second\n\nAgain.\n\n![](orders.png)\n", encoding="utf-8")
    ingest(app, pictured / "second.md")
    described(app)
    assert app.descriptions.of(image.asset_id) == before
    found = {hit.passage.source for hit in ask(app, "Table 1 orders by region", strategy="sparse_only").hits}
    assert found == {"report.md", "second.md"}


def test_a_stop_does_not_wait_for_a_picture_that_is_being_looked_at(
    open_app: Open, pictured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, ended = threading.Event(), threading.Event()

    def look(_pool: WorkerPool, _task: object) -> None:
        looks.set()
        ended.wait(30)
        raise ServiceUnavailable

    monkeypatch.setattr(WorkerPool, "look", look)
    monkeypatch.setattr(WorkerPool, "end_busy", lambda _pool, _name: ended.set())
    app = open_app(captions__provider="rules", ocr__provider="none")
    ingest(app, pictured / "report.md")
    assert looks.wait(30)
    assert app.runner.stop(10)
    assert [job.status for job in app.jobs.waiting(KIND)] == ["queued"]


def answered(value: object) -> Scripted:
    return Scripted(pieces=(json.dumps(value),))


SEEN = {
    "image_type": "table",
    "summary": "A zeppelin over the harbour.",
    "key_points": [],
    "entities": [],
    "numbers": [],
    "uncertainties": [],
}


def test_a_service_that_fails_leaves_the_document_found_and_is_asked_again_later(open_app: Open, pictured: Path) -> None:
    with ChatServer(Scripted(status=503, headers={"Retry-After": "0"})) as server:
        service = {"provider": "openai_compatible", "model": "sees", "url": server.url, "retries": 0, "retry_after_s": 0.2}
        app = open_app(ocr__provider="none", **{f"captions__{name}": value for name, value in service.items()})
        ingest(app, pictured / "report.md")
        (image,) = ask(app, "quarter").hits[0].passage.images
        for _ in range(6000):
            if failed := app.descriptions.of(image.asset_id):
                break
            app.runner.wait_for_change(0.05)
        assert failed[0].error_code == "SERVICE_UNAVAILABLE"
        assert "503" in (failed[0].error_message or "")
        assert ask(app, "The quarter went well").hits[0].passage.source == "report.md"
        server.scripts = [answered(SEEN)]
        described(app)
        hit = ask(app, "zeppelin over the harbour", strategy="sparse_only").hits[0]
        assert hit.passage.images[0].described is not None
        assert hit.passage.images[0].described.by == "openai_compatible sees"


def test_the_days_budget_holds_and_the_rest_waits_for_tomorrow(open_app: Open, pictured: Path) -> None:
    (pictured / "other.png").write_bytes(table_picture() + b"\0")
    (pictured / "report.md").write_text("# Report\n\n![Table 1](orders.png)\n\n![Table 2](other.png)\n", encoding="utf-8")
    with ChatServer(answered(SEEN)) as server:
        service = {"provider": "openai_compatible", "model": "sees", "url": server.url, "max_per_day": 1}
        app = open_app(ocr__provider="none", **{f"captions__{name}": value for name, value in service.items()})
        ingest(app, pictured / "report.md")
        for _ in range(6000):
            waiting = [job for job in app.jobs.waiting(KIND) if job.not_before]
            if waiting:
                break
            app.runner.wait_for_change(0.05)
        assert "captions.max_per_day" in (waiting[0].error or {}).get("message", "")
        assert len(server.asked) == 1
        assert ask(app, "zeppelin", strategy="sparse_only").hits
