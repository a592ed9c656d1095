"""Descriptions that somebody asked for: documents that come meanwhile go first, and nothing is described twice for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from ragd.app.container import Application
from ragd.core.errors import RemoteUnavailable
from ragd.core.tracing import utc_now
from ragd.jobs import captions
from ragd.jobs.captions import KIND
from ragd.providers.captioners.fake import FakeCaptioner
from ragd.store.pictures import descriptions
from ragd.store.pictures.descriptions import Descriptions, StoredDescription

from .conftest import ask, finish

pytestmark = pytest.mark.slow

Open = Callable[..., Application]
FAKE: dict[str, Any] = {"captions__provider": "fake", "ocr__provider": "none"}
MANY = 20


def album(folder: Path, pictures: int) -> Path:
    """A document with so many pictures, no two alike."""
    for place in range(pictures):
        image = Image.new("RGB", (240, 160), "white")
        draw = ImageDraw.Draw(image)
        for bit in range(5):
            draw.rectangle((10 + 44 * bit, 20, 44 + 44 * bit, 140), "black" if place >> bit & 1 else "orange")
        image.save(folder / f"{place}.png")
    path = folder / "album.md"
    path.write_text("# Album\n\n" + "\n\n".join(f"![Plan {place}]({place}.png)" for place in range(pictures)), encoding="utf-8")
    return path


def until(app: Application, is_so: Callable[[], object]) -> None:
    for _ in range(6000):
        if is_so():
            return
        app.runner.wait_for_change(0.05)
    raise AssertionError("it does not come to that")


def described(app: Application) -> None:
    """Wait until no pictures are being described."""
    until(app, lambda: not app.jobs.waiting(KIND, statuses=("queued", "running")))


class Kept:
    """Counts the descriptions that are kept, by picture; `after` is called behind each, with how many it makes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: Counter[str] = Counter()
        self.after: Callable[[int], object] = lambda _count: None
        put = Descriptions.put

        def counted(descriptions: Descriptions, asset_id: str, *rest: Any, **more: Any) -> StoredDescription:
            stored = put(descriptions, asset_id, *rest, **more)
            self.counts[asset_id] += 1
            self.after(self.counts.total())
            return stored

        monkeypatch.setattr(Descriptions, "put", counted)
        # Every picture is a turn of its own.
        monkeypatch.setattr(captions, "_TURN_S", 0.0)

    def begin(self, after: Callable[[int], object]) -> None:
        self.counts.clear()
        self.after = after


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    return Kept(monkeypatch)


def payloads(app: Application) -> list[dict[str, Any]]:
    """What people ask for, where every picture has been described, and little was said of any."""
    everything = [one.asset_id for one in app.descriptions.shown(app.captioning.key())]
    return [
        {"again": True, "redo": "fake"},
        {"again": True, "low_quality": True},
        {"again": True, "anew": True, "asset_ids": everything},
    ]


def test_documents_that_come_while_many_pictures_are_described_anew_are_found_before_the_end(
    open_app: Open, tmp_path: Path, kept: Kept
) -> None:
    app = open_app(**FAKE)
    finish(app, app.documents.ingest([str(album(tmp_path, MANY))]))
    described(app)
    for number, payload in enumerate(payloads(app)):
        note = tmp_path / f"note-{number}.md"
        text = f"Zeppelin {number} over the harbour."
        note.write_text(f"# Note\n\n{text}\n", encoding="utf-8")
        found: list[str] = []

        def meanwhile(count: int, note: Path = note, text: str = text, found: list[str] = found) -> None:
            if count == 3:
                app.documents.ingest([str(note)])
            elif count == 4:
                found.extend(hit.passage.source for hit in ask(app, text, strategy="sparse_only").hits[:1])

        kept.begin(meanwhile)
        job = app.captions.queue(payload)
        assert job
        ended = finish(app, job)
        assert found == [note.name], payload
        assert (ended.status, ended.progress["total"]) == ("completed", MANY), payload
        assert list(kept.counts.values()) == [1] * MANY, payload


