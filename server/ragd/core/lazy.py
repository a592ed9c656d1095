"""Values that are built when they are first needed, and modules that are loaded then."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


@contextmanager
def loading() -> Iterator[None]:
    """For the import of much: none of it is garbage, neither now nor later. To look for some takes a fifth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


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
