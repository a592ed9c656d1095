"""`rag doctor`: what is wrong, and the command that mends it."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from rag_assistant.cli import options
from rag_assistant.cli.failures import FAILED
from rag_assistant.cli.output import clean, echo_json, is_drawable
from rag_assistant.cli.places import Places

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@options.as_json
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Find out what is wrong, and how to mend it.

    The exit status is 1 when something keeps it from working; a warning alone gives 0.
    """
    from rag_assistant.cli.checks import examine
    from rag_assistant.cli.progress import Preparation

    places: Places = ctx.obj
    with Preparation("Checking", lines=False) as preparation:
        findings = examine(places, preparation.show)
    failed = any(finding.level == "fail" for finding in findings)
    if as_json:
        echo_json({"ok": not failed, "checks": [asdict(finding) for finding in findings]})
    else:
        margin = max(len(finding.name) for finding in findings) + 2
        colour = is_drawable(sys.stdout)
        for finding in findings:
            level = click.style(f"{finding.level:<6}", fg=_COLOURS[finding.level]) if colour else f"{finding.level:<6}"
            click.echo(f"{level}{finding.name:<{margin}}{clean(finding.message)}")
            if finding.mend:
                click.echo(f"{'':<6}{'':<{margin}}→ {clean(finding.mend)}")
    ctx.exit(FAILED if failed else 0)
