"""The query line as a whole, over the fake model and real indexes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.app.container import Application
from ragd.core.errors import CollectionNotFound, CollectionUnavailable, ValidationFailed

from .conftest import ask, finish

pytestmark = pytest.mark.slow

Open = Callable[..., Application]

LEASES = """# Leases

## Renewal

A lease is renewed every 30 seconds by the holder of the lock.

## Expiry

A lease that is not renewed expires after MAX_LEASE seconds, and the lock is free again.
"""


@pytest.fixture
def app(open_app: Open, docs: Path) -> Application:
    """An app that has read four documents."""
    (docs / "leases.md").write_text(LEASES, encoding="utf-8")
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    return app


def strategy(tmp_path: Path, name: str, text: str) -> str:
    folder = tmp_path / "config" / "strategies"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return name


ODD = [
    "the of and to",
    "🦀🚀✨",
    "ما هو عقد الإيجار؟",
    "SELECT * FROM leases WHERE 1=1; DROP TABLE documents; --",
    '"AND (',
    "AND OR NOT NEAR/3 ^x* id:1 {}[]()",
    "\u202eesrever \u0000 null",
    "lease " * 1300,
    "%_\\' \" `",
]


@pytest.mark.parametrize("text", ODD)
def test_odd_questions_are_answered_like_any_other(app: Application, text: str) -> None:
    result = ask(app, text)
    assert not result.degraded
    assert 0 <= result.confidence <= 1
    assert all(0 <= hit.score <= 1 for hit in result.hits)


def test_scores_fall_along_the_answer(app: Application) -> None:
    scores = [hit.score for hit in ask(app, "when does a lease expire", top_k=10).hits]
    assert scores == sorted(scores, reverse=True)


def test_what_is_named_to_the_letter_comes_first_with_confidence(app: Application) -> None:
    result = ask(app, "MAX_LEASE")
    assert result.hits[0].passage.section_path == ("Leases", "Expiry")
    assert result.confidence > 0.9


def test_a_word_of_one_document_leads_to_it_however_it_is_asked_for(app: Application, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "names.md").write_text("# Hosts\n\nOn these hosts avahi answers for the names of printers.\n", encoding="utf-8")
    asking = "Please show me the page: tell me about what is written, 書いてあるページについて教えて。"
    for number in range(4):
        (pages / f"page-{number}.md").write_text(f"# Page {number}\n\n{asking} Tell, show, write. {number}\n", encoding="utf-8")
    finish(app, app.documents.ingest([str(pages)]))
    for question in ("avahi", "tell me about avahi", "avahi について書いてあるページ", "Show the page about avahi please"):
        found = ask(app, question)
        assert found.hits[0].passage.section_path == ("Hosts",), question
        assert found.found, question


def test_a_strategy_says_how_many_passages_where_the_request_does_not(open_app: Open, docs: Path, tmp_path: Path) -> None:
    app = open_app()
    finish(app, app.documents.ingest([str(docs)]))
    short = strategy(tmp_path, "short", "retrieval: {top_k: 1}\n")
    assert len(ask(app, "lease tokens setup", strategy=short).hits) == 1
    assert len(ask(app, "lease tokens setup", strategy=short, top_k=2).hits) == 2


def test_below_the_least_score_nothing_is_found_and_that_is_said(app: Application, tmp_path: Path) -> None:
    strict = strategy(tmp_path, "strict", "retrieval: {min_score: 0.99}\n")
    result = ask(app, "bread and butter", strategy=strict)
    assert result.hits == ()
    assert "Nothing relevant was found" in result.warnings[-1]
    assert result.context.text == ""


def test_neighbours_are_read_as_one_passage(app: Application, tmp_path: Path) -> None:
    long = tmp_path / "long.md"
    long.write_text(
        "# Long\n\n" + " ".join(f"Sentence number {number} tells of quotas." for number in range(200)), encoding="utf-8"
    )
    finish(app, app.documents.ingest([str(long)], collection="default"))
    result = ask(app, "quotas sentence", filters={"source": "long.md"}, top_k=3)
    assert len(result.hits) == 3
    assert [citation.id for citation in result.context.citations] == list(range(1, len(result.context.citations) + 1))
    assert sum(len(citation.chunk_ids) for citation in result.context.citations) == 3
    apart = ask(
        app,
        "quotas sentence",
        filters={"source": "long.md"},
        top_k=3,
        strategy=strategy(tmp_path, "apart", "retrieval: {merge_neighbours: false}\n"),
    )
    assert len(apart.context.citations) == 3


def test_a_preference_moves_up_and_drops_nothing(app: Application) -> None:
    plain = ask(app, "lease lock tokens", top_k=20)
    wished = ask(app, "lease lock tokens", top_k=20, prefer={"source": ["api/"]})
    assert {hit.passage.chunk_id for hit in wished.hits} == {hit.passage.chunk_id for hit in plain.hits}

    def place(result: object) -> int:
        return next(index for index, hit in enumerate(result.hits) if hit.passage.source == "api/auth.txt")  # type: ignore[attr-defined]

    assert place(wished) <= place(plain)
    assert any("prefer" in entry["stages"] for entry in wished.explanation)


def test_variety_and_further_wordings_are_options(app: Application, tmp_path: Path) -> None:
    varied = strategy(tmp_path, "varied", "retrieval: {mmr_lambda: 0.3, multi_query: 2}\n")
    result = ask(app, "what does the error E1045 mean for a lease", strategy=varied)
    assert result.plan.variants
    assert any("diversity" in entry["stages"] for entry in result.explanation)
    assert len({hit.passage.chunk_id for hit in result.hits}) == len(result.hits)


def test_each_hit_has_its_reasons(app: Application) -> None:
    result = ask(app, "lease renewal")
    assert [entry["chunk_id"] for entry in result.explanation] == [hit.passage.chunk_id for hit in result.hits]
    assert {"dense", "sparse", "fusion", "rerank"} <= set(result.explanation[0]["stages"])


def test_own_weights_order_a_question_and_show_why(app: Application, tmp_path: Path) -> None:
    weights = tmp_path / "weights.toml"
    tables = "[weights.foreign]\nmeaning = 1.0\n[weights.plain]\nwords_scaled = 1.0\nmeaning = 0.5\n"
    basis = app.models.embedder().model_id
    head = f'basis = "{basis}"\ntrained = 2026-01-31\ncommand = "by hand"\nquestions = 3\n'
    weights.write_text(head + tables, encoding="utf-8")
    own = strategy(tmp_path, "own", f"retrieval: {{fusion_weights: '{weights}'}}\n")
    result = ask(app, "what is there to know of the renewal of a lease by its holder", strategy=own)
    sums = [sum(one["contribution"] for one in entry["features"]) for entry in result.explanation]
    assert {one["feature"]: one["weight"] for one in result.explanation[0]["features"]} == {"words_scaled": 1.0, "meaning": 0.5}
    assert sums == sorted(sums, reverse=True)
    # In its own language, late interaction would not better this order, and takes no time.
    assert result.rerank_scored == 0
    assert result.hits[0].score == pytest.approx(result.confidence)


@pytest.mark.parametrize(
    ("filters", "told"),
    [({"doctype": "pdf"}, "doc_type"), ({"doc_type": "wordx"}, "docx"), ({"updated_after": "yesterday"}, "ISO 8601")],
)
def test_a_filter_that_can_not_be_executed_is_an_error(app: Application, filters: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationFailed, match=told):
        ask(app, "lease", filters=filters)


def test_filters_that_contradict_each_other_find_nothing_and_say_so(app: Application) -> None:
    result = ask(app, "lease type:pdf", filters={"doc_type": "markdown"})
    assert result.hits == ()
    assert result.warnings


def test_hard_filters_never_leak(app: Application) -> None:
    for text in ("lease", "MAX_LEASE", "tokens", "証明書"):
        result = ask(app, text, filters={"path_prefix": "api/"}, top_k=20)
        assert {hit.passage.source for hit in result.hits} <= {"api/auth.txt"}


def test_many_equal_passages_come_back_in_one_order(app: Application, tmp_path: Path) -> None:
    same = tmp_path / "same.md"
    same.write_text(
        "# Same\n\n" + "".join(f"## Part {number}\n\nThe very same words.\n\n" for number in range(600)), encoding="utf-8"
    )
    finish(app, app.documents.ingest([str(same)]))
    first, second = (ask(app, "the very same words", top_k=20) for _ in range(2))
    assert [hit.passage.chunk_id for hit in first.hits] == [hit.passage.chunk_id for hit in second.hits]
    assert len(first.hits) == 20


def test_a_collection_that_is_deleted_while_it_is_searched_leaves_no_half_answer(app: Application, docs: Path) -> None:
    app.collections.create("brief")
    finish(app, app.documents.ingest([str(docs)], collection="brief"))
    seen: list[int] = []
    refused: list[Exception] = []

    def search() -> None:
        while not refused:
            try:
                result = ask(app, "lease", collection="brief")
            except (CollectionNotFound, CollectionUnavailable) as error:
                refused.append(error)
            else:
                seen.append(len(result.hits))
                assert all(hit.passage.collection == "brief" for hit in result.hits)

    searcher = threading.Thread(target=search)
    searcher.start()
    while not seen:
        searcher.join(0.01)
    app.documents.delete_collection("brief")
    searcher.join(30)
    assert refused
    assert seen[0] > 0


def test_a_follow_up_is_searched_with_what_it_points_back_to(app: Application) -> None:
    history = [{"role": "user", "text": "How often is a lease renewed?"}, {"role": "assistant", "text": "Every 30 seconds."}]
    result = ask(app, "and when does it expire?", history=history)
    assert result.plan.rewriting == "rules"
    assert "lease" in result.plan.text.lower()
    assert result.hits[0].passage.source == "leases.md"
