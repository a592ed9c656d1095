from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragd.config.answering import RetrievalSettings
from ragd.config.settings import Settings
from ragd.core.errors import SettingsError
from ragd.core.query import Filters, Identifier, QueryPlan
from ragd.core.results import Candidate, CandidateData
from ragd.providers.protocols import Vectors
from ragd.retrieve.ranking.adaptive import AdaptiveFusion
from ragd.retrieve.ranking.features import FEATURES, feedback_of, first_fusion, matrix, pool_of
from ragd.retrieve.ranking.learned import LearnedFusion
from ragd.retrieve.ranking.weights import SHIPPED, SHIPPED_WITH_TOKENS, read_weights

MODEL = "some-model"
PLAN = QueryPlan("q", "how long is a lease kept", "how long is a lease kept", "h", "hybrid", Filters(), language="en")
LITERAL = QueryPlan(
    "q", "--keep", "--keep", "h", "hybrid", Filters(), language="en", identifiers=(Identifier("option", "--keep"),)
)


def unit(*values: float) -> Vectors:
    vector = np.array(values, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def listed(source: str, **scores: float) -> list[Candidate]:
    return [Candidate(name, score, rank, source) for rank, (name, score) in enumerate(scores.items(), 1)]


VECTORS = {"a": unit(1, 0, 0), "b": unit(1, 1, 0), "c": unit(0, 1, 0), "d": unit(0, 1, 1)}
QUESTION = unit(1, 0.2, 0)
LISTS = {
    "dense": listed("dense", a=float(VECTORS["a"] @ QUESTION), b=float(VECTORS["b"] @ QUESTION)),
    "sparse": listed("sparse", c=9.0, b=6.0, d=3.0),
}
DATA = CandidateData(0.0, {"a": "en", "b": "ja", "c": None, "d": "en"}, QUESTION, VECTORS)
FIRST = AdaptiveFusion(RetrievalSettings()).fuse(LISTS, PLAN, DATA)


def written(folder: Path, *, basis: str = MODEL, foreign: str = "meaning = 1.0", plain: str = "feedback = 2.0") -> str:
    path = folder / "weights.toml"
    path.write_text(
        f'basis = "{basis}"\ntrained = 2026-01-31\ncommand = "by hand"\nquestions = 3\n'
        f"[weights.foreign]\n{foreign}\n[weights.plain]\n{plain}\n",
        encoding="utf-8",
    )
    return str(path)


def learned(folder: Path, **tables: str) -> LearnedFusion:
    return LearnedFusion(RetrievalSettings(fusion_weights=written(folder, **tables)), MODEL)


def features(name: str, data: CandidateData = DATA, plan: QueryPlan = PLAN) -> dict[str, float]:
    pool = pool_of(LISTS, plan, replace(data, feedback=feedback_of(FIRST, data)))
    assert pool is not None
    return dict(zip(pool.chunk_ids, matrix(pool, [name])[:, 0].tolist(), strict=True))


def test_what_only_words_found_gets_its_similarity_from_its_vector() -> None:
    expected = {name: float(vector @ QUESTION) for name, vector in VECTORS.items()}
    assert features("meaning") == pytest.approx(expected, abs=1e-6)


def test_scaled_features_go_from_0_to_1_within_their_list_and_are_0_outside() -> None:
    assert features("words_scaled") == pytest.approx({"a": 0.0, "b": 0.5, "c": 1.0, "d": 0.0})
    assert features("meaning_scaled") == pytest.approx({"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0})


def test_feedback_is_the_similarity_to_the_best_passages_of_a_first_fusion_by_their_scores() -> None:
    scores = np.array([item.score for item in FIRST])
    shares = np.exp(20 * (scores - scores[0]))
    mean = (shares / shares.sum()) @ np.stack([VECTORS[item.chunk_id] for item in FIRST])
    assert features("feedback") == pytest.approx({name: float(vector @ mean) for name, vector in VECTORS.items()}, abs=1e-6)


def test_what_a_further_search_found_is_ranked_with_the_others(tmp_path: Path) -> None:
    fusion = learned(tmp_path, plain="meaning = 1.0")
    mean = fusion.feedback(LISTS, PLAN, DATA)
    assert mean is not None
    data = replace(DATA, vectors={**VECTORS, "e": QUESTION}, feedback=mean)
    lists = {**LISTS, "feedback": listed("feedback", e=0.99, a=0.9)}
    assert [item.chunk_id for item in fusion.fuse(lists, PLAN, data)] == ["e", "a", "b", "c", "d"]
    # The rule, which has no weight for that list, leaves it out.
    assert fusion.fuse(lists, LITERAL, data) == AdaptiveFusion(RetrievalSettings()).fuse(LISTS, LITERAL, DATA)


def test_look_ups_and_single_sides_search_once(tmp_path: Path) -> None:
    fusion = learned(tmp_path)
    assert fusion.feedback(LISTS, LITERAL, DATA) is None
    assert fusion.feedback({"dense": LISTS["dense"]}, PLAN, DATA) is None
    assert fusion.feedback({"dense": [], "sparse": []}, PLAN, DATA) is None
    assert fusion.feedback(LISTS, PLAN, replace(DATA, vectors={})) is None


def test_only_a_language_that_is_known_and_another_counts_as_one() -> None:
    assert features("other_language") == {"a": 0.0, "b": 1.0, "c": 0.0, "d": 0.0}
    nowhere = QueryPlan("q", "E1045", "E1045", "h", "hybrid", Filters(), language=None)
    assert set(features("other_language", plan=nowhere).values()) == {0.0}


def test_the_weights_of_the_kind_of_question_order_the_union_of_both_lists(tmp_path: Path) -> None:
    fusion = learned(tmp_path, foreign="words_scaled = 1.0", plain="meaning = 2.0\nother_language = -9.0")
    assert [item.chunk_id for item in fusion.fuse(LISTS, PLAN, DATA)] == ["a", "c", "d", "b"]
    abroad = CandidateData(0.9, DATA.languages, QUESTION, VECTORS)
    found = fusion.fuse(LISTS, PLAN, abroad)
    assert [(item.chunk_id, item.score, item.rank) for item in found] == [
        ("c", 1.0, 1),
        ("b", 0.5, 2),
        ("a", 0.0, 3),
        ("d", 0.0, 4),
    ]


def test_each_candidate_shows_what_its_score_was_made_of(tmp_path: Path) -> None:
    best = learned(tmp_path, plain="meaning = 2.0\nwords_scaled = 0.5").fuse(LISTS, PLAN, DATA)[0]
    assert [(part.feature, part.weight) for part in best.parts] == [("meaning", 2.0), ("words_scaled", 0.5)]
    assert best.parts[0].value == pytest.approx(features("meaning")[best.chunk_id])


def test_the_order_does_not_depend_on_the_order_in_which_candidates_come(tmp_path: Path) -> None:
    fusion = learned(tmp_path, plain="feedback = 1.0\nmeaning = 1.0")
    turned = CandidateData(0.0, DATA.languages, QUESTION, dict(reversed(VECTORS.items())))
    lists = {side: LISTS[side] for side in ("sparse", "dense")}
    assert fusion.fuse(lists, PLAN, turned) == fusion.fuse(LISTS, PLAN, DATA)


@pytest.mark.parametrize(
    ("lists", "plan", "data"),
    [
        (LISTS, LITERAL, DATA),
        ({"dense": LISTS["dense"]}, PLAN, DATA),
        ({"sparse": LISTS["sparse"]}, PLAN, DATA),
        ({**LISTS, "rerank": listed("rerank", d=0.9)}, PLAN, DATA),
        (LISTS, PLAN, CandidateData(question=QUESTION, vectors={"a": VECTORS["a"]})),
        ({"dense": [], "sparse": []}, PLAN, DATA),
    ],
    ids=["literal", "meaning alone", "words alone", "rescored", "a vector is missing", "nothing found"],
)
def test_what_weights_cannot_be_applied_to_keeps_the_rule(
    tmp_path: Path, lists: dict[str, list[Candidate]], plan: QueryPlan, data: CandidateData
) -> None:
    assert learned(tmp_path).fuse(lists, plan, data) == AdaptiveFusion(RetrievalSettings()).fuse(lists, plan, data)


def test_rescoring_is_worth_its_time_across_languages_and_where_the_rule_orders(tmp_path: Path) -> None:
    fusion = learned(tmp_path)
    assert not fusion.gains_from_rescoring(LISTS, PLAN, DATA)
    assert not fusion.gains_from_rescoring(LISTS, LITERAL, DATA)
    assert fusion.gains_from_rescoring(LISTS, PLAN, CandidateData(foreign=0.9))
    assert fusion.gains_from_rescoring({"sparse": LISTS["sparse"]}, PLAN, DATA)
    assert LearnedFusion(RetrievalSettings(), "another model").gains_from_rescoring(LISTS, PLAN, DATA)


def test_the_weights_of_the_package_are_left_for_the_rule_with_another_model() -> None:
    fusion = LearnedFusion(RetrievalSettings(), "another model")
    assert fusion.profile == AdaptiveFusion.profile
    assert fusion.fuse(LISTS, PLAN, DATA) == FIRST


def test_own_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"made with the embedding model 'other', and 'some-model' is used.*train_fusion"):
        learned(tmp_path, basis="other")


def test_the_weights_of_the_package_can_be_read_and_say_what_made_them() -> None:
    shipped = read_weights(SHIPPED)
    assert shipped.basis == Settings().embedding.model
    assert "train_fusion.py" in shipped.command
    assert all(set(table) <= set(FEATURES) for table in shipped.weights.values())
    assert LearnedFusion(RetrievalSettings(), shipped.basis).profile == f"{shipped.basis}-{shipped.trained}"


def test_weights_are_written_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "again.toml"
    first = read_weights(Path(written(tmp_path)))
    path.write_text(first.as_toml(), encoding="utf-8")
    assert read_weights(path) == first


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "can't be read: No such file"),
        ("basis = ", "is no TOML"),
        ('basis = "m"', "'command' is missing"),
        ("GOOD\n[extra]\n", "'extra' is not known there"),
        ("foreign:nonsense = 1.0", "has no feature 'nonsense'; known: words_scaled"),
        ("foreign:meaning = nan", "weights.foreign.meaning must be a number"),
        ("foreign:meaning = true", "weights.foreign.meaning must be a number"),
        ("foreign:", r"\[weights.foreign\] must give features their weights"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_what_is_wrong(tmp_path: Path, text: str | None, problem: str) -> None:
    path = Path(
        written(tmp_path, foreign=text.removeprefix("foreign:")) if text and text.startswith("foreign:") else written(tmp_path)
    )
    if text is None:
        path.unlink()
    elif text.startswith("GOOD"):
        path.write_text(path.read_text(encoding="utf-8") + text.removeprefix("GOOD"), encoding="utf-8")
    elif not text.startswith("foreign:"):
        path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=problem) as caught:
        LearnedFusion(RetrievalSettings(fusion_weights=str(path)), MODEL)
    assert "train_fusion.py" in caught.value.message


TOKENS = {"a": 0.2, "b": 0.4, "c": 0.1, "d": 0.9}
WITH_TOKENS = replace(DATA, tokens=TOKENS)


def test_maxsims_of_kept_tokens_are_a_feature() -> None:
    assert features("tokens", WITH_TOKENS) == TOKENS


def test_weights_of_token_features_rank_by_them_where_every_candidate_has_tokens(tmp_path: Path) -> None:
    fusion = learned(tmp_path, plain="tokens = 2.0")
    assert [item.chunk_id for item in fusion.fuse(LISTS, PLAN, WITH_TOKENS)] == ["d", "b", "a", "c"]
    # One passage whose tokens are yet to be made: all are ranked by the rule, as without tokens.
    partial = replace(DATA, tokens={"a": 0.2, "b": 0.4, "c": 0.1})
    assert fusion.fuse(LISTS, PLAN, partial) == AdaptiveFusion(RetrievalSettings()).fuse(LISTS, PLAN, DATA)


def test_the_rule_takes_kept_tokens_for_one_more_list() -> None:
    rule = AdaptiveFusion(RetrievalSettings())
    listed_too = {**LISTS, "rerank": listed("rerank", d=0.9, b=0.4, a=0.2, c=0.1)}
    assert first_fusion(rule, LISTS, LITERAL, WITH_TOKENS) == rule.fuse(listed_too, LITERAL, DATA)
    rescored = {**LISTS, "rerank": listed("rerank", b=0.9)}
    assert first_fusion(rule, rescored, LITERAL, WITH_TOKENS) == rule.fuse(rescored, LITERAL, DATA), "it is one already"
    for most in range(5):
        assert first_fusion(rule, LISTS, LITERAL, WITH_TOKENS, most) == rule.fuse(listed_too, LITERAL, DATA)[:most]


def test_where_all_tokens_are_kept_nothing_is_rescored(tmp_path: Path) -> None:
    fusion = learned(tmp_path, plain="tokens = 2.0")
    foreign = replace(DATA, foreign=1.0)
    assert fusion.gains_from_rescoring(LISTS, PLAN, foreign)
    assert not fusion.gains_from_rescoring(LISTS, PLAN, replace(foreign, tokens=TOKENS))


def test_weights_of_ones_own_without_token_features_rank_as_they_were_trained(tmp_path: Path) -> None:
    fusion = learned(tmp_path)
    assert fusion.fuse(LISTS, PLAN, WITH_TOKENS) == fusion.fuse(LISTS, PLAN, DATA)
    foreign = replace(WITH_TOKENS, foreign=1.0)
    assert fusion.gains_from_rescoring(LISTS, PLAN, foreign)


def test_the_package_has_a_set_of_weights_with_tokens_and_one_without() -> None:
    plain, with_tokens = read_weights(SHIPPED), read_weights(SHIPPED_WITH_TOKENS)
    assert (plain.reads_tokens, with_tokens.reads_tokens, plain.basis) == (False, True, with_tokens.basis)
    fusion = LearnedFusion(RetrievalSettings(), plain.basis)
    partial = replace(DATA, tokens={"a": 0.2})
    for data, used in ((DATA, plain), (partial, plain), (WITH_TOKENS, with_tokens)):
        best = fusion.fuse(LISTS, PLAN, data)[0]
        assert {part.feature: part.weight for part in best.parts} == used.weights["plain"]
    # Until every candidate has tokens nothing is different, rescoring across languages included.
    assert fusion.fuse(LISTS, PLAN, partial) == fusion.fuse(LISTS, PLAN, DATA)
    assert fusion.gains_from_rescoring(LISTS, PLAN, replace(partial, foreign=1.0))
    assert not fusion.gains_from_rescoring(LISTS, PLAN, replace(WITH_TOKENS, foreign=1.0))


def test_weights_of_tokens_are_refused_for_passages_without() -> None:
    pool = pool_of(LISTS, PLAN, replace(DATA, feedback=feedback_of(FIRST, DATA)))
    assert pool is not None
    with pytest.raises(ValueError, match="not kept"):
        matrix(pool, ["tokens"])
