from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragd.api.schemas.query import QueryBody
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings
from ragd.retrieve.pipeline import QueryResult
from ragd.store.jobs import FINISHED, Job

from ...light import LIGHT

GUIDE = """# Guide

Start here.

## Install

Run `setup --no-cache` on port 8443.

## Errors

E1045 means that the lease ran out.
"""


@pytest.fixture
def open_app(tmp_path: Path, migrated: Path) -> Iterator[Callable[..., Application]]:
    """Opens apps on one data directory, one after the other; what is still open is closed at the end."""
    (tmp_path / "data").mkdir(mode=0o700)
    shutil.copy(migrated, tmp_path / "data")
    opened: list[Application] = []

    def open_it(**explicit: Any) -> Application:
        for app in opened:
            app.close()
        opened.clear()
        config_dir = tmp_path / "config"
        dotted = {name.replace("__", "."): value for name, value in explicit.items()}
        settings = load_settings(config_dir, environment={}, explicit=LIGHT | dotted)
        app = Application(settings, Directories(tmp_path / "data", tmp_path / "models", config_dir))
        app.reconciler.reconcile()
        app.runner.start()
        opened.append(app)
        return app

    yield open_it
    for app in opened:
        app.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of three documents."""
    folder = tmp_path / "docs"
    (folder / "api").mkdir(parents=True)
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    (folder / "api" / "auth.txt").write_text("Tokens live for one hour.\nThen ask again.\n", encoding="utf-8")
    (folder / "手順.md").write_text("# 手順\n\n証明書を更新します。\n", encoding="utf-8")
    return folder


def finish(app: Application, job: Job) -> Job:
    """Wait until a job has ended."""
    for _ in range(6000):
        current = app.jobs.get(job.job_id)
        if current.status in FINISHED:
            return current
        app.runner.wait_for_change(0.05)
    raise AssertionError(f"the job did not end: {current}")


def ask(app: Application, text: str, *, request_id: str | None = None, **fields: Any) -> QueryResult:
    """Ask as `POST /api/query` does; `fields` are of its body."""
    return app.search.query(replace(QueryBody(query=text, **fields).request({}), request_id=request_id))
