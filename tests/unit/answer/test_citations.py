"""Citation marks, whole and in every possible cut."""

from __future__ import annotations

import pytest

from ragd.answer.citations import CitationFilter


def filtered(text: str, given: set[int], size: int) -> tuple[str, list[int], int]:
    sieve = CitationFilter(given)
    shown = "".join(sieve.feed(text[start : start + size]) for start in range(0, len(text), size)) + sieve.finish()
    return shown, sieve.cited, sieve.removed


CASES = [
    ("The lease lasts 90 s [1].", "The lease lasts 90 s [1].", [1], 0),
    ("Both say so [2][1].", "Both say so [2][1].", [2, 1], 0),
    ("Both say so [1, 2].", "Both say so [1][2].", [1, 2], 0),
    ("All say so [1-3]。", "All say so [1][2][3]。", [1, 2, 3], 0),
    ("答えは九十秒です【1】。［2］", "答えは九十秒です[1]。[2]", [1, 2], 0),
    ("It is so [9].", "It is so.", [], 1),
    ("It is so [2, 9] [7].", "It is so [2].", [2], 2),
    ("It is so [2-5].", "It is so [2][3].", [2, 3], 2),
    ("Call `rows[7]` or `x[1]` [1].", "Call `rows[7]` or `x[1]` [1].", [1], 0),
    ("```python\nrows[9] = [8]\n```\nDone [9] [1].", "```python\nrows[9] = [8]\n```\nDone [1].", [1], 1),
    ("A tick ` alone.\n\nThen [9].", "A tick ` alone.\n\nThen.", [], 1),
    ("See [the guide](x.md) and [1", "See [the guide](x.md) and [1", [], 0),
    ("In [2024] nothing changed, [  ", "In [2024] nothing changed, [  ", [], 0),
    ("", "", [], 0),
]


@pytest.mark.parametrize(("text", "shown", "cited", "removed"), CASES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_given_numbers_stay_and_others_go_however_the_text_is_cut(
    text: str, shown: str, cited: list[int], removed: int, size: int
) -> None:
    assert filtered(text, {1, 2, 3}, size) == (shown, cited, removed)


def test_nothing_is_held_back_but_what_may_become_a_mark() -> None:
    sieve = CitationFilter({1})
    assert sieve.feed("It is so") == "It is so"
    assert sieve.feed(" [") == ""
    assert sieve.feed("1") == ""
    assert sieve.feed("]. And") == " [1]. And"
