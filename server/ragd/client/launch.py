"""A daemon started in the background, for whoever finds none. It outlives the process that started it: others may use it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO, Final

from ragd.config.loading import Directories

OUTPUT: Final = "daemon-output.log"
"""What daemons print that were started in the background. Each has its own log besides."""

EDITORS_TOKENS: Final = "RAGASSISTANT_SOURCE_TOKEN_"
"""Variables in which the editor hands over a person's tokens for `RAG_SOURCE_TOKENS` to refer to."""

_MAX_BYTES: Final = 1024 * 1024
_LONGEST_MESSAGE: Final = 1000

if sys.platform == "win32":
    # DETACHED_PROCESS would leave it without a console, and each of its worker processes would open a window.
    _CREATION_FLAGS: Final = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _CREATION_FLAGS: Final = 0


class LaunchedDaemon:
    """`rag serve` for these directories, which ends by itself `idle_s` seconds after its last client has gone."""

    def __init__(self, directories: Directories, idle_s: int) -> None:
        """Raises `OSError` when it can't be started."""
        self._printed = directories.logs / OUTPUT
        with _appending(self._printed) as output:
            self._from = output.tell()
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                # -P: with -m alone Python would import from the folder that it is in, whoever wrote what lies there.
                [sys.executable, "-P", "-m", "ragd", "serve", "--port", "0", "--stop-when-unused", str(idle_s)],
                env=environment_for(directories),
                # Not the client's folder, which nobody could remove or unmount as long as the daemon lives.
                cwd=Path.home(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # What ends the client, such as Ctrl-C or a signal to its group, does not end the daemon.
                start_new_session=True,
                creationflags=_CREATION_FLAGS,
            )

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def last_message(self) -> str:
        """The last line that it printed."""
        with self._printed.open("rb") as file:
            file.seek(self._from)
            lines = file.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")
        return last.removeprefix("Error: ")[:_LONGEST_MESSAGE]


def _appending(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = open(path, "ab", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
    if file.tell() > _MAX_BYTES:
        file.truncate(0)
        file.seek(0)
    return file


def environment_for(directories: Directories) -> dict[str, str]:
    """Our environment, with paths that mean the same in another folder, and without the tokens of whoever started us."""
    places = {
        "RAG_DATA_DIR": str(directories.data),
        "RAG_CONFIG_DIR": str(directories.config),
        "RAG_MODELS_DIR": str(directories.models),
        "PYTHONUNBUFFERED": "1",
    }
    if path := os.environ.get("PYTHONPATH"):
        places["PYTHONPATH"] = os.pathsep.join(os.path.abspath(entry) for entry in path.split(os.pathsep))
    return {name: value for name, value in os.environ.items() if not _is_a_persons(name)} | places


def _is_a_persons(name: str) -> bool:
    """Whether a variable holds tokens of the person who runs this, or says where they are: the daemon outlives this process."""
    return name == "RAG_SOURCE_TOKENS" or name.startswith(EDITORS_TOKENS)
