"""Metrics of DeepEval 4, for `serve.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from deepeval import metrics
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase

VERSION = version("deepeval")

_METRICS = {
    "faithfulness": metrics.FaithfulnessMetric,
    "answer_relevancy": metrics.AnswerRelevancyMetric,
    "contextual_precision": metrics.ContextualPrecisionMetric,
    "contextual_recall": metrics.ContextualRecallMetric,
    "contextual_relevancy": metrics.ContextualRelevancyMetric,
}


class _Judge(DeepEvalBaseLLM):  # type: ignore[misc]
    def __init__(self, prompt: Callable[[str], str], structured: Callable[..., Any]) -> None:
        self._prompt, self._structured = prompt, structured
        super().__init__("rag")

    def load_model(self) -> Any:
        return self

    def get_model_name(self) -> str:
        return "rag"

    def generate(self, prompt: str, schema: Any = None) -> Any:
        return self._prompt(prompt) if schema is None else self._structured(self._prompt, prompt, schema)

    async def a_generate(self, prompt: str, schema: Any = None) -> Any:
        return self.generate(prompt, schema)


def build(
    names: Sequence[str],
    prompt: Callable[[str], str],
    _vectors: Callable[[list[str]], list[list[float]]],
    structured: Callable[..., Any],
) -> Mapping[str, Callable[[Mapping[str, Any]], tuple[float, str]]]:
    """Name -> what measures a case."""
    judge = _Judge(prompt, structured)

    def measure_by(name: str) -> Callable[[Mapping[str, Any]], tuple[float, str]]:
        metric = _METRICS[name](model=judge, async_mode=False)

        def measure(case: Mapping[str, Any]) -> tuple[float, str]:
            asked = LLMTestCase(
                input=case["question"],
                actual_output=case["answer"],
                expected_output=case["reference"],
                retrieval_context=case["passages"],
            )
            metric.measure(asked, _show_indicator=False)
            return metric.score, metric.reason or ""

        return measure

    return {name: measure_by(name) for name in names}
