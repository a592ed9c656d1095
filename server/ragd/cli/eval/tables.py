"""Evaluation runs and their cases as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ragd.cli.common.output import cells, clean, fields, listing, moment, one_line, plural, table

# Width of a question's text in a table, in columns.
_QUESTION = 36
_NAMED = {"line_range": "lines", "cell_range": "cells"}
_SHOWN = ("hit@1", "hit@5", "recall@10", "mrr@10", "ndcg@10")

_VERDICTS = {"up": "good", "down": "bad"}


def _run_row(run: Mapping[str, Any]) -> tuple[object, ...]:
    from ragd.evaluation.comparison import main_metric

    overall = run["metrics"]["overall"]
    metric = main_metric(overall["metrics"])
    quality = f"{overall['metrics'][metric]:.3f} {metric}" if metric else ""
    started = moment(run["started_at"])[5:16]
    return run["run_id"][:8], run["dataset"], run["strategy"], overall["questions"], quality, started, run["name"]


def _case_row(case: Mapping[str, Any]) -> tuple[str, ...]:
    shown, given = plural(len(case["relevant"]), "place"), moment(case["created_at"])[5:16]
    about = one_line(case["question"]), case["collection"] or "all"
    return case["id"][:8], _VERDICTS[case["verdict"]], *about, shown, given, one_line(case["comment"] or "")


print_runs = listing(
    ("run", "dataset", "strategy", "n", "quality", "started", "name"),
    _run_row,
    empty="No evaluations. Make one with `rag eval run --dataset golden`.",
    numeric=("n",),
)
print_cases = listing(
    ("case", "answer", "question", "collection", "shown", "given", "comment"),
    _case_row,
    empty="No feedback. Editors give it with the thumbs below an answer.",
)


def print_run(run: Mapping[str, Any]) -> None:
    """A run's figures: every metric over all questions, then the main ones by group."""
    overall, options = run["metrics"]["overall"], run["options"]
    pairs: list[tuple[str, object]] = [
        ("Run", run["run_id"]),
        ("Dataset", f"{run['dataset']} ({run['dataset_hash'][:8]}), {plural(overall['questions'], 'question')}"),
        ("Collection", run["collection"] or "as each question was asked"),
        ("Strategy", f"{run['strategy']}{'' if options['rerank'] else ', no rerank'}, top {options['top_k']}"),
        ("Settings", run["strategy_config_id"]),
        ("Started", moment(run["started_at"])),
        ("Latency", f"p50 {overall['latency_ms']['p50']:,.0f} ms, p95 {overall['latency_ms']['p95']:,.0f} ms"),
        ("Empty", plural(overall["empty"], "answer")),
    ]
    if judge := options["judge"]:
        pairs.append(("Judge", judge_line(judge)))
    pairs += [("Metrics", metric_set_line(account)) for account in options["metric_sets"]]
    fields([*pairs[:1], ("Name", run["name"]), *pairs[1:]] if run["name"] else pairs)
    click.echo()
    table(("metric", "value"), [(name, f"{value:.4f}") for name, value in overall["metrics"].items()], numeric=("value",))
    if run["metrics"]["groups"]:
        click.echo()
        _print_groups(run)


def metric_set_line(account: Mapping[str, Any]) -> str:
    """Whose metrics a run has, at what cost, and what is missing."""
    tokens = account["input_tokens"] + account["output_tokens"]
    parts = [
        f"{account['name']} {account['version']}",
        f"judged by {account['provider']} {account['model']}",
        f"{plural(account['calls'], 'call')}, {tokens:,} tokens",
        *([f"{plural(account['missing'], 'value')} missing"] if account["missing"] else []),
        *([f"stopped: {account['stopped']}"] if account["stopped"] else []),
    ]
    return one_line("; ".join(parts))


def judge_line(judge: Mapping[str, Any]) -> str:
    """What judged a run, at what cost, and what it could not judge."""
    controls, tokens = judge["controls"], judge["input_tokens"] + judge["output_tokens"]
    parts = [
        f"{judge['provider']} {judge['model']}",
        f"{controls['right']} of {controls['asked']} control questions right",
        f"{plural(judge['calls'], 'call')}, {tokens:,} tokens, {plural(judge['cached'], 'verdict')} of earlier runs",
        *(f"{judge[name]} {name.replace('_', ' ')}" for name in ("unparsable", "failed", "too_long") if judge[name]),
        *([f"stopped: {judge['stopped']}"] if judge["stopped"] else []),
    ]
    return one_line("; ".join(parts))


