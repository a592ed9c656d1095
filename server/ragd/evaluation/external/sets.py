"""Ragas and DeepEval as sets of metrics."""

from __future__ import annotations

import subprocess
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from ragd.evaluation.external.environments import python_of
from ragd.evaluation.external.process import PROGRAMS, measure
from ragd.evaluation.external.protocol import ANSWER, PASSAGES, REFERENCE, Advisor, Case, Field, Value

_GROUNDED = frozenset({ANSWER, PASSAGES})
_COMPARED = frozenset({ANSWER, REFERENCE})
_RETRIEVED = frozenset({PASSAGES, REFERENCE})


class _InAnEnvironment:
    name: ClassVar[str]
    metrics: ClassVar[Mapping[str, frozenset[Field]]]
    calls: ClassVar[Mapping[str, tuple[int, int]]]

    @cached_property
    def version(self) -> str:
        code = f"from importlib.metadata import version; print(version({self.name!r}))"
        done = subprocess.run([str(python_of(self.name)), "-I", "-c", code], check=True, capture_output=True, encoding="utf-8")
        return done.stdout.strip()

    def require(self) -> None:
        python_of(self.name)

    def measure(self, cases: Iterable[tuple[Case, Sequence[str]]], advisor: Advisor) -> Generator[dict[str, Value], None, None]:
        listed = list(cases)
        names = list(dict.fromkeys(name for _case, wanted in listed for name in wanted))
        return measure(python_of(self.name), PROGRAMS / f"{self.name}_metrics.py", names, listed, advisor)


class RagasMetrics(_InAnEnvironment):
    """Ragas 0.4 (Es et al. 2024): the metrics of a single turn that rest on a language model, two of them on vectors, too."""

    name = "ragas"
    metrics: ClassVar = {
        "faithfulness": _GROUNDED,
        "answer_relevancy": frozenset({ANSWER}),
        "context_precision": _RETRIEVED,
        "context_utilization": _GROUNDED,
        "context_recall": _RETRIEVED,
        "context_relevance": frozenset({PASSAGES}),
        "response_groundedness": _GROUNDED,
        "answer_correctness": _COMPARED,
        "factual_correctness": _COMPARED,
    }
    calls: ClassVar = {
        "faithfulness": (2, 0),
        "answer_relevancy": (3, 0),
        "context_precision": (0, 1),
        "context_utilization": (0, 1),
        "context_recall": (1, 0),
        "context_relevance": (2, 0),
        "response_groundedness": (2, 0),
        "answer_correctness": (3, 0),
        "factual_correctness": (4, 0),
    }


class DeepEvalMetrics(_InAnEnvironment):
    """DeepEval 4: its five metrics of retrieval and generation."""

    name = "deepeval"
    metrics: ClassVar = {
        "faithfulness": _GROUNDED,
        "answer_relevancy": frozenset({ANSWER}),
        "contextual_precision": _RETRIEVED,
        "contextual_recall": _RETRIEVED,
        "contextual_relevancy": frozenset({PASSAGES}),
    }
    calls: ClassVar = {
        "faithfulness": (4, 0),
        "answer_relevancy": (3, 0),
        "contextual_precision": (2, 0),
        "contextual_recall": (2, 0),
        "contextual_relevancy": (1, 1),
    }
