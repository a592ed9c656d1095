"""Metrics of Ragas 0.4 (`ragas.metrics.collections`), for `serve.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics import collections

VERSION = version("ragas")

# Our names of what a metric gets -> those of `ascore`.
_FIELDS = {"question": "user_input", "answer": "response", "passages": "retrieved_contexts", "reference": "reference"}
# Name -> class, what it gets, and whether it compares vectors.
_METRICS = {
    "faithfulness": (collections.Faithfulness, ("question", "answer", "passages"), False),
    "answer_relevancy": (collections.AnswerRelevancy, ("question", "answer"), True),
    "context_precision": (collections.ContextPrecision, ("question", "passages", "reference"), False),
    "context_utilization": (collections.ContextUtilization, ("question", "answer", "passages"), False),
    "context_recall": (collections.ContextRecall, ("question", "passages", "reference"), False),
    "context_relevance": (collections.ContextRelevance, ("question", "passages"), False),
    "response_groundedness": (collections.ResponseGroundedness, ("answer", "passages"), False),
    "answer_correctness": (collections.AnswerCorrectness, ("question", "answer", "reference"), True),
    "factual_correctness": (collections.FactualCorrectness, ("answer", "reference"), False),
}


class _Judge(InstructorBaseRagasLLM):  # type: ignore[misc]
    def __init__(self, ask: Callable[[str, Any], Any]) -> None:
        self._ask = ask

    def generate(self, prompt: str, response_model: Any) -> Any:
        return self._ask(prompt, response_model)

    async def agenerate(self, prompt: str, response_model: Any) -> Any:
        return self._ask(prompt, response_model)


class _Vectors(BaseRagasEmbedding):  # type: ignore[misc]
    def __init__(self, vectors: Callable[[list[str]], list[list[float]]]) -> None:
        super().__init__()
        self._vectors = vectors

    def embed_text(self, text: str, **_options: Any) -> list[float]:
        return self._vectors([text])[0]

    async def aembed_text(self, text: str, **_options: Any) -> list[float]:
        return self.embed_text(text)


def build(
    names: Sequence[str],
    prompt: Callable[[str], str],
    vectors: Callable[[list[str]], list[list[float]]],
    structured: Callable[..., Any],
) -> Mapping[str, Callable[[Mapping[str, Any]], tuple[float, str]]]:
    """Name -> what measures a case."""
    judge = _Judge(lambda text, schema: structured(prompt, text, schema))
    embeddings = _Vectors(vectors)

    def measure_by(name: str) -> Callable[[Mapping[str, Any]], tuple[float, str]]:
        made, fields, compares = _METRICS[name]
        metric = made(llm=judge, **({"embeddings": embeddings} if compares else {}))

        def measure(case: Mapping[str, Any]) -> tuple[float, str]:
            result = asyncio.run(metric.ascore(**{_FIELDS[field]: case[field] for field in fields}))
            return result.value, result.reason or ""

        return measure

    return {name: measure_by(name) for name in names}
