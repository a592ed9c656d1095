"""From the paths that a person names to the files to read: each regular file once, and a reason for each that is left out."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag_assistant.errors import DocumentUnreadable, ForbiddenPath, RagError, UnsupportedMediaType
from rag_assistant.ingest.loaders import loader_name_for, supported_extensions
from rag_assistant.types import Failure

# Folders that hold what tools make, never what people write.
_TOOL_FOLDERS = {"__pycache__", "node_modules"}

_NOT_UTF8 = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file to ingest. `source` is its path as the user knows it, `path` where it is with all links resolved."""

    path: Path
    source: str

    @property
    def uri(self) -> str:
        return self.path.as_uri()


@dataclass(slots=True)
class Found:
    """The outcome of a search for files: what to read, what can't be read and why, and how many are of no known type."""

    items: list[FileItem] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    skipped: int = 0


def check_allowed(path: Path, allowed_roots: Sequence[str]) -> Path:
    """The path with `..` and links resolved.

    Raises `ForbiddenPath` when it leaves every allowed root (if there are any), and `DocumentUnreadable` when it is no path.
    """
    try:
        resolved = path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:  # such as links in a circle, `~nobody`, a NUL character
        raise DocumentUnreadable(f"'{shown(str(path))}' is no path that can be followed ({type(error).__name__}).") from error
    roots = [Path(root).expanduser().resolve() for root in allowed_roots]
    if roots and not any(resolved.is_relative_to(root) for root in roots):
        raise ForbiddenPath(f"'{shown(str(path))}' is outside the folders that may be read (security.allowed_roots).")
    return resolved


def unsupported(name: str) -> UnsupportedMediaType:
    """The error for a file of a type that no loader reads; it lists the types that are read."""
    suffix = Path(name).suffix or "no extension"
    return UnsupportedMediaType(f"'{name}' ({suffix}) is of no supported type. Supported: {' '.join(supported_extensions())}")


def find_files(paths: Sequence[str], *, recursive: bool, allowed_roots: Sequence[str]) -> Found:
    """Search files and folders. A file reached twice, by a link or by name, is taken once; a folder is entered once.

    In folders, hidden names and tools' own folders are passed over, and files of unknown types are counted as skipped;
    a file that is named itself and can't be taken is a failure with its reason.
    """
    found = Found()
    seen: set[Path] = set()
    for path in paths:
        text = shown(path)
        looked = _look_at(Path(path), text, allowed_roots, gone=f"'{text}' does not exist.")
        if isinstance(looked, Failure):
            found.failed.append(looked)
            continue
        root, mode = looked
        named = Path(path).expanduser().absolute()
        if stat.S_ISDIR(mode):
            _add_folder(found, seen, named, recursive=recursive, allowed_roots=allowed_roots)
        elif not stat.S_ISREG(mode):
            found.failed.append(Failure(text, "UNREADABLE", f"'{text}' is neither a file nor a folder."))
        elif loader_name_for(root.name) is None:
            error_ = unsupported(shown(root.name))
            found.failed.append(Failure(text, error_.code, error_.message))
        elif root not in seen:
            seen.add(root)
            found.items.append(FileItem(root, shown(named.name)))
    return found


def _add_folder(found: Found, seen: set[Path], folder: Path, *, recursive: bool, allowed_roots: Sequence[str]) -> None:
    for path in _walk(found, folder, recursive=recursive, allowed_roots=allowed_roots):
        source = shown(path.relative_to(folder).as_posix())
        gone = f"'{source}' points to nothing, or went while the folder was read."
        looked = _look_at(path, source, allowed_roots, gone=gone)
        if isinstance(looked, Failure):
            found.failed.append(looked)
            continue
        resolved, mode = looked
        if not stat.S_ISREG(mode) or loader_name_for(resolved.name) is None:
            found.skipped += 1
        elif resolved not in seen:
            seen.add(resolved)
            found.items.append(FileItem(resolved, source))


def _look_at(path: Path, name: str, allowed_roots: Sequence[str], *, gone: str) -> tuple[Path, int] | Failure:
    """Where a path leads and the mode of what is there, or why it can't be taken; `gone` says that nothing is there."""
    try:
        resolved = check_allowed(path, allowed_roots)
        return resolved, resolved.stat().st_mode
    except RagError as error:
        return Failure(name, error.code, error.message)
    except FileNotFoundError:
        return Failure(name, "VANISHED", gone)
    except OSError as error:
        return Failure(name, "UNREADABLE", f"'{name}' can't be read: {error.strerror}.")


def _walk(found: Found, folder: Path, *, recursive: bool, allowed_roots: Sequence[str]) -> Iterator[Path]:
    """Every file below, in a fixed order. Links to folders are followed, each real folder once, so that a circle ends."""

    def unreadable(error: OSError) -> None:
        name = shown(os.path.relpath(error.filename, folder) if error.filename else str(folder))
        found.failed.append(Failure(name, "UNREADABLE", f"The folder '{name}' can't be read: {error.strerror}."))

    entered: set[tuple[int, int]] = set()
    for root, folders, files in os.walk(folder, followlinks=True, onerror=unreadable):
        try:
            if os.path.islink(root):  # else it is inside of what was checked already
                check_allowed(Path(root), allowed_roots)
            status = os.stat(root)
        except RagError as error:
            found.failed.append(Failure(shown(os.path.relpath(root, folder)), error.code, error.message))
            folders.clear()
            continue
        except OSError as error:
            unreadable(error)
            folders.clear()
            continue
        if (status.st_dev, status.st_ino) in entered:
            folders.clear()
            continue
        entered.add((status.st_dev, status.st_ino))
        folders[:] = (
            sorted(name for name in folders if not name.startswith(".") and name not in _TOOL_FOLDERS) if recursive else []
        )
        yield from (Path(root, name) for name in sorted(files) if not name.startswith("."))


def shown(name: str) -> str:
    """A file name as text that can be stored, sent and searched: composed (NFC; macOS keeps names decomposed), and with the
    replacement character for what is no UTF-8."""
    return unicodedata.normalize("NFC", _NOT_UTF8.sub("\ufffd", name))
