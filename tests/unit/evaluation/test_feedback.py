"""Feedback as a dataset: what can be asked again, and what nothing is known to answer."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.core.documents import Place
from ragd.core.errors import ValidationFailed
from ragd.core.results import Passage
from ragd.evaluation.datasets import Relevant
from ragd.evaluation.feedback import feedback_dataset
from ragd.evaluation.relevance import is_at, relevant_to, wrong_place


def case(number: int, **more: Any) -> dict[str, Any]:
    known = {"id": f"{number:032x}", "question": f"question {number}", "verdict": "up", "collection": None}
    return {**known, "filters": None, "history": [], "relevant": [{"source": "a.md", "place": {"lines": [1, 2]}}], **more}


def test_thumbs_up_are_questions_oldest_first_and_the_rest_is_counted() -> None:
    cases = [case(4, relevant=[]), case(3, collection="gone"), case(2, verdict="down"), case(1, collection="docs"), case(0)]
    dataset = feedback_dataset(cases, {"docs"})
    assert [question.text for question in dataset.questions] == ["question 0", "question 1"]
    assert [question.collection for question in dataset.questions] == [None, "docs"]
    assert (dataset.unanswerable, dataset.by_document) == (3, False)


def test_the_hash_is_of_what_is_asked_and_what_answers_it() -> None:
    one, again = feedback_dataset([case(1)], ()), feedback_dataset([case(1) | {"id": "f" * 32}], ())
    assert one.hash == again.hash
    for change in (
        {"filters": {"language": "ja"}},
        {"history": [{"role": "user", "text": "x"}]},
        {"relevant": [{"source": "b", "place": {}}]},
    ):
        assert feedback_dataset([case(1, **change)], ()).hash != one.hash


def test_feedback_without_any_question_is_told() -> None:
    with pytest.raises(ValidationFailed, match="1 kept"):
        feedback_dataset([case(1, verdict="down")], ())


@pytest.mark.parametrize(
    ("place", "path", "expected"),
    [
        (Place(page=3, bbox=(0, 0, 1, 1)), ("A",), {"page": 3}),
        (Place(slide=2), (), {"slide": 2}),
        (Place(sheet="規程", cell_range="A1:C9"), (), {"sheet": "規程", "cells": "A1:C9"}),
        (Place(line_range=(4, 9)), ("A",), {"lines": [4, 9]}),
        (Place(), ("Guide", "Setup"), {"section": "Setup"}),
        (Place(sheet="規程"), (), {}),
    ],
)
def test_the_place_of_a_passage_is_one_that_a_dataset_can_hold_and_that_it_is_at(
    place: Place, path: tuple[str, ...], expected: dict[str, Any]
) -> None:
    passage = Passage("c", "d", "v", "k", "text", "a.md", "file:///a.md", "text", "A", path, place, 0, 1)
    named = relevant_to(passage)
    assert named == {"source": "a.md", "place": expected}
    assert wrong_place(named["place"]) is None
    result = {"source": "a.md", "section_path": list(path), **place.as_dict()}
    assert is_at(result, Relevant(named["source"], named["place"]))
