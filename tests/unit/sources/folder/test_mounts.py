"""Which file systems tell nothing of changes that are made elsewhere."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragd.sources.folder.polling import is_remote


@dataclass(frozen=True)
class Mounted:
    mountpoint: str
    fstype: str
    opts: str = "rw"


@pytest.mark.parametrize(
    ("fstype", "remote"),
    [
        *((name, True) for name in ("nfs", "nfs4", "cifs", "smb3", "SMBFS", "9p", "drvfs", "vboxsf", "virtiofs", "fuse.sshfs")),
        *((name, True) for name in ("fuse", "fuse.rclone", "afpfs", "webdav", "fuse.gvfsd-fuse", "prl_fs")),
        *(
            (name, False)
            for name in ("ext4", "xfs", "btrfs", "apfs", "NTFS", "overlay", "tmpfs", "fuseblk", "fuse.ntfs-3g", "zfs")
        ),
    ],
)
def test_the_kind_of_the_file_system_decides(tmp_path: Path, fstype: str, remote: bool) -> None:
    assert is_remote(tmp_path / "docs", [Mounted("/", "ext4"), Mounted(str(tmp_path), fstype)]) is remote


def test_the_nearest_mount_counts_and_of_two_at_one_place_the_later_one(tmp_path: Path) -> None:
    share, local = str(tmp_path / "share"), str(tmp_path / "share" / "local")
    mounts = [Mounted("/", "ext4"), Mounted(share, "nfs"), Mounted(local, "ext4")]
    assert is_remote(tmp_path / "share" / "docs", mounts)
    assert not is_remote(tmp_path / "share" / "local" / "docs", mounts)
    assert not is_remote(tmp_path / "shared", mounts)
    assert not is_remote(Path(share), [*mounts, Mounted(share, "tmpfs")])


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_where_a_link_leads_counts(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "docs").symlink_to(tmp_path / "share")
    assert is_remote(tmp_path / "docs", [Mounted("/", "ext4"), Mounted(str(tmp_path / "share"), "cifs")])


def test_a_drive_that_windows_calls_remote_is(tmp_path: Path) -> None:
    assert is_remote(tmp_path, [Mounted(str(tmp_path), "NTFS", "rw,remote")])
    assert not is_remote(tmp_path, [Mounted(str(tmp_path), "NTFS", "rw,fixed")])


def test_this_machine_s_own_mounts_are_read(tmp_path: Path) -> None:
    assert is_remote(tmp_path) in {True, False}
    assert not is_remote(tmp_path, [])
    assert not is_remote(tmp_path, [Mounted("", "nfs"), Mounted("relative", "nfs")])
