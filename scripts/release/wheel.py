"""Builds the wheel of the daemon, and the folder from which the extension sets it up.

The build fetches nothing: pip and the build backend are those that requirements.lock pins. It works on a copy, because the
backend would take files of an earlier build along, and times and modes are fixed, so that the same sources give the same bytes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from setup.console import StopError
from setup.environment import BASE_LOCK
from setup.failures import stop
from setup.installers import TOOLS_LOCK, Reporter, child_environment, pip_environment
from setup.processes import CommandFailedError

# The first moment that a zip archive can note, for all that we pack.
EPOCH = "315532800"

# What runs on the user's machine before the daemon is there: all of the package `setup`.
_SETUP = Path(__file__).resolve().parents[1] / "setup"
SETUP_FILES = tuple(sorted(f"setup/{path.name}" for path in _SETUP.glob("*.py")))
_SOURCES = ("pyproject.toml", "README.md", "LICENSE")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.pyc")


def version(root: Path) -> str:
    """The version that the daemon's package names."""
    file = root / "server" / "ragd" / "__init__.py"
    found = re.search(r'^__version__ = "([^"]+)"$', file.read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise StopError(f'{file} has no line `__version__ = "…"`.')
    return found[1]


def build_wheel(root: Path, python: Path, target: Path, reporter: Reporter) -> Path:
    """The wheel, put into the folder `target` in place of older ones."""
    with tempfile.TemporaryDirectory(prefix="rag-assistant-wheel-") as temporary:
        source, made = Path(temporary, "source"), Path(temporary, "made")
        source.mkdir()
        for name in _SOURCES:
            shutil.copyfile(root / name, source / name)
        shutil.copytree(root / "server", source / "server", ignore=_LEFT_OUT, copy_function=_copy_plainly)
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir", "--wheel-dir", str(made)]
        env = {**pip_environment(child_environment(os.environ)), "SOURCE_DATE_EPOCH": EPOCH}
        try:
            reporter.run_quietly([str(python), "-P", "-m", "pip", "wheel", *options, str(source)], env=env, cwd=source)
        except CommandFailedError as error:
            raise stop("Building the wheel failed", error) from error
        (wheel,) = made.glob("*.whl")
        target.mkdir(parents=True, exist_ok=True)
        for old in target.glob("ragd-*.whl"):
            old.unlink()
        return Path(shutil.copyfile(wheel, target / wheel.name))


def put_server_folder(root: Path, wheel: Path, folder: Path) -> None:
    """What the extension carries to set up the daemon: the package `setup`, the locks and the wheel, and nothing else."""
    if folder.exists():
        shutil.rmtree(folder)
    (folder / "setup").mkdir(parents=True)
    for name in SETUP_FILES:
        shutil.copyfile(root / "scripts" / name, folder / name)
    for file in (root / BASE_LOCK, root / TOOLS_LOCK, wheel):
        shutil.copyfile(file, folder / file.name)


def _copy_plainly(source: str, target: str) -> None:
    shutil.copyfile(source, target)
    os.chmod(target, 0o644)  # whatever the umask of the checkout was
