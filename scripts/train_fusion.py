#!/usr/bin/env python3
"""Weights for `retrieval.fusion: learned`, made from questions with known answers.

    .venv/bin/python scripts/train_fusion.py --dataset PATH [--out weights.toml]
    .venv/bin/python scripts/train_fusion.py --dataset feedback --data DATA_DIRECTORY --prior --out weights.toml

The weights are for passages whose token vectors are kept; with RAG_TOKEN_INDEX__PROVIDER=none, for those without.

PATH is what `rag eval run --dataset` takes (a folder in the layout of BEIR, a YAML file of questions, `golden`), or a folder with
corpus.jsonl (`file`, `text`, `section`) and queries.jsonl (`query`, `type`, `relevant`, `neutral`, `path_prefix`). Its documents
are read into `--data`, a folder of its own, and kept there for the next run. `feedback` are the thumbs up of a data directory,
whose daemon must not run. `--prior` starts from the weights of the package, as few questions should.

Prints nDCG@10 and R@20 by group: of the rule without weights, and of weights that were trained on the other half, by section.
The file holds the weights, and nothing of the questions or documents. `retrieval.fusion_weights` takes it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import numpy as np

from _listwise import L2, Example, train
from ragd.app.container import Application
from ragd.cli.eval.corpus import read_material
from ragd.config.loading import Directories, load_settings
from ragd.core.errors import RagError, ValidationFailed
from ragd.core.instance import Ownership
from ragd.core.query import QueryRequest, Turn
from ragd.core.tracing import Trace
from ragd.evaluation.datasets import Dataset, Question, Relevant, digest_of, read_objects
from ragd.evaluation.feedback import FEEDBACK, feedback_dataset
from ragd.evaluation.metrics import measure
from ragd.evaluation.relevance import is_at, unit_of, units
from ragd.retrieve.filters import parse_filters
from ragd.retrieve.ranking.adaptive import AdaptiveFusion, QuestionKind, kind_of
from ragd.retrieve.ranking.features import FEATURES, TOKEN_FEATURES, feedback_of, first_fusion, matrix, pool_of
from ragd.retrieve.ranking.further import widened
from ragd.retrieve.ranking.learned import scaled
from ragd.retrieve.ranking.weights import LEARNED_KINDS, SHIPPED, SHIPPED_WITH_TOKENS, FusionWeights, read_weights

METRICS = ("ndcg@10", "recall@20")
Rankings = dict[str, list[str]]


@dataclass
class Material:
    """A dataset and the folder of its documents (None: they are in the data directory).

    What only some datasets say, by question: files that count neither way, and the section that answers.
    """

    dataset: Dataset
    folder: Path | None = None
    neutral: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Collected:
    """Examples, their candidates as results of a query, and the order of the rule, by question."""

    examples: list[Example] = field(default_factory=list)
    results: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    by_rule: dict[str, list[int]] = field(default_factory=dict)


def read_sections(folder: Path, work: Path) -> Material:
    """A folder of files with sections; its files are written below `work`."""
    sections: dict[str, str] = {}
    corpus = work / "corpus"
    for _, row in read_objects(folder / "corpus.jsonl"):
        path = corpus / row["file"]
        if not path.resolve().is_relative_to(corpus.resolve()):
            raise ValidationFailed(f"{folder / 'corpus.jsonl'}: '{row['file']}' is outside of the corpus.")
        sections[row["file"]] = f"{row.get('doc', '')} {row['section']}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["text"], encoding="utf-8")
    rows = [row for _, row in read_objects(folder / "queries.jsonl")]
    questions = tuple(
        Question(
            row["id"],
            row["query"],
            tuple(Relevant(name) for name in row["relevant"]),
            groups={"type": row["type"]},
            filters={"path_prefix": row["path_prefix"]} if "path_prefix" in row else None,
        )
        for row in rows
    )
    dataset = Dataset(folder.name, digest_of(folder / "queries.jsonl"), questions, by_document=True)
    neutral = {row["id"]: frozenset(row["neutral"]) for row in rows}
    return Material(dataset, corpus, neutral, {row["id"]: sections[row["relevant"][0]] for row in rows})


def read_dataset(named: str, documents: Path | None, work: Path) -> Material:
    """The dataset of a path, with its documents as files."""
    folder = Path(named).expanduser()
    if (folder / "queries.jsonl").is_file() and not (folder / "qrels").is_dir():
        return read_sections(folder, work)
    found = read_material(named, documents, has_collection=False)
    if found.corpus is not None:
        found.corpus.write(work / "corpus", lambda _done: None)
        return Material(found.dataset, work / "corpus")
    return Material(found.dataset, found.folder)


@contextmanager
def opened(data: Path) -> Iterator[Application]:
    """The product on a data directory, which no daemon may have."""
    standard = Directories.default()
    ownership = Ownership(data)
    app = Application(load_settings(standard.config, environment=os.environ), Directories(data, standard.models, standard.config))
    try:
        yield app
    finally:
        app.close()
        ownership.release()


def ingest(app: Application, folder: Path) -> None:
    """Read the documents, and make what token vectors they lack; those that are known cost nothing."""
    app.runner.start()
    job = app.documents.ingest([str(folder)])
    while app.jobs.unfinished():
        app.runner.wait_for_change(0.5)
    if (current := app.jobs.get(job.job_id)).status != "completed":
        raise ValidationFailed(f"The documents could not be read: {current.error}")


def read_feedback(app: Application) -> Material:
    cases: list[dict[str, object]] = []
    while (page := app.feedback.page(len(cases) // 100 + 1, 100)[0]):  # fmt: skip
        cases += page
    return Material(feedback_dataset(cases, {collection.name for collection in app.collections.enabled()}))


def collect(
    app: Application, material: Material, names: Sequence[str], *, tokens: bool = True, further: bool = True
) -> Collected:
    """What both indexes give for each question, with its features; with kept token vectors and a further search, or without."""
    pipeline = app.search.queries.pipeline(None)
    rule = AdaptiveFusion(app.settings.retrieval)
    found = Collected()
    for number, question in enumerate(material.dataset.questions, start=1):
        print(f"\rQuestion {number} of {len(material.dataset.questions)}", end="", file=sys.stderr, flush=True)
        filters = parse_filters(question.filters)
        request = QueryRequest(question.text, collection=question.collection, filters=filters)
        history = tuple(Turn(turn["role"], turn["text"]) for turn in question.history)
        query = app.search.resolve(request)
        plan = pipeline.planner.plan(question.text, mode="hybrid", filters=filters, prefer=request.prefer, history=history)
        trace = Trace("query", strategy_config_id="training", detail_level="standard", links={})
        retriever = pipeline.retriever if tokens else replace(pipeline.retriever, tokens=None)
        retrieved = retriever.retrieve(plan, query.kb_ids, trace)
        first = first_fusion(rule, retrieved.lists, plan, retrieved.data)
        kind = kind_of(plan, retrieved.data.foreign)
        feedback = feedback_of(first, retrieved.data) if {"dense", "sparse"} <= retrieved.lists.keys() else None
        if feedback is None:
            continue
        # Look-ups are the rule's, and nothing further is searched for them.
        retrieved = (
            widened(retriever, retrieved, feedback, plan, query.kb_ids, trace)
            if further and kind in LEARNED_KINDS
            else replace(retrieved, data=replace(retrieved.data, feedback=feedback))
        )
        pool = pool_of(retrieved.lists, plan, retrieved.data)
        if pool is None:
            continue
        if pool.tokens is None and not TOKEN_FEATURES.isdisjoint(names):
            raise ValidationFailed("Not every passage has token vectors yet: wait for the job that makes them (`rag jobs list`).")
        passages = app.passages.passages(pool.chunk_ids)
        results: list[dict[str, object]] = [
            {"chunk_id": key, "source": passages[key].source, "section_path": passages[key].section_path}
            | passages[key].place.as_dict()
            for key in pool.chunk_ids
        ]
        ignored = material.neutral.get(question.id, frozenset())
        place = {chunk_id: at for at, chunk_id in enumerate(pool.chunk_ids)}
        found.results[question.id] = results
        found.by_rule[question.id] = [place[candidate.chunk_id] for candidate in first]
        found.examples.append(
            Example(
                question.id,
                kind,
                matrix(pool, names),
                [any(is_at(result, wanted) for wanted in question.relevant) for result in results],
                [result["source"] in ignored for result in results],
                material.sections.get(question.id, question.relevant[0].source),
            )
        )
    print(file=sys.stderr)
    return found


def two_fold(collected: Collected, priors: Mapping[QuestionKind, np.ndarray], l2: float) -> dict[str, list[int]]:
    """The order of each question's candidates, by weights that were trained on the other half."""
    orders = dict(collected.by_rule)
    for kind in LEARNED_KINDS:
        of_kind = [example for example in collected.examples if example.kind == kind]
        for half in (0, 1):
            weights = train([example for example in of_kind if example.half != half], priors[kind], l2)
            for example in of_kind:
                if example.half == half:
                    orders[example.question_id] = np.argsort(-scaled(example.features @ weights), kind="stable").tolist()
    return orders


