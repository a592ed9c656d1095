"""Which sentences of a passage are marked, and where they stand in it."""

from __future__ import annotations

import pytest

from ragd.answer.highlights import for_answer, for_question, spans_of
from ragd.answer.support import SupportCheck
from ragd.core.results import Citation
from ragd.providers.registry import build

from .conftest import cite


def marked(citation: Citation) -> list[str]:
    return [citation.passage.content[start:end] for start, end in citation.highlights]


ROPEWAY = (
    "## Wind\n\nWind is judged by the ten-minute mean\nand by **gusts**. At 18 m/s the ropeway is closed.\n\n"
    "| Part | Interval |\n|---|---|\n| Haul rope | 6 months |\n| Cabin | 2 years |\n\nrest mode\n: The rope runs\n  slowly.\n"
)


def test_the_unit_with_most_words_of_the_question_is_marked_before_there_is_an_answer(leases, tokens) -> None:
    first, second = for_question("How long does a lease last?", [leases, tokens], build("analyzer", "bigram"))
    assert marked(first) == ["The lease lasts 90 seconds unless the queue says otherwise."]
    assert marked(second) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Wind is judged by the ten-minute mean and by gusts.", "Wind is judged by the ten-minute mean\nand by **gusts**."),
        ("Part: Haul rope; Interval: 6 months", "Haul rope | 6 months"),
        ("rest mode: The rope runs slowly.", "rest mode\n: The rope runs\n  slowly."),
    ],
)
def test_what_bears_out_an_answer_is_marked_where_it_stands_in_the_passage(sentence: str, expected: str) -> None:
    check = SupportCheck(build("embedder", "fake"), build("analyzer", "bigram"), 0.43)
    passage = cite(1, ROPEWAY)
    support = check.check(f"{sentence} [1]", [passage])
    (found,) = for_answer([passage], support)
    assert marked(found) == [expected]


def test_a_sentence_in_other_words_marks_the_unit_that_bears_it_out(leases, tokens) -> None:
    check = SupportCheck(build("embedder", "fake"), build("analyzer", "bigram"), 0.43)
    support = check.check("The lease lasts for 90 seconds, unless the queue says otherwise [1].", [leases, tokens])
    assert support[0].supported
    assert marked(for_answer([leases], support)[0]) == ["The lease lasts 90 seconds unless the queue says otherwise."]


def test_what_nothing_bears_out_marks_nothing(leases) -> None:
    check = SupportCheck(build("embedder", "fake"), build("analyzer", "bigram"), 0.43)
    support = check.check("Bananas ripen in a warm kitchen [1].", [leases])
    assert for_answer([leases], support)[0].highlights == ()


def test_spans_are_in_order_do_not_overlap_and_count_code_points() -> None:
    content = "😀 First line. Second line. Third."
    assert spans_of(content, ["Second line.", "First line", "First line. Second"]) == ((2, 26),)
    assert spans_of(content, ["Fourth", ""]) == ()


def test_a_letter_that_folds_to_two_keeps_the_places_right() -> None:
    content = "Die Straße ist lang. Sie endet hier."
    assert [content[start:end] for start, end in spans_of(content, ["Sie endet hier"])] == ["Sie endet hier."]


def test_a_hostile_passage_is_read_up_to_its_bound() -> None:
    assert spans_of("a " * 200_000, ["a" * 30_000]) == ()
