"""Feedback: kept whole until it is deleted."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from ragd.core.errors import FeedbackNotFound
from ragd.store.evaluation.feedback import Feedback, Opinion

OPINION = Opinion(
    question="有給休暇は？",
    verdict="up",
    relevant=[{"source": "規程.md", "place": {"lines": [3, 5]}}],
    collection="人事",
    filters={"language": "ja"},
    history=[{"role": "user", "text": "休暇"}],
    answer="五営業日前まで [1]。",
    comment="助かった",
    trace_id="a" * 32,
)


def test_an_opinion_comes_back_as_it_was_given(engine: Engine) -> None:
    feedback = Feedback(engine)
    kept = feedback.add(OPINION)
    assert feedback.page() == ([kept], 1)
    assert {name: kept[name] for name in ("question", "verdict", "collection", "filters", "history", "relevant")} == {
        "question": "有給休暇は？",
        "verdict": "up",
        "collection": "人事",
        "filters": {"language": "ja"},
        "history": [{"role": "user", "text": "休暇"}],
        "relevant": [{"source": "規程.md", "place": {"lines": [3, 5]}}],
    }


def test_what_was_not_said_is_none(engine: Engine) -> None:
    feedback = Feedback(engine)
    kept = feedback.add(Opinion("Why?", "down", []))
    (row,), _ = feedback.page()
    assert row == kept
    assert [row[name] for name in ("collection", "filters", "answer", "comment", "trace_id")] == [None] * 5


def test_pages_count_all_of_it(engine: Engine) -> None:
    feedback = Feedback(engine)
    for _ in range(3):
        feedback.add(OPINION)
    rows, total = feedback.page(2, 2)
    assert (len(rows), total) == (1, 3)


def test_what_is_deleted_is_gone_and_what_is_not_there_is_told(engine: Engine) -> None:
    feedback = Feedback(engine)
    kept = feedback.add(OPINION)
    feedback.remove(kept["id"])
    assert feedback.page() == ([], 0)
    with pytest.raises(FeedbackNotFound, match="no feedback"):
        feedback.remove(kept["id"])
