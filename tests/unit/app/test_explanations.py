"""A question's trace for people: where each passage ended, and why a document is not in the answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragd.api.schemas.traces import Flow, Whereabouts
from ragd.app.container import Application
from ragd.core.errors import DocumentNotFound, ValidationFailed

from .conftest import ask, finish
from .test_traces import newest

pytestmark = pytest.mark.slow

Open = Callable[..., Application]
QUESTION = "what does E1045 mean"


@pytest.fixture
def app(open_app: Open, docs: Path) -> Application:
    """Three documents in the default collection."""
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    return app


def flow(app: Application, trace_id: str) -> dict[str, Any]:
    app.tracer.flush()
    answer = app.explanations.flow(trace_id, app.access.context({}))
    Flow.model_validate(answer)
    return answer


def reasons(app: Application, trace_id: str, named: str) -> dict[str, dict[str, Any]]:
    """Those of the one document that is named so, by code."""
    app.tracer.flush()
    answer = app.explanations.whereabouts(trace_id, named, app.access.context({}))
    Whereabouts.model_validate(answer)
    (document,) = answer["documents"]
    return {reason["code"]: reason["values"] for reason in document["reasons"]}


def test_each_passage_has_its_ranks_and_its_end(app: Application) -> None:
    result = ask(app, QUESTION, top_k=1)
    answer = flow(app, result.trace_id)
    assert [one["name"] for one in answer["lists"]] == ["dense", "sparse", "fusion", "rerank", "context"]
    assert answer["query"] == QUESTION
    first, *others = answer["candidates"]
    assert first["end"] == "context"
    assert first["positions"]["context"] == {"rank": 1, "score": None}
    assert first["document"]["source"] == "guide.md"
    assert "E1045" in first["excerpt"]
    assert {one["end"] for one in others} == {"beyond_top_k"}


def test_what_had_no_room_in_the_context_is_told_from_what_was_not_asked_for(app: Application) -> None:
    result = ask(app, QUESTION, top_k=4, max_context_tokens=30)
    ends = [one["end"] for one in flow(app, result.trace_id)["candidates"]]
    assert len(result.hits) == 4
    assert ends.count("no_room") == 4 - ends.count("context") > 0
    assert ends.count("beyond_top_k") == len(ends) - 4


def test_a_passage_that_is_gone_is_shown_without_its_document(app: Application) -> None:
    result = ask(app, QUESTION)
    app.documents.delete(next(hit.passage.doc_id for hit in result.hits if hit.passage.source == "guide.md"), None)
    gone = [one for one in flow(app, result.trace_id)["candidates"] if not one["live"]]
    assert gone
    assert all(one["document"] is None and one["excerpt"] is None for one in gone)


def test_a_document_is_in_the_answer_or_how_far_it_came_is_said(app: Application) -> None:
    trace_id = ask(app, QUESTION, top_k=1).trace_id
    assert reasons(app, trace_id, "GUIDE")["context"]["rank"] == 1
    far = reasons(app, trace_id, "auth.txt")["beyond_top_k"]
    assert far["list"] in {"fusion", "rerank"}
    assert far["rank"] > 1


def test_a_filter_that_left_a_document_out_is_named(app: Application) -> None:
    trace_id = ask(app, QUESTION, filters={"doc_type": "markdown"}).trace_id
    found = reasons(app, trace_id, "auth.txt")
    assert found["filtered"] == {"filter": "doc_type", "value": ["markdown"]}
    assert "filtered" not in reasons(app, trace_id, "guide.md")
    trace_id = ask(app, QUESTION, filters={"section": "Install", "language": "en"}).trace_id
    assert reasons(app, trace_id, "auth.txt")["filtered"]["filter"] == "section"
    assert "filtered" not in reasons(app, trace_id, "guide.md")


def test_what_became_of_a_document_since_is_said(app: Application, docs: Path) -> None:
    trace_id = ask(app, QUESTION).trace_id
    (docs / "later.md").write_text("# Later\n\nE1045 again.\n", encoding="utf-8")
    (docs / "api" / "auth.txt").write_text("Tokens live for a day now.\n", encoding="utf-8")
    (docs / "broken.pdf").write_bytes(b"no pdf at all")
    finish(app, app.documents.ingest([str(docs)]))
    assert "added_since" in reasons(app, trace_id, "later.md")
    assert "changed_since" in reasons(app, trace_id, "auth.txt")
    assert reasons(app, trace_id, "broken.pdf")["failed"]["message"]
    app.documents.delete(next(row["id"] for row in app.document_reader.page()[0] if row["source"] == "later.md"), None)
    assert "deleted" in reasons(app, trace_id, "later.md")


def test_a_collection_that_was_not_searched_is_named(app: Application, tmp_path: Path) -> None:
    app.collections.create("notes", "")
    (tmp_path / "docs" / "api" / "memo.md").write_text("# Memo\n\nE1045.\n", encoding="utf-8")
    finish(app, app.documents.ingest([str(tmp_path / "docs" / "api" / "memo.md")], collection="notes"))
    trace_id = ask(app, QUESTION, collection="default").trace_id
    found = reasons(app, trace_id, "memo.md")
    assert found["collection_not_asked"] == {"collection": "notes"}
    assert found["not_among_candidates"] == {"listed": 30, "cut": []}


def test_an_unknown_name_and_an_ingestion_are_refused(app: Application) -> None:
    trace_id = ask(app, QUESTION).trace_id
    app.tracer.flush()
    with pytest.raises(DocumentNotFound, match="'100%'"):
        app.explanations.whereabouts(trace_id, "100%", app.access.context({}))
    ingestion = newest(app, 1, "ingestion")[0][0]["trace_id"]
    with pytest.raises(ValidationFailed, match="of an ingestion"):
        app.explanations.flow(ingestion, app.access.context({}))


def test_questions_are_listed_by_their_text_and_by_what_was_wrong(app: Application) -> None:
    ask(app, "where are the CERTIFICATES")
    nothing = ask(app, "100%_certain", filters={"path_prefix": "/nowhere"})
    app.tracer.flush()

    def listed(**wanted: Any) -> list[str]:
        return [row["question"] for row in app.traces.page(1, 20, trace_type="query", **wanted)[0]]

    assert listed(text="certificates") == ["where are the CERTIFICATES"]
    assert listed(text="100%_") == ["100%_certain"]
    assert listed(text="x%_") == []
    assert listed(only="nothing_found") == ["100%_certain"]
    assert listed(only="degraded") == listed(only="failed") == []
    row = next(row for row in app.traces.page()[0] if row["trace_id"] == nothing.trace_id)
    assert (row["results"], row["degraded"]) == (0, [])


def test_documents_are_listed_by_a_part_of_their_path_or_title(app: Application) -> None:
    def listed(text: str) -> list[str]:
        return [row["source"] for row in app.documents.page(None, None, 1, 20, text=text)[0]]

    assert listed("GUI") == ["guide.md"]
    assert listed("手順") == ["手順.md"]
    assert listed("%") == listed("a_th") == []
