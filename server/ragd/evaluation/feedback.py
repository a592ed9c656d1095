"""Feedback as a dataset: questions that people asked, with the places of answers that they found good."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from ragd.core.errors import ValidationFailed
from ragd.core.ids import hash32
from ragd.evaluation.datasets import Dataset, Question, Relevant

FEEDBACK: Final = "feedback"


def feedback_dataset(cases: Iterable[Mapping[str, Any]], enabled: Collection[str]) -> Dataset:
    """A dataset of feedback as `GET /api/feedback` lists it. `enabled` are the collections that can be asked.

    A thumb down says that an answer was wrong and not which is right, so it is counted as unanswerable; so are an answer without
    passages and a question to a collection that is gone or disabled. Raises `ValidationFailed` when no question remains.
    """
    questions: list[Question] = []
    left_out = 0
    for case in cases:
        asked = case["collection"]
        if case["verdict"] == "up" and case["relevant"] and (asked is None or asked in enabled):
            questions.append(_question(case))
        else:
            left_out += 1
    if not questions:
        raise ValidationFailed(
            f"There is no feedback to evaluate with: {left_out} kept, none of them a thumb up with passages in a collection that "
            "can be asked. See `rag eval cases`."
        )
    # From the oldest on, so that more feedback adds to the end.
    questions.reverse()
    return Dataset(FEEDBACK, _digest(questions), tuple(questions), by_document=False, unanswerable=left_out)


def _question(case: Mapping[str, Any]) -> Question:
    return Question(
        id=case["id"],
        text=case["question"],
        relevant=tuple(Relevant(item["source"], item["place"]) for item in case["relevant"]),
        groups={"collection": case["collection"] or "all"},
        filters=case["filters"],
        collection=case["collection"],
        history=tuple(case["history"]),
    )


def _digest(questions: Iterable[Question]) -> str:
    """Of what is asked and what answers it, whatever the ids."""
    parts = (
        [asked.text, asked.collection, asked.filters, asked.history, [[wanted.source, wanted.place] for wanted in asked.relevant]]
        for asked in questions
    )
    return hash32(*(json.dumps(part, sort_keys=True, ensure_ascii=False) for part in parts))
