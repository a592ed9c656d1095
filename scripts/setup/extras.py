"""Extras that `rag extras add` has put into an environment come back when it is made again or upgraded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from setup.installers import Reporter
from setup.processes import CommandFailedError

NOTED = "rag-assistant-extras.json"
"""In the environment: the names, as `ragd.cli.extras.packages` writes them."""


def noted(environment: Path) -> list[str]:
    """What is to come back; nothing where the file is missing or damaged."""
    try:
        names = json.loads((environment / NOTED).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def note(environment: Path, names: Sequence[str]) -> None:
    """Write them again, into an environment that was emptied."""
    if names:
        (environment / NOTED).write_text(json.dumps(names), "utf-8")


def restore(environment: Path, rag: Path, reporter: Reporter, variables: Mapping[str, str]) -> None:
    """Install them by the `rag` that is there now, in its versions. One that can't be had is said, and stays noted."""
    for name in noted(environment):
        command = [str(rag), "extras", "add", name]
        try:
            reporter.run_quietly(command, env=variables, cwd=environment)
        except CommandFailedError as error:
            said = error.lines[-1] if error.lines else str(error)
            reporter.note(f"The extra {name} was not installed again ({said}). Try later: rag extras add {name}")
