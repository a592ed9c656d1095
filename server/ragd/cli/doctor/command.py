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
@click.option("--offline-proof", is_flag=True, help="Ingest and ask under a watch instead, and say whom that tried to reach.")
@options.as_json
@click.pass_obj
def doctor(context: CliContext, offline_proof: bool, as_json: bool) -> int:
    """Find out what is wrong, and how to fix it.

    The exit status is 1 when something keeps it from working; a warning alone gives 0.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.cli.doctor.checks import examine
    from ragd.cli.doctor.offline import prove_offline

    with Preparation("Checking", lines=False) as preparation:
        if offline_proof:
            checks = list(prove_offline(context.directories, preparation.show))
        else:
            checks = examine(context, preparation.show)
    failed = any(check.level == "fail" for check in checks)
    if as_json:
        echo_json({"ok": not failed, "checks": [asdict(check) for check in checks]})
    else:
        margin = max(len(check.name) for check in checks) + 2
        colour = is_drawable(sys.stdout)
        for check in checks:
            level = click.style(f"{check.level:<6}", fg=_COLOURS[check.level]) if colour else f"{check.level:<6}"
            click.echo(f"{level}{check.name:<{margin}}{clean(check.message)}")
            if check.mend:
                click.echo(f"{'':<6}{'':<{margin}}→ {clean(check.mend)}")
    return FAILED if failed else 0
