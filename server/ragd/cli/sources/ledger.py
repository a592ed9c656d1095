"""`rag sources ledger` and `rag sources retry`: what became of each item of a cloud source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import echo_json, moment, note, note_other_pages, one_line, plural, table
from ragd.cli.common.source_tokens import OPTION, VARIABLE, source_tokens
from ragd.cli.ingest import outcome, print_result
from ragd.cli.sources.folders import find_source, wait_for_reading

_STATES: Final = ("skipped", "held", "pending", "indexed")
_ABOUT: Final = {
    "skipped": "left out",
    "held": "held back: gone there, kept here",
    "pending": "still to be fetched",
    "indexed": "indexed",
}
# Reasons for which something can be done, in the order in which people look for them.
_ADVICE: Final = {
    "forbidden": "give the account the right to read it; the next cycle takes it",
    "failed": "the next cycle tries again; now with `rag sources retry`",
    "too_large": "raise limits.max_document_size, then `rag sources retry`",
    "parse_error": "open it there and save it anew, or `rag sources retry` after an update",
    "unsupported": "nothing, unless it can be saved there in a type that is read",
    "filtered": "a rule of the source leaves it out: see --include, --exclude and --no-attachments",
    "empty": "nothing: it has no text",
    "gone": "nothing: the next cycle forgets it",
}


@click.command()
@click.argument("name")
@click.option("--state", type=click.Choice(_STATES), help="List the items in this state alone.")
@click.option("--cycles", type=click.IntRange(0, 50), default=5, show_default=True, help="Cycles to show at most, newest first.")
@options.paged
@source_tokens
@options.as_json
@click.pass_obj
def ledger(context: CliContext, /, name: str, state: str | None, cycles: int, as_json: bool, **page: int) -> None:
    """Show what became of each item of a cloud source.

    Every item there is indexed, or left out with a reason. A title is shown when your token may read its item.
    """
    with context.connect() as client:
        address = f"/api/sources/{find_source(client, name)['id']}/ledger"
        ledger_now = client.get(address)
        items = client.get(f"{address}/items", state=state or "skipped", **page)
    ledger_now["cycles"] = ledger_now["cycles"][:cycles]
    if as_json:
        echo_json(items if state else ledger_now)
        return
    if state is None:
        _print_cycles(ledger_now["cycles"])
        _print_counts(ledger_now["counts"])
    _print_items(items, state or "skipped")


@click.command()
@click.argument("name")
@click.argument("items", nargs=-1, metavar="[ITEM]...")
@options.no_wait
@source_tokens
@options.as_json
@click.pass_obj
def retry(context: CliContext, name: str, items: tuple[str, ...], no_wait: bool, as_json: bool) -> int:
    """Try items again that were left out, all or those named.

    ITEM is its id in the ledger, such as page/123. What a rule of the source leaves out stays out.
    """
    with context.connect("content" if no_wait else "jobs") as client:
        source = find_source(client, name)
        job = client.post(f"/api/sources/{source['id']}/retry", {"items": list(items) or None})
        if not no_wait:
            job = wait_for_reading(client, {**source, **job})
    if as_json:
        echo_json(job)
    elif no_wait:
        click.echo(f"Queued as job {job['job_id']}.")
    else:
        print_result({**job, "collection": source["name"]}, context.logs, nothing="nothing changed")
    return 0 if no_wait else outcome(job)


def _print_cycles(cycles: Sequence[Mapping[str, Any]]) -> None:
    if not cycles:
        click.echo("It was not read yet.")
        return
    names = ("remote", "indexed", "skipped_count", "held", "added", "updated", "deleted", "requests")
    headings = ("began", "kind", "there", "indexed", "left out", "held", "added", "updated", "deleted", "requests", "s", "end")
    rows = [
        (moment(cycle["started_at"]), cycle["kind"], *(cycle[name] for name in names), f"{cycle['active_s']:.0f}", _end(cycle))
        for cycle in cycles
    ]
    table(headings, rows, numeric=headings[2:-1])
    waited = sum(cycle["throttled_s"] for cycle in cycles)
    if waited:
        click.echo(f"Of the time, {waited:.0f} s were spent waiting for a throttling server.")
    if cycles[0]["notice"]:
        click.echo(one_line(cycles[0]["notice"]))
    click.echo()


def _end(cycle: Mapping[str, Any]) -> str:
    if cycle["phase"] == "failed":
        return "failed"
    if cycle["phase"] != "done":
        return f"{cycle['phase']} …"
    return "complete" if cycle["complete"] else "incomplete"


def _print_counts(counts: Mapping[str, int]) -> None:
    there = [f"{counts[state]:,} {_ABOUT[state]}" for state in ("indexed", "skipped", "held", "pending") if counts.get(state)]
    click.echo(f"Now: {', '.join(there) or 'no items'}.")


def _print_items(items: Mapping[str, Any], state: str) -> None:
    if not items["total"]:
        click.echo("Nothing is left out." if state == "skipped" else f"No item is {_ABOUT[state].partition(':')[0]}.")
        return
    click.echo()
    rows = items["items"]
    skipped = state == "skipped"
    headings = ("item", "where", "title", *(("reason", "message") if skipped else ("version", "changed there")))
    table(headings, [_row(item, skipped=skipped) for item in rows])
    note_other_pages(items)
    advice = [
        f"{reason}: {said}" for reason, said in _ADVICE.items() if skipped and any(item["reason"] == reason for item in rows)
    ]
    if advice:
        click.echo("\nWhat to do:")
    for line in advice:
        click.echo(f"  {line}")
    hidden = sum(item["title"] is None for item in rows)
    if hidden:
        note(f"{plural(hidden, 'title')} hidden: bring a token that may read them, by {OPTION} NAME=env:VARIABLE or {VARIABLE}.")


def _row(item: Mapping[str, Any], *, skipped: bool) -> tuple[object, ...]:
    title = "(hidden)" if item["title"] is None else item["title"]
    rest = (item["reason"], item["message"]) if skipped else (item["version"] or "", moment(item["remote_updated_at"]))
    return (item["id"], item["container"], title, *rest)
