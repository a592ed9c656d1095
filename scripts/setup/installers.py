"""Installs a lock file into an environment, every package checked by its hash: by uv, else by pip.

uv takes seconds where pip takes more than a minute. It is the one on PATH, else one that pip fetches into a temporary folder
for the occasion. Where there is none, where it fails, or where pip is set up in a way that uv can't be told, pip does the
work.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from setup import pip_settings
from setup.console import StopError
from setup.failures import FINAL, NO_WAY_TO_THE_MIRROR, failure_in, stop
from setup.pip_settings import Network
from setup.processes import CommandFailedError

TOOLS_LOCK = "requirements-tools.lock"
# What pip and uv ask where nothing else is set.
DEFAULT_INDEX = "https://pypi.org/simple"

# What this project installed when its package had another name, below an environment's lib/python3.X/ or Lib/.
_FORMER_PACKAGE = ("rag_assistant", "rag_assistant-*.dist-info", "__editable__.rag_assistant-*.pth")

# What another environment or Python left in the variables must not reach the new one.
_LEFT_OUT = frozenset({"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_TARGET", "UV_PREFIX"})


class Reporter(Protocol):
    """Where an installation tells what it does: a console, or a stream of events."""

    def note(self, text: str) -> None: ...

    def run_quietly(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> list[str]: ...


@dataclass(frozen=True)
class Project:
    """What is installed after the lock, without dependencies: how uv and pip are told."""

    for_uv: tuple[str, ...]
    for_pip: tuple[str, ...]
    built: bool
    """By the environment's own pip, which the lock has brought beside the build backend."""


def editable(root: Path) -> Project:
    """The checkout itself."""
    options = ("--no-deps", "--no-build-isolation", "--editable", str(root))
    return Project(options, options, built=True)


def wheel(path: Path) -> Project:
    """A wheel file; also where another one of the same version is installed."""
    options = ("--no-deps", "--no-index", str(path))
    return Project(("--reinstall", *options), ("--force-reinstall", *options), built=False)


class Installation:
    """Fills one environment, given by its Python. `uv` is the one to use instead of the one on PATH."""

    def __init__(
        self,
        lock: Path,
        project: Project | None,
        python: Path,
        reporter: Reporter,
        *,
        uv: str | None = None,
        network: Network | None = None,
    ) -> None:
        self._lock = lock
        self._project = project
        self._python = python
        self._reporter = reporter
        self._uv = uv
        self._network = network or Network()
        self._env = self._network.over(child_environment(os.environ))
        self._index = self._network.index_url

    def install(self) -> None:
        remove_former_package(self._python.parent.parent)
        pip = self._find_pip()
        settings = self._settings(pip)
        self._index = settings.get("index-url", DEFAULT_INDEX)
        if self._network.proxy and "proxy" in settings:
            self._env["PIP_PROXY"] = self._network.proxy  # a proxy in pip's own files is stronger than the usual variables
        for_uv = pip_settings.for_uv(settings, self._env, system_certificates=system_certificates())
        with tempfile.TemporaryDirectory(prefix="rag-assistant-tools-") as tools:
            if for_uv.untranslated and pip:
                names = ", ".join(for_uv.untranslated)
                self._reporter.note(f"Using pip, as it is set up in a way that uv does not know ({names}); this takes longer")
            else:
                tools_lock = self._lock.with_name(TOOLS_LOCK)
                uv = self._uv or uv_on_path() or fetch_uv(pip, tools_lock, Path(tools), self._reporter, self._env, self._index)
                if uv and self._install_by_uv(uv, {**self._env, **for_uv.environment}, can_fall_back=bool(pip)):
                    return
            self._install_by_pip(pip)

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
            return pip_settings.from_environment(self._env)
        command = [pip[0], "-m", "pip", "config", "list"]
        listed = subprocess.run(command, env=self._env, check=False, capture_output=True, encoding="utf-8", errors="replace")
        if listed.returncode != 0:
            raise StopError(f"`python3 -m pip config list` failed; mend pip's settings first:\n{listed.stderr.strip()}")
        return pip_settings.parse_config_list(listed.stdout)

    def _install_by_uv(self, uv: str, env: Mapping[str, str], *, can_fall_back: bool) -> bool:
        into = [uv, "pip", "install", "--python", str(self._python)]
        try:
            project = [self._project.for_uv] if self._project else []
            for options in (("--require-hashes", "-r", str(self._lock)), *project):
                self._reporter.run_quietly([*into, *options], env=env, cwd=self._lock.parent)
        except CommandFailedError as error:
            if not can_fall_back or failure_in(error.tail).code in FINAL:
                raise stop("Installing the packages failed", error, self._index) from error
            self._reporter.note(f"uv could not install the packages, so pip tries; this takes longer. uv said:\n{error.tail}")
            return False
        return True

    def _install_by_pip(self, pip: Sequence[str]) -> None:
        if not pip:
            raise StopError(
                "uv does not work here and there is no pip.",
                code="NO_VENV",
                advice="Mend or remove that uv, or install pip, then try again.",
            )
        # Compiling all files at once would add 150 MB, most of them never imported.
        options = ["install", "--no-compile"]
        env = pip_environment(self._env)
        self._run([*pip, *options, "--require-hashes", "-r", str(self._lock)], env, "Installing the packages failed")
        if self._project is None:
            return
        for_project = [str(self._python), "-m", "pip"] if self._project.built else pip
        self._run([*for_project, *options, *self._project.for_pip], env, "Installing RAG Assistant itself failed")

    def _run(self, command: Sequence[str], env: Mapping[str, str], what_failed: str) -> None:
        try:
            self._reporter.run_quietly(command, env=env, cwd=self._lock.parent)
        except CommandFailedError as error:
            raise stop(what_failed, error, self._index) from error


