"""From answers to figures: which passages are at the places that answer, and what is recorded of each question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ragd.core.errors import ServiceUnavailable
from ragd.evaluation.datasets import Dataset, Question, Relevant
from ragd.evaluation.relevance import is_at, units
from ragd.evaluation.runner import KEPT, evaluate


def result(source: str, chunk: str = "c", **where: Any) -> dict[str, Any]:
    return {"chunk_id": chunk, "source": source, "section_path": [], "score": 0.5, **where}


@pytest.mark.parametrize(
    ("place", "where", "at"),
    [
        ({}, {}, True),
        ({"page": 2}, {"page": 2}, True),
        ({"page": 2}, {"page": 3}, False),
        ({"slide": 4}, {"slide": 4}, True),
        ({"slide": 4}, {}, False),
        ({"sheet": "A", "cells": "B2:C9"}, {"sheet": "A", "cell_range": "C9:F20"}, True),
        ({"sheet": "A", "cells": "B2:C9"}, {"sheet": "A", "cell_range": "D2:F20"}, False),
        ({"sheet": "A", "cells": "B2:C9"}, {"sheet": "B", "cell_range": "B2:C9"}, False),
        ({"sheet": "A", "cells": "AA7"}, {"sheet": "A", "cell_range": "Z5:AB7"}, True),
        ({"sheet": "A", "cells": "B2:C9"}, {"sheet": "A"}, False),
        ({"section": "Errors"}, {"section_path": ["Guide", "Errors"]}, True),
        ({"section": "Errors"}, {"section_path": ["Error"]}, False),
        ({"lines": [5, 9]}, {"line_range": [9, 12]}, True),
        ({"lines": [5, 9]}, {"line_range": [10, 12]}, False),
        ({"lines": [5, 9]}, {}, False),
    ],
)
def test_a_passage_is_at_a_place_by_the_rules_of_the_golden_set(place: dict[str, Any], where: dict[str, Any], at: bool) -> None:
    assert is_at(result("a.md", **where), Relevant("a.md", place)) is at
    assert not is_at(result("b.md", **where), Relevant("a.md", place))


def test_by_document_the_first_passage_of_a_document_stands_for_it() -> None:
    question = Question("q", "?", (Relevant("b"),))
    found = units(question, [result("a", "1"), result("a", "2"), result("b", "3"), result("b", "4")], by_document=True)
    assert found == ["document a", "relevant 0"]


def test_by_place_passages_elsewhere_stand_for_themselves() -> None:
    question = Question("q", "?", (Relevant("a", {"page": 2}), Relevant("a", {"section": "S"})))
    found = [
        result("a", "1", page=1),
        result("a", "2", page=1),
        result("a", "3", page=2, section_path=["S"]),
        result("a", "4", page=2),
    ]
    assert units(question, found, by_document=False) == ["chunk 1", "chunk 2", "relevant 0", "relevant 1"]


QUESTIONS = (
    Question("one", "first?", (Relevant("a", {}, 2),), {"lang": "en"}),
    Question("two", "二番目？", (Relevant("b"),), {"lang": "ja"}),
)
DATASET = Dataset("d", "h", QUESTIONS, by_document=True)


def test_an_evaluation_records_ranks_metrics_latency_and_traces() -> None:
    asked: list[str] = []
    told: list[tuple[int, int]] = []

    def ask(question: Question) -> Mapping[str, Any]:
        asked.append(question.id)
        found = [result(f"x{index}", f"c{index}", line_range=[1, 2]) for index in range(KEPT)] + [result("a", "answer")]
        return {"results": found if question.id == "one" else [], "latency_ms": 12.5, "trace_id": f"t-{question.id}"}

    figures, (one, two) = evaluate(DATASET, QUESTIONS, ask, top_k=10, progress=lambda done, total: told.append((done, total)))
    assert asked == ["one", "one", "two"]
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert one["relevant"] == [{"source": "a", "place": {}, "grade": 2, "rank": KEPT + 1}]
    assert (one["metrics"]["hit@5"], one["metrics"]["hit@10"], one["trace_id"], len(one["found"])) == (0, 1, "t-one", KEPT)
    assert one["found"][0] == {"chunk_id": "c0", "source": "x0", "section": "", "place": {"line_range": [1, 2]}, "score": 0.5}
    assert (two["relevant"][0]["rank"], two["results"], set(two["metrics"].values())) == (None, 0, {0.0})
    assert figures["overall"]["empty"] == 1
    assert figures["groups"]["lang"]["en"]["metrics"]["hit@10"] == 1


def test_a_question_that_fails_ends_the_evaluation() -> None:
    def ask(question: Question) -> Mapping[str, Any]:
        raise ServiceUnavailable("gone")

    with pytest.raises(ServiceUnavailable, match="gone"):
        evaluate(DATASET, QUESTIONS, ask, top_k=10, progress=lambda done, total: None)
