"""Installs a lock file into an environment, every package checked by its hash: by uv, else by pip.

uv takes seconds where pip takes more than a minute. It is the one on PATH, else one that pip fetches into a temporary folder
for the occasion. Where there is none, where it fails, or where pip is set up in a way that uv can't be told, pip does the
work.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import _pip_settings
from _console import CommandFailedError, Console, StopError

TOOLS_LOCK = "requirements-tools.lock"

# What another environment or Python left in the variables must not reach the new one.
_LEFT_OUT = frozenset({"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_TARGET", "UV_PREFIX"})

# What the installers print, and what mends it; the first match counts.
_HINTS = (
    (r"no space left|disk quota", "The disk is full: make room (here and in the temporary folder)."),
    (
        r"certificate|ssl error|tlsv1|unknownissuer",
        "The mirror's certificate is not trusted: set PIP_CERT to the file with your company's certificate.",
    ),
    (
        r"hash(es)? (mismatch|do not match)|do not match the hashes",
        "A package differs from the one that the lock names: the mirror changed it. Ask those who run the mirror; do not go on.",
    ),
    (
        r"new connection|connection (refused|reset|error|aborted|broken)|timed out|dns error|name resolution|proxyerror|"
        r"unreachable|error sending request|failed to fetch",
        "The package mirror does not answer: `python3 -m pip config list` shows which one is set, PIP_INDEX_URL sets another, "
        "and HTTPS_PROXY the way to it.",
    ),
    (
        r"no matching distribution|no version of|not found in the (package )?(registry|index)|no solution found|no wheels",
        "The mirror lacks a package, or has none for this machine: `python3 -m pip config list` shows which mirror is set.",
    ),
)


class Installation:
    """Fills one environment, given by its Python."""

    def __init__(self, root: Path, python: Path, console: Console) -> None:
        self._root = root
        self._python = python
        self._console = console
        self._env = child_environment(os.environ)

    def install(self, lock: Path) -> None:
        pip = self._find_pip()
        settings = self._settings(pip)
        for_uv = _pip_settings.for_uv(settings, self._env, system_certificates=system_certificates())
        with tempfile.TemporaryDirectory(prefix="rag-assistant-tools-") as tools:
            if for_uv.untranslated and pip:
                names = ", ".join(for_uv.untranslated)
                self._console.note(f"Using pip, as it is set up in a way that uv does not know ({names}); this takes longer")
            else:
                uv = uv_on_path() or fetch_uv(pip, self._root / TOOLS_LOCK, Path(tools), self._console)
                if uv and self._install_by_uv(uv, lock, {**self._env, **for_uv.environment}, can_fall_back=bool(pip)):
                    return
            self._install_by_pip(pip, lock)

    def _find_pip(self) -> list[str]:
        """The pip command that fills the environment; empty where only uv can."""
        if importlib.util.find_spec("pip"):
            return [sys.executable, "-m", "pip", "--python", str(self._python)]
        if importlib.util.find_spec("ensurepip"):
            self._run([str(self._python), "-m", "ensurepip"], self._env, "Putting pip into the environment failed")
            return [str(self._python), "-m", "pip"]
        return []

    def _settings(self, pip: Sequence[str]) -> dict[str, str]:
        if not pip:
            return _pip_settings.from_environment(self._env)
        command = [pip[0], "-m", "pip", "config", "list"]
        listed = subprocess.run(command, env=self._env, check=False, capture_output=True, encoding="utf-8", errors="replace")
        if listed.returncode != 0:
            raise StopError(f"`python3 -m pip config list` failed; mend pip's settings first:\n{listed.stderr.strip()}")
        return _pip_settings.parse_config_list(listed.stdout)

    def _install_by_uv(self, uv: str, lock: Path, env: Mapping[str, str], *, can_fall_back: bool) -> bool:
        into = [uv, "pip", "install", "--python", str(self._python)]
        try:
            self._console.run_quietly([*into, "--require-hashes", "-r", str(lock)], env=env, cwd=self._root)
            editable = ["--no-deps", "--no-build-isolation", "--editable", str(self._root)]
            self._console.run_quietly([*into, *editable], env=env, cwd=self._root)
        except CommandFailedError as error:
            if not can_fall_back:
                raise StopError(failure("Installing the packages failed", error)) from error
            self._console.note(f"uv could not install the packages, so pip tries; this takes longer. uv said:\n{error.tail}")
            return False
        return True

    def _install_by_pip(self, pip: Sequence[str], lock: Path) -> None:
        if not pip:
            raise StopError(
                "The uv on PATH does not work and there is no pip. Mend or remove that uv, then run the script again."
            )
        # Compiling all files at once would add 150 MB, most of them never imported.
        options = ["install", "--no-compile"]
        env = pip_environment(self._env)
        self._run([*pip, *options, "--require-hashes", "-r", str(lock)], env, "Installing the packages failed")
        editable = ["--no-deps", "--no-build-isolation", "--editable", str(self._root)]
        self._run([str(self._python), "-m", "pip", *options, *editable], env, "Installing RAG Assistant itself failed")

    def _run(self, command: Sequence[str], env: Mapping[str, str], what_failed: str) -> None:
        try:
            self._console.run_quietly(command, env=env, cwd=self._root)
        except CommandFailedError as error:
            raise StopError(failure(what_failed, error)) from error


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name not in _LEFT_OUT}


def pip_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """pip that does not ask, draws nothing, and stays inside the environment whatever the user's settings say of `user`."""
    env = {**environ, "PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_PROGRESS_BAR": "off", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    bundle = system_certificates()
    if bundle and not {"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} & environ.keys():
        env["REQUESTS_CA_BUNDLE"] = bundle  # weaker than a `cert` of pip's own settings
    return env


def system_certificates() -> str | None:
    """The system's bundle, where a company's own certificates are; pip and uv bring another one."""
    return _pip_settings.SYSTEM_CERTIFICATES if Path(_pip_settings.SYSTEM_CERTIFICATES).exists() else None


def uv_on_path() -> str | None:
    """The uv that is installed and starts (a version manager's shim may be there without one behind it)."""
    uv = shutil.which("uv")
    if uv and subprocess.run([uv, "--version"], check=False, capture_output=True).returncode == 0:
        return uv
    return None


def fetch_uv(pip: Sequence[str], lock: Path, tools: Path, console: Console) -> str | None:
    """Put uv into the folder `tools`; None, and the reason told, where it can't be had."""
    if not pip:
        return None
    command = [*pip, "install", "--target", str(tools), "--no-deps", "--require-hashes", "-r", str(lock)]
    try:
        console.run_quietly(command, env=pip_environment(child_environment(os.environ)), cwd=lock.parent)
    except CommandFailedError as error:
        reason = error.lines[-1] if error.lines else str(error)
        console.note(f"uv can't be had here, so pip installs; this takes longer ({reason})")
        return None
    return shutil.which("uv", path=str(tools / "bin"))


def hint(output: str) -> str:
    """What to do about an installer's failure."""
    for pattern, advice in _HINTS:
        if re.search(pattern, output, re.IGNORECASE):
            return advice
    return "The lines above say why."


def failure(what: str, error: CommandFailedError) -> str:
    return f"{what}: {error}.\n{error.tail}\n{hint(error.tail)}\nThen run the script again; what was downloaded is kept."
