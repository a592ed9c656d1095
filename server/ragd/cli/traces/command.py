"""`rag traces`: what each query and each ingestion did, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, fields, listing, moment, table
from ragd.cli.common.source_tokens import source_tokens

_BAR = 30


@click.group()
def traces() -> None:
    """See what queries and ingestions did, stage by stage."""


def _row(trace: Mapping[str, Any]) -> tuple[str, ...]:
    milliseconds, started = f"{trace['latency_ms']:,}", moment(trace["started_at"])
    return trace["trace_type"], trace["status"], milliseconds, started, trace["trace_id"]


@traces.command("list")
@click.option("--type", type=click.Choice(["query", "ingestion"]), help="Only traces of this type.")
@click.option("--job", "job_id", metavar="ID", help="Only the traces of one job.")
@options.paged
@options.answered(listing(("type", "status", "ms", "started", "id"), _row, empty="No traces.", numeric=("ms",)))
def _list(context: CliContext, **given: Any) -> Any:
    """List traces, newest first."""
    return context.get("/api/traces", **given)


def _print(trace: Mapping[str, Any]) -> None:
    latency = trace["aggregates"]["latency_ms"]
    links = [(name.replace("_", " ").capitalize(), value) for name, value in trace["links"].items() if value]
    fields(
        [
            ("Type", trace["trace_type"]),
            ("Status", trace["status"]),
            ("Started", moment(trace["started_at"])),
            ("Took", f"{latency:,.1f} ms"),
            ("Settings", trace["strategy_config_id"]),
            *links,
        ]
    )
    click.echo()
    rows = [
        (
            span["name"].removeprefix("stage."),
            "" if span["provider"]["type"] == "none" else span["provider"]["id"] or span["provider"]["profile"],
            span["status"],
            f"{span['end_ms'] - span['start_ms']:,.1f}",
            _bar(span, latency),
        )
        for span in trace["spans"]
    ]
    table(("stage", "provider", "status", "ms", "when"), rows, numeric=("ms",))
    if counters := trace["aggregates"]["counters"]:
        click.echo("\n" + "  ".join(f"{name} {value:,}" for name, value in counters.items()))
    for error in trace["aggregates"]["errors"]:
        click.echo("\nError: " + clean("  ".join(str(value) for value in error.values())))


@traces.command("show")
@click.argument("trace_id", metavar="ID")
@options.answered(_print)
def _show(context: CliContext, trace_id: str) -> Any:
    """Show the stages of one trace, with their times."""
    return context.get(f"/api/traces/{trace_id}")


@traces.command("replay")
@click.argument("trace_id", metavar="ID")
@click.option("--with", "changes", multiple=True, metavar="NAME=VALUE", help="With another setting: rerank.top_n=50; repeatable.")
@options.strategy
@click.option("--query", metavar="TEXT", help="The question as it was asked, for a trace that does not hold it.")
@click.option("--all", "every", is_flag=True, help="Show every candidate, not only those of the contexts.")
@source_tokens
@options.as_json
@click.pass_obj
def _replay(
    context: CliContext,
    trace_id: str,
    changes: tuple[str, ...],
    strategy: str | None,
    query: str | None,
    every: bool,
    as_json: bool,
) -> None:
    """Do again what a trace is of, and show what differs.

    A question is asked on today's data and settings, or with others; the replay leaves a trace. A file that was ingested is read
    again up to its chunks, and nothing of it is stored.
    """
    from ragd.cli.traces.replay import print_replay

    body = {"settings": dict(map(_setting, changes)), "strategy": strategy, "query": query}
    with context.connect("search") as client:
        answer = client.post(f"/api/traces/{trace_id}/replay", {name: value for name, value in body.items() if value})
    if as_json:
        echo_json(answer)
    else:
        print_replay(answer, every=every)


def _setting(given: str) -> tuple[str, Any]:
    """NAME=VALUE, the value as in a file of settings. Raises `UsageError`."""
    import yaml

    name, sign, text = given.partition("=")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    if not sign or not name.strip():
        raise click.UsageError(f"--with {given}: write NAME=VALUE, such as rerank.top_n=50.")
    return name.strip(), "" if value is None else value


def _bar(span: Mapping[str, Any], latency: float) -> str:
    if latency <= 0:
        return ""
    start = min(_BAR - 1, int(span["start_ms"] / latency * _BAR))
    length: int = max(1, round((span["end_ms"] - span["start_ms"]) / latency * _BAR))
    return "·" * start + "█" * min(length, _BAR - start)
