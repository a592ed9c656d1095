"""What is left of a question that is too long for a BM25 engine."""

from __future__ import annotations

import pytest

from ragd.providers.sparse.bm25_query import (
    MAX_PHRASE_TERMS,
    MAX_PHRASES,
    MAX_TERMS,
    MAX_TIMES,
    inverse_frequency,
    term_weights,
    usable_phrases,
)


def _never_asked(term: str) -> int:
    raise AssertionError(f"no need to know how many hold {term}")


def test_of_an_ordinary_question_every_term_stays_with_its_times() -> None:
    assert term_weights(["b", "a", "b"], 10, _never_asked) == {"b": 2, "a": 1}
    assert term_weights([], 10, _never_asked) == {}


def test_a_term_counts_only_so_many_times() -> None:
    assert term_weights(["a"] * (MAX_TIMES + 5), 10, _never_asked) == {"a": MAX_TIMES}


def test_of_too_many_terms_the_rare_and_the_repeated_stay() -> None:
    common = [f"c{number}" for number in range(2 * MAX_TERMS)]
    held = dict.fromkeys(common, 900) | {"rare": 1, "twice": 900}
    kept = term_weights([*common, "unknown", "twice", "rare", "twice"], 1000, lambda term: held.get(term, 0))
    assert len(kept) == MAX_TERMS
    assert kept["rare"] == 1
    assert kept["twice"] == 2
    assert "unknown" not in kept


def test_of_terms_that_tell_the_same_the_first_stay() -> None:
    terms = [f"t{number}" for number in range(MAX_TERMS + 50)]
    assert list(term_weights(terms, 1000, lambda _: 5)) == terms[:MAX_TERMS]


@pytest.mark.parametrize("entries", [1, 2, 1000])
def test_the_inverse_frequency_is_above_zero_and_falls(entries: int) -> None:
    values = [inverse_frequency(entries, holding) for holding in range(entries + 1)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 0


def test_phrases_are_cut_counted_once_and_a_single_term_is_none() -> None:
    words = [f"w{number}" for number in range(100)]
    assert usable_phrases([["a", "b"], ("a", "b"), ["c"], [], words]) == [("a", "b"), tuple(words[:MAX_PHRASE_TERMS])]
    assert len(usable_phrases([[word, "x"] for word in words])) == MAX_PHRASES
