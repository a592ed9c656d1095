"""Support by words and figures, with the embedding that is made of words; how well it does is measured elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from ragd.answer.support import SupportCheck
from ragd.providers.fakes import FakeEmbedder
from ragd.providers.protocols import Vectors
from ragd.providers.registry import build

from .conftest import cite


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


@pytest.mark.parametrize(
    "sentence",
    [
        "Wind is judged by the ten-minute mean and by gusts.",
        "At 18 m/s, or at gusts of more than 22 m/s, the ropeway is closed.",
        "Dogs are lowered last.",
        "Part: Haul rope; Interval: 6 months",
        "Haul rope | 6 months",
        "rest mode: The rope runs slowly.",
        "The rope runs slowly.",
    ],
)
def test_what_a_passage_holds_word_for_word_is_borne_out(check, sentence: str) -> None:
    text = (
        "## Wind\n\nWind is judged by the ten-minute mean\nand by gusts. At 18 m/s, or at gusts of more\n"
        "than 22 m/s, the ropeway is closed.\n\n- **Dogs** are lowered last.\n\n"
        "| Part | Interval |\n|---|---|\n| Haul rope | 6 months |\n\nrest mode\n: The rope runs\n  slowly.\n"
    )
    (judged,) = check.check(f"{sentence} [1]", [cite(1, text)])
    assert (judged.supported, judged.score, judged.citations) == (True, 1.0, (1,))


def test_a_part_of_a_sentence_is_not_taken_for_the_whole_of_it(check) -> None:
    (judged,) = check.check("Restarting is needed.", [cite(1, "Nobody believes that restarting is needed.")])
    assert judged.score < 1


def test_our_own_words_and_heads_of_tables_are_not_judged(check, leases) -> None:
    ours = ["The documents say:", "文書には次のように書かれています。", "在检索的文档中没有找到这个问题的答案。"]
    ours.append("言語モデルが設定されていない（設定 `llm.provider`）ため、文書の記述をそのまま示します。")
    table = "**Leases**\n\n| Who | How long |\n|---|---|\n| worker | 90 seconds |"
    assert [judged.start for judged in check.check("\n\n".join([*ours, table]), [leases])] == [
        "\n\n".join([*ours, table]).index("worker")
    ]


def test_headings_code_and_the_sentence_for_not_found_are_not_judged(check, leases) -> None:
    text = "# Leases\n\n```\nrun it\n```\n\nThe documents that were searched do not answer this question."
    assert check.check(text, [leases]) == ()


def test_without_passages_nothing_is_supported(check) -> None:
    (judged,) = check.check("The lease lasts 90 seconds.", [])
    assert (judged.score, judged.supported) == (0.0, False)


class Counting(FakeEmbedder):
    """Counts the texts that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str], on_batch: Callable[[int], None] | None = None) -> Vectors:
        self.texts += texts
        return super().embed_passages(texts, on_batch)


@pytest.fixture
def counted() -> tuple[SupportCheck, Counting]:
    embedder = Counting()
    return SupportCheck(embedder, build("analyzer", "bigram"), 0.43), embedder


def manual(first: int) -> str:
    """Forty sentences that share no word but the small ones."""
    return " ".join(
        f"Valve v{number}x opens pipe p{number}x; it then closes tank t{number}x." for number in range(first, first + 40)
    )


def test_only_units_with_words_of_a_sentence_are_embedded(counted) -> None:
    check, embedder = counted
    passages = [cite(number, manual(100 * number)) for number in range(1, 6)]
    check.check("Valve v520x opens pipe p520x first.", passages)
    assert any("v520x" in text for text in embedder.texts[1:])
    assert len(embedder.texts) <= 1 + 3 * 6, "six units with their two parts"


def test_a_sentence_that_shares_no_word_is_held_against_every_passage_within_bounds(counted) -> None:
    check, embedder = counted
    passages = [cite(number, manual(100 * number)) for number in range(1, 6)]
    check.check("配管は弁で開く。", passages)
    assert {text[7] for text in embedder.texts if text.startswith("Valve")} == set("12345")
    assert len(embedder.texts) <= 1 + 48 + 64


def test_the_longest_answer_stays_within_bounds(counted) -> None:
    check, embedder = counted
    passages = [cite(number, manual(100 * number)) for number in range(1, 6)]
    answer = " ".join(f"Tank t{100 * (at % 5 + 1) + at % 40}x is closed after its valve was opened." for at in range(90))
    assert len(check.check(answer, passages)) == 60
    assert len(embedder.texts) <= 60 + 48 + 64
