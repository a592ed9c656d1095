"""Node.js and npm for the extension: are they there and new enough, and does node_modules/ hold what the lock says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from setup.console import MACHINE_NOT_READY, Console, StopError
from setup.processes import CommandFailedError

OLDEST_NODE = 20
_ADVICE = "`npm config list` shows which registry, proxy and certificates are set. Then run the script again."


def check_node() -> None:
    """StopError where Node.js or npm is missing or too old."""
    problem = node_problem(shutil.which, _version)
    if problem:
        raise StopError(problem, MACHINE_NOT_READY, advice=f"Install Node.js {OLDEST_NODE} or newer, then run the script again.")


def node_problem(which: Callable[[str], str | None], version: Callable[[str], str]) -> str | None:
    missing = [name for name in ("node", "npm") if not which(name)]
    if missing:
        return f"{' and '.join(missing)} can't be found; the extension is built with Node.js."
    found = version("node")
    number = re.match(r"v(\d+)\.", found)
    if number is None or int(number[1]) < OLDEST_NODE:
        return f"Node.js {OLDEST_NODE} or newer is needed; this is {found or 'one that does not start'} ({which('node')})."
    return None


def _version(program: str) -> str:
    return subprocess.run([program, "--version"], check=False, capture_output=True, encoding="utf-8").stdout.strip()


def ensure_node_modules(folder: Path, console: Console) -> None:
    """`npm ci`, unless that was done for this lock. No install script runs."""
    if is_current(folder):
        console.note(f"{folder.name}/node_modules/ is up to date")
        return
    npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, console)


def is_current(folder: Path) -> bool:
    """Whether npm's own note of what it installed agrees with the lock; what other platforms need may be missing."""
    try:
        wanted = _packages(folder / "package-lock.json")
        installed = _packages(folder / "node_modules" / ".package-lock.json")
    except (FileNotFoundError, ValueError):
        return False  # never finished, or damaged: install again
    return installed.keys() <= wanted.keys() and all(
        package.get("optional") if name not in installed else _release(package) == _release(installed[name])
        for name, package in wanted.items()
    )


def _packages(lock: Path) -> dict[str, dict[str, Any]]:
    packages: dict[str, dict[str, Any]] = json.loads(lock.read_text("utf-8"))["packages"]
    return {name: package for name, package in packages.items() if name}


def _release(package: Mapping[str, Any]) -> tuple[object, object]:
    return package.get("version"), package.get("integrity")


def npm(arguments: Sequence[str], folder: Path, console: Console, **variables: str) -> list[str]:
    """What an npm command printed."""
    command = [shutil.which("npm") or "npm", *arguments]
    try:
        return console.run_quietly(command, env={**os.environ, **variables}, cwd=folder)
    except CommandFailedError as error:
        what = f"`npm {' '.join(arguments)}` failed in {folder.name}/: {error}."
        raise StopError(what, log=error.last_lines, advice=_ADVICE if arguments[0] == "ci" else "") from error
