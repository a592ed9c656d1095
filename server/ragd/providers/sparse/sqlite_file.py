"""One SQLite file for each knowledge base: opened once, checked when opened, its errors translated into ours."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragd.core.errors import IndexDamaged, ServiceUnavailable

_SUFFIX = ".sqlite"
_PASSING_TROUBLE = ("full", "locked", "readonly", "unable to open", "disk i/o")


class SqliteFiles:
    """Connections to the files of a folder, one for each `kb_id`, handed out one user at a time."""

    def __init__(self, folder: Path, schema: str) -> None:
        self._folder = folder
        self._schema = schema
        self._lock = threading.RLock()
        self._open: dict[str, sqlite3.Connection] = {}

    @contextmanager
    def connection(self, kb_id: str, *, create: bool = False) -> Iterator[sqlite3.Connection | None]:
        """A connection inside a transaction that is committed at the end; None where there is no file and none is to be made."""
        path = self._path(kb_id)
        with self._lock:
            try:
                if kb_id not in self._open:
                    if not create and not path.exists():
                        yield None
                        return
                    self._open[kb_id] = self._connect(path)
                with self._open[kb_id] as connection:
                    yield connection
            except sqlite3.Error as error:
                if any(sign in str(error).lower() for sign in _PASSING_TROUBLE):
                    raise ServiceUnavailable(f"The sparse index {path} could not be used: {error}.") from error
                raise _damaged(path, str(error)) from error

    def drop(self, kb_id: str) -> None:
        with self._lock:
            if (connection := self._open.pop(kb_id, None)) is not None:
                connection.close()
            for suffix in ("", "-wal", "-shm"):
                path = self._path(kb_id)
                path.with_name(path.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            for connection in self._open.values():
                connection.close()
            self._open.clear()

    def _path(self, kb_id: str) -> Path:
        return self._folder / f"{kb_id}{_SUFFIX}"

    def _connect(self, path: Path) -> sqlite3.Connection:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, check_same_thread=False)
        try:
            # WAL with FULL: a commit is on the disk when it returns.
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA secure_delete=ON")
            connection.executescript(self._schema)
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise _damaged(path, verdict)
        except BaseException:
            connection.close()
            raise
        return connection


def _damaged(path: Path, reason: str) -> IndexDamaged:
    return IndexDamaged(f"The sparse index {path} is damaged: {reason}. Rebuild it with 'rag reindex'.")
