"""Looking again and again: every change to a file is seen, and none where there was none."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.sources.folder.polling import poll

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users can enter (pytest's own ones are private)."""
    made = Path(tempfile.mkdtemp(dir="/tmp"))
    made.chmod(0o755)
    (made / "sub").mkdir()
    (made / "a.md").write_text("old")
    (made / "sub" / "b.md").write_text("b")
    yield made
    for path in made.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def changes(folder: Path) -> Iterator[Callable[[], set[tuple[str, str]]]]:
    """Each call looks once more; gives the kinds and relative names of what changed."""
    stopping = threading.Event()
    looks = poll(folder, stopping, interval_s=0, tick_s=0)
    assert next(looks) == set()

    def look() -> set[tuple[str, str]]:
        return {(change.name, Path(path).relative_to(folder).as_posix()) for change, path in next(looks)}

    yield look
    stopping.set()
    assert list(looks) == []


def test_nothing_changed_gives_nothing(changes: Any) -> None:
    assert changes() == set()
    assert changes() == set()


def test_new_changed_moved_and_deleted_files_are_seen(changes: Any, folder: Path) -> None:
    (folder / "new 新.md").write_text("n")
    assert changes() == {("added", "new 新.md")}
    (folder / "sub" / "b.md").rename(folder / "c.md")
    assert changes() == {("deleted", "sub/b.md"), ("added", "c.md")}
    (folder / "sub2").mkdir()
    (folder / "c.md").rename(folder / "sub2" / "c.md")
    assert changes() == {("deleted", "c.md"), ("added", "sub2/c.md")}
    shutil.rmtree(folder / "sub2")
    assert changes() == {("deleted", "sub2/c.md")}


def test_a_second_change_in_the_same_moment_and_an_older_copy_are_seen(changes: Any, folder: Path) -> None:
    for text in ("one", "two", "six"):
        (folder / "a.md").write_text(text)
        assert changes() == {("modified", "a.md")}
    (folder / "a.md").write_text("old")
    os.utime(folder / "a.md", (1, 1))
    assert changes() == {("modified", "a.md")}


def test_hidden_and_temporary_files_are_not_told_but_ignore_files_are(changes: Any, folder: Path) -> None:
    for name in (".hidden.md", "~$a.docx", "a.md~", ".gitignore", "node_modules/x.md", ".git/config"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    assert changes() == {("added", ".gitignore")}


def test_what_may_not_be_looked_at_is_not_gone(changes: Any, folder: Path) -> None:
    (folder / "sub").chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        assert changes() == set()
    finally:
        if root:
            os.seteuid(0)
    (folder / "sub").chmod(0o755)
    assert changes() == set()


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_links_are_followed_each_folder_once_and_a_circle_ends(changes: Any, folder: Path) -> None:
    (folder / "up").symlink_to(folder)
    (folder / "gone.md").symlink_to(folder / "nothing.md")
    (folder / "link.md").symlink_to(folder / "a.md")
    assert changes() == {("added", "link.md")}
    (folder / "a.md").write_text("longer")
    assert changes() == {("modified", "a.md"), ("modified", "link.md")}


def test_a_folder_that_is_gone_is_an_error_and_not_empty(changes: Any, folder: Path) -> None:
    shutil.rmtree(folder)
    with pytest.raises(FileNotFoundError):
        changes()


def test_between_two_looks_nothing_is_told(folder: Path) -> None:
    looks = poll(folder, threading.Event(), interval_s=3600, tick_s=0)
    next(looks)
    (folder / "new.md").write_text("n")
    assert [next(looks) for _ in range(3)] == [set(), set(), set()]
