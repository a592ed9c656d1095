"""Makes `.venv/` hold what a lock file says: checks the machine, makes the folder, installs, and remembers that it did.

A stamp in `.venv/` names what was installed, so that the next run has nothing to do. Python 3.9 must be able to read this
file, to say that it is too old.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from _console import MACHINE_NOT_READY, CommandFailedError, Console, StopError
from _installers import Installation, child_environment, uv_on_path

ROOT = Path(__file__).resolve().parent.parent
BASE_LOCK = "requirements.lock"
TEST_LOCK = "requirements-test.lock"

OLDEST_PYTHON = (3, 11)
# The environment takes 0.6 GB, the model and its download 0.3 GB; the rest is room to work.
FREE_BYTES_NEEDED = 1_500_000_000


class Environment:
    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.stamp = self.folder / "rag-assistant-stamp.json"

    def program(self, name: str) -> Path:
        return self.folder / "Scripts" / f"{name}.exe" if os.name == "nt" else self.folder / "bin" / name

    def ensure(self, lock: str, console: Console) -> None:
        """Install this lock and the project, unless that was done already."""
        if self.is_current(lock):
            console.note(".venv/ is up to date")
            return
        problem = (
            python_problem(sys.version_info[:3], shutil.which)
            or modules_problem(_has_module, uv_on_path() is not None, shutil.which("apt-get") is not None)
            or disk_problem(shutil.disk_usage(self.root).free)
        )
        if problem:
            raise StopError(problem, MACHINE_NOT_READY)
        self._make_folder(console)
        self.stamp.unlink(missing_ok=True)
        Installation(self.root, self.program("python"), console).install(self.root / lock)
        self.write_stamp(lock)

    def is_current(self, lock: str) -> bool:
        """Whether this lock was installed last, in this place, and its Python is still there."""
        return self._read_stamp().get(lock) == self._fingerprint(lock) and not self._moved() and self.program("python").exists()

    def write_stamp(self, lock: str) -> None:
        """Remember that this lock is installed; the test lock holds everything that the base lock holds."""
        stamp = {name: self._fingerprint(name) for name in sorted({BASE_LOCK, lock})}
        self.stamp.write_text(json.dumps({"folder": str(self.folder), **stamp}, indent=1) + "\n", "utf-8")

    def _fingerprint(self, lock: str) -> str:
        parts = ((self.root / lock).read_bytes(), (self.root / "pyproject.toml").read_bytes())
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    def _read_stamp(self) -> dict[str, str]:
        try:
            stamp = json.loads(self.stamp.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return {}  # never finished, or damaged: install again
        return stamp if isinstance(stamp, dict) else {}

    def _moved(self) -> bool:
        """Programs in .venv/bin name their folder in the first line, so a moved one does not work."""
        return self._read_stamp().get("folder", str(self.folder)) != str(self.folder)

    def _make_folder(self, console: Console) -> None:
        if self.folder.exists():
            if _works(self.program("python")) and not self._moved():
                return
            console.note("The .venv/ that is here was moved, or its Python is gone or too old: making it again")
        # Without pip: the lock brings it, and Debian's Python can't put it there unless python3-venv is installed.
        command = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(self.folder)]
        try:
            console.run_quietly(command, env=child_environment(os.environ), cwd=self.root)
        except CommandFailedError as error:
            raise StopError(f"Making {self.folder} failed: {error}.\n{error.tail}") from error


def python_problem(version: tuple[int, ...], which: Callable[[str], str | None]) -> str | None:
    """What is wrong with this Python, and which one of the machine would do."""
    if version >= OLDEST_PYTHON:
        return None
    script = Path(sys.argv[0]).name
    newer = [name for name in (f"python3.{minor}" for minor in range(11, 16)) if which(name)]
    advice = (
        f"Run it with one that is on this machine:\n  {newer[0]} scripts/{script}"
        if newer
        else "Debian 12 and newer, Ubuntu 24.04 and newer and Fedora have one (`apt-get install python3 python3-venv`)."
    )
    return f"Python 3.11 or newer is needed; this is {'.'.join(map(str, version))} ({sys.executable}).\n{advice}"


def modules_problem(has_module: Callable[[str], bool], has_uv: bool, has_apt: bool) -> str | None:
    """Debian ships Python without `ensurepip`, and without pip; one of them, or uv, must be there to fetch the rest."""
    if has_module("venv") and (has_module("pip") or has_module("ensurepip") or has_uv):
        return None
    root = not hasattr(os, "geteuid") or os.geteuid() == 0
    sudo = "" if root else "sudo "
    advice = (
        f"Run this, then the script again:\n  {sudo}apt-get update && {sudo}apt-get install -y python3-venv"
        if has_apt
        else "Install your system's package for it (Fedora: python3-pip, Alpine: py3-pip), or uv, then run the script again."
    )
    return f"This Python ({sys.executable}) can't make environments: it lacks venv, or both pip and ensurepip.\n{advice}"


def disk_problem(free_bytes: int) -> str | None:
    if free_bytes >= FREE_BYTES_NEEDED:
        return None
    needed, free = f"{FREE_BYTES_NEEDED / 1e9:.1f} GB", f"{free_bytes / 1e9:.1f} GB"
    return f"{needed} of free disk space is needed here; there is {free}.\nMake room, then run the script again."


def _has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _works(python: Path) -> bool:
    """Whether it starts and is new enough."""
    check = f"import sys; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    try:
        return subprocess.run([python, "-c", check], check=False, capture_output=True, timeout=60).returncode == 0
    except OSError:
        return False  # no such file, or not a program of this machine
