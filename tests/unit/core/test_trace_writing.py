"""Traces are written together, in their order, and at once where somebody waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from ragd.core import tracing
from ragd.core.tracing import Tracer


class Sink:
    """Keeps what each write was given."""

    def __init__(self) -> None:
        self.writes: list[list[int]] = []

    def write(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        self.writes.append([envelope["n"] for envelope in envelopes])


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def tracer(sink: Sink, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tracer]:
    monkeypatch.setattr(tracing, "_GATHER_S", 60.0)
    tracer = Tracer([sink])
    yield tracer
    tracer.close()


def finished_within(seconds: float, call: Any) -> bool:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def test_traces_of_many_questions_are_one_write_and_who_waits_does_not_wait_for_more(sink: Sink, tracer: Tracer) -> None:
    for number in range(10):
        tracer.record([{"n": number}])
    assert finished_within(10, tracer.flush)
    assert sink.writes == [list(range(10))]
    assert finished_within(10, tracer.flush)
    assert len(sink.writes) == 1


def test_no_more_than_a_bounded_number_is_written_together(sink: Sink, tracer: Tracer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "_MOST_AT_ONCE", 4)
    for number in range(9):
        tracer.record([{"n": number}])
    assert finished_within(10, tracer.flush)
    assert [number for write in sink.writes for number in write] == list(range(9))
    assert max(map(len, sink.writes)) == 4


def test_what_is_left_at_the_end_is_written(sink: Sink) -> None:
    tracer = Tracer([sink])
    tracer.record([{"n": 1}, {"n": 2}])
    assert finished_within(10, tracer.close)
    assert sink.writes == [[1, 2]]


def test_nobody_who_waits_is_forgotten_for_another_who_waits_too(sink: Sink, tracer: Tracer) -> None:
    def ask_and_look() -> None:
        for number in range(200):
            tracer.record([{"n": number}])
            tracer.flush()

    threads = [threading.Thread(target=ask_and_look, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 600
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads)
    assert sum(map(len, sink.writes)) == 800
