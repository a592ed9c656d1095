"""Memory that was freed goes back to the system."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from typing import Final

import psutil

_GROWN: Final = 64 << 20
"""Bytes by which the process must have grown. To look through a heap of 300 MB takes 150 ms, in which others wait."""

_M_ARENA_MAX: Final = -8


class FreedMemory:
    """Returns what was freed between things that are still in use, when the process has grown since the last time.

    glibc returns only what lies at the end of a heap, and each thread has a heap of its own: of 480 MB that an ingestion took
    180 MB were kept like that. Elsewhere freed memory goes back by itself, or nothing can be done.
    """

    def __init__(self) -> None:
        self._trim = _trimmer()
        self._least = self._used()

    def give_back(self) -> None:
        if self._trim is not None and self._used() > self._least + _GROWN:
            self._trim(0)
            self._least = self._used()

    def _used(self) -> int:
        return int(psutil.Process().memory_info().rss)


def limit_heaps(most: int | None = None) -> None:
    """Let glibc's threads share as many heaps as there are cores, at least two, instead of eight times as many.

    Each heap keeps gaps of its own: through 60 questions with 100,000 chunks that was 17 MB. For the beginning of a process.
    """
    if sys.platform == "linux" and (option := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        option(_M_ARENA_MAX, most or max(2, os.cpu_count() or 2))


def _trimmer() -> Callable[[int], int] | None:
    """glibc's `malloc_trim`; None where there is none."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
