"""Runs one program to its end while its last line and the seconds are shown; on any way out its children end too."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

TAIL_LINES = 25
SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_END = 5.0


class CommandFailedError(Exception):
    """A command ended with a non-zero status; `lines` holds what it printed."""

    def __init__(self, command: Sequence[str], returncode: int, lines: Sequence[str]) -> None:
        super().__init__(f"{_name(command)} ended with exit status {returncode}")
        self.returncode = returncode
        self.lines = list(lines)

    @property
    def last_lines(self) -> list[str]:
        return self.lines[-TAIL_LINES:]

    @property
    def tail(self) -> str:
        return quoted(self.last_lines) or "  | (it printed nothing)"


def _name(command: Sequence[str]) -> str:
    """What people call it: `python -m pip` is pip."""
    options = list(command[:3])
    return command[options.index("-m") + 1] if "-m" in options else Path(command[0]).name


def quoted(lines: Sequence[str]) -> str:
    """Another program's words, set apart from ours."""
    return "\n".join(f"  | {line}" for line in lines)


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    on_progress: Callable[[float, str], None],
    pass_fds: Sequence[int] = (),
) -> list[str]:
    """The lines that it printed, or CommandFailedError.

    `on_progress` gets the seconds and the last line, at least twice a second.
    """
    with subprocess.Popen(
        command,
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        # A group of its own, so that an installer's own children can be ended with it.
        start_new_session=os.name == "posix",
        pass_fds=pass_fds if os.name == "posix" else (),
    ) as process:
        assert process.stdout is not None
        try:
            lines = _follow(process.stdout, on_progress)
            returncode = process.wait()
        except BaseException:  # Ctrl-C, a signal, a reader that went away
            end_group(process)
            raise
    if returncode != 0:
        raise CommandFailedError(command, returncode, lines)
    return lines


def end_group(process: subprocess.Popen[str]) -> None:
    """End a program that `run` started, and its children; after a few seconds by force."""
    if os.name != "posix":
        process.terminate()
        return
    for how in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END)
            return


def _follow(printed: IO[str], on_progress: Callable[[float, str], None]) -> list[str]:
    """What is printed until its end."""
    arriving: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read_lines, args=(printed, arriving), daemon=True).start()
    started = time.monotonic()
    lines: list[str] = []
    last = ""
    while True:
        # A timeout means nothing new: only the seconds move on.
        with contextlib.suppress(queue.Empty):
            line = arriving.get(timeout=SECONDS_BETWEEN_LOOKS)
            if line is None:
                return lines
            lines.append(line)
            last = line.strip() or last
        on_progress(time.monotonic() - started, last)


def _read_lines(printed: IO[str], arriving: queue.Queue[str | None]) -> None:
    for line in printed:
        arriving.put(line.rstrip())
    arriving.put(None)
