"""Values that take long are made anew behind, and what is quick is always new."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragd.core.lazy import Remembered


@pytest.fixture
def behind() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


def test_what_is_quick_is_always_new_and_made_once_for_a_key(behind: ThreadPoolExecutor) -> None:
    made: list[int] = []
    value = Remembered[int, int](behind, patience_s=10)
    for key in (1, 1, 2, 2, 1):
        assert value.get(key, lambda key=key: made.append(key) or key) == key  # type: ignore[misc]
    assert made == [1, 2, 1]


def test_what_is_slow_is_given_as_it_was_until_it_is_there(behind: ThreadPoolExecutor) -> None:
    may_end, ended = threading.Event(), threading.Event()

    def slow() -> str:
        assert may_end.wait(60)
        return "new"

    value = Remembered[int, str](behind, patience_s=0.01)
    assert value.get(1, lambda: "old") == "old"
    assert value.get(2, slow) == "old"
    assert value.get(2, lambda: "never made: one is under way") == "old"
    may_end.set()
    behind.submit(ended.set)
    assert ended.wait(60)
    assert value.get(2, slow) == "new"


def test_the_first_value_is_waited_for_and_a_failure_is_said(behind: ThreadPoolExecutor) -> None:
    value = Remembered[int, int](behind, patience_s=10)
    with pytest.raises(ZeroDivisionError):
        value.get(1, lambda: 1 // 0)
    assert value.get(1, lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        value.get(2, lambda: 1 // 0)
