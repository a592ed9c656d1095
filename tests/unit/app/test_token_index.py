"""The token index over a whole application: switched on over old collections, damaged, switched to another basis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragd.app.container import Application
from ragd.core.errors import SettingsError
from ragd.core.query import Filters
from ragd.providers.token_index.basis import DIMENSIONS, TokenBasis
from ragd.store.jobs import Job

from .conftest import ask, finish


@pytest.fixture
def basis(tmp_path: Path) -> Path:
    return write_basis(tmp_path / "fake.npz", seed=0)


def write_basis(path: Path, seed: int) -> Path:
    """A basis for the fake embedder, of 256 dimensions."""
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((DIMENSIONS, DIMENSIONS)))[0]
    means = np.zeros((4, DIMENSIONS), np.float32)
    path.write_bytes(TokenBasis(means, means, rotation.astype(np.float32)).packed())
    return path


def codes_of(app: Application) -> set[str]:
    view = app.indexes().tokens
    assert view is not None
    return view.index.ids(app.collections.get("default").kb_id)


def token_jobs(app: Application) -> list[Job]:
    return [job for job in app.jobs.page(page_size=100)[0] if job.kind == "tokens"]


def report(app: Application) -> dict[str, Any]:
    return dict(app.reconciler.verify("default")["collections"][0])


@pytest.mark.slow
def test_an_old_collection_answers_at_once_and_gets_its_codes_in_the_background(
    open_app: Callable[..., Application], docs: Path, basis: Path
) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    assert (app.indexes().tokens, token_jobs(app), report(app)["ok"]) == (None, [], True)
    app = open_app(token_index__provider="file", token_index__basis=str(basis))
    assert ask(app, "E1045").hits
    (job,) = token_jobs(app)
    done = finish(app, job)
    assert (done.status, done.progress["done"], done.progress["total"]) == ("completed", 3, 3)
    assert report(app)["ok"]
    assert codes_of(app) == {row[1] for row in app.writer.live_entries(app.collections.get("default").kb_id)}
    app = open_app(token_index__provider="file", token_index__basis=str(basis))
    assert [job.status for job in token_jobs(app)] == ["completed"], "there is nothing left to make"
    trace = app.tracer.start("query", strategy_config_id="", request_id=None)
    pipeline = app.search.queries.pipeline(None)
    plan = pipeline.planner.plan("E1045", mode="hybrid", filters=Filters())
    retrieved = pipeline.retriever.retrieve(plan, [app.collections.get("default").kb_id], trace)
    assert retrieved.data.tokens.keys() == retrieved.data.languages.keys() != set()
    best = max(retrieved.data.tokens, key=lambda chunk_id: retrieved.data.tokens[chunk_id])
    assert "E1045" in app.passages.passages([best])[best].content
    # Another basis is another index; the old one goes.
    other = write_basis(basis.with_name("other.npz"), seed=1)
    app = open_app(token_index__provider="file", token_index__basis=str(other))
    finish(app, token_jobs(app)[0])
    assert report(app)["ok"]
    assert len(list((app.directories.data / "index").glob("tokens-*"))) == 1


@pytest.mark.slow
def test_damage_is_reported_by_verify_and_mended_by_a_rebuild(
    open_app: Callable[..., Application], docs: Path, basis: Path
) -> None:
    settings = {"token_index__provider": "file", "token_index__basis": str(basis)}
    app = open_app(**settings)
    finish(app, app.documents.ingest([str(docs)]))
    assert report(app)["ok"]
    assert not token_jobs(app), "codes came with the vectors"
    app.close()
    (codes,) = (app.directories.data / "index").glob("tokens-*/*.codes")
    data = bytearray(codes.read_bytes())
    data[32] ^= 255
    codes.write_bytes(data)
    app = open_app(**settings)
    found = report(app)
    assert (found["ok"], found["damaged_tokens"]["count"], found["missing_from_views"]["count"]) == (False, 1, 0)
    assert finish(app, app.reconciler.rebuild("default")).status == "completed"
    assert report(app)["ok"]
    # A log that can't be read is put aside, and everything is made anew.
    app.close()
    (log,) = (app.directories.data / "index").glob("tokens-*/*.log")
    log.write_bytes(b"x" * 500)
    app = open_app(**settings)
    assert "token index was damaged" in " ".join(app.maintenance.notices())
    finish(app, token_jobs(app)[0])
    assert report(app)["ok"]


def test_a_model_without_a_basis_is_refused_with_what_to_do(open_app: Callable[..., Application]) -> None:
    with pytest.raises(SettingsError, match=r"no basis of token vectors for fake.*train_token_basis\.py"):
        open_app(token_index__provider="file")
