from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.config.answering import RetrievalSettings
from ragd.core.query import Filters, Identifier, QueryPlan
from ragd.core.results import Candidate, CandidateData
from ragd.providers.protocols import Fusion
from ragd.retrieve.ranking.adaptive import FIRST, RESCORED, AdaptiveFusion, kind_of
from ragd.retrieve.ranking.fusion import ReciprocalRankFusion, WeightedSum


def plan(text: str, *named: str, language: str | None = "en") -> QueryPlan:
    identifiers = tuple(Identifier("name", name) for name in named)
    return QueryPlan(text, text, text, "hash", "hybrid", Filters(), language=language, identifiers=identifiers)


PLAIN = plan("how long is a lease kept when nothing is said about it")


def ranked(source: str, *ids: str, scores: list[float] | None = None) -> list[Candidate]:
    values = scores or [1.0 - index / 100 for index in range(len(ids))]
    return [Candidate(name, score, rank, source) for rank, (name, score) in enumerate(zip(ids, values, strict=True), start=1)]


def test_rrf_gives_the_figures_of_the_paper() -> None:
    fused = ReciprocalRankFusion(RetrievalSettings(rrf_k=60)).fuse(
        {"dense": ranked("dense", "a", "b"), "sparse": ranked("sparse", "b", "c")}, PLAIN
    )
    best = 2 / 61
    expected = {"b": (1 / 62 + 1 / 61) / best, "a": 1 / 61 / best, "c": 1 / 62 / best}
    assert [item.chunk_id for item in fused] == ["b", "a", "c"]
    assert {item.chunk_id: item.score for item in fused} == pytest.approx(expected)


def test_first_in_every_list_that_was_asked_scores_one() -> None:
    fusion = ReciprocalRankFusion(RetrievalSettings())
    assert fusion.fuse({"dense": ranked("dense", "a"), "sparse": ranked("sparse", "a")}, PLAIN)[0].score == pytest.approx(1.0)
    assert fusion.fuse({"dense": ranked("dense", "a")}, PLAIN)[0].score == pytest.approx(1.0)
    assert fusion.fuse({"dense": ranked("dense", "a"), "sparse": []}, PLAIN)[0].score == pytest.approx(0.5)


def test_weighted_sum_scales_each_list_by_min_and_max() -> None:
    fusion = WeightedSum(RetrievalSettings(dense_weight=0.3))
    dense = ranked("dense", "a", "b", "c", scores=[0.9, 0.8, 0.7])
    sparse = ranked("sparse", "c", "d", scores=[12.0, 2.0])
    fused = {item.chunk_id: item.score for item in fusion.fuse({"dense": dense, "sparse": sparse}, PLAIN)}
    assert fused == pytest.approx({"a": 0.3, "b": 0.15, "c": 0.7, "d": 0.0})


def test_weighted_sum_of_one_list_keeps_its_order_even_at_weight_zero() -> None:
    fused = WeightedSum(RetrievalSettings(dense_weight=0.0)).fuse({"dense": ranked("dense", "a", "b")}, PLAIN)
    assert [(item.chunk_id, item.score) for item in fused] == [("a", 1.0), ("b", 0.0)]


@pytest.mark.parametrize(
    "fusion", [ReciprocalRankFusion(RetrievalSettings()), WeightedSum(RetrievalSettings()), AdaptiveFusion(RetrievalSettings())]
)
def test_nothing_found_gives_nothing(fusion: Fusion) -> None:
    assert fusion.fuse({"dense": [], "sparse": []}, PLAIN) == []


names = st.lists(st.text("abcdef", min_size=1, max_size=2), unique=True, max_size=12)


@pytest.mark.parametrize(
    "fusion", [ReciprocalRankFusion(RetrievalSettings()), WeightedSum(RetrievalSettings()), AdaptiveFusion(RetrievalSettings())]
)
@given(dense=names, sparse=names)
def test_every_candidate_comes_out_once_with_a_score_in_0_to_1(fusion: Fusion, dense: list[str], sparse: list[str]) -> None:
    fused = fusion.fuse({"dense": ranked("dense", *dense), "sparse": ranked("sparse", *sparse)}, PLAIN)
    assert sorted(item.chunk_id for item in fused) == sorted({*dense, *sparse})
    assert all(0.0 <= item.score <= 1.0 for item in fused)
    assert [item.rank for item in fused] == list(range(1, len(fused) + 1))
    assert [item.score for item in fused] == sorted((item.score for item in fused), reverse=True)


@pytest.mark.parametrize(
    ("question", "foreign", "kind"),
    [
        (plan("--no-cache", "--no-cache"), 0.0, "literal"),
        (plan("how does max_connections work", "max_connections"), 0.0, "literal"),
        (plan("max_connections の意味", "max_connections", language="ja"), 0.9, "literal"),
        (plan("Distributions"), 0.0, "literal"),
        (plan("証明書", language="ja"), 0.0, "plain"),
        (
            plan("why does the file /etc/hosts have to be changed before the second server can be reached", "/etc/hosts"),
            0.0,
            "plain",
        ),
        (plan("証明書を更新する手順", language="ja"), 0.9, "foreign"),
        (PLAIN, 0.5, "plain"),
    ],
)
def test_the_kind_of_a_question_is_told_by_what_it_names_and_what_is_found(
    question: QueryPlan, foreign: float, kind: str
) -> None:
    assert kind_of(question, foreign) == kind


@pytest.mark.parametrize("weights", [*FIRST.values(), *RESCORED.values()])
def test_the_weights_of_every_kind_add_up_to_one(weights: dict[str, float]) -> None:
    assert sum(weights.values()) == pytest.approx(1.0)


def test_adaptive_fusion_trusts_words_for_a_look_up_and_meaning_for_another_language() -> None:
    lists = {"dense": ranked("dense", "sounds-alike", "x"), "sparse": ranked("sparse", "has-it", "y")}
    fusion = AdaptiveFusion(RetrievalSettings())
    assert fusion.fuse(lists, plan("--no-cache", "--no-cache"))[0].chunk_id == "has-it"
    assert (
        fusion.fuse(lists, plan("証明書を更新する手順", language="ja"), CandidateData(foreign=0.9))[0].chunk_id == "sounds-alike"
    )


def test_adaptive_fusion_takes_rescored_candidates_as_a_third_list() -> None:
    lists = {
        "dense": ranked("dense", "a", "b"),
        "sparse": ranked("sparse", "a", "b"),
        "rerank": ranked("rerank", "b", "a", scores=[0.9, 0.1]),
    }
    fused = {item.chunk_id: item.score for item in AdaptiveFusion(RetrievalSettings()).fuse(lists, PLAIN)}
    assert fused == pytest.approx({"a": 0.65, "b": 0.35})
