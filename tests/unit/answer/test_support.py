"""Support by words and figures, with the embedding that is made of words; how well it does is measured elsewhere."""

from __future__ import annotations

import pytest

from ragd.answer.support import SupportCheck
from ragd.providers.registry import build


@pytest.fixture
def check() -> SupportCheck:
    return SupportCheck(build("embedder", "fake"), build("analyzer", "bigram"), 0.43)


def test_what_a_passage_says_is_supported_by_it_and_what_none_says_is_not(check, leases, tokens) -> None:
    answer = "The lease lasts 90 seconds [1]. Bananas ripen in a warm kitchen [2]."
    said, made_up = check.check(answer, [leases, tokens])
    assert said.supported
    assert said.citations[0] == 1
    assert not made_up.supported
    assert made_up.citations == ()
    assert answer[made_up.start : made_up.end] == "Bananas ripen in a warm kitchen [2]."


def test_a_changed_figure_takes_the_support_away(check, leases) -> None:
    right, wrong, longer = check.check(
        "The lease lasts 90 seconds. The lease lasts 600 seconds. The lease lasts 9 seconds.", [leases]
    )
    assert right.supported
    assert not wrong.supported
    assert not longer.supported


def test_headings_code_and_the_sentence_for_not_found_are_not_judged(check, leases) -> None:
    text = "# Leases\n\n```\nrun it\n```\n\nThe documents that were searched do not answer this question."
    assert check.check(text, [leases]) == ()


def test_without_passages_nothing_is_supported(check) -> None:
    (judged,) = check.check("The lease lasts 90 seconds.", [])
    assert (judged.score, judged.supported) == (0.0, False)
