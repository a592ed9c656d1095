"""Whatever is put in the place of a file after it was found: it is refused at once, with what it is."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.core.regular_files import open_regular, without_prefix

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and links of POSIX")


def _link(path: Path) -> None:
    path.symlink_to(path.parent.parent / "outside.md")


def _socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # its name may have 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


def _device(path: Path) -> None:
    try:
        os.mknod(path, 0o020600, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("only root makes devices")


KINDS: dict[str, Callable[[Path], None]] = {
    "a link": _link,
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a device": _device,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "outside.md").write_text("secret", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / "a.md"
    path.write_text("text", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_any_more_is_refused_by_its_kind(path: Path, kind: str) -> None:
    path.unlink()
    KINDS[kind](path)
    with pytest.raises(OSError, match=kind):
        open_regular(path)


def test_a_folder_above_that_was_exchanged_for_a_link_is_refused(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("secret", encoding="utf-8")
    with open_regular(path) as file:
        assert file.read() == b"text"
    shutil.rmtree(path.parent)
    path.parent.symlink_to(other)
    with pytest.raises(OSError, match="a link leads to"):
        open_regular(path)


def test_a_file_that_is_gone_is_said_to_be(path: Path) -> None:
    path.unlink()
    with pytest.raises(FileNotFoundError):
        open_regular(path)


@pytest.mark.parametrize(
    ("final", "shown"),
    [(r"\\?\C:\docs\a.md", r"C:\docs\a.md"), (r"\\?\UNC\server\docs\a.md", r"\\server\docs\a.md"), (r"C:\a", r"C:\a")],
)
def test_final_paths_of_windows_are_written_as_people_do(final: str, shown: str) -> None:
    assert without_prefix(final) == shown
