"""`rag doctor`: what is wrong, and the command that mends it."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.failures import FAILED
from ragd.cli.common.output import clean, echo_json, is_drawable

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@options.as_json
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Find out what is wrong, and how to mend it.

    The exit status is 1 when something keeps it from working; a warning alone gives 0.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.cli.doctor.checks import examine

    context: CliContext = ctx.obj
    with Preparation("Checking", lines=False) as preparation:
        findings = examine(context, preparation.show)
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
