"""Traces are written together, in their order, and at once where somebody waits for them."""

from __future__ import annotations

import threading
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
