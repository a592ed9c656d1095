"""After a clean stop questions are answered at once; after anything else database and indexes are compared before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from ragd.api.lifecycle import Lifecycle
from ragd.app.clean_stop import CleanStop
from ragd.app.container import Application
from ragd.config.loading import Directories
from ragd.config.settings import Settings
from ragd.daemon.process import _Warming

from .conftest import ask, finish

Open = Callable[..., Application]
READY_AT_ONCE = ["warm", "prepare", "set", "publish", "reconcile", "start", "follow_sources"]
COMPARED_FIRST = ["warm", "reconcile", "start", "follow_sources", "set", "publish"]


@pytest.fixture
def closed(open_app: Open, docs: Path) -> Application:
    """An application with documents that was closed as it should be."""
    app = open_app()
    assert finish(app, app.documents.ingest([str(docs)])).status == "completed"
    app.close()
    return app


def reopened(app: Application, **changed: object) -> Application:
    return Application(app.settings.model_copy(update=changed), app.directories)


def steps_of(app: Application, *, finds_guide: bool) -> list[str]:
    """What a daemon does until it is ready and works, in order; it is done."""
    names = []

    def publish() -> None:
        # Right answers are what "ready" means.
        assert ("guide.md" in {hit.passage.source for hit in ask(app, "what does E1045 mean").hits}) == finds_guide

    for step in _Warming(app, Lifecycle(), publish, lambda: None)._steps():
        step()
        names.append(step.func.__name__ if isinstance(step, partial) else step.__name__)  # type: ignore[attr-defined]
    return names


def test_after_a_clean_stop_a_daemon_is_ready_before_it_compares(closed: Application) -> None:
    app = reopened(closed)
    assert steps_of(app, finds_guide=True) == READY_AT_ONCE
    app.close()
    assert CleanStop(app.directories.data, app.settings).found, "the next start is as quick"


def test_a_clean_stop_is_found_once(closed: Application) -> None:
    data = closed.directories.data
    assert CleanStop(data, closed.settings).found
    assert not CleanStop(data, closed.settings).found, "the process that found it may be killed from here on"


def test_closing_once_more_says_nothing_of_what_changed_since(closed: Application) -> None:
    shutil.rmtree(closed.directories.data / "index")
    closed.close()
    assert not CleanStop(closed.directories.data, closed.settings).found


def _killed(app: Application) -> Directories:
    """The data directory as a `kill -9` leaves it after a deletion that only the database knows."""
    running = reopened(app)
    running.maintenance.warm()
    items, _ = running.document_reader.page()
    running.writer.tombstone([item["id"] for item in items if item["source"] == "guide.md"])
    left = app.directories.data.with_name("left")
    shutil.copytree(app.directories.data, left)
    running.close()
    return Directories(left, app.directories.models, app.directories.config)


def test_after_a_kill_everything_is_compared_before_anybody_is_answered(closed: Application) -> None:
    app = Application(closed.settings, _killed(closed))
    assert steps_of(app, finds_guide=False) == COMPARED_FIRST
    assert not app.writer.deleted_with_content()
    app.close()


def _touch_database(data: Path) -> None:
    os.utime(data / "rag.db", (1, 1))


def _remove_index(data: Path) -> None:
    shutil.rmtree(next((data / "index").glob("sparse-*")))


def _change_index(data: Path) -> None:
    path = next(path for path in (data / "index").rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.parametrize("change", [_touch_database, _remove_index, _change_index])
def test_what_changed_meanwhile_is_compared_first(closed: Application, change: Callable[[Path], None]) -> None:
    change(closed.directories.data)
    assert not CleanStop(closed.directories.data, closed.settings).found


def test_other_settings_are_compared_first(closed: Application) -> None:
    changed: Settings = closed.settings.model_copy(
        update={"splitter": closed.settings.splitter.model_copy(update={"chunk_size": 64})}
    )
    assert not CleanStop(closed.directories.data, changed).found


def test_a_job_in_the_queue_leaves_no_clean_stop(closed: Application, docs: Path) -> None:
    app = reopened(closed)
    app.documents.ingest([str(docs)])
    app.close()
    assert not CleanStop(app.directories.data, app.settings).found


def test_a_deletion_that_was_not_finished_is_finished_first(closed: Application) -> None:
    app = reopened(closed)
    items, _ = app.document_reader.page()
    app.writer.tombstone([items[0]["id"]])
    app.close()
    again = reopened(closed)
    assert not again.reconciler.is_clean()
    again.close()
