"""When a daemon that nobody uses stops."""

from __future__ import annotations

import logging
import threading

import pytest

from ragd.api.lifecycle import FIRST_WINDOW_S, Lifecycle


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lifecycle(clock: Clock) -> Lifecycle:
    return Lifecycle(clock)


def test_an_open_window_keeps_the_daemon(lifecycle: Lifecycle, clock: Clock) -> None:
    with lifecycle.window():
        clock.now = 1e6
        assert lifecycle.rest_s(30) == 30


def test_the_time_is_counted_from_the_last_window_that_left(lifecycle: Lifecycle, clock: Clock) -> None:
    with lifecycle.window():
        clock.now = 50
        with lifecycle.window():
            clock.now = 100
        clock.now = 200
    clock.now = 210
    assert lifecycle.rest_s(30) == 20
    clock.now = 230
    assert lifecycle.rest_s(30) <= 0


@pytest.mark.parametrize(("limit", "expected"), [(30, FIRST_WINDOW_S), (500, 500)])
def test_the_first_window_may_take_its_time(lifecycle: Lifecycle, clock: Clock, limit: float, expected: float) -> None:
    clock.now = 70
    lifecycle.begin()
    assert lifecycle.rest_s(limit) == expected
    clock.now = 70 + expected
    assert lifecycle.rest_s(limit) <= 0


def test_a_window_that_fails_has_left_too(lifecycle: Lifecycle, clock: Clock) -> None:
    with pytest.raises(ValueError), lifecycle.window():
        raise ValueError
    clock.now = 31
    assert lifecycle.rest_s(30) <= 0


def test_an_unused_daemon_stops_and_says_why(caplog: pytest.LogCaptureFixture) -> None:
    life = Lifecycle()
    with life.window():
        pass
    with caplog.at_level(logging.INFO):
        life.stop_when_unused(0.02)
    assert life.stopping.is_set()
    (record,) = [record for record in caplog.records if record.message == "daemon stops"]
    assert record.__dict__["reason"] == "no editor window for 0.02 s"


def test_a_first_window_that_came_and_went_is_not_waited_for_any_longer() -> None:
    life = Lifecycle()
    waiting = threading.Thread(target=life.stop_when_unused, args=(0.05,), daemon=True)
    waiting.start()
    with life.window():
        pass
    waiting.join(60)
    assert life.stopping.is_set()


def test_a_daemon_that_is_stopped_otherwise_is_not_waited_for() -> None:
    life = Lifecycle()
    waiting = threading.Thread(target=life.stop_when_unused, args=(1000.0,), daemon=True)
    waiting.start()
    life.stopping.set()
    waiting.join(60)
    assert not waiting.is_alive()
