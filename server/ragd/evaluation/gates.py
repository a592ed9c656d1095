"""Conditions that a run must meet, such as `ndcg@10>=0.5`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from ragd.core.errors import ValidationFailed
from ragd.evaluation.metrics import metrics_within

_GATE = re.compile(r"\s*([a-z0-9@_:]+)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?)\s*", re.IGNORECASE)
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
TIMES: Final = ("p50_ms", "p95_ms")


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition on the figures of all questions together."""

    name: str
    sign: str
    bound: float

    def __str__(self) -> str:
        return f"{self.name}{self.sign}{self.bound:g}"

    def value(self, overall: Mapping[str, Any]) -> float:
        """The figure that it is about, of a summary by `metrics.summary`. Raises `ValidationFailed` where there is none."""
        measured = {f"{name}_ms": value for name, value in overall["latency_ms"].items()} | overall["metrics"]
        if self.name not in measured:
            raise ValidationFailed(f"The gate '{self}' can't be decided: no question of this run has {self.name}.")
        found: float = measured[self.name]
        return found

    def is_met(self, overall: Mapping[str, Any]) -> bool:
        """Whether a summary meets it."""
        return self.holds(self.value(overall))

    def holds(self, value: float) -> bool:
        """Whether a figure meets it."""
        return _OPERATORS[self.sign](value, self.bound)


@dataclass(frozen=True, slots=True)
class Checked:
    """A gate, the figure that a run reached, and whether that is enough."""

    gate: Gate
    value: float
    met: bool


def check(gates: Sequence[Gate], overall: Mapping[str, Any]) -> list[Checked]:
    """Each gate against a summary by `metrics.summary`."""
    return [Checked(gate, gate.value(overall), gate.is_met(overall)) for gate in gates]


def read_gates(path: Path, top_k: int, *, more: Sequence[str] = ()) -> list[Gate]:
    """The gates of a YAML file: a list of conditions as `read_gate` takes them. Raises `ValidationFailed`."""
    try:
        listed = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValidationFailed(f"{path} can't be read: {error}") from error
    if not isinstance(listed, list) or not listed or not all(isinstance(one, str) for one in listed):
        raise ValidationFailed(f"{path} must hold a list of gates, each as text: - ndcg@10>=0.85")
    return [read_gate(one, top_k, more=more) for one in listed]


def read_gate(text: str, top_k: int, *, more: Sequence[str] = ()) -> Gate:
    """A condition as people write it, on a metric of a ranking of `top_k` passages or one of `more`.

    Raises `ValidationFailed` for what can't be read or is not measured at this depth.
    """
    known = (*metrics_within(top_k), *more, *TIMES)
    match = _GATE.fullmatch(text)
    if match is None:
        raise ValidationFailed(f"'{text}' is no gate. Write a metric, one of >= <= > <, and a number: ndcg@10>=0.5.")
    name = match[1].lower()
    if name not in known:
        raise ValidationFailed(f"The gate '{text}' names no metric of a run with --top-k {top_k}. Known: {', '.join(known)}.")
    return Gate(name, match[2], float(match[3]))
