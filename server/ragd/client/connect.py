"""Who answers a command: the daemon that runs, else an API in this process.

The lock of the data directory decides: who gets it owns the directory and runs the API in-process; who does not asks the owner,
by the address in `daemon.json`. Both go through the same API and give the same answers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Literal

from ragd import __version__
from ragd.client.blocking import Client
from ragd.client.discovery import find_daemon
from ragd.core.errors import DaemonAlreadyRunning
from ragd.core.instance import Ownership, read_info

if TYPE_CHECKING:
    from pathlib import Path

    from ragd.config.loading import Directories
    from ragd.config.settings import Settings

log = logging.getLogger(__name__)

PATIENCE_S: Final = 10.0
"""How long to wait for another process to become ready or to let go of the data directory."""

_POLL_S: Final = 0.2

Need = Literal["content", "search", "jobs", "watch"]
"""What an API in this process opens first. Looking things up needs the database only; searching needs the model and sound
indexes; jobs need somebody to run them, too; and watching needs somebody to follow the sources that are added or changed."""


class Observer:
    """What a client reports while it connects. This one writes to the log and shows nothing."""

    def warn(self, message: str) -> None:
        log.info(message)

    def wait(self, message: str) -> None:
        """Another process is waited for."""
        log.info(message)

    def show(self, what: str, done: float | None) -> None:
        """What is being opened or fetched, and how much of it is done (0..1) where that is known."""

    def opening(self) -> AbstractContextManager[object]:
        """Surrounds the opening of the model and the indexes."""
        return nullcontext()

    def repair(self, client: Client, job_id: str) -> None:
        """Follow the job that repairs the indexes until it has ended."""
        while client.get(f"/api/jobs/{job_id}")["finished_at"] is None:
            time.sleep(_POLL_S)


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
