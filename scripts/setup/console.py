"""What the scripts print: numbered steps, and one live line of status in place of an installer's wall of text.

On a terminal the status line is redrawn; elsewhere (a pipe, TERM=dumb) a plain line is printed now and then.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from setup import processes
from setup.processes import CommandFailedError, quoted

__all__ = ["INTERRUPTED", "MACHINE_NOT_READY", "STEP_FAILED", "CommandFailedError", "Console", "StopError"]

INDENT = "      "
SECONDS_BETWEEN_PLAIN_LINES = 10.0

STEP_FAILED = 1
MACHINE_NOT_READY = 2
INTERRUPTED = 130


class StopError(Exception):
    """Ends the script: what failed, what to do, and the lines that an installer printed last. `code` names it for programs.

    `in_editor` is the advice for users of the extension, where that is another one; `cause` the line of the installer that says
    most, `index` the package index that was asked, without a password.
    """

    def __init__(
        self,
        message: str,
        exit_code: int = STEP_FAILED,
        *,
        code: str = "INSTALL_FAILED",
        advice: str = "",
        in_editor: str = "",
        log: Sequence[str] = (),
        cause: str = "",
        index: str = "",
    ) -> None:
        super().__init__("\n".join(part for part in (message, quoted(log), advice) if part))
        self.message = message
        self.exit_code = exit_code
        self.code = code
        self.in_editor = in_editor or advice
        self.log = list(log)
        self.cause = cause
        self.index = index


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
        shown = time.monotonic()

        def show(seconds: float, text: str) -> None:
            nonlocal shown
            now = time.monotonic()
            if self._redraws:
                self._redraw(seconds, text)
            elif text and now - shown >= SECONDS_BETWEEN_PLAIN_LINES:
                shown = now
                self.note(f"{seconds:.0f} s: {text}")

        try:
            return processes.run(command, env=env, cwd=cwd, on_progress=show)
        finally:
            if self._redraws:
                self._stream.write("\r\033[K")
                self._stream.flush()

    def _redraw(self, seconds: float, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._stream.write("\r" + f"{INDENT}{seconds:.0f} s  {text}"[:width] + "\033[K")
        self._stream.flush()
