#!/usr/bin/env python3
"""What each step of the default ranking gives, by group of questions, by the product's own searches and features.

    .venv/bin/python scripts/ranking_steps.py --dataset PATH --data FOLDER [--group NAME=TYPE,TYPE ...]

PATH and FOLDER are those of `train_fusion.py`; documents that are there already cost nothing. Learned steps are shown two-fold
(each half of the sections ranked by weights of the other half) and as shipped. The last column is R@20, the others nDCG@10;
`mean` is of the groups, each with the same weight; `--group` makes one of several types of questions. Nothing is rescored, and
all questions are asked anew for each step.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np

from _listwise import L2
from ragd.core.errors import RagError, ValidationFailed
from ragd.retrieve.ranking.features import FEATURES, TOKEN_FEATURES
from ragd.retrieve.ranking.learned import scaled
from ragd.retrieve.ranking.weights import LEARNED_KINDS, SHIPPED, SHIPPED_WITH_TOKENS, read_weights
from train_fusion import Collected, Material, collect, figures, ingest, opened, read_dataset, two_fold

GROUP = "type "
STEPS = ((False, False), (False, True), (True, False), (True, True))
"""With kept token vectors, and with a further search by feedback."""


def grouped(material: Material, groups: Sequence[str]) -> Material:
    """The material with types of questions taken together."""
    names = {kind: name for name, _, kinds in (group.partition("=") for group in groups) for kind in kinds.split(",")}
    questions = tuple(
        replace(question, groups={key: names.get(value, value) for key, value in question.groups.items()})
        for question in material.dataset.questions
    )
    return replace(material, dataset=replace(material.dataset, questions=questions))


def as_shipped(collected: Collected, names: Sequence[str], *, tokens: bool) -> dict[str, list[int]]:
    """The order of each question's candidates by the weights of the package."""
    weights = read_weights(SHIPPED_WITH_TOKENS if tokens else SHIPPED).weights
    orders = dict(collected.by_rule)
    for example in collected.examples:
        if example.kind in LEARNED_KINDS:
            of_kind = np.array([weights[example.kind][name] for name in names])
            orders[example.question_id] = np.argsort(-scaled(example.features @ of_kind), kind="stable").tolist()
    return orders


def row(name: str, material: Material, collected: Collected, orders: Mapping[str, Sequence[int]], groups: Sequence[str]) -> str:
    by_group = figures(material, collected, orders)
    values = [by_group[group][0] for group in groups]
    recall = fmean(by_group[group][1] for group in groups)
    return f"{name:44}" + "".join(f"{value:10.3f}" for value in (*values, fmean(values), recall))


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--documents", type=Path, help="the folder that questions in a YAML file are about")
    parser.add_argument("--data", type=Path, required=True, help="a data directory of its own")
    parser.add_argument("--group", action="append", default=[], metavar="NAME=TYPE,TYPE")
    arguments = parser.parse_args(given)
    try:
        with opened(arguments.data) as app:
            material = grouped(read_dataset(arguments.dataset, arguments.documents, arguments.data), arguments.group)
            if material.folder:
                ingest(app, material.folder)
            if app.indexes().tokens is None:
                raise ValidationFailed("No token vectors are kept: set token_index.provider, and a model that gives them.")
            groups: list[str] = []
            for tokens, further in STEPS:
                names = [name for name in FEATURES if tokens or name not in TOKEN_FEATURES]
                collected = collect(app, material, names, tokens=tokens, further=further)
                if not groups:
                    known = figures(material, collected, collected.by_rule)
                    groups = sorted(name for name in known if name.startswith(GROUP)) or ["all"]
                    heads = [*(group.removeprefix(GROUP)[:9] for group in groups), "mean", "R@20"]
                    print(" " * 44 + "".join(f"{head:>10}" for head in heads))
                kept = "kept tokens" if tokens else "no tokens"
                if not further:
                    print(row(f"rule, {kept}", material, collected, collected.by_rule, groups))
                step = f"learned, {kept}{', further search' if further else ''}"
                priors = {kind: np.zeros(len(names)) for kind in LEARNED_KINDS}
                print(row(f"{step}, two-fold", material, collected, two_fold(collected, priors, L2), groups))
                print(
                    row(f"{step}, as shipped", material, collected, as_shipped(collected, names, tokens=tokens), groups),
                    flush=True,
                )
    except RagError as error:
        print(error.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