def remove_former_package(environment: Path) -> None:
    """Take out what this project installed under its former name. Its program `rag` stays, to be replaced by the new one."""
    for packages in (*environment.glob("lib/python3*/site-packages"), *environment.glob("Lib/site-packages")):
        for entry in (entry for pattern in _FORMER_PACKAGE for entry in packages.glob(pattern)):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()


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
    return pip_settings.SYSTEM_CERTIFICATES if Path(pip_settings.SYSTEM_CERTIFICATES).exists() else None


def uv_on_path() -> str | None:
    """The uv that is installed and starts (a version manager's shim may be there without one behind it)."""
    uv = shutil.which("uv")
    return uv if uv and uv_works(uv) else None


def uv_works(uv: str) -> bool:
    try:
        return subprocess.run([uv, "--version"], check=False, capture_output=True).returncode == 0
    except OSError:
        return False  # no such file, or not a program of this machine


def fetch_uv(
    pip: Sequence[str],
    lock: Path,
    tools: Path,
    reporter: Reporter,
    environ: Mapping[str, str] | None = None,
    index: str = "",
) -> str | None:
    """Put uv into the folder `tools`; None, and the reason told, where it can't be had but pip may still do.

    Raises StopError where pip would fail in the same way.
    """
    if not pip:
        return None
    command = [*pip, "install", "--target", str(tools), "--no-deps", "--require-hashes", "-r", str(lock)]
    env = pip_environment(child_environment(os.environ) if environ is None else environ)
    try:
        reporter.run_quietly(command, env=env, cwd=lock.parent)
    except CommandFailedError as error:
        if failure_in(error.tail).code in NO_WAY_TO_THE_MIRROR:
            raise stop("Fetching the installer uv from the package mirror failed", error, index) from error
        reason = error.lines[-1] if error.lines else str(error)
        reporter.note(f"uv can't be had here, so pip installs; this takes longer ({reason})")
        return None
    return shutil.which("uv", path=os.pathsep.join(str(tools / folder) for folder in ("bin", "Scripts")))