def test_what_was_described_before_the_daemon_died_is_not_described_again(open_app: Open, tmp_path: Path, kept: Kept) -> None:
    app = open_app(**FAKE)
    finish(app, app.documents.ingest([str(album(tmp_path, 5))]))
    described(app)
    runner = app.runner
    kept.begin(lambda count: count == 3 and runner.hold())
    job = app.captions.queue({"again": True, "redo": "fake"})
    assert job
    until(app, lambda: kept.counts.total() == 3)
    assert runner.stop(30)
    # As one that a process was at when it was killed.
    taken = app.jobs.take()
    assert taken is not None
    assert taken.job_id == job.job_id
    app = open_app(**FAKE)
    ended = finish(app, job)
    assert (ended.status, ended.progress["total"]) == ("completed", 5)
    assert list(kept.counts.values()) == [1] * 5


def test_what_somebody_asks_for_once_more_is_described_once_more(open_app: Open, tmp_path: Path, kept: Kept) -> None:
    app = open_app(**FAKE)
    finish(app, app.documents.ingest([str(album(tmp_path, 2))]))
    described(app)
    for times in (2, 3):
        job = app.captions.queue({"again": True, "redo": "fake"})
        assert job
        finish(app, job)
        assert list(kept.counts.values()) == [times] * 2


def test_a_days_budget_is_not_spent_on_what_was_described_on_the_day_before(
    open_app: Open, tmp_path: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [0]
    # Noon, as in the hour before midnight what waits for the day's end does not wait for long.
    now = datetime.now(UTC)
    to_noon_s = (now.replace(hour=12, minute=0, second=0, microsecond=0) - now).total_seconds()

    def clock(later_s: float = 0.0) -> str:
        return utc_now(later_s + to_noon_s + days[0] * 24 * 3600)

    monkeypatch.setattr(descriptions, "utc_now", clock)
    app = open_app(**FAKE)
    finish(app, app.documents.ingest([str(album(tmp_path, 5))]))
    described(app)
    app = open_app(**FAKE, captions__max_per_day=2)
    app.jobs.clock = clock
    days[0] = 1
    kept.begin(lambda _count: None)
    job = app.captions.queue({"again": True, "redo": "fake"})
    assert job
    for made in (2, 4):
        until(app, lambda: (app.jobs.get(job.job_id).not_before or "") > clock(3600))
        assert kept.counts.total() == made
        assert "captions.max_per_day" in (app.jobs.get(job.job_id).error or {})["message"]
        days[0] += 1
        app.jobs.added.set()
    finish(app, job)
    assert list(kept.counts.values()) == [1] * 5


@pytest.mark.parametrize(("retry_after_s", "tries"), [(300.0, 1), (0.001, 2)])
def test_a_picture_that_failed_before_a_job_gave_way_is_named_in_its_result_and_tried_again_when_that_is_due(
    open_app: Open, tmp_path: Path, kept: Kept, retry_after_s: float, tries: int
) -> None:
    app = open_app(**FAKE, captions__retry_after_s=retry_after_s)
    finish(app, app.documents.ingest([str(album(tmp_path, 3))]))
    described(app)
    captioner = app.captioning.captioner()
    assert isinstance(captioner, FakeCaptioner)
    captioner.answers["Plan 0"] = RemoteUnavailable("The service is tired.")
    note = tmp_path / "note.md"
    note.write_text("# Note\n\nThe job gives way to it.\n", encoding="utf-8")
    kept.begin(lambda count: count == 1 and app.documents.ingest([str(note)]))
    job = app.captions.queue({"again": True, "redo": "fake"})
    assert job
    ended = finish(app, job)
    assert sorted(kept.counts.values()) == [1, 1, tries]
    assert [failure["message"] for failure in (ended.result or {})["failed"]] == ["The service is tired."]
    assert ended.status == "completed"
