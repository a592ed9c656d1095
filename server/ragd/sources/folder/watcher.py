"""One thread for each watched folder: it waits until a burst of changes has passed, then says which paths changed.

Where nothing may be known of what changed (at the start, when the folder was away, after an error, once in a while) it says that
everything must be looked at. It never gives up: a folder that is gone is waited for, and where the operating system can't report
changes, or won't of more folders, it looks by itself.
"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

from watchfiles import Change, watch

from ragd.config.sources import WatchSettings
from ragd.sources.folder.polling import is_remote
from ragd.sources.folder.polling import poll as poll_folder

log = logging.getLogger(__name__)

# The library logs at this level how many files changed, every time.
logging.getLogger("watchfiles").setLevel(logging.WARNING)

_Changed = Callable[[str, frozenset[str] | None], bool]
"""Called with a source's id and the paths that changed (None: anything may have). False: not now, report it again."""

_State = Literal["starting", "watching", "waiting"]

# How often a watcher looks whether a burst is over, and whether its folder is still the same one, in seconds.
_TICK_S: Final = 0.25
_LOOK_AT_FOLDER_S: Final = 1.0
# A folder where something changes all the time is looked at nevertheless, after so many times the quiet that is waited for.
_LONGEST_BURST: Final = 15
# How long to wait before watching is tried again: at first, and at most.
_RETRY_FIRST_S: Final = 0.5
_RETRY_LONGEST_S: Final = 30.0


class _Away(Exception):
    """The folder is not there, or is not the one that was watched."""


