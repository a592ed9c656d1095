"""What can be quoted from a passage: always something whole."""

from __future__ import annotations

import pytest

from ragd.answer.units import units_of


def quoted(content: str, doc_type: str = "markdown", *, is_cut: bool = False) -> list[str]:
    return [unit.text for unit in units_of(content, doc_type, is_cut=is_cut)]


@pytest.mark.parametrize("doc_type", ["markdown", "text"])
def test_sentences_are_joined_over_the_line_ends_of_the_file(doc_type: str) -> None:
    text = (
        "kestreld asks the queue for work every\n250 ms. When the queue is empty it\nsleeps, e.g. at night. It wakes at 6 a.m.\n"
        "on Mondays."
    )
    assert quoted(text, doc_type) == [
        "kestreld asks the queue for work every 250 ms.",
        "When the queue is empty it sleeps, e.g. at night.",
        "It wakes at 6 a.m. on Mondays.",
    ]


def test_japanese_is_joined_without_blanks_and_not_cut_inside_of_quotations() -> None:
    text = "返却は三日以内に行うものとし、遅れたとき\nは延滞料を支払う。画面に「確認。」と表\n示される。"
    assert quoted(text, "text") == [
        "返却は三日以内に行うものとし、遅れたときは延滞料を支払う。",
        "画面に「確認。」と表示される。",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "       -k, --keep N\n              How many batches are kept. The\n"
            "              default is 30.\n\n       -q     Be quiet.",
            ["-k, --keep N: How many batches are kept. The default is 30.", "-q: Be quiet."],
        ),
        (
            "Pause\n: Keeps jobs until\n  it is resumed.\n\nStop\n\n: Ends all jobs.",
            ["Pause: Keeps jobs until it is resumed.", "Stop: Ends all jobs."],
        ),
        ("  -v      prints more\n          than usual", ["-v: prints more than usual"]),
        ("OPTIONS\n  --dry-run\n    Change nothing.", ["--dry-run: Change nothing."]),
    ],
)
def test_a_definition_keeps_its_term(text: str, expected: list[str]) -> None:
    assert quoted(text, "text") == expected


def test_a_row_comes_with_its_head_and_the_head_never_alone() -> None:
    text = "## Prices\n\n| Zone | Price |\n|---|---|\n| A | 300 yen |\n| B | |\n"
    assert quoted(text) == ["Zone: A; Price: 300 yen", "Zone: B"]


def test_code_comes_with_the_sentence_that_introduces_it() -> None:
    text = "It reads tanks.conf. Reload it with:\n\n```sh\nkill -HUP 1\n\nsleep 1\n```\n"
    assert quoted(text) == ["It reads tanks.conf.", "Reload it with:\n\n```sh\nkill -HUP 1\n\nsleep 1\n```"]
    assert quoted("Reload it with:\n\n    kill -HUP 1\n", "text") == ["Reload it with:\n\n```\nkill -HUP 1\n```"]


def test_a_list_is_quoted_whole_with_what_introduces_it_and_a_long_one_by_items() -> None:
    text = "Close a gate in these steps:\n\n1. Stop the belt.\n2. Lower the bar\n   by hand.\n"
    assert quoted(text) == ["Close a gate in these steps:\n  1. Stop the belt.\n  2. Lower the bar by hand."]
    items = [f"Item {number} is described here by {'very ' * 12}many words" for number in range(20)]
    assert quoted("The parts are:\n\n" + "\n".join(f"- {item}" for item in items)) == items


def test_headings_labels_and_rules_are_never_quoted() -> None:
    text = "# Leases\n\nOverview\n--------\n\n**Important**\n\n---\n\nRun this:\n\nA lease lasts 90 seconds.\n"
    assert quoted(text) == ["A lease lasts 90 seconds."]
    assert [unit.about for unit in units_of(text)] == ["Important"]


def test_what_the_edges_of_a_passage_cut_through_is_left_out() -> None:
    text = "of the queue that was chosen. A lease lasts 90 seconds. Workers renew it before the"
    assert quoted(text, is_cut=True) == ["A lease lasts 90 seconds."]
    assert quoted("```sh\nkill -HUP 1\n") == []


def test_source_code_is_quoted_in_blocks() -> None:
    text = "def renew():\n    ask()\n\n    wait()\n\n\ndef stop():\n    end()\n"
    assert quoted(text, "code") == ["```\ndef renew():\n    ask()\n\n    wait()\n```", "```\ndef stop():\n    end()\n```"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", ["| - ", "(", "a  b\n", "- a\n", "x\n  y\n", "Key: v\n", "「。", "a. b ", "*", "> ", "::\n", "`", "- \n\n"]
)
def test_a_hostile_passage_takes_no_more_than_its_length(shape: str) -> None:
    assert len(units_of(shape * (200_000 // len(shape)), "text")) <= 200_000
