"""Values that are built when they are first needed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragd.core.lazy import Lazy


def test_a_value_is_built_once_however_many_ask_at_a_time() -> None:
    built: list[object] = []
    started = threading.Barrier(4)

    def build() -> object:
        built.append(object())
        return built[-1]

    value = Lazy(build, threading.RLock())

    def ask(_number: int) -> object:
        started.wait()
        return value()

    assert value.opened is None
    with ThreadPoolExecutor(4) as threads:
        given = set(threads.map(ask, range(4)))
    assert given == {value.opened} == set(built)


def test_a_value_that_could_not_be_built_is_tried_again() -> None:
    answers = iter([None, "built"])

    def build() -> str:
        if (answer := next(answers)) is None:
            raise OSError("not yet")
        return answer

    value = Lazy(build, threading.RLock())
    with pytest.raises(OSError, match="not yet"):
        value()
    assert value() == value() == "built"
