"""Looks at files on drives that may not answer: a network drive whose server is gone keeps whoever asks it, for ever.

Each look runs in a thread of its own, which is left behind when it makes no step for a minute. While one is left behind, nothing
else is asked of its drive, so that a folder of a thousand files leaves one thread, not a thousand.
"""

from __future__ import annotations

import errno
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import psutil

T = TypeVar("T")
Step = Callable[[], None]

PATIENCE_S: Final = 60.0
"""A drive that spins up, or a connection that is made again, takes some tens of seconds."""

_left_behind: dict[str, threading.Thread] = {}
"""By the mount point of the drive that each waits for."""


def ask(path: Path, look: Callable[[Step], T], patience_s: float = PATIENCE_S) -> T:
    """What `look` returns or raises. It is given a function to call after each step.

    Raises `TimeoutError`, with an explanation as `strerror`, when a step takes longer than `patience_s`, and at once while an
    earlier look at the same drive still waits.
    """
    if any(thread.is_alive() for thread in _left_behind.values()):
        waiting = _left_behind.get(_mount_point(path))
        if waiting is not None and waiting.is_alive():
            raise _silent(path, "still does not answer")
    steps: queue.SimpleQueue[None] = queue.SimpleQueue()
    outcome: list[T | BaseException] = []
    given_up = threading.Event()

    def step() -> None:
        if given_up.is_set():
            raise TimeoutError(errno.ETIMEDOUT, "nobody waits for this look any more")
        steps.put(None)

    def run() -> None:
        try:
            outcome.append(look(step))
        except BaseException as error:  # noqa: BLE001
            outcome.append(error)
        steps.put(None)

    thread = threading.Thread(target=run, name="drive", daemon=True)
    thread.start()
    while not outcome:
        try:
            steps.get(timeout=patience_s)
        except queue.Empty:
            given_up.set()
            _left_behind[_mount_point(path)] = thread
            raise _silent(path, f"did not answer for {patience_s:.0f} s") from None
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _silent(path: Path, what: str) -> TimeoutError:
    return TimeoutError(errno.ETIMEDOUT, f"its drive {what}; is its server or network away?", str(path))


def _mount_point(path: Path) -> str:
    """From the system's list of mounts, which asks no drive."""
    name = os.path.abspath(path)
    above = [
        mount.mountpoint
        for mount in psutil.disk_partitions(all=True)
        if name == mount.mountpoint or name.startswith(os.path.join(mount.mountpoint, ""))
    ]
    return max(above, key=len, default=os.path.splitdrive(name)[0])
