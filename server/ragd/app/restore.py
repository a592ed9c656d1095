"""Checking a backup, and putting it into a data directory: all of it or nothing."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from ragd import __version__
from ragd.app.backup import DATABASE, FOLDERS, FORMAT, MANIFEST, STAGING
from ragd.core.errors import ServiceUnavailable, ValidationFailed
from ragd.core.files import put_in_place, sync
from ragd.store.database.migrations import MIGRATIONS

_PIECE: Final = 1 << 20
_LARGEST_MANIFEST: Final = 256 << 20
_INDEXES: Final = "index"

Report = Callable[[int, int], None]
"""Is called with the bytes done and the bytes in all."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds. `vanished` are files that were removed while it was made. `size` is in bytes, unpacked."""

    version: str
    schema: int
    made_at: str
    documents: int
    files: Mapping[str, Mapping[str, Any]]
    vanished: Sequence[str]

    @property
    def size(self) -> int:
        return sum(file["size"] for file in self.files.values())


def check_backup(path: Path, report: Report = lambda _done, _of: None) -> Contents:
    """Read all of it and compare each file with the manifest. Raises `ValidationFailed` when anything differs."""
    with _opened(path) as (archive, contents):
        _unpack(archive, contents, None, report)
    return contents


def restore_backup(path: Path, data_folder: Path, *, replace: bool = False, report: Report = lambda _done, _of: None) -> Contents:
    """Put a backup into a data directory that this process owns; with `replace`, in place of the content there.

    Everything is unpacked and checked aside. Then the database is exchanged, in one step: before it the directory has its old
    content, after it the new. The next start makes the indexes again.

    Raises `ValidationFailed` for a backup that is damaged or of a newer release, or when there is content and no `replace`;
    `ServiceUnavailable` when the disk is too small. Nothing is changed then.
    """
    if not replace and (there := _content_in(data_folder)):
        raise ValidationFailed(f"{data_folder} holds {there}. Name another directory, or give --replace to lose what is in it.")
    staging = data_folder / STAGING
    with _opened(path) as (archive, contents):
        if contents.size > (free := shutil.disk_usage(data_folder).free):
            raise ServiceUnavailable(f"{contents.size / 1e6:,.0f} MB are needed in {data_folder}; {free / 1e6:,.0f} MB are free.")
        shutil.rmtree(staging, ignore_errors=True)  # of a process that was killed
        staging.mkdir(mode=0o700)
        try:
            _unpack(archive, contents, staging, report)
            _check_database(staging / DATABASE)
            _exchange(staging, data_folder, contents)
        finally:
            shutil.rmtree(staging)
    return contents


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Contents]]:
    """The archive and what it holds. Whatever is found wrong with it becomes `ValidationFailed`."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive, _contents(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, LookupError, TypeError, ValueError, RuntimeError, _DamagedError) as error:
        raise _refused(path, error) from error
    except OSError as error:
        # A place in the file that can't be: what is wrong with the disk has other numbers.
        if error.errno != errno.EINVAL:
            raise
        raise _refused(path, error) from error


def _refused(path: Path, error: Exception) -> ValidationFailed:
    return ValidationFailed(
        f"{path} can't be restored ({error}): it is no backup, or was cut short or changed. Nothing was touched."
    )


class _DamagedError(Exception):
    """What is wrong with a backup."""


def _contents(archive: zipfile.ZipFile) -> Contents:
    names = archive.namelist()
    if MANIFEST not in names or archive.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
        raise _DamagedError(f"there is no {MANIFEST} in it")
    facts = json.loads(archive.read(MANIFEST))
    if facts["format"] != FORMAT or facts["schema"] > len(MIGRATIONS):
        raise ValidationFailed(
            f"The backup was made by a newer release ({facts['version']}; this is {__version__}): update first."
        )
    contents = Contents(**{field.name: facts[field.name] for field in fields(Contents)})
    if sorted(names) != sorted([*contents.files, MANIFEST]) or DATABASE not in contents.files:
        raise _DamagedError("its files are not those that its manifest names")
    for name in contents.files:
        parts = name.split("/")
        known = name == DATABASE or (len(parts) > 1 and parts[0] in FOLDERS)
        if not known or not {"", ".", ".."}.isdisjoint(parts) or "\\" in name or ":" in name:
            raise _DamagedError(f"no file of a data directory is called '{name}'")
    return contents


def _unpack(archive: zipfile.ZipFile, contents: Contents, folder: Path | None, report: Report) -> None:
    """Compare every file with the manifest, and write it into `folder`, if there is one."""
    done, whole = 0, contents.size
    for name, expected in contents.files.items():
        digest, size = hashlib.sha256(), 0
        with archive.open(name) as entry, _written(folder, name) as write:
            while (piece := entry.read(_PIECE)) and size <= expected["size"]:
                digest.update(piece)
                size += len(piece)
                write(piece)
                report(done + size, whole)
        if (size, digest.hexdigest()) != (expected["size"], expected["sha256"]):
            raise _DamagedError(f"'{name}' is not what it was")
        done += size


@contextmanager
def _written(folder: Path | None, name: str) -> Iterator[Callable[[bytes], object]]:
    if folder is None:
        yield lambda _piece: None
        return
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with target.open("xb") as file:
        yield file.write
        file.flush()
        os.fsync(file.fileno())


def _check_database(path: Path) -> None:
    try:
        with closing(sqlite3.connect(path)) as database:
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise _DamagedError(f"its database can't be read: {error}") from error
    if found != "ok":
        raise _DamagedError(f"its database is damaged: {found}")


def _exchange(staging: Path, data_folder: Path, contents: Contents) -> None:
    # Names that are new disturb nobody. A file under a name that is taken belongs to the new rows, and follows them.
    new = [name for name in contents.files if not (data_folder / name).exists() and name != DATABASE]
    _move(new, staging, data_folder)
    _settle(data_folder / DATABASE)
    put_in_place(staging / DATABASE, data_folder / DATABASE)
    _move([name for name in contents.files if name not in {DATABASE, *new}], staging, data_folder)
    for path in (path for folder in FOLDERS for path in (data_folder / folder).rglob("*") if not path.is_dir()):
        if path.relative_to(data_folder).as_posix() not in contents.files:
            path.unlink()
    sync(data_folder)
    shutil.rmtree(data_folder / _INDEXES, ignore_errors=True)


def _move(names: Sequence[str], staging: Path, data_folder: Path) -> None:
    for name in names:
        (data_folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        put_in_place(staging / name, data_folder / name)
    for folder in {(data_folder / name).parent for name in names}:
        sync(folder)


def _settle(database: Path) -> None:
    """Write its log of changes into an old database: left beside the new one, it would be taken for the new one's."""
    if not database.exists():
        return
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(database)) as connection:  # damaged: nothing to keep
        connection.execute("PRAGMA journal_mode=DELETE")
    for suffix in ("-wal", "-shm", "-journal"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def _content_in(data_folder: Path) -> str:
    """What a restore would replace, in words; empty when there is nothing."""
    database = data_folder / DATABASE
    if not database.exists():
        return ""
    try:
        with closing(sqlite3.connect(database)) as connection:
            count = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    except sqlite3.DatabaseError:
        return "a database that can't be read"
    return f"{count:,} document{'s' * (count != 1)}" if count else ""
