"""Programs that the scripts start, and how they end."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from ..loading import load

processes = load("setup.processes")

# Starts a child, tells both ids, and waits for ever.
PARENT = """
import subprocess, sys, os, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"


class StoppedError(Exception):
    pass


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pids: list[int]) -> bool:
    end = time.monotonic() + 600
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(is_alive, pids))


def run_until_it_prints(program: str, folder: Path) -> str:
    """The line after which the run was stopped, as Ctrl-C stops it."""
    printed = ""

    def stop_at_first_line(_seconds: float, line: str) -> None:
        nonlocal printed
        if line:
            printed = line
            raise StoppedError

    with pytest.raises(StoppedError):
        processes.run([sys.executable, "-c", program], env=dict(os.environ), cwd=folder, on_progress=stop_at_first_line)
    return printed


@pytest.mark.skipif(os.name != "posix" or not Path("/proc").exists(), reason="looks into /proc")
class TestTheEnd:
    def test_a_program_that_is_stopped_takes_its_children_along(self, tmp_path: Path) -> None:
        pids = [int(word) for word in run_until_it_prints(PARENT, tmp_path).split()]
        assert len(pids) == 2
        assert gone(pids)

    def test_one_that_does_not_listen_is_killed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(processes, "SECONDS_TO_END", 0.2)
        assert run_until_it_prints(STUBBORN, tmp_path) == "ready"

    def test_a_program_that_a_signal_ended_has_failed(self, tmp_path: Path) -> None:
        program = f"import os; os.kill(os.getpid(), {signal.SIGKILL:d})"
        with pytest.raises(processes.CommandFailedError) as raised:
            processes.run([sys.executable, "-c", program], env=dict(os.environ), cwd=tmp_path, on_progress=lambda *_: None)
        assert raised.value.returncode == -signal.SIGKILL
        assert raised.value.tail == "  | (it printed nothing)"
