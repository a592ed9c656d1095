"""The weights of a learned fusion: a TOML file that `scripts/train_fusion.py` writes, read strictly."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from ragd.core.errors import SettingsError
from ragd.retrieve.ranking.adaptive import QuestionKind
from ragd.retrieve.ranking.features import FEATURES, TOKEN_FEATURES

SHIPPED: Final = Path(__file__).with_name("fusion_weights.toml")
SHIPPED_WITH_TOKENS: Final = Path(__file__).with_name("fusion_weights_tokens.toml")
"""For questions whose candidates all have token vectors."""
LEARNED_KINDS: Final[tuple[QuestionKind, ...]] = ("foreign", "plain")
"""Kinds of question that have weights; the others keep the rule."""

_KEYS: Final = {"basis", "trained", "command", "questions", "weights"}


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """`weights` by kind of question and feature. `basis` is the embedding model, whose similarities they weigh."""

    basis: str
    trained: date
    command: str
    questions: int
    weights: Mapping[QuestionKind, Mapping[str, float]]

    @property
    def reads_tokens(self) -> bool:
        """Whether a feature needs the token vectors of every candidate."""
        return any(not TOKEN_FEATURES.isdisjoint(table) for table in self.weights.values())

    def as_toml(self) -> str:
        """The file."""
        tables = [
            f"\n[weights.{kind}]\n" + "".join(f"{name} = {value:.4f}\n" for name, value in self.weights[kind].items())
            for kind in LEARNED_KINDS
        ]
        return (
            "# Weights of `retrieval.fusion: learned`. Made by a program: train anew instead of editing.\n"
            f"basis = {json.dumps(self.basis)}\ntrained = {self.trained.isoformat()}\n"
            f"command = {json.dumps(self.command)}\nquestions = {self.questions}\n{''.join(tables)}"
        )


def read_weights(path: Path) -> FusionWeights:
    """Read a file of weights. Raises `SettingsError` that says what is wrong with it."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _wrong(path, f"it can't be read: {error.strerror or error}") from error
    except ValueError as error:  # of TOML, or of UTF-8
        raise _wrong(path, f"it is no TOML ({error})") from error
    _check(path, "", written, _KEYS)
    expected: dict[str, type] = {"basis": str, "trained": date, "command": str, "questions": int, "weights": dict}
    for key, kind in expected.items():
        if not isinstance(written[key], kind) or isinstance(written[key], bool):
            raise _wrong(path, f"'{key}' has a value of the wrong kind")
    _check(path, "weights.", written["weights"], set(LEARNED_KINDS))
    weights = {kind: _numbers(path, kind, written["weights"][kind]) for kind in LEARNED_KINDS}
    return FusionWeights(**{**written, "weights": weights})


def _numbers(path: Path, kind: QuestionKind, table: Any) -> dict[str, float]:
    if not isinstance(table, dict) or not table:
        raise _wrong(path, f"[weights.{kind}] must give features their weights")
    for name, value in table.items():
        if name not in FEATURES:
            raise _wrong(path, f"[weights.{kind}] has no feature '{name}'; known: {', '.join(FEATURES)}")
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise _wrong(path, f"weights.{kind}.{name} must be a number")
    return {name: float(value) for name, value in table.items()}


def _check(path: Path, prefix: str, table: Mapping[str, Any], keys: set[str]) -> None:
    if unknown := sorted(table.keys() - keys):
        raise _wrong(path, f"'{prefix}{unknown[0]}' is not known there; known: {', '.join(sorted(keys))}")
    if missing := sorted(keys - table.keys()):
        raise _wrong(path, f"'{prefix}{missing[0]}' is missing")


def _wrong(path: Path, problem: str) -> SettingsError:
    return SettingsError(f"The fusion weights {path} can't be used: {problem}. Make new ones with scripts/train_fusion.py.")
