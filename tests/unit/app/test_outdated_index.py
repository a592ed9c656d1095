"""An index that an earlier version made, in the data directory of a user who upgrades."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.app.container import Application

from ..providers.old_indexes import make_index_without_positions
from .conftest import ask, finish


@pytest.mark.slow
def test_a_sparse_index_of_an_earlier_version_is_put_aside_and_made_again(
    open_app: Callable[..., Application], docs: Path
) -> None:
    app = open_app(sparse__backend="tantivy")
    finish(app, app.documents.ingest([str(docs)]))
    before = [hit.passage.source for hit in ask(app, "E1045", strategy="sparse_only").hits]
    app.close()
    folders = [path for path in (app.directories.data / "index" / "sparse-tantivy").iterdir() if path.is_dir()]
    assert folders
    for folder in folders:
        shutil.rmtree(folder)
        make_index_without_positions(folder)
    again = open_app(sparse__backend="tantivy")
    assert "sparse index was made by an earlier version" in again.maintenance.notices()[0]
    assert "damaged" not in " ".join(again.maintenance.notices())
    assert list((again.directories.data / "index").glob("sparse-tantivy.outdated-*"))
    jobs, _ = again.jobs.page()
    assert finish(again, jobs[0]).status == "completed"
    assert [hit.passage.source for hit in ask(again, "E1045", strategy="sparse_only").hits] == before
    again.close()
    assert open_app(sparse__backend="tantivy").maintenance.notices() == []
