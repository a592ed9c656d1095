"""Whether a folder lies on a file system that tells nothing of changes that are made elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

import psutil

# Shares of networks, of the host of a virtual machine (`9p` and `drvfs` are the Windows drives of WSL) and, but for those of
# a local disk, file systems of programs, behind which anything may be.
_REMOTE: Final = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|afpfs|afs|ncpfs|ceph|glusterfs|lustre|gpfs|beegfs|davfs2?|webdav|9p|virtiofs|vboxsf|vmhgfs"
    r"|prl_fs|drvfs|fakeowner|fuse(\..+)?|macfuse|osxfuse",
    re.IGNORECASE,
)
_LOCAL_PROGRAMS: Final = frozenset({"fuse.ntfs-3g", "fuse.exfat", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs"})


class _Mount(Protocol):
    """One mounted file system, as `psutil.disk_partitions` tells it."""

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
