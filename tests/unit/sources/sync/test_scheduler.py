"""When sources are read by themselves: over a real store, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from ragd.core.errors import ServiceUnavailable
from ragd.sources.sync.scheduler import QuietHours, Scheduler
from ragd.store.collections import Collections
from ragd.store.database.engine import open_engine
from ragd.store.sources import Source, Sources


class Desk:
    """A scheduler, what it had read, and its clock."""

    def __init__(self, folder: Path) -> None:
        self.engine = open_engine("", folder)
        self.collections = Collections(self.engine)
        self.collections.ensure_default()
        self.sources = Sources(self.engine)
        self.now = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
        self.read: list[str] = []
        self.refused: set[str] = set()

    def scheduler(self, **changes: Any) -> Scheduler:
        """A scheduler as a daemon that has just started has one."""
        options = {"default": "every 30m", "jitter": 0.0, "quiet": QuietHours.parse([]), **changes}
        return Scheduler(self.sources, self.queue, lambda source: source.type == "fake", now=lambda: self.now, **options)

    def queue(self, source: Source) -> None:
        if source.name in self.refused:
            raise ServiceUnavailable("Too many jobs wait.")
        self.read.append(source.name)

    def add(self, name: str, **values: Any) -> Source:
        [kb_id] = self.collections.live_ids()
        return self.sources.add(values.pop("type_", "fake"), name, kb_id, {}, **values)

    def after(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path)
    yield opened
    opened.engine.dispose()


def test_a_source_is_read_when_it_is_due_and_again_after_that(desk: Desk) -> None:
    source, scheduler = desk.add("手引き"), desk.scheduler()
    scheduler.look()
    assert desk.sources.get(source.source_id).due_at == "2026-03-02T12:30:00.000Z"
    desk.after(29)
    assert scheduler.look() == []
    desk.after(1)
    assert scheduler.look() == [source.source_id]
    assert scheduler.look() == []
    desk.after(30)
    scheduler.look()
    assert desk.read == ["手引き", "手引き"]


def test_its_own_schedule_goes_before_the_settings(desk: Desk) -> None:
    desk.add("often", schedule="every 5m")
    desk.add("never", schedule="off")
    scheduler = desk.scheduler()
    for _ in range(3):
        scheduler.look()
        desk.after(5)
    assert desk.read == ["often", "often"]


def test_what_was_due_while_no_daemon_ran_is_read_once(desk: Desk) -> None:
    desk.add("wiki")
    desk.scheduler().look()
    desk.after(60 * 24 * 3)
    restarted = desk.scheduler()
    restarted.look()
    restarted.look()
    assert desk.read == ["wiki"]


def test_in_the_quiet_hours_nothing_begins_and_what_was_due_is_read_after_them(desk: Desk) -> None:
    desk.add("wiki")
    begin = desk.now.astimezone()
    span = f"{begin + timedelta(minutes=20):%H:%M}-{begin + timedelta(minutes=60):%H:%M}"
    scheduler = desk.scheduler(quiet=QuietHours.parse([span]))
    scheduler.look()
    desk.after(59)
    assert scheduler.look() == []
    desk.after(1)
    scheduler.look()
    assert desk.read == ["wiki"]


def test_what_is_off_or_no_cloud_source_or_in_a_collection_that_is_off_is_left_alone(desk: Desk) -> None:
    disabled = desk.add("disabled")
    desk.add("folder", type_="folder")
    scheduler = desk.scheduler()
    scheduler.look()
    desk.sources.change(disabled.source_id, enabled=False)
    desk.after(60)
    scheduler.look()
    assert desk.read == []
    desk.sources.change(disabled.source_id, enabled=True)
    scheduler.look()
    assert desk.read == ["disabled"]


def test_a_source_that_can_not_be_queued_is_put_off_and_the_others_are_read(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.add("a")
    desk.add("b")
    scheduler = desk.scheduler()
    scheduler.look()
    desk.after(30)
    desk.refused.add("a")
    scheduler.look()
    assert desk.read == ["b"]
    assert "can't be read by itself" in caplog.text
    assert scheduler.look() == []


def test_a_changed_schedule_counts_from_the_change(desk: Desk) -> None:
    source, scheduler = desk.add("wiki", schedule="every 1d"), desk.scheduler()
    scheduler.look()
    changed = desk.sources.change(source.source_id, access={"schedule": "every 10m", "live": "live", "public": False})
    scheduler.plan(changed)
    desk.after(10)
    assert scheduler.look() == [source.source_id]
    scheduler.plan(desk.sources.change(source.source_id, access={"schedule": "off", "live": "live", "public": False}))
    assert desk.sources.get(source.source_id).due_at is None


def test_a_source_that_is_never_due_is_not_written_again_and_again(desk: Desk) -> None:
    desk.add("wiki", schedule="off")
    written: list[str] = []
    event.listen(desk.engine, "before_cursor_execute", lambda *call: written.append(call[2]))
    scheduler = desk.scheduler()
    scheduler.look()
    assert [statement for statement in written if statement.startswith("UPDATE")] == []


@pytest.mark.parametrize("schedule", ["every 30m", "15 7-19 * * 1-5"])
def test_a_plan_made_while_the_clock_was_ahead_is_made_anew(desk: Desk, schedule: str) -> None:
    source, scheduler = desk.add("手引き", schedule=schedule), desk.scheduler(jitter=0.2)
    scheduler.look()
    right = desk.sources.get(source.source_id).due_at
    desk.now = desk.now.replace(year=2030)
    scheduler.plan(desk.sources.get(source.source_id))
    desk.now = desk.now.replace(year=2026)
    scheduler.look()
    planned = desk.sources.get(source.source_id).due_at
    assert right is not None
    assert planned is not None
    assert planned[:10] == right[:10] == "2026-03-02"
    assert desk.read == []
