"""Runs as datasets of other tools, in the fields that these document."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragd.core.errors import ValidationFailed
from ragd.evaluation.exports import deepeval, ragas

RECORD: dict[str, Any] = {
    "query": "休暇の申請は？",
    "artifacts": {
        "answer": "五営業日前まで [1]。",
        "passages": [{"id": 1, "source": "a.md", "content": "五営業日前までに\n申請する。"}],
        "reference": "五営業日前",
    },
}
RANKED: dict[str, Any] = {"query": "x", "artifacts": {"context": []}}


def test_ragas_gets_a_line_for_each_answer() -> None:
    without = {**RECORD, "artifacts": {**RECORD["artifacts"], "reference": ""}}
    first, second = map(json.loads, ragas([RECORD, without, RANKED]).splitlines())
    assert first == {
        "user_input": "休暇の申請は？",
        "retrieved_contexts": ["五営業日前までに\n申請する。"],
        "response": "五営業日前まで。",
        "reference": "五営業日前",
    }
    assert "reference" not in second


def test_deepeval_gets_a_list_of_cases() -> None:
    (case,) = json.loads(deepeval([RECORD]))
    assert case["retrieval_context"] == ["五営業日前までに\n申請する。"]
    assert (case["input"], case["actual_output"], case["expected_output"]) == ("休暇の申請は？", "五営業日前まで。", "五営業日前")


def test_a_run_without_answers_is_no_dataset_for_them() -> None:
    for shape in (ragas, deepeval):
        with pytest.raises(ValidationFailed, match="end_to_end"):
            shape([RANKED])
