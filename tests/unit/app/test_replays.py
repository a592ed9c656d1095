"""Replays: the same again is the same; what changed since, or was changed for it, is named; nothing of a reading is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ragd.api.schemas.replays import Replay
from ragd.app.container import Application
from ragd.app.replays.query import ReplayRequest
from ragd.core.errors import DocumentDeleted, TraceNotFound, ValidationFailed

from .conftest import GUIDE, ask, finish
from .test_traces import SCHEMA, kept, newest

pytestmark = pytest.mark.slow

Open = Callable[..., Application]
QUESTION = "what does E1045 mean"


@pytest.fixture
def app(open_app: Open, docs: Path) -> Application:
    """Three documents in the default collection."""
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    return app


def replay(app: Application, trace_id: str, **asked: Any) -> dict[str, Any]:
    app.tracer.flush()
    answer = app.replays.run(trace_id, ReplayRequest(**asked))
    Replay.model_validate(answer)
    return answer


def of_file(app: Application, source: str) -> str:
    """The newest trace of a file's ingestion."""
    doc_id = next(row["id"] for row in app.document_reader.page()[0] if row["source"] == source)
    rows, _ = newest(app, 100, "ingestion")
    traces = (kept(app, row["trace_id"]) for row in rows)
    return next(trace["trace_id"] for trace in traces if trace["events"][0]["payload"].get("doc_id") == doc_id)


def lists(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in answer["lists"]}


def states(answer: dict[str, Any]) -> dict[str, str]:
    return {one["source"]: one["state"] for one in answer["documents"]}


def test_the_same_question_on_the_same_data_is_the_same(app: Application) -> None:
    first = ask(app, QUESTION)
    answer = replay(app, first.trace_id)
    assert answer["same"]
    assert answer["query"] == QUESTION
    assert answer["settings"] == answer["request"] == answer["plan"] == answer["providers"] == answer["notes"] == []
    assert set(lists(answer)) == {"dense", "sparse", "fusion", "rerank", "context"}
    assert answer["confidence"]["before"] == answer["confidence"]["after"] == first.confidence
    assert set(states(answer).values()) == {"same"}
    assert answer["times"][-1]["name"] == "total"
    best = answer["candidates"][0]
    assert best["document"]["source"] == "guide.md"
    assert best["before"]["context"]["rank"] == best["after"]["context"]["rank"] == 1


def test_a_replay_leaves_a_trace_that_names_the_first(app: Application) -> None:
    first = ask(app, QUESTION)
    answer = replay(app, first.trace_id)
    trace = kept(app, answer["replay"])
    jsonschema.validate(trace, SCHEMA)
    assert trace["links"]["replay_of"] == first.trace_id
    # And can itself be replayed.
    assert replay(app, answer["replay"])["same"]


def test_a_changed_setting_shows_where_it_counts(app: Application) -> None:
    answer = replay(app, ask(app, QUESTION).trace_id, changes={"rerank.top_n": 2, "retrieval.top_k": 4})
    assert not answer["same"]
    assert answer["settings"] == [
        {"name": "rerank.top_n", "before": None, "after": 2},
        {"name": "retrieval.top_k", "before": None, "after": 4},
    ]
    assert (lists(answer)["rerank"]["before"], lists(answer)["rerank"]["after"]) == (5, 2)
    assert lists(answer)["context"]["after"] == 4
    assert lists(answer)["dense"]["moved"] == 0


def test_what_the_request_said_is_said_again_unless_its_setting_is_changed(app: Application) -> None:
    first = ask(app, QUESTION, top_k=2, strategy="sparse_only", rerank=False).trace_id
    again = replay(app, first)
    assert again["same"]
    assert set(lists(again)) == {"sparse", "fusion", "context"}
    changed = replay(app, first, changes={"retrieval.strategy": "hybrid", "retrieval.top_k": 3})
    assert lists(changed)["dense"]["before"] is None
    assert {"name": "strategy", "before": "sparse_only", "after": None} in changed["request"]
    assert lists(changed)["context"]["after"] == 3
    assert {"name": "rerank", "before": False, "after": True} in replay(app, first, changes={"rerank.top_n": 9})["request"]


def test_a_strategy_may_take_the_place_of_what_was_asked_for(app: Application) -> None:
    first = ask(app, QUESTION).trace_id
    assert set(lists(replay(app, first, strategy="dense_only"))) >= {"dense", "fusion"}
    with pytest.raises(ValidationFailed, match="There is no strategy 'nothing'"):
        replay(app, first, strategy="nothing")


