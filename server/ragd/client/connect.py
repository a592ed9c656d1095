"""Who answers a command: the daemon that runs (or a command that listens meanwhile), else an API in this process.

The lock of the data directory decides: who gets it owns the directory and runs the API in-process; who does not asks the owner,
by the address in `daemon.json`. Both go through the same API and give the same answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from ragd import __version__
from ragd.client.blocking import Client
from ragd.client.discovery import find_daemon
from ragd.client.observer import Need, Observer
from ragd.core.errors import DaemonAlreadyRunning
from ragd.core.instance import Ownership, read_info
from ragd.core.lazy import loading

if TYPE_CHECKING:
    from pathlib import Path

    from ragd.config.loading import Directories
    from ragd.config.settings import Settings

PATIENCE_S: Final = 10.0
"""How long to wait for another process to become ready or to let go of the data directory."""

_POLL_S: Final = 0.2


@contextmanager
def connect(
    directories: Directories, settings: Callable[[], Settings], need: Need = "content", observer: Observer | None = None
) -> Iterator[Client]:
    """A client for the data directory. An API in this process is made with what `settings` gives, and ends with the block.

    Raises `SettingsError`, `ModelUnavailable`, `DaemonAlreadyRunning`, `ServiceUnavailable`.
    """
    observer = observer or Observer()
    owner = _daemon_or_ownership(directories.data, observer)
    if isinstance(owner, Client):
        with closing(owner):
            yield owner
        return
    # Only now: it imports all that answers questions.
    with loading():
        from ragd.client.embedded import embedded

    with embedded(owner, directories, settings, need, observer) as client:
        yield client


def _daemon_or_ownership(data_dir: Path, observer: Observer) -> Client | Ownership:
    deadline = time.monotonic() + PATIENCE_S
    reported = False
    while True:
        try:
            return Ownership(data_dir)
        except DaemonAlreadyRunning:
            if daemon := find_daemon(data_dir):
                if daemon.version != __version__:
                    observer.warn(
                        f"the running daemon is version {daemon.version}, this is {__version__}. "
                        "Restart the daemon to use the same."
                    )
                return Client.of(daemon)
            if time.monotonic() > deadline:
                raise
            if not reported:
                info = read_info(data_dir)
                owner = f"Process {info.pid}" if info else "Another process"
                observer.wait(f"{owner} is using {data_dir}. Waiting up to {PATIENCE_S:.0f} s for it …")
                reported = True
        time.sleep(_POLL_S)
