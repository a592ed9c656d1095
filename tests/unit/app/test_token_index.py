"""The token index over a whole application: switched on over old collections, damaged, switched to another basis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragd.app.container import Application
from ragd.core.checks import Check
from ragd.core.errors import SettingsError
from ragd.core.jobs import Postponed
from ragd.core.query import Filters
from ragd.jobs.runner import JobRunner
from ragd.store.jobs import Job, Jobs
from ragd.testing.token_index import write_basis

from .conftest import ask, finish


@pytest.fixture
def basis(tmp_path: Path) -> Path:
    return write_basis(tmp_path / "fake.npz")


def codes_of(app: Application) -> set[str]:
    view = app.indexes().tokens
    assert view is not None
    return view.index.ids(app.collections.get("default").kb_id)


def token_jobs(app: Application) -> list[Job]:
    return [job for job in app.jobs.page(page_size=100)[0] if job.kind == "tokens"]


def token_check(app: Application) -> Check:
    (check,) = [check for check in app.maintenance.checks(search=True) if check.name == "token vectors"]
    return check


def report(app: Application) -> dict[str, Any]:
    return dict(app.reconciler.verify("default")["collections"][0])


@pytest.mark.slow
def test_an_old_collection_answers_at_once_and_gets_its_codes_in_the_background(
    open_app: Callable[..., Application], docs: Path, basis: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    assert (app.indexes().tokens, token_jobs(app), report(app)["ok"]) == (None, [], True)
    with monkeypatch.context() as patch:
        patch.setattr(JobRunner, "start", lambda _runner: None)
        app = open_app(token_index__provider="auto", token_index__basis=str(basis))
    assert ask(app, "E1045").hits
    (job,) = token_jobs(app)
    assert app.maintenance.status()["token_index"] == {"provider": "file", "building": {"done": 0, "total": 0}}
    assert "being made in the background, 3 documents" in token_check(app).message
    assert (report(app)["ok"], report(app)["missing_tokens"]["count"]) == (True, 3), "they lack nothing that has to be mended"
    app.runner.start()
    done = finish(app, job)
    assert (done.status, done.progress["done"], done.progress["total"]) == ("completed", 3, 3)
    assert app.maintenance.status()["token_index"] == {"provider": "file", "building": None}
    assert token_check(app).message == "file, of every chunk"
    assert (report(app)["ok"], report(app)["missing_tokens"]["count"]) == (True, 0)
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
    # Who wants none has what was kept removed.
    app = open_app(token_index__provider="none", token_index__basis=str(other))
    assert app.indexes().tokens is None
    assert not list((app.directories.data / "index").glob("tokens-*"))


@pytest.mark.slow
def test_a_job_that_gives_way_goes_on_where_it_was_and_its_progress_grows(
    open_app: Callable[..., Application], docs: Path, basis: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    monkeypatch.setattr(JobRunner, "start", lambda _runner: None)
    app = open_app(token_index__basis=str(basis))
    monkeypatch.setattr("ragd.jobs.tokens._SLICE", 1)
    monkeypatch.setattr(Jobs, "others_due", lambda *_: True)
    seen: list[tuple[int, int]] = []
    build = app.reconciler.tokens
    (job,) = token_jobs(app)
    for _ in range(2):
        with pytest.raises(Postponed):
            build(job, lambda _stage, done, total: seen.append((done, total)))
    build(job, lambda _stage, done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert (seen[-1], {total for _, total in seen}) == ((3, 3), {3})


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


def test_a_question_says_which_index_could_not_be_read(open_app: Callable[..., Application], docs: Path, basis: Path) -> None:
    app = open_app(token_index__provider="file", token_index__basis=str(basis))
    finish(app, app.documents.ingest([str(docs)]))
    indexes, folder = app.indexes(), app.directories.data / "index"
    assert indexes.tokens is not None
    assert ask(app, "E1045").warnings == ()
    # Files are read once and kept open: so close them, and let the question read them again.
    indexes.tokens.index.close()
    (log,) = folder.glob("tokens-*/*.log")
    log.write_bytes(log.read_bytes()[:-4] + bytes(4))
    result = ask(app, "E1045")
    assert result.hits
    assert result.degraded == ("tokens",)
    assert "kept token vectors of the passages could not be read" in result.warnings[0]
    assert "has a false checksum. Rebuild the index with 'rag reindex')" in result.warnings[0]
    indexes.dense.close()
    (vectors,) = folder.glob("dense-*/*.vec")
    vectors.write_bytes(bytes(100))
    result = ask(app, "E1045", strategy="sparse_only")
    assert result.hits
    assert result.degraded == ("fusion",)
    assert "does not begin as a vector file" in result.warnings[0]


def test_a_model_without_a_basis_is_refused_with_what_to_do(open_app: Callable[..., Application]) -> None:
    with pytest.raises(SettingsError, match=r"no basis of token vectors for fake.*train_token_basis\.py"):
        open_app(token_index__provider="file")
