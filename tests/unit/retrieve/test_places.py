from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from ragd.retrieve.places import Places

BOUND_S = 60.0


class Questions:
    """Questions that keep their places until they are let go; `begun` has their numbers in the order in which they got one."""

    def __init__(self, places: Places, pool: ThreadPoolExecutor) -> None:
        self._places, self._pool = places, pool
        self._changed = threading.Condition()
        self._ends: list[threading.Event] = []
        self.begun: list[int] = []

    def ask(self) -> Future[None]:
        number = len(self._ends)
        self._ends.append(threading.Event())
        return self._pool.submit(self._answer, number)

    def end(self, number: int) -> None:
        self._ends[number].set()

    def wait_for(self, begun: int) -> list[int]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.begun) >= begun, BOUND_S)
            return list(self.begun)

    def _answer(self, number: int) -> None:
        with self._places.one():
            with self._changed:
                self.begun.append(number)
                self._changed.notify_all()
            assert self._ends[number].wait(BOUND_S)


def waiting(places: Places, number: int) -> None:
    """Wait until so many questions wait, as the place itself counts them."""
    done = threading.Event()
    for _ in range(int(BOUND_S * 100)):
        if len(places._waiting) == number:
            return
        done.wait(0.01)
    raise AssertionError(f"{len(places._waiting)} wait, not {number}")


def test_who_waits_gets_the_next_place_in_the_order_of_arrival() -> None:
    places = Places(2, patience_s=BOUND_S)
    with ThreadPoolExecutor(6) as pool:
        questions = Questions(places, pool)
        asked = []
        for number in range(6):
            asked.append(questions.ask())
            if number < 2:
                questions.wait_for(number + 1)
            else:
                waiting(places, number - 1)
        assert questions.begun == [0, 1]
        for number in range(6):
            questions.end(number)
            questions.wait_for(min(6, number + 3))
        for one in asked:
            one.result(BOUND_S)
    assert questions.begun == list(range(6))


def test_nobody_waits_longer_than_the_patience_and_the_number_of_places_stays() -> None:
    places = Places(1, patience_s=0.01)
    with ThreadPoolExecutor(3) as pool:
        questions = Questions(places, pool)
        asked = [questions.ask() for _ in range(3)]
        assert sorted(questions.wait_for(3)) == [0, 1, 2]
        for number in range(3):
            questions.end(number)
        for one in asked:
            one.result(BOUND_S)
    assert places._free == 1
    assert not places._waiting


def test_a_question_that_fails_gives_its_place_back() -> None:
    places = Places(1, patience_s=BOUND_S)

    def fail() -> None:
        with places.one():
            raise ValueError("no answer")

    for _ in range(2):
        with pytest.raises(ValueError, match="no answer"):
            fail()
    with places.one():
        pass
