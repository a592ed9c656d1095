"""Exchanging a file that somebody has open: Windows refuses that for as long as it is so."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from ragd.core.files import put_in_place
from ragd.core.instance import INFO_FILE, DaemonInfo, Ownership, read_info


class HeldOpen(type(Path())):  # type: ignore[misc]
    """A file whose target is held open until `released`, as Windows reports it."""

    released: threading.Event
    refusals = 0

    def replace(self, target: Any) -> Any:
        if not self.released.is_set():
            type(self).refusals += 1
            raise PermissionError(13, "The process cannot access the file because it is being used by another process")
        return super().replace(target)


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    HeldOpen.released, HeldOpen.refusals = threading.Event(), 0
    (tmp_path / "staged").write_text("new")
    (tmp_path / "target").write_text("old")
    return HeldOpen(tmp_path / "staged")


def test_a_target_that_is_held_open_is_waited_for(staged: Path, tmp_path: Path) -> None:
    timer = threading.Timer(0.05, HeldOpen.released.set)
    timer.start()
    put_in_place(staged, tmp_path / "target", patience_s=60)
    timer.join()
    assert HeldOpen.refusals > 0
    assert (tmp_path / "target").read_text() == "new"
    assert not (tmp_path / "staged").exists()


def test_a_target_that_stays_held_is_left_as_it_is(staged: Path, tmp_path: Path) -> None:
    with pytest.raises(PermissionError):
        put_in_place(staged, tmp_path / "target", patience_s=0.05)
    assert HeldOpen.refusals > 1
    assert (tmp_path / "target").read_text() == "old"


@pytest.mark.skipif(os.name != "nt", reason="only Windows refuses to exchange an open file")
def test_daemon_json_is_published_while_a_client_reads_it(tmp_path: Path) -> None:
    owner = Ownership(tmp_path)
    with (tmp_path / INFO_FILE).open("rb") as reader:
        threading.Timer(0.1, reader.close).start()
        owner.publish(DaemonInfo(1, "2", "http://127.0.0.1:1", "token"))
    found = read_info(tmp_path)
    assert found
    assert found.version == "2"
    owner.release()
