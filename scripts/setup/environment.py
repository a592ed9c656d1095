"""Makes an environment hold what a lock file says: checks the machine, makes the folder, installs, and remembers that it did.

`Environment` is the checkout's `.venv/`; a stamp in it names what was installed, so that the next run has nothing to do. The
functions are for other folders too. Python 3.9 must be able to read this file, to say that it is too old.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from setup.console import MACHINE_NOT_READY, Console, StopError
from setup.extras import note, noted, restore
from setup.failures import failure_in
from setup.installers import Installation, Reporter, child_environment, editable, uv_on_path
from setup.processes import CommandFailedError

ROOT = Path(__file__).resolve().parents[2]
BASE_LOCK = "requirements.lock"
TEST_LOCK = "requirements-test.lock"
FRAMEWORKS_LOCK = "requirements-frameworks.lock"

OLDEST_PYTHON = (3, 11)
OLDEST_MACOS = 14
# The environment takes 0.85 GB, the model and its download 0.3 GB; the rest is room to work.
FREE_BYTES_NEEDED = 1_500_000_000


class Environment:
    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.stamp = self.folder / "rag-assistant-stamp.json"

    def program(self, name: str) -> Path:
        return program_in(self.folder, name)

    def ensure(self, lock: str, console: Console) -> None:
        """Install this lock and the project, unless that was done already."""
        if self.is_current(lock):
            console.note(".venv/ is up to date")
            return
        too_old = python_problem(sys.version_info[:3], shutil.which)
        if too_old:
            raise StopError(too_old, MACHINE_NOT_READY, code="PYTHON_TOO_OLD")
        check_machine(self.root, has_uv=uv_on_path() is not None)
        if self._moved() or not works(self.folder):
            if self.folder.exists():
                console.note("The .venv/ that is here was moved, or its Python is gone or too old: making it again")
            extras = noted(self.folder)
            make_environment(self.folder, console)
            note(self.folder, extras)
        self.stamp.unlink(missing_ok=True)
        Installation(self.root / lock, editable(self.root), self.program("python"), console).install()
        restore(self.folder, self.program("rag"), console, child_environment(os.environ))
        self.write_stamp(lock)

    def is_current(self, lock: str) -> bool:
        """Whether this lock was installed last, in this place, and its Python is still there."""
        stamp = read_stamp(self.stamp)
        return stamp.get(lock) == self._fingerprint(lock) and not self._moved() and self.program("python").exists()

    def write_stamp(self, lock: str) -> None:
        """Remember that this lock is installed; the test lock holds everything that the base lock holds."""
        stamp = {name: self._fingerprint(name) for name in sorted({BASE_LOCK, lock})}
        self.stamp.write_text(json.dumps({"folder": str(self.folder), **stamp}, indent=1) + "\n", "utf-8")

    def _fingerprint(self, lock: str) -> str:
        return fingerprint([self.root / lock, self.root / "pyproject.toml"])

    def _moved(self) -> bool:
        """Programs in .venv/bin name their folder in the first line, so a moved one does not work."""
        return read_stamp(self.stamp).get("folder", str(self.folder)) != str(self.folder)


def program_in(folder: Path, name: str) -> Path:
    return folder / "Scripts" / f"{name}.exe" if os.name == "nt" else folder / "bin" / name


def fingerprint(files: Sequence[Path]) -> str:
    parts = [hashlib.sha256(file.read_bytes()).digest() for file in files]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def read_stamp(path: Path) -> dict[str, str]:
    try:
        stamp = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}  # never finished, or damaged: install again
    return stamp if isinstance(stamp, dict) else {}


def check_machine(folder: Path, *, has_uv: bool) -> None:
    """StopError where no packages exist for this system or this Python can't make environments, or `folder`'s disk is full."""
    for code, problem in (
        ("SYSTEM_NOT_SUPPORTED", system_problem(platform.system(), platform.machine(), platform.mac_ver()[0])),
        ("NO_VENV", modules_problem(_has_module, has_uv, shutil.which("apt-get") is not None)),
        ("DISK_FULL", disk_problem(shutil.disk_usage(folder).free)),
    ):
        if problem:
            message, advice = problem.split("\n", 1)
            raise StopError(message, MACHINE_NOT_READY, code=code, advice=advice)


def make_environment(folder: Path, reporter: Reporter) -> None:
    """An empty environment in place of what is in this folder."""
    # Without pip: the lock brings it, and Debian's Python can't put it there unless python3-venv is installed.
    command = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)]
    try:
        reporter.run_quietly(command, env=child_environment(os.environ), cwd=folder.parent)
    except CommandFailedError as error:
        code = failure_in(error.tail).code
        raise StopError(f"Making {folder} failed: {error}.", code=code, log=error.last_lines) from error


def works(folder: Path) -> bool:
    """Whether an environment is there whose Python starts, is new enough, and does not install elsewhere.

    The last is so where making it was cut short: its program runs, but as the Python that it was made from.
    """
    check = f"import os, sys; sys.exit(sys.version_info < {OLDEST_PYTHON} or not os.path.samefile(sys.prefix, sys.argv[1]))"
    command = [str(program_in(folder, "python")), "-I", "-c", check, str(folder)]
    try:
        return subprocess.run(command, check=False, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False  # no such file, or not a program of this machine


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
        f"Run this, then try again:\n  {sudo}apt-get update && {sudo}apt-get install -y python3-venv"
        if has_apt
        else "Install your system's package for it (Fedora: python3-pip, Alpine: py3-pip), or uv, then try again."
    )
    return f"This Python ({sys.executable}) can't make environments: it lacks venv, or both pip and ensurepip.\n{advice}"


def system_problem(system: str, machine: str, macos: str) -> str | None:
    """What scripts/check_wheels.py finds missing for a whole system: ONNX Runtime is built for macOS 14 on Apple silicon."""
    if system != "Darwin":
        return None
    if machine == "x86_64":
        return (
            "There is no ONNX Runtime for Macs with an Intel processor any more.\n"
            "On a Mac with Apple silicon, use a Python that is built for arm64; this one is for x86_64."
        )
    if macos and int(macos.split(".", maxsplit=1)[0]) < OLDEST_MACOS:
        return f"macOS {OLDEST_MACOS} or newer is needed; this is {macos}.\nUpdate macOS, then try again."
    return None


def disk_problem(free_bytes: int) -> str | None:
    if free_bytes >= FREE_BYTES_NEEDED:
        return None
    needed, free = f"{FREE_BYTES_NEEDED / 1e9:.1f} GB", f"{free_bytes / 1e9:.1f} GB"
    return f"{needed} of free disk space is needed here; there is {free}.\nMake room, then try again."


def _has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None
