"""Files that are written whole or not at all, and made durable."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file, mode 0600, beside its place and move it there. Raises `OSError`, and then leaves nothing behind."""
    descriptor, staged = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=".new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(staged).replace(path)
    except BaseException:
        Path(staged).unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, durable. Windows has no such call for folders and does not need it."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
