#!/usr/bin/env python3
"""How well it is known whether the documents answer a question, and the weights for it.

    .venv/bin/python scripts/bench/quality/not_found.py [--fit]

The samples are searched for questions that they answer (tests/golden/questions.yaml and answerable.yaml), for facts that are
missing beside them, and for other subjects. Prints, for the half of the set on which the weights were fitted and for the other
one, which share of each kind is called found, and balanced accuracies: of answered against near questions, and against far ones.
With `--fit`, new weights for `retrieve/ranking/confidence.py`: a ridge logistic on the fitted half in which answered questions
weigh as much as the others, near as much as far; its bias is moved so that one half is what 95 % of answered questions reach.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import yaml
from question_phrasing import open_application

from ragd.app.container import Application
from ragd.config.loading import Directories
from ragd.core.query import QueryRequest
from ragd.retrieve import pipeline
from ragd.retrieve.filters import parse_filters
from ragd.retrieve.ranking.confidence import Evidence, evidence_of

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"
SAMPLES = ROOT / "data" / "samples"

Kind = Literal["answered", "near", "far"]


class Asked(NamedTuple):
    """One question; `held_out` are those on which nothing was fitted."""

    kind: Kind
    language: str
    text: str
    filters: dict[str, Any] | None
    held_out: bool


class Rates(NamedTuple):
    """Shares of the questions that are called found, and what comes of them."""

    answered: float
    near: float
    far: float

    @property
    def near_accuracy(self) -> float:
        return (self.answered + 1 - self.near) / 2

    @property
    def far_accuracy(self) -> float:
        return (self.answered + 1 - self.far) / 2


def questions() -> Iterator[Asked]:
    """The whole set. Of each list, those with an odd number are held out."""
    places = yaml.safe_load((GOLDEN / "questions.yaml").read_text(encoding="utf-8"))
    for language in ("en", "ja"):
        asked = [question for question in places if question["lang"] == language]
        for number, question in enumerate(asked):
            yield Asked("answered", language, question["query"], question.get("filters"), number % 2 == 1)
    for kind, languages in yaml.safe_load((GOLDEN / "answerable.yaml").read_text(encoding="utf-8")).items():
        for language, texts in languages.items():
            for number, text in enumerate(texts):
                yield Asked(kind, language, text, None, number % 2 == 1)


def request(asked: Asked, **options: Any) -> QueryRequest:
    """The question as it goes to the search."""
    return QueryRequest(asked.text, filters=parse_filters(asked.filters), **options)


def rates(asked: Sequence[Asked], found: Iterable[bool]) -> Rates:
    """The rates of a set of questions, of which each was found or not."""
    verdicts: dict[str, list[bool]] = {"answered": [], "near": [], "far": []}
    for one, verdict in zip(asked, found, strict=True):
        verdicts[one.kind].append(verdict)
    return Rates(*(float(np.mean(verdicts[kind])) for kind in Rates._fields))


def fitted(asked: Sequence[Asked], evidence: Sequence[Evidence], *, similarity: bool, accepted: float) -> list[float]:
    """The weights of `confidence.py`, in its order."""
    rows = [number for number, one in enumerate(evidence) if not one.named and not asked[number].held_out]
    signs = np.array([_signs(evidence[number], similarity=similarity) for number in rows])
    is_answered = np.array([asked[number].kind == "answered" for number in rows])
    share = {"answered": 0.5, "near": 0.25, "far": 0.25}
    counts = {kind: sum(asked[number].kind == kind for number in rows) for kind in share}
    weights = np.array([len(rows) * share[asked[number].kind] / counts[asked[number].kind] for number in rows])
    mean, spread = signs.mean(axis=0), signs.std(axis=0) + 1e-9
    scaled = np.c_[(signs - mean) / spread, np.ones(len(rows))]
    ridge = np.r_[np.ones(scaled.shape[1] - 1), 1e-6]
    found = np.zeros(scaled.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (chance - is_answered)) + ridge * found
        curve = (scaled * (weights * chance * (1 - chance))[:, None]).T @ scaled + np.diag(ridge)
        found -= np.linalg.solve(curve, slope)
    factors = found[:-1] / spread
    bias = found[-1] - factors @ mean
    # What is named counts as accepted, so that fewer of the others must be.
    named = sum(one.named and a.kind == "answered" and not a.held_out for a, one in zip(asked, evidence, strict=True))
    totals = np.sort((signs @ factors + bias)[is_answered])
    return [float(bias - totals[int((1 - accepted) * (named + len(totals)))]), *map(float, factors)]


def _signs(one: Evidence, *, similarity: bool) -> list[float]:
    near = [one.similarity or 0.0] if similarity else [0.0]
    return [*near, one.covered, one.missing, one.unknown, one.absent, one.foreign, one.unspaced]


def _evidence(app: Application, asked: Sequence[Asked]) -> list[Evidence]:
    """What the estimator saw of each question."""
    seen: list[Evidence] = []

    def spy(*values: Any, **named: Any) -> Evidence | None:
        found = evidence_of(*values, **named)
        assert found is not None
        seen.append(found)
        return found

    vars(pipeline)["evidence_of"] = spy
    for one in asked:
        app.search.query(request(one, rerank=False))
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true")
    arguments = parser.parse_args()
    asked = list(questions())
    with tempfile.TemporaryDirectory() as temporary:
        app = open_application(Path(temporary), SAMPLES, Directories.default().models)
        try:
            if arguments.fit:
                evidence = _evidence(app, asked)
                for similarity, accepted in ((True, 0.95), (False, 0.88)):
                    values = fitted(asked, evidence, similarity=similarity, accepted=accepted)
                    print("with similarity" if similarity else "words alone    ", [round(value, 2) for value in values])
                return 0
            for label, options in (
                ("hybrid", {}),
                ("hybrid, no rerank", {"rerank": False}),
                ("words alone", {"strategy": "sparse_only"}),
            ):
                for held_out in (False, True):
                    half = [one for one in asked if one.held_out == held_out]
                    found = rates(half, (app.search.query(request(one, **options)).found for one in half))
                    part = "held out" if held_out else "fitted  "
                    shares = "  ".join(f"{kind} {share:.3f}" for kind, share in found._asdict().items())
                    accuracies = f"near {found.near_accuracy:.3f}  far {found.far_accuracy:.3f}"
                    print(f"{label:18} {part} found: {shares}   balanced accuracy: {accuracies}", flush=True)
        finally:
            app.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
