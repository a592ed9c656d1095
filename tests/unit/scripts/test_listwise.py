from __future__ import annotations

import numpy as np
import pytest

from .loading import load

_listwise = load("_listwise")
Example, train = _listwise.Example, _listwise.train

PLANTED = np.array([2.0, -1.0, 0.0, 0.5])
ZERO = np.zeros(4)


def examples(count: int, *, noise: float = 1.0, seed: int = 7) -> list[Example]:
    """Questions of 40 candidates, one of which is right: drawn by the softmax of the planted weights (Gumbel's trick)."""
    generator = np.random.default_rng(seed)
    found = []
    for number in range(count):
        features = generator.normal(size=(40, 4))
        right = int(np.argmax(features @ PLANTED + noise * generator.gumbel(size=40)))
        found.append(Example(str(number), "plain", features, [at == right for at in range(40)], [False] * 40, f"s{number}"))
    return found


def test_planted_weights_are_recovered() -> None:
    assert train(examples(600), ZERO, l2=0.1) == pytest.approx(PLANTED, abs=0.2)


def test_the_optimum_is_reached_and_is_the_same_each_time() -> None:
    first = train(examples(60), ZERO)
    assert train(examples(60), ZERO).tolist() == first.tolist()
    assert train(examples(60), first + 5.0, l2=1e-9) == pytest.approx(train(examples(60), ZERO, l2=1e-9), abs=1e-4)


def test_few_questions_move_weights_little_from_where_they_begin() -> None:
    prior = np.array([0.0, 3.0, 0.0, 0.0])
    one, many = train(examples(1), prior, l2=10.0), train(examples(400), prior, l2=10.0)
    assert np.linalg.norm(one - prior) < 1
    assert np.linalg.norm(many - PLANTED) < 0.5


def test_what_counts_neither_way_is_left_out() -> None:
    asked = examples(200)
    spoiled = []
    for example in asked:
        features = np.vstack([example.features, -50 * PLANTED])
        spoiled.append(Example(example.question_id, "plain", features, [*example.relevant, True], [*example.ignored, True], "s"))
    assert train(spoiled, ZERO).tolist() == pytest.approx(train(asked, ZERO).tolist())


def test_without_a_right_candidate_anywhere_the_weights_stay() -> None:
    nothing = Example("1", "plain", np.ones((3, 4)), [False] * 3, [False] * 3, "s")
    assert train([nothing], PLANTED).tolist() == PLANTED.tolist()
    assert train([], PLANTED).tolist() == PLANTED.tolist()


def test_a_feature_that_tells_no_candidates_apart_keeps_its_prior() -> None:
    asked = [
        Example(one.question_id, "plain", np.hstack([one.features[:, :3], np.ones((40, 1))]), one.relevant, one.ignored, "s")
        for one in examples(100)
    ]
    assert train(asked, np.array([0.0, 0.0, 0.0, 4.0]))[3] == pytest.approx(4.0, abs=1e-3)


def test_questions_about_one_section_are_of_one_half() -> None:
    halves = {example.half for example in examples(50)}
    assert halves == {0, 1}
    assert Example("1", "plain", np.ones((1, 1)), [True], [False], "s3").half == examples(4)[3].half