def test_documents_that_came_changed_and_went_since_are_named(app: Application, docs: Path) -> None:
    first = ask(app, QUESTION).trace_id
    (docs / "guide.md").write_text(GUIDE.replace("Run", "Always run"), encoding="utf-8")
    (docs / "new.txt").write_text("E1045 is an error of the lease.\n", encoding="utf-8")
    (docs / "手順.md").unlink()
    finish(app, app.documents.ingest([str(docs)], prune=True))
    answer = replay(app, first)
    assert not answer["same"]
    assert states(answer) == {"guide.md": "changed", "new.txt": "new", "手順.md": "gone", "api/auth.txt": "same"}
    assert answer["since"] == {"new": 1, "changed": 1, "gone": 1}
    gone = [one for one in answer["candidates"] if not one["live"]]
    assert gone
    assert all(one["document"] is None and not one["after"] for one in gone)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rerank.topn": 5}, r"Did you mean 'rerank\.top_n'"),
        ({"rerank.top_n": "many"}, r"Setting 'rerank\.top_n'"),
        ({"rerank.top_n": 0}, "greater than or equal to 1"),
        ({"embedding.model": "x"}, r"'embedding\.model' can't be changed for one question"),
        ({"rerank.url": "http://127.0.0.1"}, r"'rerank\.url' can't be changed"),
        ({"retrieval.fusion_weights": "/etc/passwd"}, r"'retrieval\.fusion_weights' can't be changed"),
        ({"retrieval.top_k": 500}, "top_k must be between"),
    ],
)
def test_a_setting_that_no_question_may_change_is_refused(app: Application, changes: dict[str, Any], said: str) -> None:
    first = ask(app, QUESTION).trace_id
    with pytest.raises(ValidationFailed, match=said):
        replay(app, first, changes=changes)


def test_a_reranker_is_not_opened_again_for_another_number_of_candidates(app: Application) -> None:
    first = ask(app, QUESTION).trace_id
    changes = [{"rerank.top_n": number, "rerank.budget_ms": 50_000 + number} for number in (3, 4)]
    rerankers = {app.search.queries.pipeline(None, one).reranking.reranker for one in ({}, *changes)}
    assert len(rerankers) == 1
    assert not replay(app, first, changes={"rerank.provider": "none"})["same"]


def test_a_follow_up_and_typed_filters_are_asked_as_they_were_understood(app: Application) -> None:
    history = [{"role": "user", "text": "How do I run setup?"}, {"role": "assistant", "text": "With --no-cache."}]
    first = ask(app, "and on which port? type:md", history=history)
    assert first.plan.rewriting == "rules"
    answer = replay(app, first.trace_id)
    assert answer["query"] == first.plan.text
    assert answer["same"]
    assert [row for row in answer["plan"] if row["name"] != "rewriting"] == []


def test_without_the_question_it_must_be_given_and_be_the_same(open_app: Open, docs: Path) -> None:
    app = open_app(observability__detail_level="minimal")
    finish(app, app.documents.ingest([str(docs)]))
    first = ask(app, QUESTION).trace_id
    with pytest.raises(ValidationFailed, match="detail_level minimal, which keeps no question"):
        replay(app, first)
    with pytest.raises(ValidationFailed, match="not the question of the trace"):
        replay(app, first, text="something else")
    answer = replay(app, first, text=QUESTION)
    assert answer["same"]
    assert any("how the question was understood is not compared" in text for text in answer["notes"])


def test_a_question_that_filters_by_names_is_compared_by_its_context(app: Application) -> None:
    first = ask(app, QUESTION, filters={"source": ["guide.md"]}).trace_id
    answer = replay(app, first)
    assert set(lists(answer)) == {"context"}
    assert any("filters by names" in text for text in answer["notes"])


def test_a_named_collection_is_asked_again_and_none_other(app: Application, docs: Path) -> None:
    app.collections.create("other")
    finish(app, app.documents.ingest([str(docs)], collection="other"))
    first = ask(app, QUESTION, collection="other").trace_id
    answer = replay(app, first)
    assert answer["same"]
    assert {row["name"] for row in answer["request"]} == set()
    app.collections.change("other", status="disabled")
    with pytest.raises(ValidationFailed, match="disabled or deleted by now"):
        replay(app, first)


