"""What is a sentence of an answer, and what is none."""

from __future__ import annotations

import pytest

from ragd.language.sentences import answer_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is so. Two is not! Is three?", ["One is so.", "Two is not!", "Is three?"]),
        ("One is so. [1] Two is not.[2][3] Three", ["One is so. [1]", "Two is not.[2][3]", "Three"]),
        ("リースは九十秒です。[1]更新は自動です[2]。", ["リースは九十秒です。[1]", "更新は自動です[2]。"]),
        ("# Leases\n\nThey last. \n\n## More\n", ["They last."]),
        ("Do this:\n\n1. Open the port.\n2. Call `run`\n- **Note:**\n", ["Open the port.", "Call `run`"]),
        ("Run it:\n\n```\nrun. it. now.\n```\nThen wait.", ["Then wait."]),
        (
            "Use e.g. version 3.4.1 of Kestrel, i.e. the newest. It works.",
            ["Use e.g. version 3.4.1 of Kestrel, i.e. the newest.", "It works."],
        ),
        ("| Scope | Allows |\n|---|---|\n| read | the log |", ["read | the log"]),
        ("Leases\n======\n\n**Renewal**\n\nThey are\nrenewed early.", ["They are\nrenewed early."]),
        ("", []),
        ("[1]", []),
    ],
)
def test_sentences_are_found_with_their_marks(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in answer_sentences(text)] == expected
