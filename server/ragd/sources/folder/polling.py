"""Folders whose file system reports no changes: which these are, and finding out what changed by looking again and again.

`watchfiles` can poll, too, but takes a file as changed only when its time is later than before, in whole seconds: it misses a
copy of an older version in a file's place, which is what restoring from a backup is, and a second change in one second.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

import psutil
from watchfiles import Change

from ragd.ingest.discovery.file_rules import GITIGNORE, is_passed_over

# Shares of networks, of the host of a virtual machine (`9p` and `drvfs` are the Windows drives of WSL) and, but for those of
# a local disk, file systems of programs, behind which anything may be.
_REMOTE: Final = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|afpfs|afs|ncpfs|ceph|glusterfs|lustre|gpfs|beegfs|davfs2?|webdav|9p|virtiofs|vboxsf|vmhgfs"
    r"|prl_fs|drvfs|fakeowner|fuse(\..+)?|macfuse|osxfuse",
    re.IGNORECASE,
)
_LOCAL_PROGRAMS: Final = frozenset({"fuse.ntfs-3g", "fuse.exfat", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs"})
# Size, and the times of the last change to content and to file (on Windows: of its making).
_Stamp = tuple[int, int, int]


class _Mount(Protocol):
    """One mounted file system, as `psutil.disk_partitions` describes it."""

    @property
    def mountpoint(self) -> str: ...
    @property
    def fstype(self) -> str: ...
    @property
    def opts(self) -> str: ...


def is_remote(folder: Path, mounts: Iterable[_Mount] | None = None) -> bool:
    """Whether changes below a folder can only be found by looking. `mounts` are those of this machine."""
    real = os.path.realpath(folder)
    if real.startswith("\\\\"):
        return True
    above: list[_Mount] = []
    for mount in psutil.disk_partitions(all=True) if mounts is None else mounts:
        try:
            if os.path.commonpath((real, mount.mountpoint)) == os.path.normpath(mount.mountpoint):
                above.append(mount)
        except ValueError:  # another drive, or no path at all
            continue
    # Of two on one mount point the later one is seen.
    nearest = max(reversed(above), key=lambda mount: len(mount.mountpoint), default=None)
    if nearest is None:
        return False
    kind = nearest.fstype.lower()
    return "remote" in nearest.opts.split(",") or (kind not in _LOCAL_PROGRAMS and _REMOTE.fullmatch(kind) is not None)


def poll(folder: Path, stop_event: threading.Event, *, interval_s: float, tick_s: float) -> Iterator[set[tuple[Change, str]]]:
    """What changed since the look before; empty every `tick_s` seconds between two looks. It ends with the event.

    Only files are reported, not their folders, and none that is passed over everywhere. What can't be looked at stays as it was.
    Raises `OSError` when that is the folder itself.
    """
    before = _look(folder, {})
    yield set()
    looked_at = time.monotonic()
    while not stop_event.wait(tick_s):
        if time.monotonic() - looked_at < interval_s:
            yield set()
            continue
        now = _look(folder, before)
        looked_at = time.monotonic()
        changes = {(Change.deleted, path) for path in before.keys() - now.keys()}
        changes |= {(Change.added, path) for path in now.keys() - before.keys()}
        changes |= {(Change.modified, path) for path in now.keys() & before.keys() if now[path] != before[path]}
        before = now
        yield changes


def _look(folder: Path, before: dict[str, _Stamp]) -> dict[str, _Stamp]:
    """Every file below. Links to folders are followed, each real folder once."""
    found: dict[str, _Stamp] = {}
    entered: set[tuple[int, int]] = set()
    waiting = [str(folder)]
    while waiting:
        path = waiting.pop()
        try:
            status = os.stat(path)
            if (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            with os.scandir(path) as entries:
                for entry in entries:
                    if is_passed_over(entry.name) and entry.name != GITIGNORE:
                        continue
                    if entry.is_dir():
                        waiting.append(entry.path)
                    elif stamp := _stamp(entry, before):
                        found[entry.path] = stamp
        except FileNotFoundError:
            if path == str(folder):
                raise
        except OSError:
            if path == str(folder):
                raise
            below = os.path.join(path, "")
            found.update((name, stamp) for name, stamp in before.items() if name.startswith(below))
    return found


def _stamp(entry: os.DirEntry[str], before: dict[str, _Stamp]) -> _Stamp | None:
    try:
        status = entry.stat()
    except FileNotFoundError:  # it went meanwhile, or is a link to nothing
        return None
    except OSError:
        return before.get(entry.path)
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