class FolderWatcher:
    """Watches one folder until it is stopped."""

    def __init__(
        self,
        source_id: str,
        folder: Path,
        on_change: _Changed,
        pace: WatchSettings,
        *,
        poll: bool | None = None,
        watch: Callable[..., Iterator[Iterable[tuple[Change, str]]]] = watch,
    ) -> None:
        """`poll`: whether to look by itself; None lets the file system decide."""
        self.source_id = source_id
        self.state: _State = "starting"
        self.problem: str | None = None
        """Why it is not watching, or not as it should."""
        self.polling = False
        self._folder = folder
        self._on_change = on_change
        self._pace = pace
        self._poll = poll
        self._refused = False
        self._failures_at_once = 0
        self._has_closed_folders = False
        self._watch = watch
        self._stopping = threading.Event()
        self._settled = threading.Event()
        self._burst = _Burst(pace.debounce_s)
        self._thread = threading.Thread(target=self._run, name=f"rag-watch-{source_id[:8]}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def ask_to_stop(self) -> None:
        self._stopping.set()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Stop, and wait for it. One that hangs on a drive that does not answer is left behind; nothing more comes of it."""
        self._stopping.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)

    def wait_until_settled(self, timeout_s: float) -> bool:
        """Wait until it has begun to watch, or has found that it can't."""
        return self._settled.wait(timeout_s)

    def _run(self) -> None:
        delay = _RETRY_FIRST_S
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                self._follow()
            except (_Away, FileNotFoundError):
                self._note_waiting("The folder is not there; waiting until it is back.")
            except (OSError, RuntimeError) as error:
                self._note_error(error)
            except Exception:
                log.exception("a folder's watcher failed; trying again", extra={"source_id": self.source_id})
                self._note_waiting("Watching failed; the log has the details. It is tried again.")
            if time.monotonic() - started > _RETRY_LONGEST_S:
                delay = _RETRY_FIRST_S
            self._stopping.wait(delay)
            delay = min(delay * 2, _RETRY_LONGEST_S)

    def _follow(self) -> None:
        """Watch until it is to stop. Raises `_Away`, and what the library raises."""
        identity = _identity(self._folder)
        self.polling = self._refused or (is_remote(self._folder) if self._poll is None else self._poll)
        look_at = rescan_at = time.monotonic()
        for changes in self._changes():
            now = time.monotonic()
            if changes or now >= look_at or self._burst.is_over():
                look_at = now + _LOOK_AT_FOLDER_S
                if _identity(self._folder) != identity:
                    raise _Away
            if self.state != "watching":
                if self._has_closed_folders:
                    self._check_whole()
                self._note_watching()
                rescan_at = now + self._pace.rescan_hours * 3600
                self._burst.add_everything()
            folders = {path for _, path in changes if os.path.isdir(path)}
            # That a folder was modified says only that something in it was.
            self._burst.add(path for change, path in changes if change is not Change.modified or path not in folders)
            if any(change is Change.added and path in folders for change, path in changes):
                self._check_whole()
            if now >= rescan_at:
                rescan_at = now + self._pace.rescan_hours * 3600
                self._burst.add_everything()
            self._report()

    def _changes(self) -> Iterator[Iterable[tuple[Change, str]]]:
        """What changed, every tick at least; it ends when the watcher is to stop."""
        if self.polling:
            yield from poll_folder(self._folder, self._stopping, interval_s=self._pace.poll_s, tick_s=_TICK_S)
            return
        step_s = min(max(self._pace.debounce_s / 4, 0.01), 0.1)
        yield from self._watch(
            self._folder,
            watch_filter=None,
            debounce=max(int(self._pace.debounce_s * 1000), 50),
            step=int(step_s * 1000),
            rust_timeout=int(_TICK_S * 1000),
            yield_on_timeout=True,
            stop_event=self._stopping,
            raise_interrupt=False,
            force_polling=False,
            recursive=True,
            ignore_permission_denied=self._has_closed_folders,
        )

    def _check_whole(self) -> None:
        """Raises `OSError` when the system has no watch left for one more folder.

        The library does not say so of a folder that is made later, nor of any when it is to pass over closed ones.
        """
        if not self.polling:
            with tempfile.TemporaryDirectory() as other:
                next(watch(other, rust_timeout=1, yield_on_timeout=True, force_polling=False, ignore_permission_denied=False))

    def _report(self) -> None:
        if self._burst.is_over() and not self._on_change(self.source_id, paths := self._burst.take()):
            self._burst.put_back(paths)
        self._settled.set()

    def _note_watching(self) -> None:
        self.state, self._failures_at_once = "watching", 0
        if not self._refused:
            self.problem = None
        log.info("watching a folder", extra={"source_id": self.source_id, "polling": self.polling})

    def _note_waiting(self, problem: str) -> None:
        if self.problem != problem:
            log.warning("a folder is not being watched", extra={"source_id": self.source_id, "reason": problem})
        self.state, self.problem = "waiting", problem
        self._settled.set()

    def _note_error(self, error: OSError | RuntimeError) -> None:
        """What can't even begin, twice in a row, the system refuses; any other error is taken for a passing one."""
        if isinstance(error, PermissionError) and not self._has_closed_folders:
            self._has_closed_folders = True
            return
        self._failures_at_once += self.state != "watching"
        self._refused = self._refused or self._failures_at_once > 1
        self._note_waiting(
            f"The system can't tell of changes ({error}), so the folder is looked at every {self._pace.poll_s:g} seconds. "
            "On Linux, raise fs.inotify.max_user_watches."
            if self._refused
            else f"Watching was interrupted ({error}); it is tried again."
        )


class _Burst:
    """Paths that changed, gathered until it has been quiet for `quiet_s` seconds. Used by one thread."""

    def __init__(self, quiet_s: float) -> None:
        self._quiet_s = quiet_s
        self._paths: set[str] = set()
        self._everything = False
        self._first = self._last = self._not_before = 0.0

    def add(self, paths: Iterable[str]) -> None:
        fresh = set(paths)
        if fresh:
            self._last = time.monotonic()
            if not self._paths:
                self._first = self._last
            self._paths |= fresh

    def add_everything(self) -> None:
        """Anything may have changed; there is nothing to wait for."""
        self._everything = True

    def is_over(self) -> bool:
        now = time.monotonic()
        if now < self._not_before:
            return False
        long_enough = now - self._last >= self._quiet_s or now - self._first >= self._quiet_s * _LONGEST_BURST
        return self._everything or (bool(self._paths) and long_enough)

    def take(self) -> frozenset[str] | None:
        """What changed; None for everything. Nothing is kept."""
        taken = None if self._everything else frozenset(self._paths)
        self._paths, self._everything = set(), False
        return taken

    def put_back(self, paths: frozenset[str] | None) -> None:
        """Keep what could not be reported, to report it a little later."""
        self._not_before = time.monotonic() + max(self._quiet_s, _RETRY_FIRST_S)
        if paths is None:
            self._everything = True
        else:
            self._paths |= paths


def _identity(folder: Path) -> tuple[Any, ...]:
    """What tells a folder from another one of its name. Raises `_Away` when there is none."""
    try:
        status = os.stat(folder)
    except OSError as error:
        raise _Away from error
    return status.st_dev, status.st_ino
