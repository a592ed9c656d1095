"""The files beside the database, by their keys: paths below the data directory, such as `assets/ab/ab12…`.

A file is there before the row that names it, and leaves after it; what no row names is removed by `sweep`. Pictures have the hash
of their bytes for a name. An upload has the place of its collection and name, so that the same name replaces itself in one step.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ragd.core.errors import ServiceUnavailable
from ragd.core.files import put_in_place, write_whole


class BlobsUnavailable(ServiceUnavailable):
    """The bucket of uploads and pictures is away, refuses us or takes too long (`blobs.url`)."""


class BlobStore(Protocol):
    """Keeps files for good. Readers get them as files of this machine. Every method raises `BlobsUnavailable` where it can't."""

    @property
    def folder(self) -> Path:
        """The data directory: all files of this machine, or copies of those that it has used."""
        ...

    @property
    def elsewhere(self) -> str | None:
        """Where the files are kept, when that is not the folder."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """Keep a file whose bytes never change, whole or not at all."""
        ...

    def keep(self, key: str) -> None:
        """Keep the file that was written to its place in the folder; it is durable when this returns."""
        ...

    def move(self, key: str, to: str) -> None:
        """Give a kept file another key, replacing what is there. May be done again after a crash."""
        ...

    def has(self, key: str) -> bool:
        """Whether a file that never changes is kept."""
        ...

    def fetch(self, key: str, *, fixed: bool = False) -> Path | None:
        """Where the file is on this machine, in its present state; None when there is none. `fixed`: it never changes."""
        ...

    def sizes(self, prefix: str) -> dict[str, int]:
        """The keys below a folder, and the bytes of each."""
        ...

    def remove(self, key: str) -> None:
        """Remove a file, if it is there."""
        ...

    def remove_below(self, prefix: str) -> None:
        """Remove every file below a folder."""
        ...

    def sweep(self, prefix: str, is_wanted: Callable[[str], bool]) -> int:
        """Remove files below a folder that nothing names; returns how many. For a time when nothing is being ingested."""
        ...


class BlobFolder:
    """The files in the data directory itself, which one process owns."""

    elsewhere: str | None = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, key: str, data: bytes) -> None:
        path = self.folder / key
        if path.exists() and path.stat().st_size == len(data):
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, data, durable=True)

    def keep(self, key: str) -> None:
        """It is where it belongs."""

    def move(self, key: str, to: str) -> None:
        staged, target = self.folder / key, self.folder / to
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if staged.exists():
            put_in_place(staged, target)

    def has(self, key: str) -> bool:
        return (self.folder / key).exists()

    def fetch(self, key: str, *, fixed: bool = False) -> Path | None:  # noqa: ARG002  whether it changes matters only to copies
        path = self.folder / key
        return path if path.exists() else None

    def sizes(self, prefix: str) -> dict[str, int]:
        return {self._key(path): path.stat().st_size for path in (self.folder / prefix).rglob("*") if path.is_file()}

    def remove(self, key: str) -> None:
        (self.folder / key).unlink(missing_ok=True)

    def remove_below(self, prefix: str) -> None:
        shutil.rmtree(self.folder / prefix, ignore_errors=True)

    def sweep(self, prefix: str, is_wanted: Callable[[str], bool]) -> int:
        stray = [path for path in (self.folder / prefix).rglob("*") if path.is_file() and not is_wanted(self._key(path))]
        for path in stray:
            path.unlink(missing_ok=True)
        return len(stray)

    def _key(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()
