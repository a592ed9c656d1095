from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ragd.core.errors import IndexDamaged, RemoteUnavailable
from ragd.core.query import Filters, Mode, QueryPlan
from ragd.core.results import Scored
from ragd.core.tracing import Trace
from ragd.providers.analyzers.terms import BigramAnalyzer
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.protocols import Vectors
from ragd.providers.token_index.basis import TokenBasis
from ragd.providers.token_view import TokenView
from ragd.retrieve.ranking.candidates import Retriever
from ragd.retrieve.ranking.further import widened
from ragd.store.live.entry_table import LiveChunk
from ragd.store.passages import Allowed


class Known:
    """Every entry is the chunk of the same name, in the language that its name ends with after a dot."""

    def resolve(self, side: str, entry_ids: Sequence[str], filters: Filters, allowed: Iterable[Allowed]) -> dict[str, LiveChunk]:
        languages = {entry_id: entry_id.partition(".")[2] or None for entry_id in entry_ids if entry_id != "deleted"}
        return {entry_id: LiveChunk(entry_id, f"{entry_id}#", language) for entry_id, language in languages.items()}


class Index:
    """Both indexes in one: answers with what it is told, for each call the next."""

    name = "index"

    def __init__(self, *answers: list[Scored], error: Exception | None = None) -> None:
        self._answers = list(answers)
        self._error = error
        self.asked: list[object] = []

    def search(
        self,
        kb_id: str,
        what: Vectors | Sequence[str],
        k: int,
        allowed: Collection[str] | None = None,
        phrases: Sequence[Sequence[str]] = (),
    ) -> list[Scored]:
        if self._error:
            raise self._error
        self.asked.append((list(what), list(phrases)))
        return self._answers.pop(0)

    def vectors(self, kb_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        if self._error:
            raise self._error
        return {entry_id: np.full(2, 0.5, dtype=np.float32) for entry_id in ids if not entry_id.startswith("bare")}


@pytest.fixture
def workers() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def plan(mode: Mode = "hybrid", variants: tuple[str, ...] = ()) -> QueryPlan:
    return QueryPlan(
        "lease", "lease", "lease", "h", mode, Filters(), terms=("leas",), phrases=(("max", "leas"),), variants=variants
    )


def retriever(workers: ThreadPoolExecutor, dense: Index, sparse: Index) -> Retriever:
    depth = {"dense": 20, "sparse": 20}
    return Retriever(Known(), FakeEmbedder(), BigramAnalyzer(), dense, sparse, workers, depth)  # type: ignore[arg-type]


def a_trace() -> Trace:
    return Trace("query", strategy_config_id="s", detail_level="standard", links={})


HITS = [Scored("a", 0.9), Scored("deleted", 0.8), Scored("b", 0.7)]


def test_both_sides_are_asked_and_what_may_not_be_served_is_left_out(workers: ThreadPoolExecutor) -> None:
    dense, sparse = Index(HITS), Index([Scored("b", 12.0)])
    found = retriever(workers, dense, sparse).retrieve(plan(), ["kb"], a_trace())
    assert {side: [item.chunk_id for item in items] for side, items in found.lists.items()} == {
        "dense": ["a", "b"],
        "sparse": ["b"],
    }
    assert sparse.asked == [(["leas"], [("max", "leas")])]
    assert not found.degraded


def test_what_is_known_of_candidates_comes_with_them_whichever_side_found_them(workers: ThreadPoolExecutor) -> None:
    dense, sparse = Index([Scored("a.en", 0.9), Scored("b.ja", 0.8)]), Index([Scored("c.ja", 12.0), Scored("bare", 3.0)])
    data = retriever(workers, dense, sparse).retrieve(replace(plan(), language="en"), ["kb"], a_trace()).data
    assert data.languages == {"a.en": "en", "b.ja": "ja", "c.ja": "ja", "bare": None}
    assert set(data.vectors) == {"a.en", "b.ja", "c.ja"}
    assert data.foreign == 0.5
    assert data.question is not None
    assert data.question.tolist() == FakeEmbedder().embed_queries(["lease"])[0].tolist()


class Codes:
    """A token index of what is in `scores`, by entry; it is asked once for each question."""

    def __init__(self, scores: dict[str, float], error: Exception | None = None) -> None:
        self._scores = scores
        self._error = error
        self.asked: list[tuple[int, ...]] = []

    def score(self, kb_id: str, query: Vectors, ids: Sequence[str]) -> Vectors:
        if self._error:
            raise self._error
        self.asked.append(query.shape)
        return np.array([self._scores.get(entry_id, np.nan) for entry_id in ids], np.float32)


class OneRun(FakeEmbedder):
    """Gives a question's vector and its token vectors together, or not at all."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError("a run of its own")

    def query_tokens(self, text: str) -> Vectors:
        raise AssertionError("a run of its own")

    def embed_queries_and_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        return self.embed_passages(texts), self.passage_tokens(texts)


def with_codes(workers: ThreadPoolExecutor, codes: Codes) -> Retriever:
    means = np.zeros((4, 256), np.float32)
    view = TokenView(codes, TokenBasis(means, means, np.eye(256, dtype=np.float32)))  # type: ignore[arg-type]
    dense, sparse = Index([Scored("a", 0.9), Scored("b", 0.8)], []), Index([Scored("c", 12.0)], [])
    return replace(retriever(workers, dense, sparse), embedder=OneRun(), tokens=view)


def test_the_question_s_vector_and_token_vectors_come_out_of_one_run(workers: ThreadPoolExecutor) -> None:
    codes = Codes({"a#": 0.5, "c#": 0.25})
    found = with_codes(workers, codes).retrieve(replace(plan(variants=("rent",)), topic="a long lease"), ["kb"], a_trace())
    assert not found.degraded
    assert found.data.tokens == {"a": 0.5, "c": 0.25}, "b has none yet"
    assert codes.asked == [(3, 256)], "the tokens of the question, not of its other wordings"


def test_token_vectors_that_can_not_be_read_are_none_and_a_warning_says_so(workers: ThreadPoolExecutor) -> None:
    trace = a_trace()
    found = with_codes(workers, Codes({}, IndexDamaged("tokens"))).retrieve(plan(), ["kb"], trace)
    assert (found.data.tokens, found.degraded) == ({}, ("tokens",))
    assert set(found.data.vectors) == {"a", "b", "c"}
    assert found.warnings == (
        "The kept token vectors of the passages could not be read (tokens); the passages are ranked without them.",
    )
    assert {"stage": "tokens", "code": "SERVICE_UNAVAILABLE"} in [event["payload"] for event in trace.finish()["events"]]


def test_words_alone_are_an_answer_where_no_vector_can_be_read(workers: ThreadPoolExecutor) -> None:
    found = retriever(workers, Index(error=OSError("secret path")), Index(HITS)).retrieve(plan("sparse_only"), ["kb"], a_trace())
    assert [item.chunk_id for item in found.lists["sparse"]] == ["a", "b"]
    assert found.data.vectors == {}
    assert found.data.question is None
    assert found.degraded == ("fusion",)
    assert "could not be read (OSError)" in found.warnings[0]


def test_a_defect_of_an_index_is_not_taken_for_damage(workers: ThreadPoolExecutor) -> None:
    with pytest.raises(ZeroDivisionError):
        with_codes(workers, Codes({}, ZeroDivisionError())).retrieve(plan(), ["kb"], a_trace())


@pytest.mark.parametrize(("failing", "left"), [("dense", "sparse"), ("sparse", "dense")])
def test_one_side_that_fails_leaves_the_other_and_says_so(workers: ThreadPoolExecutor, failing: str, left: str) -> None:
    indexes = {left: Index(HITS), failing: Index(error=RemoteUnavailable("The model service does not answer."))}
    trace = a_trace()
    found = retriever(workers, indexes["dense"], indexes["sparse"]).retrieve(plan(), ["kb"], trace)
    assert list(found.lists) == [left]
    assert found.degraded == (f"retrieve_{failing}",)
    assert "The model service does not answer" in found.warnings[0]
    envelope = trace.finish()
    assert {"stage": f"retrieve_{failing}", "code": "SERVICE_UNAVAILABLE"} in [event["payload"] for event in envelope["events"]]


def test_an_error_that_is_not_ours_shows_its_kind_and_none_of_its_text(workers: ThreadPoolExecutor) -> None:
    dense = Index(error=RuntimeError("secret path"))
    found = retriever(workers, dense, Index(HITS)).retrieve(plan(), ["kb"], a_trace())
    assert "RuntimeError" in found.warnings[0]
    assert "secret path" not in found.warnings[0]


def test_when_both_fail_that_is_an_error(workers: ThreadPoolExecutor) -> None:
    dense, sparse = Index(error=IndexDamaged("dense")), Index(error=IndexDamaged("sparse"))
    with pytest.raises(IndexDamaged, match="dense"):
        retriever(workers, dense, sparse).retrieve(plan(), ["kb"], a_trace())


def test_a_mode_of_one_side_has_nothing_to_fall_back_on(workers: ThreadPoolExecutor) -> None:
    with pytest.raises(IndexDamaged):
        retriever(workers, Index(error=IndexDamaged("x")), Index(HITS)).retrieve(plan("dense_only"), ["kb"], a_trace())


def test_further_wordings_add_candidates_on_the_scale_of_the_question(workers: ThreadPoolExecutor) -> None:
    sparse = Index([Scored("a", 4.0)], [Scored("b", 40.0), Scored("c", 20.0)])
    dense = Index([Scored("a", 0.9)], [Scored("b", 0.8)])
    found = retriever(workers, dense, sparse).retrieve(plan(variants=("rent",)), ["kb"], a_trace())
    assert {item.chunk_id: item.score for item in found.lists["sparse"]} == pytest.approx({"a": 4.0, "b": 4.0, "c": 2.0})
    assert {item.chunk_id for item in found.lists["dense"]} == {"a", "b"}


def test_a_further_search_adds_a_list(workers: ThreadPoolExecutor) -> None:
    dense, sparse = Index(HITS, [Scored("n", 0.9), Scored("deleted", 0.8), Scored("a", 0.7)]), Index([Scored("b", 12.0)])
    asked = retriever(workers, dense, sparse)
    found = asked.retrieve(plan(), ["kb"], a_trace())
    question = found.data.question
    assert question is not None
    drawn = widened(asked, found, np.full_like(question, 0.5), plan(), ["kb"], a_trace())
    vector = np.array(dense.asked[-1][0])  # type: ignore[index]
    expected = question + 0.6 * np.full_like(question, 0.5)
    assert vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    listed = [(item.chunk_id, item.rank, item.source) for item in drawn.lists["feedback"]]
    assert listed == [("n", 1, "feedback"), ("a", 2, "feedback")]
    assert {side: drawn.lists[side] for side in found.lists} == found.lists
    assert set(drawn.data.vectors) == set(drawn.data.languages) == {"a", "b", "n"}
    assert drawn.data.feedback is not None


def test_an_index_that_fails_in_a_further_search_leaves_what_was_found(workers: ThreadPoolExecutor) -> None:
    dense, sparse = Index(HITS), Index([Scored("b", 12.0)])
    asked = retriever(workers, dense, sparse)
    found = asked.retrieve(plan(), ["kb"], a_trace())
    dense._error = IndexDamaged("gone")
    trace = a_trace()
    assert found.data.question is not None
    left = widened(asked, found, np.ones_like(found.data.question), plan(), ["kb"], trace)
    assert (left.lists, left.data, left.degraded) == (found.lists, found.data, ("feedback",))
    assert "gone" in left.warnings[0]
    (event,) = [event for event in trace.finish()["events"] if event["kind"] == "degraded"]
    assert event["payload"]["stage"] == "feedback"
