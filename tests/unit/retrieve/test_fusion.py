from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assistant.retrieve.fusion import FusionOptions, ReciprocalRankFusion, WeightedSum
from rag_assistant.types import Candidate


def ranked(source: str, *ids: str, scores: list[float] | None = None) -> list[Candidate]:
    values = scores or [1.0 - index / 100 for index in range(len(ids))]
    return [Candidate(name, score, rank, source) for rank, (name, score) in enumerate(zip(ids, values, strict=True), start=1)]


def test_rrf_gives_the_figures_of_the_paper() -> None:
    fused = ReciprocalRankFusion(FusionOptions(rrf_k=60)).fuse(
        {"dense": ranked("dense", "a", "b"), "sparse": ranked("sparse", "b", "c")}
    )
    best = 2 / 61
    expected = {"b": (1 / 62 + 1 / 61) / best, "a": 1 / 61 / best, "c": 1 / 62 / best}
    assert [item.chunk_id for item in fused] == ["b", "a", "c"]
    assert {item.chunk_id: item.score for item in fused} == pytest.approx(expected)


def test_first_in_every_list_that_was_asked_scores_one() -> None:
    fusion = ReciprocalRankFusion(FusionOptions())
    assert fusion.fuse({"dense": ranked("dense", "a"), "sparse": ranked("sparse", "a")})[0].score == pytest.approx(1.0)
    assert fusion.fuse({"dense": ranked("dense", "a")})[0].score == pytest.approx(1.0)
    assert fusion.fuse({"dense": ranked("dense", "a"), "sparse": []})[0].score == pytest.approx(0.5)


def test_weighted_sum_scales_each_list_by_min_and_max() -> None:
    fusion = WeightedSum(FusionOptions(dense_weight=0.3))
    dense = ranked("dense", "a", "b", "c", scores=[0.9, 0.8, 0.7])
    sparse = ranked("sparse", "c", "d", scores=[12.0, 2.0])
    fused = {item.chunk_id: item.score for item in fusion.fuse({"dense": dense, "sparse": sparse})}
    assert fused == pytest.approx({"a": 0.3, "b": 0.15, "c": 0.7, "d": 0.0})


def test_weighted_sum_of_one_list_keeps_its_order_even_at_weight_zero() -> None:
    fused = WeightedSum(FusionOptions(dense_weight=0.0)).fuse({"dense": ranked("dense", "a", "b")})
    assert [(item.chunk_id, item.score) for item in fused] == [("a", 1.0), ("b", 0.0)]


@pytest.mark.parametrize("fusion", [ReciprocalRankFusion(FusionOptions()), WeightedSum(FusionOptions())])
def test_nothing_found_gives_nothing(fusion: ReciprocalRankFusion | WeightedSum) -> None:
    assert fusion.fuse({"dense": [], "sparse": []}) == []


names = st.lists(st.text("abcdef", min_size=1, max_size=2), unique=True, max_size=12)


@pytest.mark.parametrize("fusion", [ReciprocalRankFusion(FusionOptions()), WeightedSum(FusionOptions())])
@given(dense=names, sparse=names)
def test_every_candidate_comes_out_once_with_a_score_in_0_to_1(
    fusion: ReciprocalRankFusion | WeightedSum, dense: list[str], sparse: list[str]
) -> None:
    fused = fusion.fuse({"dense": ranked("dense", *dense), "sparse": ranked("sparse", *sparse)})
    assert sorted(item.chunk_id for item in fused) == sorted({*dense, *sparse})
    assert all(0.0 <= item.score <= 1.0 for item in fused)
    assert [item.rank for item in fused] == list(range(1, len(fused) + 1))
    assert [item.score for item in fused] == sorted((item.score for item in fused), reverse=True)
