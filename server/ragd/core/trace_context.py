"""W3C trace context: which trace of the caller's a request belongs to, and what outgoing calls are told of it.

https://www.w3.org/TR/trace-context/: `00-<trace id, 32 hex digits>-<parent's span id, 16>-<flags, 2>`.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Self

HEADER: Final = "traceparent"

_VALUE: Final = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class TraceParent:
    """Where in which trace something is called from."""

    trace_id: str
    span_id: str
    flags: str = "01"

    @classmethod
    def parse(cls, value: str) -> Self | None:
        """None for what is not of version 00 to the letter: such a header is as good as none."""
        match = _VALUE.fullmatch(value)
        return cls(*match.groups()) if match else None

    def __str__(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.flags}"


calling: ContextVar[TraceParent | None] = ContextVar("calling", default=None)
"""What outgoing calls are told: the caller's own, or while a stage of an exported trace calls, that stage."""


def received(values: Sequence[str]) -> TraceParent | None:
    """Of the headers of a request; several are as good as none."""
    return TraceParent.parse(values[0].strip()) if len(values) == 1 else None


def span_id_of(trace_id: str, span: str) -> str:
    """The id under which a span of one of our traces is exported; known before it has ended."""
    return hashlib.sha256(f"{trace_id}/{span}".encode()).hexdigest()[:16]


@contextmanager
def called_from(parent: TraceParent | None) -> Generator[None, None, None]:
    """What begins within the block is called from there; it must not hold a `yield` of a generator."""
    before = calling.set(parent)
    try:
        yield
    finally:
        calling.reset(before)


class Moving:
    """Something with a lock and a beginning by this process' clock (`_zero`), which another process has not: by pickle they
    become a lock of its own, and as many seconds ago."""

    _lock: threading.Lock
    _zero: float

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_zero": time.perf_counter() - self._zero}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._zero = time.perf_counter() - self._zero
