"""What the scripts print: numbered steps, and one live line of status in place of an installer's wall of text.

On a terminal the status line is redrawn; elsewhere (a pipe, TERM=dumb) a plain line is printed now and then.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TextIO

INDENT = "      "
TAIL_LINES = 25
SECONDS_BETWEEN_PLAIN_LINES = 10.0
SECONDS_BETWEEN_REDRAWS = 0.5

STEP_FAILED = 1
MACHINE_NOT_READY = 2
INTERRUPTED = 130


class StopError(Exception):
    """Ends the script: the message says what happened and what to do, the exit code which kind it is."""

    def __init__(self, message: str, exit_code: int = STEP_FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class CommandFailedError(Exception):
    """A command ended with a non-zero status; `lines` holds what it printed."""

    def __init__(self, command: Sequence[str], returncode: int, lines: Sequence[str]) -> None:
        super().__init__(f"{Path(command[0]).name} ended with exit status {returncode}")
        self.returncode = returncode
        self.lines = list(lines)

    @property
    def tail(self) -> str:
        return "\n".join(f"  | {line}" for line in self.lines[-TAIL_LINES:]) or "  | (it printed nothing)"


class Console:
    def __init__(self, steps: int, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._steps = steps
        self._step = 0
        self._started = time.monotonic()
        self._redraws = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def elapsed(self) -> float:
        return time.monotonic() - self._started

    def print(self, text: str = "") -> None:
        # A terminal that can't show Japanese shows "?" instead of ending the script.
        encoding = self._stream.encoding or "utf-8"
        print(text.encode(encoding, "replace").decode(encoding), file=self._stream, flush=True)

    def step(self, title: str) -> None:
        self._step += 1
        self.print(f"[{self._step}/{self._steps}] {title}  ({self.elapsed():.0f} s)")

    def note(self, text: str) -> None:
        self.print("\n".join(INDENT + line for line in text.splitlines()))

    def run_quietly(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> list[str]:
        """Run to the end with a live line of status; the lines that it printed, or CommandFailedError."""
        lines: list[str] = []
        with subprocess.Popen(
            command,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process:
            assert process.stdout is not None
            try:
                self._follow(process.stdout, lines)
                returncode = process.wait()
            finally:
                process.terminate()  # after Ctrl-C; one that has ended is left alone
                if self._redraws:
                    self._stream.write("\r\033[K")
                    self._stream.flush()
        if returncode != 0:
            raise CommandFailedError(command, returncode, lines)
        return lines

    def _follow(self, printed: IO[str], lines: list[str]) -> None:
        """Collect what is printed until its end, showing the last line and the seconds."""
        arriving: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read_lines, args=(printed, arriving), daemon=True).start()
        started = last_print = time.monotonic()
        status = ""
        while True:
            try:
                line = arriving.get(timeout=SECONDS_BETWEEN_REDRAWS)
                if line is None:
                    return
                lines.append(line)
                status = line.strip() or status
            except queue.Empty:
                pass  # nothing new: only the seconds move on
            now = time.monotonic()
            if self._redraws:
                self._redraw(now - started, status)
            elif status and now - last_print >= SECONDS_BETWEEN_PLAIN_LINES:
                last_print = now
                self.note(f"{now - started:.0f} s: {status}")

    def _redraw(self, seconds: float, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._stream.write("\r" + f"{INDENT}{seconds:.0f} s  {text}"[:width] + "\033[K")
        self._stream.flush()


def _read_lines(printed: IO[str], arriving: queue.Queue[str | None]) -> None:
    for line in printed:
        arriving.put(line.rstrip())
    arriving.put(None)
