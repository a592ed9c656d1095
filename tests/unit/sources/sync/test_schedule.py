"""Schedules, cron lines and quiet hours as people write them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from ragd.core.errors import ValidationFailed
from ragd.sources.sync.scheduler import QuietHours, parse_schedule

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)  # a Monday


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine's clock shows nine hours more than UTC."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no way to change a process's time zone")
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "every"),
    [("every 30m", timedelta(minutes=30)), (" Every 2 h ", timedelta(hours=2)), ("every 1d", timedelta(days=1))],
)
def test_an_interval_counts_from_now(text: str, every: timedelta) -> None:
    assert parse_schedule(text).next(NOON, 0) == NOON + every


def test_what_is_off_is_never_due() -> None:
    assert parse_schedule("off").next(NOON, 0.5) is None


def test_a_cron_line_is_read_in_the_time_of_this_machine(in_tokyo: None) -> None:
    # Noon in UTC is nine in the evening there, so seven in the morning is that of Tuesday, ten in the evening before in UTC.
    assert parse_schedule("0 7 * * 1-5").next(NOON, 0) == datetime(2026, 3, 2, 22, 0, tzinfo=UTC)
    assert parse_schedule("30 21 * * *").next(NOON, 0) == NOON + timedelta(minutes=30)


@pytest.mark.parametrize(("text", "longest"), [("every 60m", timedelta(minutes=90)), ("0 * * * *", timedelta(minutes=90))])
def test_a_moment_is_put_off_by_a_share_of_the_interval_and_never_brings_forward(text: str, longest: timedelta) -> None:
    assert parse_schedule(text).next(NOON, 0.0) == NOON + timedelta(hours=1)
    assert parse_schedule(text).next(NOON, 0.5) == NOON + longest


@pytest.mark.parametrize("text", ["", "sometimes", "every 0m", "every 5s", "every 1.5h", "* * * *", "61 * * * *", "0 0 30 2 *"])
def test_what_is_no_schedule_is_told_with_what_to_write(text: str) -> None:
    with pytest.raises(ValidationFailed, match="every 30m") as caught:
        parse_schedule(text, "sync.schedule")
    assert caught.value.details[0].field == "sync.schedule"


@pytest.mark.parametrize(
    ("clock", "is_quiet"),
    [((8, 59), False), ((9, 0), True), ((11, 29), True), ((11, 30), False), ((23, 0), True), ((1, 59), True)],
)
def test_quiet_hours_are_spans_of_the_local_day_and_may_go_over_midnight(
    in_tokyo: None, clock: tuple[int, int], is_quiet: bool
) -> None:
    quiet = QuietHours.parse(["09:00-11:30", "22:00-02:00"])
    local = datetime(2026, 3, 2, *clock).astimezone()
    assert local.utcoffset() == timedelta(hours=9)
    assert quiet.cover(local.astimezone(UTC)) is is_quiet


@pytest.mark.parametrize("text", ["9-11", "25:00-26:00", "09:00", "09:60-10:00"])
def test_what_is_no_span_of_the_day_is_told(text: str) -> None:
    with pytest.raises(ValidationFailed, match="22:00-06:00"):
        QuietHours.parse([text])