def figures(material: Material, collected: Collected, orders: Mapping[str, Sequence[int]]) -> dict[str, tuple[float, float]]:
    """The metrics by group, as `rag eval run` counts them."""
    asked = [question for question in material.dataset.questions if question.id in orders]
    rankings: Rankings = {}
    for question in asked:
        ignored = material.neutral.get(question.id, frozenset())
        results = [collected.results[question.id][at] for at in orders[question.id][:20]]
        kept = [result for result in results if result["source"] not in ignored]
        rankings[question.id] = units(question, kept, by_document=material.dataset.by_document)
    grades = {question.id: {unit_of(at): one.grade for at, one in enumerate(question.relevant)} for question in asked}
    values = measure(grades, rankings, METRICS)
    groups = defaultdict(list)
    for question in asked:
        groups["all"].append(values[question.id])
        for kind, group in question.groups.items():
            groups[f"{kind} {group}"].append(values[question.id])
    for example in collected.examples:
        groups[f"({example.kind})"].append(values[example.question_id])
    return {
        name: (fmean(row[METRICS[0]] for row in rows), fmean(row[METRICS[1]] for row in rows)) for name, rows in groups.items()
    }


def report(material: Material, collected: Collected, orders: Mapping[str, Sequence[int]]) -> None:
    rule, learned = figures(material, collected, collected.by_rule), figures(material, collected, orders)
    print(f"{'':32}{'rule':>16}{'two-fold':>16}   (nDCG@10, R@20)")
    for name in sorted(rule, key=lambda name: (name == "all", name)):
        print(f"{name:32}" + "".join(f"{ndcg:9.3f}{recall:7.3f}" for ndcg, recall in (rule[name], learned[name])))


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--documents", type=Path, help="the folder that questions in a YAML file are about")
    parser.add_argument("--data", type=Path, required=True, help="the data directory: for a dataset, one of its own")
    parser.add_argument("--out", type=Path, help="where to write the weights")
    parser.add_argument("--prior", action="store_true", help="begin at the weights of the package")
    parser.add_argument("--l2", type=float, default=L2, help="how strongly weights are pulled to where they begin")
    arguments = parser.parse_args(given)
    try:
        with opened(arguments.data) as app:
            if arguments.dataset == FEEDBACK:
                material = read_feedback(app)
            else:
                material = read_dataset(arguments.dataset, arguments.documents, arguments.data)
            if material.folder:
                ingest(app, material.folder)
            with_tokens = app.indexes().tokens is not None
            names = [name for name in FEATURES if with_tokens or name not in TOKEN_FEATURES]
            collected = collect(app, material, names)
            basis = app.models.embedder().model_id
        shipped = read_weights(SHIPPED_WITH_TOKENS if with_tokens else SHIPPED).weights if arguments.prior else {}
        priors = {
            kind: np.array([shipped.get(kind, {}).get(name, 0.0) for name in names], dtype=np.float64) for kind in LEARNED_KINDS
        }
        report(material, collected, two_fold(collected, priors, arguments.l2))
    except RagError as error:
        print(error.message, file=sys.stderr)
        return 1
    learned = [example for example in collected.examples if example.kind in LEARNED_KINDS and any(example.relevant)]
    weights = {
        kind: dict(
            zip(names, train([one for one in learned if one.kind == kind], priors[kind], arguments.l2).tolist(), strict=True)
        )
        for kind in LEARNED_KINDS
    }
    options = shlex.join(
        ["--dataset", material.dataset.name, "--l2", f"{arguments.l2:g}", *(["--prior"] if arguments.prior else [])]
    )
    command = f"{'' if with_tokens else 'RAG_TOKEN_INDEX__PROVIDER=none '}scripts/train_fusion.py {options}"
    made = FusionWeights(basis, datetime.now(UTC).date(), command, len(learned), weights)
    print(made.as_toml())
    if arguments.out:
        arguments.out.write_text(made.as_toml(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
