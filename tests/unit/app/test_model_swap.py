"""Another embedding model than the documents were indexed with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

from ...light import LIGHT
from .conftest import ask, finish

pytestmark = pytest.mark.slow

QUESTION = "E1045 lease token"
PLAIN = {"retrieval.fusion": "rrf", "rerank.provider": "none"}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Application]]:
    """Opens an app on one data directory and mends what differs, but runs no jobs yet."""
    opened: list[Application] = []

    def start(**explicit: Any) -> Application:
        for app in opened:
            app.close()
        opened.clear()
        config_dir = tmp_path / "config"
        dotted = {name.replace("__", "."): value for name, value in explicit.items()}
        settings = load_settings(config_dir, environment={}, explicit=LIGHT | PLAIN | dotted)
        app = Application(settings, Directories(tmp_path / "data", tmp_path / "models", config_dir))
        opened.append(app)
        app.maintenance.warm()
        app.reconciler.reconcile()
        return app

    yield start
    for app in opened:
        app.close()


Start = Callable[..., Application]


def sources(app: Application, strategy: str | None = None) -> list[str]:
    return [hit.passage.source for hit in ask(app, QUESTION, strategy=strategy, top_k=20).hits]


def index_all(app: Application, docs: Path) -> None:
    app.runner.start()
    assert finish(app, app.documents.ingest([str(docs)])).status == "completed"


@pytest.mark.parametrize("backend", ["exact", pytest.param("usearch", marks=pytest.mark.e2e)])
def test_a_model_of_another_dimension_is_told_served_around_and_rebuilt(start: Start, docs: Path, backend: str) -> None:
    app = start(dense__backend=backend)
    index_all(app, docs)
    by_words, by_meaning = sources(app, "sparse_only"), sources(app, "dense_only")
    assert by_words
    assert by_meaning

    swapped = start(dense__backend=backend, embedding__dimension=64)
    assert swapped.models.embedder().dimension == 64
    [changed, running] = swapped.maintenance.status()["notices"]
    assert "embedding model" in changed
    assert "rag reindex" in changed
    assert "3 documents are being indexed again" in running
    assert sources(swapped, "sparse_only") == by_words
    assert set(by_words) <= set(sources(swapped))
    assert sources(swapped, "dense_only") == []

    swapped.runner.start()
    [job, _ingestion], _ = swapped.jobs.page()
    assert finish(swapped, job).status == "completed"
    assert set(sources(swapped, "dense_only")) == set(by_meaning)
    assert sources(swapped, "sparse_only") == by_words
    assert swapped.reconciler.verify()["ok"]


def test_the_first_model_back_again_needs_no_new_vectors(start: Start, docs: Path) -> None:
    app = start()
    index_all(app, docs)
    before = sources(app, "dense_only")
    for dimension in (64, 0):
        again = start(embedding__dimension=dimension)
        again.runner.start()
        jobs, _ = again.jobs.page()
        assert finish(again, jobs[0]).status == "completed"
    assert sources(again, "dense_only") == before
    assert again.reconciler.verify()["ok"]
    assert start().maintenance.status()["notices"] == []


def test_a_swap_before_anything_was_indexed_is_no_news(start: Start) -> None:
    start()
    assert start(embedding__dimension=64).maintenance.status()["notices"] == []
