"""`rag eval`: how good the answers are, and whether a change made them better.

The questions go to `POST /api/query`: what is measured is what users get, and a long evaluation keeps no job waiting.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.failures import GATE_NOT_MET
from ragd.cli.common.output import echo_json, note, plural
from ragd.cli.eval.drift import drift
from ragd.cli.eval.export import export
from ragd.cli.eval.generate import generate
from ragd.cli.eval.labels import labels
from ragd.cli.eval.lookup import find_pair, find_run
from ragd.cli.eval.sample import sample
from ragd.cli.eval.tables import print_cases, print_comparison, print_run, print_runs, print_worst

if TYPE_CHECKING:
    from ragd.cli.eval.corpus import Material
    from ragd.evaluation.runs.asking import Measured

_LONGEST_NAME = 255


@click.group("eval")
def eval_() -> None:
    """Measure how good the answers are, and compare."""


eval_.add_command(generate)
eval_.add_command(drift)
eval_.add_command(export)
eval_.add_command(labels)
eval_.add_command(sample)


@eval_.command("run")
@click.option(
    "--dataset",
    "named",
    required=True,
    metavar="PATH|NAME|golden|feedback",
    help="A file of questions (YAML, JSON Lines), a folder in the layout of BEIR or TREC, or the name of one on the dashboard.",
)
@click.option("--documents", type=options.existing_folder, help="Folder of what the questions of a YAML file are about.")
@options.in_collection("Ask this collection, which has the documents already.")
@click.option("--strategy", "strategies", multiple=True, metavar="NAME", help="As for `rag query`; repeatable: a run for each.")
@click.option("--no-rerank", is_flag=True, help="Leave out the reranking.")
@click.option(
    "--mode",
    type=click.Choice(["retrieval_only", "generation_only", "end_to_end"]),
    default="retrieval_only",
    show_default=True,
    help="Passages; answers from passages of the dataset; or both.",
)
@click.option("-k", "--top-k", "asked", type=click.IntRange(1), help="Passages of each (else 20; answers: retrieval.top_k).")
@click.option("--limit", type=click.IntRange(1), help="Ask only the first questions.")
@click.option("--judge", "judged", is_flag=True, help="Have the language model of llm.* judge passages and answers, too.")
@click.option("--judge-strategy", metavar="NAME", help="Judge with the llm.* of this strategy.")
@click.option("--metrics", "named_metrics", multiple=True, metavar="SET:METRIC,…", help="Metrics of ragas or deepeval, too.")
@click.option("--judge-calls", type=click.IntRange(1), default=5000, show_default=True, help="Ask it no more often.")
@click.option("--name", default="", metavar="TEXT", help="A name for the run.")
@click.option("--gate", "gates", multiple=True, metavar="COND", help="Exit with 6 unless met: 'ndcg@10>=0.5'; repeatable.")
@click.option("--gates", "gates_file", type=options.existing_file, help="A YAML list of gates, such as config/gates.yaml.")
@click.option("--junit", type=options.file_to_write, help="Write the gates as JUnit XML.")
@click.option("--report", type=options.file_to_write, help="Write a Markdown report, with its plots beside it (SVG).")
@click.option("--summary", type=options.file_to_write, help='Append a short table in Markdown: "$GITHUB_STEP_SUMMARY".')
@options.as_json
@click.pass_obj
def _run(
    context: CliContext,
    named: str,
    documents: Path | None,
    collection: str | None,
    strategies: tuple[str, ...],
    no_rerank: bool,
    mode: Measured,
    asked: int | None,
    limit: int | None,
    judged: bool,
    judge_strategy: str | None,
    named_metrics: tuple[str, ...],
    judge_calls: int,
    name: str,
    gates: tuple[str, ...],
    gates_file: Path | None,
    junit: Path | None,
    report: Path | None,
    summary: Path | None,
    as_json: bool,
) -> int:
    """Ask the questions of a dataset and measure the answers.

    Its documents are first read into a collection of their own, once; `feedback` asks again what people asked and found well
    answered. Metrics beyond --top-k are left out.
    """
    from ragd.cli.eval.files import require_folders, write_files
    from ragd.cli.eval.judging import measured_metrics, open_judging, try_out
    from ragd.cli.eval.metric_sets import open_metric_sets
    from ragd.cli.eval.run import run_all
    from ragd.evaluation.gates import check, read_gate, read_gates
    from ragd.evaluation.metrics import require_library
    from ragd.evaluation.runs.asking import DEFAULT_STRATEGY, DEPTH, Terms

    answers = mode != "retrieval_only"
    # An answer is to be made of as many passages as people get.
    top_k = asked or (context.settings().retrieval.top_k if answers else DEPTH)
    sets = open_metric_sets(context, named_metrics, judge_strategy, judge_calls, answers=answers) if named_metrics else None
    more = (*measured_metrics(answers=answers, judged=judged), *(sets.names if sets else ()))
    conditions = [
        *(read_gates(gates_file, top_k, more=more) if gates_file else ()),
        *(read_gate(gate, top_k, more=more) for gate in gates),
    ]
    if junit and not conditions:
        raise click.UsageError("--junit writes gates: give some with --gate or --gates.")
    require_folders(junit, report, summary)
    if documents and collection:
        raise click.UsageError("Give --documents or --collection, not both.")
    if len(name) > _LONGEST_NAME:
        raise click.UsageError(f"--name may have {_LONGEST_NAME} characters.")
    require_library()
    judging = open_judging(context, judge_strategy, judge_calls) if judged else None
    material = _material(context, named, documents, collection, searched=mode != "generation_only")
    if judging:
        try_out(judging, material.dataset.questions[0])
    if sets:
        sets.announce()
    terms = Terms("", top_k, mode, collection=collection, rerank=not no_rerank)
    wanted = [None if strategy in ("", DEFAULT_STRATEGY) else strategy for strategy in dict.fromkeys(strategies)] or [None]
    try:
        questions = material.dataset.questions[:limit]
        runs = run_all(context, material, wanted, terms, questions, name=name, limit=limit, judging=judging, sets=sets)
    except KeyboardInterrupt:
        note("Nothing of the unfinished run is kept.")
        raise
    checks = [(found, check(conditions, found["metrics"]["overall"])) for found in runs]
    write_files(checks, context.settings().evaluation.resamples, junit=junit, report=report, summary=summary)
    failed = [(one, found) for found, checked in checks for one in checked if not one.met]
    if as_json:
        gates_not_met = [[str(one.gate), found["run_id"]] for one, found in failed]
        echo_json({"runs": [_without_questions(found) for found in runs], "gates_not_met": gates_not_met})
    else:
        for index, found in enumerate(runs):
            if index:
                click.echo()
            print_run(found)
        for found, checked in checks:
            for one in checked:
                note(f"Gate {one.gate} {'met' if one.met else 'not met'} by {found['strategy']}: {one.value:.4g}")
    return GATE_NOT_MET if failed else 0


@eval_.command("tune")
@click.option("--dataset", "named", required=True, metavar="PATH|NAME|golden|feedback", help="As for `rag eval run`.")
@click.option("--documents", type=options.existing_folder, help="Folder of what the questions of a YAML file are about.")
@options.in_collection("Ask this collection, which has the documents already.")
@options.strategy
@click.option("--minutes", type=click.FloatRange(0, min_open=True), default=10.0, show_default=True, help="How long to search.")
@click.option(
    "--only", multiple=True, metavar="SETTING", help="Change only this setting; repeatable (else all that can be tuned)."
)
@click.option("--limit", type=click.IntRange(1), help="Take only the first questions.")
@click.option("--out", type=options.file_to_write, help="Write what is recommended as a strategy file; an existing one is kept.")
@options.as_json
@click.pass_obj
def _tune(
    context: CliContext,
    named: str,
    documents: Path | None,
    collection: str | None,
    strategy: str | None,
    minutes: float,
    only: tuple[str, ...],
    limit: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Search for settings that rank better, and recommend only what is better on questions that took no part in the search.

    Begins at the settings as they are, or those of --strategy. Applies nothing: a strategy file counts when it is in
    config/strategies/ and is named.
    """
    from dataclasses import asdict

    from ragd.cli.eval.files import require_folders, write_text
    from ragd.cli.eval.tune import print_tuned, tuned
    from ragd.evaluation.metrics import require_library
    from ragd.evaluation.runs.searching import Start, as_strategy
    from ragd.evaluation.tuning import TUNABLE

    require_folders(out)
    if out and out.exists():
        raise click.UsageError(f"{out} is there already: name another file.")
    if unknown := [name for name in only if name not in TUNABLE]:
        raise click.UsageError(f"'{unknown[0]}' is not tuned. What can be: {', '.join(TUNABLE)}.")
    if documents and collection:
        raise click.UsageError("Give --documents or --collection, not both.")
    require_library()
    material = _material(context, named, documents, collection)
    start = Start(strategy)
    found = tuned(context, material, collection, start, material.dataset.questions[:limit], minutes, only or tuple(TUNABLE))
    text = as_strategy(found, material.dataset.hash, context.directories.config, start) if found.changes else None
    if as_json:
        echo_json(asdict(found))
    else:
        print_tuned(found)
    if text and out:
        write_text(out, text)
        note(f"{out} is written. It counts when it is in config/strategies/ and named by --strategy or RAG_STRATEGY.")
    elif text and not as_json:
        click.echo(f"\n{text}", nl=False)


