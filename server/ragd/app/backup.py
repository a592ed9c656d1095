"""A backup of a data directory in use: its database as of one moment, and the files that this state names, as one ZIP archive.

Content is kept and indexes are derived: they stay out, and a restore makes them again. Vectors stand in the database, so
only token vectors need the model, in the background. What belongs to the process (address, token, lock, logs) stays out, too.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from sqlalchemy import Engine

from ragd import __version__
from ragd.core.errors import ServiceUnavailable, ValidationFailed

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
DATABASE: Final = "rag.db"
FOLDERS: Final = ("assets", "uploads")
"""Of the data directory, what belongs to the content besides the database."""

STAGING: Final = "restore.tmp"
_COPY: Final = "backup.tmp"
_PIECE: Final = 1 << 20
# Between two of these steps other connections get their turn.
_PAGES: Final = 2000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a data directory. `size` is in bytes, before compression."""

    size: int
    _copy: Path
    _files: tuple[tuple[str, Path], ...]
    _facts: dict[str, Any]

    def stream(self) -> Iterator[bytes]:
        """The archive, piece by piece; the manifest comes last, with the size and SHA-256 of every file."""
        sink = _Sink()
        files: dict[str, dict[str, Any]] = {}
        vanished = []
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:  # type: ignore[call-overload]
            for name, path in ((DATABASE, self._copy), *self._files):
                try:
                    file = path.open("rb")
                except FileNotFoundError:
                    vanished.append(name)
                    continue
                with file:
                    yield from _add(archive, sink, name, file, files)
            manifest = {"format": FORMAT, **self._facts, "files": files, "vanished": vanished}
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
        yield sink.take()


class _Sink:
    """What a ZIP writer writes to: a stream, of which we take what has come."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, data: bytes) -> int:
        self._held += data
        return len(data)

    def flush(self) -> None:
        """Nothing is kept back."""

    def take(self) -> bytes:
        taken = bytes(self._held)
        self._held.clear()
        return taken


def _add(archive: zipfile.ZipFile, sink: _Sink, name: str, file: IO[bytes], files: dict[str, dict[str, Any]]) -> Iterator[bytes]:
    digest, size = hashlib.sha256(), 0
    with archive.open(name, "w", force_zip64=True) as entry:
        while piece := file.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            entry.write(piece)
            yield sink.take()
    files[name] = {"size": size, "sha256": digest.hexdigest()}


@dataclass(frozen=True, slots=True)
class Backup:
    """Makes snapshots, one at a time. The process owns the data directory."""

    engine: Engine
    data_folder: Path
    blobs_elsewhere: str | None = None
    _busy: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        # Of processes that were killed.
        self._copy.unlink(missing_ok=True)
        shutil.rmtree(self.data_folder / STAGING, ignore_errors=True)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """The present state, to be streamed while the block lasts; others read and write meanwhile.

        Raises `ValidationFailed` when the content is not in SQLite, `ServiceUnavailable` while another backup is made, or when
        the disk has no room for a copy of the database.
        """
        if self.engine.dialect.name != "sqlite":
            raise ValidationFailed(
                "The content is in PostgreSQL (store.url): back that up with pg_dump, and after it the folders "
                f"{' and '.join(FOLDERS)} of {self.data_folder}."
            )
        if self.blobs_elsewhere:
            raise ValidationFailed(
                f"Uploads and pictures are in {self.blobs_elsewhere} (blobs.url): back that up with its own tools, and then "
                f"{self.data_folder / DATABASE} with SQLite's."
            )
        if not self._busy.acquire(blocking=False):
            raise ServiceUnavailable("Another backup is being made. Try again when it is done.")
        try:
            files, facts = self._pin()
            size = self._copy.stat().st_size + sum(size for _, _, size in files)
            yield Snapshot(size, self._copy, tuple((name, path) for name, path, _ in files), facts)
        finally:
            with suppress(OSError):
                self._copy.unlink(missing_ok=True)
            self._busy.release()

    @property
    def _copy(self) -> Path:
        return self.data_folder / _COPY

    def _pin(self) -> tuple[list[tuple[str, Path, int]], dict[str, Any]]:
        """Copies the database, and lists the files that belong to the same moment: name, path, bytes.

        Files are written before their rows and removed after them. So with nobody writing rows for the moment in which the
        state of the database is pinned and the folders are listed, the list holds every file that this state names.
        """
        try:
            with closing(sqlite3.connect(str(self.engine.url.database), isolation_level=None)) as source:
                with self.engine.begin():  # the one writer
                    source.execute("BEGIN")
                    (schema,) = source.execute("SELECT max(version) FROM schema_version").fetchone()
                    files = list(self._list())
                with closing(sqlite3.connect(self._copy, isolation_level=None)) as target:
                    # It is read once and removed; nothing of it must survive a crash.
                    target.execute("PRAGMA journal_mode=OFF")
                    target.execute("PRAGMA synchronous=OFF")
                    source.backup(target, pages=_PAGES, sleep=0)
                    # Else whoever opens it would make files beside it.
                    target.execute("PRAGMA journal_mode=DELETE")
                    facts = {"version": __version__, "schema": schema, "made_at": datetime.now(UTC).isoformat(timespec="seconds")}
                    return files, facts | _counts(target)
        except sqlite3.Error as error:
            raise ServiceUnavailable(f"The database can't be copied: {error}. `rag doctor` looks for what is wrong.") from error

    def _list(self) -> Iterator[tuple[str, Path, int]]:
        for folder in FOLDERS:
            for path in sorted((self.data_folder / folder).rglob("*")):
                with suppress(FileNotFoundError):  # removed since it was listed
                    if path.is_file() and not path.is_symlink():
                        yield path.relative_to(self.data_folder).as_posix(), path, path.stat().st_size


def _counts(database: sqlite3.Connection) -> dict[str, int]:
    """What a database holds. Raises `sqlite3.Error` for one that is damaged."""
    if (found := database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise sqlite3.DatabaseError(f"it is damaged ({found})")
    live = database.execute("SELECT count(*) FROM documents WHERE status != 'deleted'").fetchone()[0]
    return {"documents": live}
