"""A process beside the daemon: it ends a daemon that a signal can't end, and notes which files the daemon died on.

Python runs its handler of a signal between two of its own instructions, so one call that keeps the interpreter's lock keeps
SIGTERM waiting. What the interpreter does at once, lock or not, is to write the signal's number into a pipe
(`signal.set_wakeup_fd`). This file is also the program at the other end of that pipe: it needs nothing but the standard library,
and the daemon's death closes the pipe. Where there are no such signals (Windows) there is no watchdog.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

_SIGNALS = bytes((signal.SIGINT, signal.SIGTERM))
_STOPPING = b"stopping"
_FAREWELL = b"farewell"
# A file that was taken up so shortly before the daemon died has hardly killed it.
_SUSPECT_AFTER_S = 10.0
_MOST_NOTED = 100
# What a daemon that was asked twice has left.
_AT_ONCE_S = 1.0


class Watchdog:
    """The daemon's side. `note_file` is where the files are counted that the daemon died on, by their keys: `{KEY: times}`."""

    def __init__(self, note_file: Path, grace_s: float, drain_s: float = 0.0) -> None:
        """Start the process; after a signal it leaves the daemon `drain_s` and `grace_s` seconds to end by itself."""
        self._process: subprocess.Popen[bytes] | None = None
        if os.name == "nt" or threading.current_thread() is not threading.main_thread():
            return
        read_end, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(note_file), str(grace_s), str(drain_s)],
            stdin=read_end,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(read_end)

    def listen(self) -> None:
        """From now on signals are seen. Called once the event loop runs, which sets a pipe of its own when it begins."""
        if self._process:
            signal.set_wakeup_fd(self._pipe, warn_on_full_buffer=False)

    def reading(self, key: str, begins: bool) -> None:
        """The file of this key, a short word, is being read from now on, or no longer."""
        self._send(f"{'+' if begins else '-'}{key}".encode())

    def stopping(self) -> None:
        """The daemon is to end, as if by a signal."""
        self._send(_STOPPING)

    def close(self) -> None:
        """The daemon ends as it should."""
        if self._process:
            self._send(_FAREWELL)
            signal.set_wakeup_fd(-1)
            os.close(self._pipe)
            self._process.wait()

    def _send(self, line: bytes) -> None:
        # What has no room in the pipe is left out: nothing may wait for the watchdog.
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            if self._process:
                os.write(self._pipe, line + b"\n")


def _watch(note_file: Path, grace_s: float, drain_s: float) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    daemon = os.getppid()
    began: dict[bytes, float] = {}
    pending = b""
    deadline: float | None = None
    killed = False
    signals = 0
    while True:
        ready, _, _ = select.select([0], [], [], None if deadline is None else max(0.0, deadline - time.monotonic()))
        if not ready:
            deadline, killed = None, True
            if os.getppid() == daemon:
                os.kill(daemon, signal.SIGKILL)
            continue
        received = os.read(0, 65_536)
        if not received:
            break
        *lines, pending = (pending + received.translate(None, _SIGNALS)).split(b"\n")
        signals += sum(received.count(number) for number in _SIGNALS)
        if not killed:
            deadline = _deadline(signals, _STOPPING in lines, deadline, grace_s, drain_s)
        for line in lines:
            if line == _FAREWELL:
                return
            if line.startswith(b"+"):
                began[line[1:]] = time.monotonic()
            elif line.startswith(b"-"):
                began.pop(line[1:], None)
    # A second signal asks for the end whatever is being read: that file has done nothing.
    hung = killed and signals < 2
    now = time.monotonic()
    _note(note_file, [name.decode() for name, since in began.items() if hung or now - since >= _SUSPECT_AFTER_S])


def _deadline(signals: int, stopping: bool, before: float | None, grace_s: float, drain_s: float) -> float | None:
    """When the daemon is to be dead, if it is. It drains after the first signal; a second one ends it at once."""
    rests = [_AT_ONCE_S] if signals > 1 else [drain_s + grace_s] if signals else []
    if stopping:
        rests.append(grace_s)
    if not rests:
        return before
    until = time.monotonic() + min(rests)
    return until if before is None else min(before, until)


def _note(note_file: Path, names: list[str]) -> None:
    if not names:
        return
    try:
        noted = json.loads(note_file.read_text("utf-8"))
    except (OSError, ValueError):
        noted = {}
    counted = {name: noted.pop(name, 0) + 1 for name in names}
    latest = list((noted | counted).items())[-_MOST_NOTED:]
    temporary = note_file.with_name(note_file.name + ".new")
    temporary.write_text(json.dumps(dict(latest)), "utf-8")
    temporary.replace(note_file)


if __name__ == "__main__":
    os.umask(0o077)
    _watch(Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