def _material(
    context: CliContext, named: str, documents: Path | None, collection: str | None, *, searched: bool = True
) -> Material:
    """What `--dataset` names, with a note on what is left out. Without `searched`, the passages that it carries are enough."""
    from ragd.cli.common.progress import Preparation
    from ragd.cli.eval.corpus import read_feedback, read_material, read_stored, with_own_passages
    from ragd.evaluation.feedback import FEEDBACK

    if named == FEEDBACK and not Path(named).exists():
        if documents:
            raise click.UsageError("--documents is for questions in a YAML file; feedback is asked of its collections.")
        material = read_feedback(context, collection)
    else:
        has_collection = collection is not None or not searched
        with Preparation("Reading the dataset"):
            stored = read_stored(context, named, documents, has_collection=has_collection)
            material = stored or read_material(named, documents, has_collection=has_collection)
    material = material if searched else with_own_passages(material)
    if unanswerable := material.dataset.unanswerable:
        note(f"{plural(unanswerable, 'question')} left out: nothing is known to answer them.")
    return material


@eval_.command("list")
@options.paged
@options.answered(print_runs)
def _list(context: CliContext, **page: int) -> Any:
    """List the runs, newest first."""
    return context.get("/api/evaluations", **page)


@eval_.command("cases")
@options.paged
@options.answered(print_cases)
def _cases(context: CliContext, **page: int) -> Any:
    """List the feedback that people gave in their editors, newest first: the cases of --dataset feedback."""
    return context.get("/api/feedback", **page)


