"""Watching a real folder: what is told of changes, and what happens when the folder or the system does not play along."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from ragd.config.sources import WatchSettings
from ragd.sources.folder.watcher import FolderWatcher

pytestmark = pytest.mark.slow

QUICK = WatchSettings(debounce_s=0.1, poll_s=0.1)


class Told:
    """What watchers have told, in order; whoever waits for something gets it as soon as it is there."""

    def __init__(self) -> None:
        self.all: list[frozenset[str] | None] = []
        self.refuse = 0
        self._changed = threading.Condition()

    def __call__(self, source_id: str, paths: frozenset[str] | None) -> bool:
        assert source_id == "source"
        with self._changed:
            if self.refuse:
                self.refuse -= 1
                self._changed.notify_all()
                return False
            self.all.append(paths)
            self._changed.notify_all()
        return True

    def wait(self, condition: Callable[[], Any], what: str) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, timeout=300), f"waited in vain for {what}; told: {self.all}"

    @property
    def paths(self) -> set[str]:
        return {path for paths in self.all if paths for path in paths}

    @property
    def everything(self) -> int:
        """How often everything was to be looked at."""
        return sum(paths is None for paths in self.all)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    (made / "sub").mkdir(parents=True)
    (made / "a.md").write_text("a")
    (made / "sub" / "b.md").write_text("b")
    (made / "sub" / "d.md").write_text("d")
    return made


@pytest.fixture
def watching(told: Told, folder: Path) -> Iterator[Callable[..., FolderWatcher]]:
    """Starts a watcher of the folder; it is watching, and has said that everything must be looked at."""
    started: list[FolderWatcher] = []

    def start(pace: WatchSettings = QUICK, **options: Any) -> FolderWatcher:
        watcher = FolderWatcher("source", folder, told, pace, **options)
        watcher.start()
        started.append(watcher)
        assert watcher.wait_until_settled(20)
        if watcher.state == "watching":
            told.wait(lambda: told.everything, "the first look at everything")
        return watcher

    yield start
    for watcher in started:
        watcher.stop()
        assert not watcher._thread.is_alive()


def wait_for(condition: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)


def test_at_the_start_everything_is_to_be_looked_at_once(watching, told: Told) -> None:
    watcher = watching()
    assert told.all == [None]
    assert (watcher.state, watcher.polling, watcher.problem) == ("watching", False, None)


@pytest.mark.parametrize("poll", [False, True])
def test_new_changed_moved_and_deleted_files_are_told(watching, told: Told, folder: Path, poll: bool) -> None:
    assert watching(poll=poll).polling is poll
    (folder / "new 新.md").write_text("n")
    told.wait(lambda: str(folder / "new 新.md") in told.paths, "a new file")
    (folder / "a.md").write_text("changed")
    told.wait(lambda: str(folder / "a.md") in told.paths, "a changed file")
    (folder / "sub" / "b.md").rename(folder / "c.md")
    told.wait(lambda: {str(folder / "sub" / "b.md"), str(folder / "c.md")} <= told.paths, "both names of a moved file")
    # A whole folder is told as one, or by the files that were in it.
    (folder / "sub").rename(folder / "sub2")
    told.wait(lambda: any(path.startswith(str(folder / "sub2")) for path in told.paths), "the new name of a moved folder")
    told.wait(lambda: {str(folder / "sub"), str(folder / "sub" / "d.md")} & told.paths, "the old name of a moved folder")
    (folder / "c.md").unlink()
    told.wait(lambda: any(paths and str(folder / "c.md") in paths for paths in told.all[3:]), "a deleted file")
    # That things in it changed is nothing that happened to the folder.
    assert str(folder) not in told.paths
    assert told.everything == 1


def test_a_burst_of_writes_is_told_a_few_times(watching, told: Told, folder: Path) -> None:
    watching(WatchSettings(debounce_s=0.5))
    names = {str(folder / f"{number}.md") for number in range(200)}
    for name in sorted(names):
        Path(name).write_text("x")
    told.wait(lambda: names <= told.paths, "200 files")
    assert len(told.all) - 1 <= 3


def test_changes_that_never_end_are_told_nevertheless(watching, told: Told, folder: Path) -> None:
    watching(WatchSettings(debounce_s=0.05))
    ended = threading.Event()

    def write() -> None:
        number = 0
        while not ended.wait(0.01):
            number += 1
            (folder / "busy.md").write_text(str(number))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        told.wait(lambda: str(folder / "busy.md") in told.paths, "a file that is always being written")
    finally:
        ended.set()
        writer.join()


def test_a_folder_that_is_made_and_filled_at_once_is_told(watching, told: Told, folder: Path) -> None:
    watching()
    (folder / "x" / "y").mkdir(parents=True)
    (folder / "x" / "y" / "z.md").write_text("z")
    told.wait(lambda: str(folder / "x") in told.paths, "a new folder")
    (folder / "x" / "y" / "later.md").write_text("z")
    told.wait(lambda: str(folder / "x" / "y" / "later.md") in told.paths, "a file in the new folder")


@pytest.mark.parametrize("poll", [False, True])
def test_a_folder_that_goes_is_waited_for_and_looked_at_when_it_is_back(watching, told: Told, folder: Path, poll: bool) -> None:
    watcher = watching(poll=poll)
    folder.rename(folder.with_name("away"))
    wait_for(lambda: watcher.state == "waiting", "the watcher to notice")
    assert "not there" in str(watcher.problem)
    assert told.all == [None]
    folder.with_name("away").rename(folder)
    told.wait(lambda: told.everything == 2, "a look at everything")
    assert (watcher.state, watcher.problem) == ("watching", None)
    (folder / "after.md").write_text("x")
    told.wait(lambda: str(folder / "after.md") in told.paths, "a file that came after")


def test_another_folder_in_the_place_of_the_old_one_is_watched_from_then_on(watching, told: Told, folder: Path) -> None:
    watching()
    other = folder.with_name("other")
    other.mkdir()
    shutil.rmtree(folder)
    other.rename(folder)
    told.wait(lambda: told.everything == 2, "a look at everything")
    (folder / "new.md").write_text("x")
    told.wait(lambda: str(folder / "new.md") in told.paths, "a file in the other folder")


def test_a_folder_that_is_not_there_yet_is_waited_for(watching, told: Told, folder: Path) -> None:
    shutil.rmtree(folder)
    watcher = watching()
    assert (watcher.state, told.all) == ("waiting", [])
    folder.mkdir()
    told.wait(lambda: told.everything, "a look at everything")


def test_what_was_not_taken_is_told_again(watching, told: Told, folder: Path) -> None:
    watching()
    told.refuse = 2
    (folder / "a.md").write_text("changed")
    told.wait(lambda: told.refuse == 0, "two refusals")
    (folder / "later.md").write_text("x")
    told.wait(lambda: {str(folder / "a.md"), str(folder / "later.md")} <= told.paths, "what was refused, and what came since")


def test_once_in_a_while_everything_is_looked_at_without_any_change(watching, told: Told) -> None:
    watching(WatchSettings(debounce_s=0.1, rescan_hours=0.1 / 3600))
    told.wait(lambda: told.everything >= 3, "looks at everything")
    assert not told.paths


def test_where_the_system_refuses_to_tell_the_folder_is_polled_and_why_is_said(watching, told: Told, folder: Path) -> None:
    asked = []

    def watch(*paths: Path, **options: Any) -> Iterator[Any]:
        asked.append(paths)
        yield from ()
        raise OSError("OS file watch limit reached.")

    watcher = watching(watch=watch)
    told.wait(lambda: told.everything, "a look at everything")
    assert (len(asked), watcher.state, watcher.polling) == (2, "watching", True)
    assert "max_user_watches" in str(watcher.problem)
    (folder / "new.md").write_text("x")
    told.wait(lambda: str(folder / "new.md") in told.paths, "a new file")


@pytest.mark.skipif(os.name == "nt", reason="users and modes of POSIX")
def test_a_folder_that_may_not_be_read_does_not_keep_the_others_from_being_watched(told: Told) -> None:
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    (folder / "closed").mkdir(mode=0)
    (folder / "open").mkdir()
    for path in (folder, folder / "open"):
        path.chmod(0o755)
    watcher = FolderWatcher("source", folder, told, QUICK)
    with as_nobody():
        watcher.start()
        told.wait(lambda: told.everything, "a look at everything")
        watcher.stop()
    assert (watcher.state, watcher.polling, watcher.problem) == ("watching", False, None)
    shutil.rmtree(folder)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything; drop that right for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="names of POSIX are bytes")
def test_a_name_that_is_no_text_leads_to_a_look_at_everything(watching, told: Told, folder: Path) -> None:
    watcher = watching()
    with open(os.path.join(os.fsencode(folder), b"\xff\x83.md"), "wb") as file:
        file.write(b"x")
    told.wait(lambda: told.everything == 2, "a look at everything")
    wait_for(lambda: watcher.problem is None, "the watcher to be well again")
    assert watcher.polling is False
    (folder / "after.md").write_text("x")
    told.wait(lambda: str(folder / "after.md") in told.paths, "a file that came after")


def test_an_unforeseen_failure_does_not_end_the_watching(watching, told: Told, folder: Path) -> None:
    failures = [ZeroDivisionError("inside")]

    def watch(*paths: Path, **options: Any) -> Iterator[Any]:
        if failures:
            raise failures.pop()
        yield from watchfiles.watch(*paths, **options)

    watching(watch=watch)
    told.wait(lambda: told.everything, "a look at everything")


def test_a_stopped_watcher_tells_nothing_more(watching, told: Told, folder: Path) -> None:
    watcher = watching()
    started = time.monotonic()
    watcher.stop()
    assert time.monotonic() - started < 20
    (folder / "late.md").write_text("x")
    assert told.all == [None]
    FolderWatcher("source", folder, told, QUICK).stop()
