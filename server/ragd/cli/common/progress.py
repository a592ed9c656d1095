"""Progress of anything that takes over a second: drawn on a terminal, an occasional line elsewhere, always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ragd.cli.common.output import clean, console, is_drawable, note, warn
from ragd.client.blocking import Client
from ragd.client.observer import Observer

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from rich.status import Status

# Seconds between two looks at a job: soon at first, since most jobs are short, then at this longest.
_FIRST_LOOK = 0.05
_LONGEST_LOOK = 0.5
# Seconds between two lines where nothing can be drawn.
LINE_EVERY = 5.0
# Seconds of work before it is said how long the rest may take.
_SURE_AFTER_S = 5.0
# How long to wait for a cancelled job to stop, in seconds.
_CANCEL_GRACE = 30.0

FINISHED = ("completed", "failed", "cancelled")


class Preparation(Observer):
    """Says what connecting takes, and what is being opened or fetched. `what` is said at first, on a terminal only.

    Without `lines`, nothing is said of progress where nothing can be drawn.
    """

    def __init__(self, what: str = "Opening the model and the indexes", *, lines: bool = True) -> None:
        self._what = what
        self._lines = lines
        self._status: Status | None = None

    def __enter__(self) -> Preparation:
        if is_drawable(sys.stderr):
            self._status = console(sys.stderr).status(f"{self._what} …")
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        """Take it off the screen."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def show(self, what: str, done: float | None) -> None:
        if self._status is not None:
            self._status.update(f"{what} …" if done is None else f"{what} … {done:.0%}")
        elif self._lines and what != self._what:
            note(what)
        self._what = what

    def warn(self, message: str) -> None:
        warn(message)

    def wait(self, message: str) -> None:
        note(message)

    def opening(self) -> Preparation:
        return self

    def repair(self, client: Client, job_id: str) -> None:
        follow(client, job_id, "Indexing again", cancel=True)


class JobProgress:
    """The stage of long work and its counts, such as documents."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._last_line = time.monotonic()
        self._began = time.monotonic()
        self._done, self._total = 0, 0

    def __enter__(self) -> JobProgress:
        if is_drawable(sys.stderr):
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            left = TextColumn("{task.fields[left]}", markup=False)
            columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), left)
            self._bar = Progress(*columns, console=console(sys.stderr), transient=True)
            self._task = self._bar.add_task(self._label, total=None, left="")
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, job: Mapping[str, Any]) -> None:
        """Show the job as it stands."""
        progress = job["progress"]
        self.show(progress.get("stage", job["status"]), progress.get("done", 0), progress.get("total", 0))

    def show(self, stage: str, done: int, total: int) -> None:
        """Show a stage, and how far it is."""
        stage = clean(stage)
        # It never goes back: a stage that begins says 0 of what another has done.
        done = max(done, self._done) if total == self._total else done
        if total != self._total:
            self._began = time.monotonic()
        self._done, self._total = done, total
        left = time_left(time.monotonic() - self._began, done, total)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=f"{self._label}: {stage}", completed=done, total=total or None, left=left)
        elif time.monotonic() - self._last_line >= LINE_EVERY:
            self._last_line = time.monotonic()
            counted = f", {done} of {total}{f', {left}' if left else ''}" if total else ""
            note(f"{self._label}: {stage}{counted}")


def time_left(elapsed_s: float, done: int, total: int) -> str:
    """How long it may still take, as people say it; empty while too little is done to tell, or all is."""
    if elapsed_s < _SURE_AFTER_S or not 0 < done < total:
        return ""
    rest = elapsed_s * (total - done) / done
    return f"about {rest / 60:.0f} min left" if rest >= 90 else f"about {max(5, round(rest / 5) * 5)} s left"


def follow(client: Client, job_id: str, label: str, *, cancel: bool) -> dict[str, Any]:
    """Show a job's progress until it has ended; returns the job. With `cancel`, Ctrl-C cancels it before it interrupts us."""
    try:
        with JobProgress(label) as progress:
            return _until_finished(client, job_id, progress)
    except KeyboardInterrupt:
        if cancel:
            note("Cancelling …")
            client.delete(f"/api/jobs/{job_id}")
            with JobProgress("Cancelling") as progress:
                _until_finished(client, job_id, progress, patience=_CANCEL_GRACE)
            note("Cancelled. Documents that were finished before stay.")
        raise


def _until_finished(client: Client, job_id: str, progress: JobProgress, patience: float | None = None) -> dict[str, Any]:
    started = time.monotonic()
    pause = _FIRST_LOOK
    while True:
        job: dict[str, Any] = client.get(f"/api/jobs/{job_id}")
        progress.update(job)
        if job["status"] in FINISHED or (patience is not None and time.monotonic() - started > patience):
            return job
        time.sleep(pause)
        pause = min(pause * 1.3, _LONGEST_LOOK)