@eval_.command("report")
@click.argument("named", metavar="RUN")
@click.option("--worst", type=click.IntRange(0), default=5, show_default=True, help="Show so many of the worst questions.")
@click.option("--metric", metavar="NAME", help="What the worst are found by (else ndcg@10).")
@options.as_json
@click.pass_obj
def _report(context: CliContext, named: str, worst: int, metric: str | None, as_json: bool) -> None:
    """Show a run, and its worst questions with what was found instead. RUN is an id, a name or a strategy."""
    from ragd.evaluation.comparison import main_metric

    with context.connect() as client:
        found = find_run(client, named)
    known = found["metrics"]["overall"]["metrics"]
    if metric and metric not in known:
        raise click.UsageError(f"The run has no metric '{metric}'. It has {', '.join(known)}.")
    if as_json:
        echo_json(found)
        return
    print_run(found)
    if worst:
        print_worst(found, metric or main_metric(known), worst)


@eval_.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--changes", type=click.IntRange(0), default=5, show_default=True, help="Show so many wins and losses.")
@options.as_json
@click.pass_obj
def _compare(context: CliContext, first: str, second: str, changes: int, as_json: bool) -> None:
    """Compare two runs on the same questions: ids, names or strategies, whose newest runs are taken.

    p is the chance of such a difference when both are equally good (paired randomisation test).
    """
    from ragd.evaluation.comparison import compare as compare_runs

    resamples = context.settings().evaluation.resamples
    with context.connect() as client:
        one, other = find_pair(client, first, second)
    compared = compare_runs(one, other, resamples=resamples)
    if as_json:
        echo_json({"first": _without_questions(one), "second": _without_questions(other), **compared})
    else:
        print_comparison(one, other, compared, changes)


def _without_questions(run: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in run.items() if key != "questions"}
