"""Something to ingest: a file, or what a source fetched from elsewhere, with a web address instead of a path."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from ragd.core.errors import DocumentUnreadable, DocumentVanished, PayloadTooLarge
from ragd.core.regular_files import open_regular
from ragd.ingest.discovery import drives

_READ_ATTEMPTS: Final = 3
"""How often a file is read that changes meanwhile."""
_BLOCK: Final = 1 << 20


class Item(Protocol):
    """Something to ingest: a file, or what a source elsewhere has.

    `source` is its path as the user knows it, `uri` the address that it is known by. The extension of `name` chooses the loader
    where `loader` is None. `label` is what errors and logs call it. Links to pictures are looked up in `folder` and may not
    leave `root`; both are empty where there are none.
    """

    @property
    def source(self) -> str: ...
    @property
    def uri(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def loader(self) -> str | None: ...
    @property
    def folder(self) -> str: ...
    @property
    def links_root(self) -> str: ...

    def size(self) -> int:
        """Bytes, as far as that is known without reading it; else 0."""
        ...

    def read(self, limit: int) -> bytes:
        """All of it. Raises `PayloadTooLarge` beyond `limit` bytes, and other kinds of `RagError`."""
        ...


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file to ingest. `path` is where it is with all links resolved, `place` where it was found, if that is in a folder.

    `root` is the folder that was added, which links to pictures may not leave; None: the file's own folder.
    """

    path: Path
    source: str
    root: Path | None = None
    place: Path | None = None

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def label(self) -> str:
        return self.source

    @property
    def loader(self) -> str | None:
        return None

    @property
    def folder(self) -> str:
        return str(self.path.parent)

    @property
    def links_root(self) -> str:
        return str(self.root or self.path.parent)

    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:  # it is gone or closed to us, which reading it says
            return 0

    def read(self, limit: int) -> bytes:
        """The file's bytes, as they were at one moment.

        Raises `PayloadTooLarge` without reading on beyond `limit`, `DocumentVanished`, `DocumentUnreadable`: also for a file that
        does not stop changing.
        """
        try:
            data = drives.ask(self.path, partial(self._read, limit))
        except FileNotFoundError as error:
            raise DocumentVanished(f"'{self.source}' was there when the folder was read and is gone now.") from error
        except OSError as error:
            raise DocumentUnreadable(f"'{self.source}' can't be read: {error.strerror}.") from error
        if data is None:
            raise PayloadTooLarge(f"'{self.source}' is larger than {limit:,} bytes. Split it, or raise limits.max_document_size.")
        return data

    def _read(self, limit: int, step: drives.Step) -> bytes | None:
        """None for a file of more than `limit` bytes."""
        for _ in range(_READ_ATTEMPTS):
            with open_regular(self.path) as file:
                before = os.fstat(file.fileno())
                blocks: list[bytes] = []
                left = 0 if before.st_size > limit else limit + 1
                while left and (block := file.read(min(left, _BLOCK))):
                    blocks.append(block)
                    left -= len(block)
                    step()
                after = os.fstat(file.fileno())
            if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                return b"".join(blocks) if left else None
        raise DocumentUnreadable(f"'{self.source}' was being written while it was read. Ingest it again when that is done.")


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """An item of the ingestion pipeline. `label` is its id: what errors and logs call it, since its title may be secret.

    `load(limit)` gives its bytes and raises what `Item.read` raises.
    """

    source: str
    uri: str
    name: str
    label: str
    load: Callable[[int], bytes]
    loader: str | None = None
    folder: str = ""
    links_root: str = ""

    def size(self) -> int:
        return 0

    def read(self, limit: int) -> bytes:
        return self.load(limit)


def file_is_gone(path: Path) -> bool:
    """Whether there is no such file any more. One on a drive that may only be out of reach is not gone."""
    try:
        return drives.ask(path, lambda _step: _is_gone(path))
    except OSError:
        return False


def _is_gone(path: Path) -> bool:
    if path.exists():
        return False
    if path.parent.exists():
        return True
    # An empty folder above the one that is missing is how a drive looks that isn't mounted.
    above = next((parent for parent in path.parents if parent.exists()), None)
    return above is not None and any(above.iterdir())
