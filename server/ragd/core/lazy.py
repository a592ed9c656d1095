"""Values that are built when they are first needed, and modules that are loaded then."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager
from typing import Generic, TypeVar

K = TypeVar("K")
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


class Remembered(Generic[K, T]):
    """A value that takes long to make, and the key under which it was made: made anew behind, once the key is another one.

    What is made quickly is always new. For what is not, the value of before is given until the new one is there.
    """

    def __init__(self, behind: Executor, patience_s: float = 0.05) -> None:
        """`behind` makes values; `patience_s` is how long they are waited for."""
        self._behind = behind
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._last: tuple[K, T] | None = None
        self._making: Future[None] | None = None

    def get(self, key: K, make: Callable[[], T]) -> T:
        """The value, at the first call as `make` gives it. Raises what that raises."""
        with self._lock:
            if self._last is None:
                self._last = key, make()
        until = time.monotonic() + self._patience_s
        while self._last[0] != key and (left := until - time.monotonic()) > 0:
            try:
                self._begun(key, make).result(left)
            except TimeoutError:
                break
        return self._last[1]

    def _begun(self, key: K, make: Callable[[], T]) -> Future[None]:
        """What is being made, begun now where nothing is."""

        def made() -> None:
            self._last = key, make()

        with self._lock:
            if self._making is None or self._making.done():
                self._making = self._behind.submit(made)
            return self._making
