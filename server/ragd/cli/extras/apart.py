"""Extras whose packages can't be with ours: each gets an environment of its own, beside the packages of the one that runs."""

from __future__ import annotations

import os
import venv

from ragd.cli.extras.packages import InstallationFailed, install_into, note_extra
from ragd.evaluation.external.environments import folder_of, interpreter, lock_of, note_installed, state


def install_apart(name: str, index_url: str | None = None) -> None:
    """Make the environment of an extra from its lock, unless it is as the lock says. Raises `InstallationFailed`."""
    if state(name) == "installed":
        return
    folder = folder_of(name)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        venv.EnvBuilder(clear=True, symlinks=os.name != "nt").create(folder)
    except OSError as error:
        raise InstallationFailed(f"{folder} can't be made: {error.strerror or error}.") from error
    install_into(str(interpreter(folder)), name, lock_of(name), index_url)
    note_installed(name)
    note_extra(name)
