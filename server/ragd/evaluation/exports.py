"""A run with answers as datasets of other evaluation tools, which are not needed for it.

`ragas`: a line each in the fields of Ragas 0.4's `SingleTurnSample`, for `EvaluationDataset.from_jsonl`. `deepeval`: a list of
cases named as the fields of DeepEval 4's `LLMTestCase`, for `EvaluationDataset.add_test_cases_from_json_file`, which
is told these names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ragd.core.errors import ValidationFailed
from ragd.evaluation.judges.measures import plain


def ragas(records: Sequence[Mapping[str, Any]]) -> str:
    """JSON Lines. A question without an expected answer has no `reference`."""
    return "".join(json.dumps(_sample(record), ensure_ascii=False) + "\n" for record in _answered(records))


def deepeval(records: Sequence[Mapping[str, Any]]) -> str:
    """A JSON list. What is not known is null."""
    return json.dumps([_case(record) for record in _answered(records)], ensure_ascii=False, indent=1) + "\n"


FORMATS: Final[Mapping[str, Callable[[Sequence[Mapping[str, Any]]], str]]] = {"ragas": ragas, "deepeval": deepeval}


def _answered(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    found = [record for record in records if "answer" in record["artifacts"] and "passages" in record["artifacts"]]
    if not found:
        raise ValidationFailed(
            "The run has no answers with the texts of their passages. Run it with --mode end_to_end or --mode generation_only."
        )
    return found


def _sample(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = record["artifacts"]
    sample = {
        "user_input": record["query"],
        "retrieved_contexts": [passage["content"] for passage in kept["passages"]],
        "response": plain(kept["answer"]),
    }
    return sample | ({"reference": kept["reference"]} if kept.get("reference") else {})


def _case(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = record["artifacts"]
    return {
        "input": record["query"],
        "actual_output": plain(kept["answer"]),
        "expected_output": kept.get("reference"),
        "context": None,
        "retrieval_context": [passage["content"] for passage in kept["passages"]],
    }
