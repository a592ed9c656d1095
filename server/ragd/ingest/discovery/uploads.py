"""Uploaded files: kept in the blob store, so that a citation can open them. Names never become paths unchecked."""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO, Final

from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.core.ids import hash32
from ragd.core.jobs import QueuedUpload
from ragd.formats.registry import loader_name_for
from ragd.ingest.discovery.file_rules import shown
from ragd.ingest.discovery.files import LoaderFor, unsupported
from ragd.ingest.discovery.items import FileItem
from ragd.store.blobs.folder import BlobStore, BlobsUnavailable

log = logging.getLogger(__name__)

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UNSAFE = re.compile(r'[<>:"/\\|?*]')
_LONGEST_NAME = 120
_FOLDER: Final = "uploads"
_STAGING: Final = "incoming"


@dataclass(slots=True)
class Upload:
    """One file on its way in. Write its bytes to `file`, then `seal` it or `abandon` it."""

    source: str
    staged: Path
    file: BinaryIO = field(repr=False)
    blobs: BlobStore = field(repr=False)
    _kept: bool = False

    @property
    def size(self) -> int:
        """Bytes that have arrived."""
        return self.file.tell() if not self.file.closed else self.staged.stat().st_size

    def seal(self) -> None:
        """Everything has arrived: keep it for good. Raises `BlobsUnavailable`."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self._kept = True
        self.blobs.keep(_staged(self.staged.name))

    def abandon(self) -> None:
        """Throw away what was received. What a bucket does not let go now, a later start removes."""
        self.file.close()
        self.staged.unlink(missing_ok=True)
        if self._kept:
            try:
                self.blobs.remove(_staged(self.staged.name))
            except BlobsUnavailable as error:
                log.warning("an abandoned upload stays in the bucket for now", extra={"reason": error.message})


class Uploads:
    """The kept uploads: one folder for each collection and file name, so that the same name replaces itself.

    A file is staged while it arrives and until its job takes it, so that an upload that comes to nothing replaces nothing.
    """

    def __init__(self, blobs: BlobStore, loader_for: LoaderFor = loader_name_for) -> None:
        """`loader_for` says which types are taken."""
        self.folder = blobs.folder / _FOLDER
        self._blobs = blobs
        self._loader_for = loader_for
        self._staging = blobs.folder / _staged("")

    def receive(self, name: str) -> Upload:
        """A staged file for an upload called `name`. Raises `ValidationFailed` or `UnsupportedMediaType`."""
        source = _file_name(name)
        if self._loader_for(source) is None:
            raise unsupported(source)
        self._staging.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, staged = tempfile.mkstemp(dir=self._staging)
        return Upload(source, Path(staged), os.fdopen(descriptor, "wb"), self._blobs)

    def uri(self, upload: QueuedUpload) -> str:
        """The address that the file has once it is kept."""
        return self._place(upload).resolve().as_uri()

    def keep(self, upload: QueuedUpload) -> FileItem:
        """Put a sealed file at its place, in one step, replacing an older one of that name. May be called again after a crash."""
        self._blobs.move(_staged(upload.staged), self._key(upload))
        self._blobs.fetch(self._key(upload))
        return FileItem(self._place(upload).resolve(), upload.source)

    def fetch(self, path: Path) -> None:
        """Have the kept file that belongs at this place there, if it is kept. Raises `BlobsUnavailable`."""
        self._blobs.fetch(f"{_FOLDER}/{path.relative_to(self.folder.resolve()).as_posix()}")

    def sweep(self, waiting: Sequence[QueuedUpload], live: Collection[str]) -> None:
        """Remove what a process that died was receiving, putting at its place or removing: every file that is not of a job that
        waits or of a document; `live` are the URIs of the files of documents."""
        staged = {upload.staged for upload in waiting}
        wanted = {self._place(upload).parent.resolve().as_uri() for upload in waiting} | {uri.rpartition("/")[0] for uri in live}
        for folder in self.folder.glob("*/*/"):
            if folder.resolve().as_uri() not in wanted:
                shutil.rmtree(folder)

        def is_wanted(key: str) -> bool:
            match key.split("/"):
                case [_, folder, name] if folder == _STAGING:
                    return name in staged
                case [_, kb_id, place, _]:
                    return (self.folder / kb_id / place).resolve().as_uri() in wanted
            return True  # nothing that we wrote

        self._blobs.sweep(_FOLDER, is_wanted)

    def _key(self, upload: QueuedUpload) -> str:
        return f"{_FOLDER}/{upload.kb_id}/{hash32(upload.source)}/{_safe(upload.source)}"

    def _place(self, upload: QueuedUpload) -> Path:
        return self._blobs.folder / self._key(upload)

    def discard(self, uri: str) -> None:
        """Remove the kept file of a document; a document that was not uploaded is left alone."""
        prefix = f"{self.folder.resolve().as_uri()}/"
        if uri.startswith(prefix) and len(parts := uri.removeprefix(prefix).split("/")) == 3:
            self._blobs.remove_below("/".join((_FOLDER, *parts[:2])))

    def discard_collection(self, kb_id: str) -> None:
        """Remove every kept file of a collection."""
        self._blobs.remove_below(f"{_FOLDER}/{kb_id}")


def _staged(name: str) -> str:
    return f"{_FOLDER}/{_STAGING}/{name}"


def _file_name(name: str) -> str:
    """The last part of a name as a browser or program sent it, whichever system it came from."""
    last = _CONTROL.sub("", PureWindowsPath(PurePosixPath(shown(name)).name).name)
    if not last or last in {".", ".."} or not _UNSAFE.sub("", last):
        raise ValidationFailed(
            f"'{shown(name)[:80]}' is no file name.", details=[FieldProblem("files", "invalid", "Needs a file name.")]
        )
    return last


def _safe(name: str) -> str:
    stem, dot, suffix = _UNSAFE.sub("_", name).rpartition(".")
    stem, suffix = (stem, dot + suffix) if stem else (suffix, "")
    stem = stem.lstrip(".")
    while len((stem + suffix).encode()) > _LONGEST_NAME:
        stem = stem[:-1]
    return (stem or "file") + suffix
