from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragd.core.files import own_folder
from ragd.core.instance import Ownership

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX modes")


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_folder_of_our_own_is_private_even_if_somebody_made_it_before(tmp_path: Path) -> None:
    made, given, shared = tmp_path / "made", tmp_path / "given", tmp_path / "shared"
    given.mkdir()
    given.chmod(0o755)
    shared.mkdir()
    (shared / "README.md").touch()
    shared.chmod(0o755)
    for folder in (made, given, shared):
        own_folder(folder)
    assert (_mode(made), _mode(given), _mode(shared)) == (0o700, 0o700, 0o755)


def test_what_a_killed_process_was_writing_is_removed_by_the_next_owner(tmp_path: Path) -> None:
    left = tmp_path / ".daemon.json-x7f2.new"
    left.write_text("{", encoding="utf-8")
    before = os.umask(0o077)
    try:
        Ownership(tmp_path).release()
    finally:
        os.umask(before)
    assert [path.name for path in tmp_path.iterdir()] in ([], ["daemon.lock"])
