"""Values that are built when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """Builds a value at the first call and gives the same one at every call. Values that need each other share a `lock`."""

    def __init__(self, build: Callable[[], T], lock: AbstractContextManager[object]) -> None:
        """`lock` is reentrant: a value may need another one while it is built."""
        self._build = build
        self._lock = lock
        self._value: T | None = None

    def __call__(self) -> T:
        """The value. Raises what building it raises; then the next call tries again."""
        if self._value is None:
            with self._lock:
                if self._value is None:
                    self._value = self._build()
        return self._value

    @property
    def opened(self) -> T | None:
        """The value if it was built, else None."""
        return self._value
