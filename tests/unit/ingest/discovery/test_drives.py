"""A drive that does not answer keeps one thread waiting, and nothing else."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from ragd.core.errors import DocumentUnreadable, ValidationFailed
from ragd.ingest.discovery import drives, files, items
from ragd.ingest.discovery.drives import ask
from ragd.ingest.discovery.files import check_paths, find_files
from ragd.ingest.discovery.items import FileItem, file_is_gone
from ragd.sources.folder.config import FolderConfig


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The drives of a test are given up soon; what hangs there ends when this is set."""
    event = threading.Event()
    monkeypatch.setattr(drives, "_left_behind", {})
    quick = partial(ask, patience_s=0.05)
    monkeypatch.setattr(drives, "ask", quick)
    for module in ("ragd.ingest.discovery.files", "ragd.sources.folder.config"):
        monkeypatch.setattr(f"{module}.ask", quick)
    yield event
    event.set()
    for thread in threading.enumerate():
        if thread.name == "drive":
            thread.join(5)


@pytest.fixture
def hanging(answers: threading.Event, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder whose files nobody gets to look at or to open, as on a drive whose server is gone."""
    folder = tmp_path / "share"
    folder.mkdir()
    (folder / "plan.md").write_text("text", encoding="utf-8")
    look, opened = os.stat, items.open_regular

    def stuck(path: object, *args: object, **named: object) -> os.stat_result:
        if str(path).startswith(str(folder)) and threading.current_thread().name == "drive":
            answers.wait(30)
        return look(path, *args, **named)  # type: ignore[arg-type]

    def stuck_open(path: Path) -> object:
        answers.wait(30)
        return opened(path)

    monkeypatch.setattr(os, "stat", stuck)
    monkeypatch.setattr(items, "open_regular", stuck_open)
    return folder


def test_a_file_that_can_not_be_read_in_time_fails_with_the_reason(hanging: Path) -> None:
    item = FileItem(hanging / "plan.md", "plan.md")
    with pytest.raises(DocumentUnreadable, match=r"'plan\.md' can't be read: its drive did not answer for"):
        item.read(1000)
    # The next one does not wait for it, too.
    with pytest.raises(DocumentUnreadable, match="its drive still does not answer"):
        item.read(1000)
    assert [thread.name for thread in threading.enumerate()].count("drive") == 1


def test_a_drive_that_answers_again_is_asked_again(hanging: Path, answers: threading.Event) -> None:
    item = FileItem(hanging / "plan.md", "plan.md")
    with pytest.raises(DocumentUnreadable):
        item.read(1000)
    answers.set()
    next(iter(drives._left_behind.values())).join(5)
    assert item.read(1000) == b"text"


def test_a_folder_that_can_not_be_searched_is_unread_so_that_nothing_in_it_counts_as_gone(hanging: Path) -> None:
    found = find_files([str(hanging)], recursive=True, allowed_roots=[])
    assert (found.items, found.unread, found.folders) == ([], [""], [])
    assert "its drive did not answer" in found.failed[0].message
    assert not file_is_gone(hanging / "plan.md")


def test_a_path_and_a_source_on_such_a_drive_are_refused_with_the_reason(hanging: Path) -> None:
    with pytest.raises(ValidationFailed, match="its drive did not answer"):
        check_paths([str(hanging)], [])
    with pytest.raises(ValidationFailed, match="its drive still does not answer"):
        FolderConfig.parse({"path": str(hanging)}, [])


def test_a_search_that_goes_on_may_take_longer_than_one_step(
    answers: threading.Event, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # One step may take a busy machine longer than the others of these tests are given; all together take more than this.
    monkeypatch.setattr("ragd.ingest.discovery.files.ask", partial(ask, patience_s=0.6))
    for number in range(40):
        (tmp_path / f"{number}.md").touch()
    look = os.stat

    def slow(path: object, *args: object, **named: object) -> os.stat_result:
        if threading.current_thread().name == "drive" and stat.S_ISREG(look(path, *args, **named).st_mode):  # type: ignore[arg-type]
            answers.wait(0.02)
        return look(path, *args, **named)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "stat", slow)
        assert len(files.find_files([str(tmp_path)], recursive=True, allowed_roots=[]).items) == 40
