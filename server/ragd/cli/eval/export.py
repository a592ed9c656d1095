"""`rag eval export`: a run for another evaluation tool."""

from __future__ import annotations

from pathlib import Path

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note
from ragd.cli.eval.lookup import find_run


@click.command("export")
@click.argument("named", metavar="RUN")
@click.option("--format", "shape", type=click.Choice(["ragas", "deepeval"]), required=True, help="Whose dataset to write.")
@click.option("--out", type=options.file_to_write, required=True, help="The file to write; an existing one is kept.")
@click.pass_obj
def export(context: CliContext, named: str, shape: str, out: Path) -> None:
    """Write a run with its answers and passages as a dataset of Ragas or DeepEval, which need not be installed."""
    from ragd.cli.eval.files import require_folders, write_text
    from ragd.evaluation.exports import FORMATS

    require_folders(out)
    if out.exists():
        raise click.UsageError(f"{out} is there already: name another file.")
    with context.connect() as client:
        run = find_run(client, named)
    write_text(out, FORMATS[shape](run["questions"]))
    note(f"{out} is written. It holds the answers and the texts of the passages.")
