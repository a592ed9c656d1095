from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest

from ragd.config.answering import RetrievalSettings
from ragd.core.documents import Place
from ragd.core.errors import ModelUnavailable, RagError
from ragd.core.query import Filters, QueryPlan
from ragd.core.results import NO_DATA, Candidate, Passage
from ragd.core.tracing import Trace
from ragd.retrieve.ranking.adaptive import AdaptiveFusion
from ragd.retrieve.ranking.reranking import Reranked, RerankStage

PLAN = QueryPlan("q", "a question of several words", "a question of several words", "h", "hybrid", Filters(), language="en")


class Shelf:
    """Passages by chunk id; one that was deleted meanwhile is absent."""

    def __init__(self, *chunk_ids: str) -> None:
        self._chunk_ids = set(chunk_ids)

    def passages(self, chunk_ids: Sequence[str]) -> dict[str, Passage]:
        return {
            name: Passage(name, "d", "v", "k", name, "s", "file:///s", "text", "T", (), Place(), 0, 1)
            for name in chunk_ids
            if name in self._chunk_ids
        }


class Table:
    """A reranker whose scores stand in a table; it stops at the first passage without one."""

    name = "table"
    profile = "1"

    def __init__(self, judges: bool, error: RagError | None = None, **scores: float | None) -> None:
        self.judges = judges
        self._scores = scores
        self._error = error

    def score(self, question: str, passages: Sequence[Passage], deadline: float) -> list[float | None]:
        if self._error:
            raise self._error
        return [self._scores.get(passage.chunk_id) for passage in passages]


def listed(source: str, *ids: str) -> list[Candidate]:
    return [Candidate(name, 1 - rank / 10, rank, source) for rank, name in enumerate(ids, 1)]


def run(reranker: Table, *, shelf: Shelf | None = None, top_n: int = 10, wanted: bool = True) -> tuple[Reranked, Trace]:
    fused = listed("fusion", "a", "b", "c", "d")
    lists = {"dense": listed("dense", "a", "b", "c", "d"), "sparse": listed("sparse", "a", "b")}
    trace = Trace("query", strategy_config_id="s", detail_level="standard", links={})
    stage = RerankStage(shelf or Shelf("a", "b", "c", "d"), AdaptiveFusion(RetrievalSettings()), reranker, lambda _: top_n, 300)  # type: ignore[arg-type]
    return stage.run(PLAN, fused, lists, trace, data=NO_DATA, wanted=wanted, top_k=5), trace


def order(result: Reranked) -> list[str]:
    return [candidate.chunk_id for candidate in result.ranked]


def test_a_judge_alone_orders_what_it_scored_and_the_rest_follows_as_fused() -> None:
    result, _ = run(Table(True, a=0.1, b=0.2, c=0.9))
    assert order(result) == ["c", "b", "a", "d"]
    assert [candidate.rank for candidate in result.ranked] == [1, 2, 3, 4]
    assert [candidate.source for candidate in result.ranked] == ["rerank", "rerank", "rerank", "fusion"]
    scores = [candidate.score for candidate in result.ranked]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(("judges", "scored"), [(False, 0), (True, 1)])
def test_late_interaction_is_left_out_where_it_would_not_better_the_order(judges: bool, scored: int) -> None:
    class Settled(AdaptiveFusion):
        def gains_from_rescoring(self, *_of: object) -> bool:
            return False

    fusion = Settled(RetrievalSettings())
    trace = Trace("query", strategy_config_id="s", detail_level="standard", links={})
    for always, expected in ((True, 1), (False, scored)):
        stage = RerankStage(Shelf("a"), fusion, Table(judges, a=0.5), lambda _: 10, 300, only_where_it_helps=not always)  # type: ignore[arg-type]
        result = stage.run(PLAN, listed("fusion", "a"), {}, trace, data=NO_DATA, wanted=True, top_k=5)
        assert len(result.scores) == expected


def test_evidence_is_weighed_together_with_both_sides() -> None:
    result, _ = run(Table(False, a=0.80, b=0.81, c=0.79, d=0.1))
    assert order(result)[0] == "a"  # first for both sides; late interaction hardly tells it from the others
    result, _ = run(Table(False, a=0.1, b=0.1, c=0.9, d=0.1))
    assert order(result) == ["a", "c", "b", "d"]


def test_only_the_head_is_offered() -> None:
    result, _ = run(Table(True, a=0.1, b=0.2, c=0.9, d=1.0), top_n=2)
    assert order(result) == ["b", "a", "c", "d"]
    assert set(result.scores) == {"a", "b"}


def test_a_reranker_that_fails_leaves_the_fused_order_and_says_so() -> None:
    result, trace = run(Table(True, error=ModelUnavailable("The model is gone.")))
    assert order(result) == ["a", "b", "c", "d"]
    assert result.degraded == ("rerank",)
    assert "The model is gone" in result.warnings[0]
    envelope = trace.finish()
    assert [event["kind"] for event in envelope["events"]] == ["degraded", "rerank.ranked"]
    assert envelope["aggregates"]["errors"] == [{"code": "SERVICE_UNAVAILABLE", "type": "ModelUnavailable"}]


@pytest.mark.parametrize("reranker", [Table(True), Table(False)])
def test_when_no_candidate_was_reached_in_time_nothing_moves(reranker: Table) -> None:
    result, _ = run(reranker)
    assert order(result) == ["a", "b", "c", "d"]
    assert not result.scores
    assert not result.degraded


def test_a_passage_that_is_gone_meanwhile_is_not_scored() -> None:
    result, _ = run(Table(True, a=0.1, b=0.9, c=0.3), shelf=Shelf("a", "c"))
    assert set(result.scores) == {"a", "c"}
    assert order(result) == ["c", "a", "b", "d"]


def test_a_request_may_leave_it_out() -> None:
    result, trace = run(Table(True, d=1.0), wanted=False)
    assert order(result) == ["a", "b", "c", "d"]
    assert trace.finish()["spans"][0]["provider"]["id"] == "none"


def test_a_question_among_others_takes_its_share_of_the_time() -> None:
    given: list[float] = []

    class Timed(Table):
        def score(self, question: str, passages: Any, deadline: float) -> Any:
            given.append(deadline - time.monotonic())
            return super().score(question, passages, deadline)

    fusion = AdaptiveFusion(RetrievalSettings())
    trace = Trace("query", strategy_config_id="s", detail_level="standard", links={})
    for share in (1.0, 0.1):
        stage = RerankStage(Shelf("a", "b"), fusion, Timed(True), lambda _: 10, 60_000, lambda: share)  # type: ignore[arg-type]  # noqa: B023
        stage.run(PLAN, listed("fusion", "a", "b"), {}, trace, data=NO_DATA, wanted=True, top_k=5)
    assert given[0] > 50
    assert given[1] <= 6


def test_a_passage_is_shown_with_a_score_of_the_whole_list_however_few_were_rescored() -> None:
    result, _ = run(Table(judges=False, a=0.9, b=0.1))
    assert order(result) == ["a", "b", "c", "d"]
    assert [round(item.score, 1) for item in result.ranked] == [0.9, 0.8, 0.7, 0.6]
