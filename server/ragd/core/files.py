"""Folders and files of our own: private, written whole or not at all, and made durable. And addresses of other people's."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

# Seconds that others get to close a file in whose place another is put. Only Windows refuses meanwhile: readers are quick, and so
# are programs that look for viruses.
_PATIENCE_S = 2.0 if os.name == "nt" else 0.0
_LOOK_AGAIN_S = 0.02


def own_folder(path: Path) -> None:
    """Make a folder that only its user may enter. One that is there keeps its mode unless it is empty: others may use it, too."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.name != "nt" and path.stat().st_mode & 0o077 and not any(path.iterdir()):
        path.chmod(0o700)


def sweep_staged(path: Path) -> None:
    """Remove what `write_whole` left of this file when its process was killed. For the one process that writes it."""
    for left in path.parent.glob(f".{path.name}-*.new"):
        left.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file, mode 0600, beside its place and move it there. Raises `OSError`, and then leaves nothing behind."""
    descriptor, staged = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=".new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        put_in_place(Path(staged), path)
    except BaseException:
        Path(staged).unlink(missing_ok=True)
        raise


def put_in_place(staged: Path, target: Path, patience_s: float = _PATIENCE_S) -> None:
    """Rename a file over another, or none, in one step. Raises `PermissionError` if that is refused for `patience_s` seconds."""
    end = time.monotonic() + patience_s
    while True:
        try:
            staged.replace(target)
        except PermissionError:
            if time.monotonic() >= end:
                raise
            time.sleep(_LOOK_AGAIN_S)
        else:
            return


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, durable. Windows has no such call for folders and does not need it."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def uri_prefix(prefix: str) -> str | None:
    """How the `file:` URIs of the files begin whose absolute paths begin so; None for what is no absolute path."""
    try:
        path = Path(prefix).expanduser()
        if not path.is_absolute():
            return None
        # Documents have their real paths. On Windows a mere look at `//host/share` sends the user's credentials there.
        uri = (path if os.name == "nt" else Path(os.path.realpath(path))).as_uri()
    except (OSError, RuntimeError, ValueError):  # `~nobody`, a NUL character
        return None
    return f"{uri.rstrip('/')}/" if prefix.endswith(("/", os.sep)) else uri