def _print_groups(run: Mapping[str, Any]) -> None:
    shown = [name for name in _SHOWN if name in run["metrics"]["overall"]["metrics"]]
    rows = []
    for kind, groups in run["metrics"]["groups"].items():
        for group, summary in groups.items():
            # What nothing answers has no ranking to be measured.
            values = [f"{summary['metrics'][name]:.3f}" if name in summary["metrics"] else "" for name in shown]
            rows.append((kind, group, summary["questions"], *values, f"{summary['latency_ms']['p95']:,.0f}"))
    table(("group", "", "n", *shown, "p95 ms"), rows, numeric=("n", *shown, "p95 ms"))


def print_worst(run: Mapping[str, Any], metric: str, count: int) -> None:
    """The questions with the lowest values: what answers each, at which rank it came, and what was found instead."""
    measured = [(question["metrics"].get(metric), index) for index, question in enumerate(run["questions"])]
    lowest = sorted((value, index) for value, index in measured if value is not None)
    shown = [run["questions"][index] for value, index in lowest if value < 1][:count]
    if not shown:
        click.echo(f"\nEvery question has {metric} 1.")
        return
    click.echo(f"\nWorst by {metric}:")
    for question in shown:
        click.echo(f"\n{one_line(question['id'])}  {metric} {question['metrics'][metric]:.3f}  {one_line(question['query'])}")
        wanted = {_where(place["source"], "", place["place"]): place["rank"] for place in question["relevant"]}
        for label, rank in wanted.items():
            click.echo(f"  {'rank ' + str(rank) if rank else 'missed':>8}  {label}")
        click.echo("  found:" if question["found"] else "  nothing was found")
        for rank, found in enumerate(question["found"], start=1):
            click.echo(f"  {rank:>8}  {_where(found['source'], found['section'], found['place'])}  {found['score']:.3f}")
        click.echo(f"     trace  {question['trace_id']}")


def print_comparison(first: Mapping[str, Any], second: Mapping[str, Any], compared: Mapping[str, Any], count: int) -> None:
    """The difference for each metric with its p-value, then the questions that changed most."""
    for letter, run in (("A", first), ("B", second)):
        name = f"{run['name']}, " if run["name"] else ""
        rerank = "" if run["options"]["rerank"] else ", no rerank"
        click.echo(one_line(f"{letter}  {run['run_id'][:8]}  {name}{run['strategy']}{rerank}  ({run['strategy_config_id'][:8]})"))
    click.echo(f"{plural(compared['questions'], 'question')} of {clean(first['dataset'])}\n")
    rows = []
    for row in compared["metrics"]:
        values = [f"{row['first']:.4f}", f"{row['second']:.4f}", f"{row['difference']:+.4f}", f"{row['p']:.4f}"]
        rows.append((row["metric"], *values, row["wins"], row["losses"]))
    headings = ("metric", "a", "b", "b - a", "p", "wins", "losses")
    table(headings, rows, numeric=headings[1:])
    changed: Sequence[Mapping[str, Any]] = compared["changed"]
    losses = [row for row in changed if row["second"] < row["first"]][:count]
    wins = [row for row in reversed(changed) if row["second"] > row["first"]][:count]
    for title, found in (("Lost most", losses), ("Won most", wins)):
        if found:
            click.echo(f"\n{title}, by {compared['metric']}:")
            changes = [
                (row["id"], shortened(row["query"], _QUESTION), f"{row['first']:.3f}", f"{row['second']:.3f}") for row in found
            ]
            table(("question", "text", "a", "b"), changes, numeric=("a", "b"))


def shortened(text: str, columns: int) -> str:
    """A text on one line, cut to a number of columns; wide characters take two."""
    text = one_line(text)
    if cells(text) <= columns:
        return text
    while cells(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def _where(source: str, section: str, place: Mapping[str, Any]) -> str:
    parts = [source, *([f"# {section}"] if section else [])]
    for name, value in place.items():
        said = f"{value[0]}-{value[1]}" if isinstance(value, list) else value
        parts.append(f"{_NAMED.get(name, name)} {said}")
    return one_line(", ".join(parts))
