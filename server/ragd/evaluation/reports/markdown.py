"""A report of runs in Markdown, with plots beside it, and a summary for the page of a CI run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragd.evaluation.comparison import compare, main_metric
from ragd.evaluation.gates import TIMES, Checked
from ragd.evaluation.intervals import LEVEL, interval
from ragd.evaluation.reports.plots import Bar, bars
from ragd.evaluation.reports.text import legible

Run = Mapping[str, Any]
Checks = Sequence[tuple[Run, Sequence[Checked]]]

_WORST: Final = 10
_SIGNIFICANT: Final = 0.05
# What Markdown or HTML would read as more than text.
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def plots(checks: Checks, resamples: int) -> dict[str, str]:
    """Name -> SVG: the metrics of each run, with gates as bounds, and the main metric by group where questions have groups."""
    series = [run["strategy"] for run, _ in checks]
    names = list(checks[0][0]["metrics"]["overall"]["metrics"])
    bounds = {one.gate.name: one.gate.bound for _, gates in checks for one in gates if one.gate.name not in TIMES}
    rows = {name: [_bar(run["questions"], name, resamples) for run, _ in checks] for name in names}
    made = {"metrics": bars("Metrics over all questions", series, rows, bounds)}
    main = main_metric(dict.fromkeys(names, 0.0))
    groups = {
        f"{kind} {group}": [_bar(_members(run, kind, group), main, resamples) for run, _ in checks]
        for kind, members in checks[0][0]["metrics"]["groups"].items()
        for group in members
    }
    return made | ({"groups": bars(f"{main} by group", series, groups, {})} if groups else {})


def report(checks: Checks, *, resamples: int, images: Mapping[str, str]) -> str:
    """The whole report. `images` maps the names of `plots` to where they are, as links are written."""
    first = checks[0][0]
    lines = [f"# Evaluation: {_said(first['dataset'])}", "", summary(checks)]
    lines += [
        f"Dataset {first['dataset_hash'][:8]}, {first['metrics']['overall']['questions']} questions, top {_top_k(first)}.",
        "",
    ]
    lines += [f"![{name}]({place})\n" for name, place in images.items()]
    for run, _ in checks:
        lines += _run(run, resamples)
    for run, _ in checks[1:]:
        lines += _compared(first, run, resamples)
    lines += [
        f"Intervals are of {LEVEL:.0%}: bootstrap over questions, {resamples:,} resamples, with a fixed seed. "
        "p is by a paired randomisation test.",
        "",
    ]
    return "\n".join(lines)


def summary(checks: Checks) -> str:
    """The gates with what was reached, for `$GITHUB_STEP_SUMMARY`; the main figures where there are none."""
    lines = []
    failed = sum(not gate.met for _, gates in checks for gate in gates)
    if any(gates for _, gates in checks):
        total = sum(len(gates) for _, gates in checks)
        lines += [f"**{'All gates are met' if not failed else f'{failed} of {total} gates are not met'}.**", ""]
        lines += ["| | gate | reached | strategy |", "|---|---|--:|---|"]
        for run, gates in checks:
            lines += [
                f"| {'✅' if one.met else '❌'} | {_said(str(one.gate))} | {one.value:.4g} | {_said(run['strategy'])} |"
                for one in gates
            ]
    else:
        names = [main_metric(checks[0][0]["metrics"]["overall"]["metrics"])]
        lines += [f"| strategy | {names[0]} | p95 ms |", "|---|--:|--:|"]
        for run, _ in checks:
            overall = run["metrics"]["overall"]
            p95 = overall["latency_ms"]["p95"]
            lines.append(f"| {_said(run['strategy'])} | {overall['metrics'][names[0]]:.4f} | {p95:,.0f} |")
    return "\n".join([*lines, ""])


def _run(run: Run, resamples: int) -> list[str]:
    overall = run["metrics"]["overall"]
    latency = overall["latency_ms"]
    judge = run["options"].get("judge")
    lines = [
        f"## {_said(run['name'] or run['strategy'])}",
        "",
        f"Strategy {_said(run['strategy'])}, settings {run['strategy_config_id'][:8]}, run {run['run_id']}. "
        f"{overall['empty']} without any passage; p50 {latency['p50']:,.0f} ms, p95 {latency['p95']:,.0f} ms.",
        *(["", _judge(judge)] if judge else []),
        *(line for account in run["options"].get("metric_sets", ()) for line in ("", _metric_set(account))),
        "",
        f"| metric | value | {LEVEL:.0%} interval |",
        "|---|--:|---|",
    ]
    for name, value in overall["metrics"].items():
        low, high = interval([one["metrics"][name] for one in run["questions"] if name in one["metrics"]], resamples)
        lines.append(f"| {name} | {value:.4f} | {low:.4f} to {high:.4f} |")
    return [*lines, "", *_worst(run)]


def _judge(judge: Mapping[str, Any]) -> str:
    missing = [f"{judge[name]} {name.replace('_', ' ')}" for name in ("unparsable", "failed", "too_long") if judge[name]]
    controls = judge["controls"]
    return (
        f"Judged by {_said(judge['provider'])} {_said(judge['model'])} (profile {judge['profile_id'][:8]}), right about "
        f"{controls['right']} of {controls['asked']} control questions. Verdicts missing: {', '.join(missing) or 'none'}."
        + (f" Not all was judged: {_said(judge['stopped'])}" if judge["stopped"] else "")
    )


def _metric_set(account: Mapping[str, Any]) -> str:
    return (
        f"Metrics of {_said(account['name'])} {_said(account['version'])}, judged by {_said(account['provider'])} "
        f"{_said(account['model'])}. Values missing: {account['missing'] or 'none'}."
        + (f" Not all was measured: {_said(account['stopped'])}" if account["stopped"] else "")
    )


def _worst(run: Run) -> list[str]:
    metric = main_metric(run["metrics"]["overall"]["metrics"])
    measured = [question for question in run["questions"] if metric in question["metrics"]]
    lowest = sorted(measured, key=lambda question: question["metrics"][metric])
    shown = [question for question in lowest if question["metrics"][metric] < 1][:_WORST]
    if not shown:
        return [f"Every question has {metric} 1.", ""]
    lines = [f"Worst by {metric}:", "", f"| question | {metric} | text | trace |", "|---|--:|---|---|"]
    for one in shown:
        lines.append(f"| {_said(one['id'])} | {one['metrics'][metric]:.3f} | {_said(one['query'])} | {one['trace_id']} |")
    return [*lines, ""]


def _compared(first: Run, second: Run, resamples: int) -> list[str]:
    found = compare(first, second, resamples=resamples)
    lines = [
        f"## {_said(second['strategy'])} against {_said(first['strategy'])}",
        "",
        "| metric | difference | p | won | lost |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in found["metrics"]:
        p = f"**{row['p']:.4f}**" if row["p"] < _SIGNIFICANT else f"{row['p']:.4f}"
        lines.append(f"| {row['metric']} | {row['difference']:+.4f} | {p} | {row['wins']} | {row['losses']} |")
    return [*lines, ""]


def _members(run: Run, kind: str, group: str) -> list[Mapping[str, Any]]:
    return [question for question in run["questions"] if question["groups"].get(kind) == group]


def _bar(questions: Sequence[Mapping[str, Any]], name: str, resamples: int) -> Bar | None:
    values = [question["metrics"][name] for question in questions if name in question["metrics"]]
    return Bar(sum(values) / len(values), *interval(values, resamples)) if values else None


def _top_k(run: Run) -> int:
    top_k: int = run["options"]["top_k"]
    return top_k


def _said(text: str) -> str:
    """Text of a dataset or a person as text, on one line."""
    return _SPECIAL.sub(r"\\\1", legible(text))
