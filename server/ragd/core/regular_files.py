"""Files of other people, opened as what they were found to be.

Between the look at a path and the opening somebody may have put something else there: a pipe, which keeps a reader waiting for
ever, a device, or a link that leads out of the folders that may be read. So nothing here waits, follows a link, or trusts a path
after it was checked: what counts is the descriptor.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

_FLAGS: Final = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_F_GETPATH: Final = 50
_LONGEST_PATH: Final = 32_768


def open_regular(path: Path) -> BinaryIO:
    """Open the regular file at a path without links, such as `Path.resolve` gives; it never waits.

    Raises `OSError`, which says what is there instead: a link on the way to it, a folder, a pipe, a socket or a device.
    """
    _check_kind(os.lstat(path).st_mode)  # some devices do something when they are opened
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _exchanged("a link") from error
        raise
    try:
        status = os.fstat(descriptor)
        _check_kind(status.st_mode)
        if not status.st_nlink:
            raise FileNotFoundError(errno.ENOENT, "it was removed", str(path))
        if _comparable(_opened_path(descriptor)) != _comparable(str(path)):
            raise _exchanged("a file that a link leads to")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_kind(mode: int) -> None:
    kinds: dict[str, Callable[[int], bool]] = {
        "a link": stat.S_ISLNK,
        "a folder": stat.S_ISDIR,
        "a pipe": stat.S_ISFIFO,
        "a socket": stat.S_ISSOCK,
    }
    kind = next((kind for kind, is_kind in kinds.items() if is_kind(mode)), "a device")
    if not stat.S_ISREG(mode):
        raise _exchanged(kind)


def _exchanged(kind: str) -> OSError:
    return OSError(errno.EINVAL, f"there is {kind} in its place now")


if sys.platform == "win32":

    def _opened_path(descriptor: int) -> str:
        import ctypes
        import msvcrt

        buffer = ctypes.create_unicode_buffer(_LONGEST_PATH)
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        if not ctypes.windll.kernel32.GetFinalPathNameByHandleW(handle, buffer, _LONGEST_PATH, 0):
            raise ctypes.WinError()
        return without_prefix(buffer.value)

elif sys.platform == "darwin":

    def _opened_path(descriptor: int) -> str:
        import fcntl

        return os.fsdecode(fcntl.fcntl(descriptor, _F_GETPATH, bytes(1024)).rstrip(b"\0"))

else:

    def _opened_path(descriptor: int) -> str:
        return os.readlink(f"/proc/self/fd/{descriptor}")


def without_prefix(path: str) -> str:
    """A final path of Windows as people and `Path.resolve` write it."""
    if path.startswith("\\\\?\\UNC\\"):
        return "\\\\" + path[8:]
    return path.removeprefix("\\\\?\\")


def _comparable(path: str) -> str:
    """File systems of Windows and macOS ignore case, and the latter's how letters are composed."""
    return path if sys.platform == "linux" else unicodedata.normalize("NFC", os.path.normcase(path)).casefold()