def test_a_collection_that_is_searched_since_is_told(app: Application, docs: Path) -> None:
    first = ask(app, QUESTION).trace_id
    app.collections.create("other")
    answer = replay(app, first)
    assert answer["request"] == [{"name": "collections", "before": ["default"], "after": ["default", "other"]}]


def test_a_question_of_collections_that_may_not_be_read_finds_nothing_of_them(app: Application) -> None:
    first = ask(app, QUESTION).trace_id
    answer = replay(app, first, readable=frozenset())
    assert lists(answer)["context"]["after"] == 0
    assert {one["document"] for one in answer["candidates"]} == {None}
    assert answer["documents"] == []


def test_a_trace_that_is_not_there_is_an_error(app: Application) -> None:
    with pytest.raises(TraceNotFound):
        replay(app, "0" * 32)


def stored(app: Application) -> tuple[Any, ...]:
    """What a reading would have changed."""
    _, count = newest(app, 1)
    return app.document_reader.page(), app.passages.counts(), count, app.jobs.unfinished()


def test_a_file_that_did_not_change_would_be_read_the_same_and_nothing_is_stored(app: Application) -> None:
    trace_id, before = of_file(app, "guide.md"), stored(app)
    answer = replay(app, trace_id)
    assert answer["same"]
    assert answer["chunks"] == {"before": 3, "after": 3, "named": True, "kept": 3, "new": [], "gone": []}
    assert answer["document"]["source"] == "guide.md"
    assert stored(app) == before


def test_a_file_that_changed_says_which_chunks_would(app: Application, docs: Path) -> None:
    (docs / "guide.md").write_text(GUIDE.replace("8443", "9443"), encoding="utf-8")
    answer = replay(app, of_file(app, "guide.md"))
    assert not answer["same"]
    assert {"parse_summary.md_sha256", "chunk_stats.chunk_hash"} <= {row["name"] for row in answer["values"]}
    assert answer["chunks"]["kept"] == 2
    assert [chunk["section_path"] for chunk in answer["chunks"]["gone"]] == [["Guide", "Install"]]
    assert [chunk["section_path"] for chunk in answer["chunks"]["new"]] == [["Guide", "Install"]]
    assert any("content has changed" in text for text in answer["notes"])


def test_other_settings_of_the_splitter_are_named_as_what_reads_otherwise(open_app: Open, docs: Path) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    trace_id = of_file(app, "guide.md")
    app = open_app(splitter__chunk_size=64, splitter__chunk_overlap=10)
    answer = replay(app, trace_id)
    assert [row["name"] for row in answer["providers"]] == ["stage.chunker"]
    assert any("Settings that shape" in text for text in answer["notes"])


def test_a_file_that_is_gone_is_cut_again_from_what_was_read(app: Application, docs: Path) -> None:
    (docs / "guide.md").unlink()
    answer = replay(app, of_file(app, "guide.md"))
    assert answer["same"]
    assert answer["chunks"]["kept"] == 3
    assert any("is gone" in text and "the reading itself is not compared" in text for text in answer["notes"])


def test_a_failure_then_and_a_failure_now_are_told(app: Application, docs: Path) -> None:
    path = docs / "late.md"
    path.write_text("")
    finish(app, app.documents.ingest([str(path)]))
    trace_id = of_file(app, "late.md")
    answer = replay(app, trace_id)
    assert answer["failed"]["before"][0]["code"] == answer["failed"]["after"]["code"] == "EMPTY"
    path.write_text("# Late\n\nNow there is text.\n")
    answer = replay(app, trace_id)
    assert answer["failed"]["after"] is None
    assert not answer["same"]
    assert answer["chunks"]["after"] == 1


def test_what_is_no_single_file_or_is_deleted_can_not_be_repeated(app: Application, docs: Path) -> None:
    trace_id = of_file(app, "guide.md")
    finish(app, app.documents.ingest([str(docs)]))
    unchanged = newest(app, 1, "ingestion")[0][0]["trace_id"]
    with pytest.raises(ValidationFailed, match=r"not read \(unchanged"):
        replay(app, unchanged)
    with pytest.raises(ValidationFailed, match="takes no other"):
        replay(app, trace_id, changes={"rerank.top_n": 3})
    (docs / "guide.md").unlink()
    finish(app, app.documents.ingest([str(docs)], prune=True))
    with pytest.raises(DocumentDeleted):
        replay(app, trace_id)
