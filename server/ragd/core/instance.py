"""One owner for a data directory: the lock that says so, and `daemon.json`, by which clients find the daemon."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ragd import __version__
from ragd.core.errors import DaemonAlreadyRunning
from ragd.core.files import own_folder, sweep_staged, write_whole

_LOCK_FILE = "daemon.lock"
INFO_FILE = "daemon.json"
SHARED_COUNTS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which prometheus-client counts in files of a folder, for all processes that answer at one address."""


@dataclass(frozen=True, slots=True)
class DaemonInfo:
    """What a running daemon says of itself; `url` and `token` are None until it is ready to answer."""

    pid: int
    version: str
    url: str | None = None
    token: str | None = None


class Ownership:
    """Holds the data directory for this process. The operating system lets go of it when the process ends, however it ends."""

    def __init__(self, data_dir: Path, wait_s: float = 0.0) -> None:
        """Raises `DaemonAlreadyRunning` when another process holds the directory for longer than `wait_s` seconds."""
        # What this process writes from here on is private: content, indexes, logs. The folder itself may be a checkout's.
        os.umask(0o077)
        own_folder(data_dir)
        self._data_dir = data_dir
        self._lock = FileLock(data_dir / _LOCK_FILE, mode=0o600)
        try:
            self._lock.acquire(timeout=wait_s)
        except Timeout as error:
            owner = read_info(data_dir)
            who = f"process {owner.pid}" if owner else "another process"
            if owner and owner.url:
                message = f"{data_dir} is already served at {owner.url} ({who})."
            else:
                message = (
                    f"The data directory {data_dir} is in use by {who}, which does not answer yet. Try again in a moment, "
                    "stop it, or set RAG_DATA_DIR to another directory."
                )
            raise DaemonAlreadyRunning(message) from error
        try:
            sweep_staged(data_dir / INFO_FILE)
            self.publish(DaemonInfo(os.getpid(), __version__))
        except OSError:  # a full disk
            self._lock.release()
            raise

    def publish(self, info: DaemonInfo) -> None:
        """Write `daemon.json`, mode 0600, in one step."""
        values = {"url": info.url, "token": info.token, "pid": info.pid, "version": info.version}
        text = json.dumps({key: value for key, value in values.items() if value is not None})
        write_whole(self._data_dir / INFO_FILE, text.encode())

    def release(self) -> None:
        """Remove `daemon.json` and let go of the directory."""
        (self._data_dir / INFO_FILE).unlink(missing_ok=True)
        self._lock.release()


def own_process(folder: Path, name: str) -> tuple[str, Ownership]:
    """Hold the first of `folder/NAME-1`, `folder/NAME-2` and so on that no process holds. Returns its name and the hold.

    What a process that was killed has left there, the next one finds.
    """
    number = 1
    while True:
        found = f"{name}-{number}"
        try:
            return found, Ownership(folder / found)
        except DaemonAlreadyRunning:
            number += 1


def read_info(data_dir: Path) -> DaemonInfo | None:
    """What `daemon.json` says; None when there is none. It may be left over from a process that was killed."""
    try:
        values: dict[str, Any] = json.loads((data_dir / INFO_FILE).read_text(encoding="utf-8"))
        return DaemonInfo(int(values["pid"]), str(values["version"]), values.get("url"), values.get("token"))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    except PermissionError:
        # On Windows, in the moment in which the file is exchanged.
        if os.name != "nt":
            raise
        return None


def is_owned(data_dir: Path) -> bool:
    """Whether a process holds the directory now: with none, `daemon.json` is left over, and its port may be anybody's by now."""
    lock = FileLock(data_dir / _LOCK_FILE, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False
