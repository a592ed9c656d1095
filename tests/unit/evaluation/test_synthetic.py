"""Questions made from chunks: what the rules see, what a model's reply must have, and a choice that a seed decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragd.config.answering import LlmSettings
from ragd.evaluation.golden import read_questions
from ragd.evaluation.synthetic.model import by_model
from ragd.evaluation.synthetic.rules import Chunk, by_rules, is_near, place_of, shingles, unanswerable
from ragd.evaluation.synthetic.selection import as_yaml, chosen
from ragd.providers.registry import build
from ragd.testing.chat_server import ChatServer, Scripted

PORTS = "Ports are below.\n\n| Service | Port | Owner |\n|---|---|---|\n| gateway | 8443 | Ana Ruiz |\n| mailer | 2525 | - |\n"
ROOMS = "| Room | Seats |\n|---|---|\n| Larch hall | 40 |\n| Elm hall | 12 |\n"
CHUNKS = [
    Chunk("ops.md", ("Operations", "2.1 Certificate renewal"), "Renew them in March every year.", {"lines": [3, 9]}),
    Chunk("ops.md", ("Operations", "How do I restore?"), "Run restore with a snapshot.", {"lines": [10, 20]}),
    Chunk(
        "ops.md", ("Operations", "Overview"), "A Tally is a list of deliveries that the clerk signs every day.", {"lines": [1, 2]}
    ),
    Chunk("ports.md", ("Ports",), PORTS, {"lines": [1, 6]}),
    Chunk("rooms.md", ("Rooms",), ROOMS, {"page": 2}),
    Chunk(
        "休暇.md", ("規程", "申請の期限"), "有給休暇とは、労働者が賃金を受けながら休むことができる休暇をいう。", {"lines": [1, 4]}
    ),
    Chunk("备份.md", ("手册", "备份周期"), "快照是指某一时刻数据状态的完整副本。每天凌晨生成一次。", {"lines": [1, 4]}),
]


def test_headings_definitions_and_cells_become_questions_with_their_places() -> None:
    made = {one.text: one for one in by_rules(CHUNKS)}
    assert made["How do I restore?"].place == {"section": "How do I restore?"}
    assert "What is said about Certificate renewal?" in made
    assert made["What is Tally?"].answer.startswith("A Tally is a list")
    assert (made["What is the Port of gateway?"].facts, made["What is the Port of gateway?"].place) == (
        ("8443",),
        {"lines": [1, 6]},
    )
    assert made["有給休暇とは何ですか。"].language == "ja"
    assert made["申請の期限について教えてください。"].place == {"section": "申請の期限"}
    assert made["什么是快照？"].source == "备份.md"
    # An empty cell, a heading that says nothing, and a document's own title ask nothing.
    assert not {text for text in made if ("mailer" in text and "Owner" in text) or "Overview" in text or "about Ports" in text}


def test_a_table_is_asked_about_in_its_documents_language_and_not_for_its_sums() -> None:
    table = "| 機器 | 台数 |\n|---|---|\n| 端末装置 | 3 |\n| 合計 | 3 |\n"
    assert [one.text for one in by_rules([Chunk("a", (), table, {}, "ja")])] == ["端末装置の台数は何ですか。"]
    assert by_rules([Chunk("a", (), "| Item | Count |\n|---|---|\n| lamp post | 3 |\n", {}, "ja")])[0].language == "en"


def test_a_heading_of_two_documents_asks_for_no_place() -> None:
    twice = [Chunk(name, ("A", "Escalation path"), "Call the desk.", {}) for name in ("a.md", "b.md")]
    assert by_rules(twice) == []
    assert len(by_rules(twice[:1])) == 1


def test_what_can_not_be_answered_stands_nowhere_together() -> None:
    texts = {one.text for one in unanswerable(CHUNKS)}
    assert "What is the Seats of gateway?" in texts
    assert all(not one.answerable for one in unanswerable(CHUNKS))
    both = [*CHUNKS, Chunk("x.md", (), "The gateway has no seats.", {})]
    assert "What is the Seats of gateway?" not in {one.text for one in unanswerable(both)}


def test_a_seed_decides_and_the_file_is_read_as_a_dataset(tmp_path: Path) -> None:
    def text(seed: int, count: int = 8) -> str:
        picked = chosen(by_rules(CHUNKS), unanswerable(CHUNKS), count=count, share=0.25, seed=seed)
        return as_yaml(picked, collection="a: b", seed=seed)

    assert text(1) == text(1)
    assert len({text(seed) for seed in range(5)}) > 1
    path = tmp_path / "made.yaml"
    path.write_text(text(3), encoding="utf-8")
    questions = read_questions(path).questions
    assert (len(questions), sum(not one.answerable for one in questions)) == (8, 2)
    # Spread: every document has a question before one has two more than another.
    assert {one.relevant[0].source for one in questions if one.answerable} == {chunk.source for chunk in CHUNKS}
    assert "# from: " in text(3)


def test_near_duplicates_are_left_out() -> None:
    known = [shingles("What is the Port of gateway?")]
    assert is_near("what is the port of Gateway ?", known)
    assert not is_near("Who owns the mailer?", known)
    rows = "".join(f"| part number {number} | 1 |\n" for number in range(10, 20))
    table = [Chunk("p.md", (), f"| Part | Price |\n|---|---|\n{rows}", {})]
    assert len(by_rules(table)) == 10
    assert len(chosen(by_rules(table), [], count=10, share=0, seed=1)) < 10


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("QUESTION: When are certificates renewed?\nANSWER: in March", True),
        ("QUESTION: When are certificates renewed?\nANSWER: in April", False),
        ("QUESTION: What does the passage say?\nANSWER: in March", False),
        ("When are certificates renewed? In March.", False),
    ],
)
def test_a_question_of_a_model_is_kept_when_its_answer_stands_in_the_chunk(reply: str, kept: bool) -> None:
    with ChatServer(Scripted(pieces=(reply,))) as server:
        options = LlmSettings(provider="openai_compatible", model="m", url=server.url)
        made = by_model(CHUNKS[0], build("llm", "openai_compatible", options=options), 100)
    assert (made is not None) is kept
    if made:
        assert (made.facts, made.place) == (("in March",), {"lines": [3, 9]})


def test_places_are_written_as_in_a_dataset() -> None:
    assert place_of({"page": 3, "section_path": []}) == {"page": 3}
    assert place_of({"sheet": "S", "cell_range": "A1:B2", "section_path": []}) == {"sheet": "S", "cells": "A1:B2"}
    assert place_of({"section_path": ["A", "B"]}) == {"section": "B"}
    assert place_of({"section_path": []}) == {}
