from __future__ import annotations

from ragd.core.results import Candidate, Part
from ragd.retrieve.ranking.explain import explained


def listed(source: str, *ids: str) -> list[Candidate]:
    return [Candidate(name, 1 - rank / 10, rank, source) for rank, name in enumerate(ids, 1)]


def test_each_stage_has_rank_and_score_and_what_it_moved() -> None:
    stages = {
        "dense": listed("dense", "a", "b"),
        "sparse": listed("sparse", "b"),
        "fusion": listed("fusion", "a", "b"),
        "rerank": listed("rerank", "b", "a"),
    }
    (entry,) = explained(["b"], stages)
    assert {stage: values["rank"] for stage, values in entry["stages"].items()} == {
        "dense": 2,
        "sparse": 1,
        "fusion": 2,
        "rerank": 1,
    }
    assert entry["moves"] == [
        "2nd of 2 by meaning (0.800)",
        "1st of 1 by words (0.900)",
        "2nd after fusion",
        "1st after rerank: up 1",
    ]


def test_what_a_learned_score_was_made_of_is_shown_feature_by_feature() -> None:
    parts = (Part("meaning", 0.5, 2.0), Part("other_language", 1.0, -3.0))
    (entry,) = explained(["a"], {"fusion": [Candidate("a", 0.4, 1, "fusion", parts)]})
    assert entry["features"] == [
        {"feature": "meaning", "value": 0.5, "weight": 2.0, "contribution": 1.0},
        {"feature": "other_language", "value": 1.0, "weight": -3.0, "contribution": -3.0},
    ]
    assert entry["moves"] == ["1st after fusion", "weighed: other_language 1.000 × -3.00, meaning 0.500 × 2.00"]


def test_what_a_side_did_not_find_is_said() -> None:
    (entry,) = explained(["a"], {"dense": listed("dense", "a"), "sparse": [], "fusion": listed("fusion", "a")})
    assert "sparse" not in entry["stages"]
    assert "not among the 0 best by words" in entry["moves"]


def test_a_passage_that_the_further_search_alone_found_says_so() -> None:
    stages = {
        "dense": listed("dense", "a"),
        "sparse": [],
        "feedback": listed("feedback", "a", "n"),
        "fusion": listed("fusion", "n", "a"),
    }
    (entry,) = explained(["n"], stages)
    assert entry["stages"]["feedback"]["rank"] == 2
    assert entry["moves"] == [
        "not among the 1 best by meaning",
        "not among the 0 best by words",
        "2nd of 2 by likeness to the best (0.800)",
        "1st after fusion",
    ]


def test_a_candidate_that_reranking_did_not_reach_says_so() -> None:
    rerank = [Candidate("a", 0.9, 1, "rerank"), Candidate("z", 0.1, 2, "fusion")]
    (entry,) = explained(["z"], {"dense": listed("dense", "a", "z"), "fusion": listed("fusion", "a", "z"), "rerank": rerank})
    assert entry["moves"][-1] == "2nd after rerank: not reached in the time for reranking"


def test_ranks_read_as_people_say_them() -> None:
    ids = [f"c{number}" for number in range(1, 24)]
    told = [entry["moves"][0].split()[0] for entry in explained(ids, {"dense": listed("dense", *ids)})]
    assert (told[0], told[1], told[2], told[3], told[10], told[12], told[20]) == (
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "13th",
        "21st",
    )
