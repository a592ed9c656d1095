"""`rag eval sample`: a dataset of questions that people asked, for somebody to label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import plural

# As the service has them, which is not loaded for the help text.
WHICH: Final = ("all", "nothing_found", "slow", "degraded", "failed", "feedback", "up", "down")
_DAY: Final = click.DateTime(["%Y-%m-%d"])


def _print_made(made: Mapping[str, Any]) -> None:
    click.echo(
        f"{made['name']}: {plural(made['questions'], 'question')} that wait for labels. Label them on the dashboard "
        f"(`rag dashboard`), on the page of the dataset. Then: rag eval run --dataset {made['name']} --collection …"
    )


@click.command("sample")
@click.argument("name")
@click.option("--count", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Questions at most.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed draws the same questions.")
@click.option("--since", type=_DAY, help="Asked on this day or later (UTC).")
@click.option("--until", type=_DAY, help="Asked on this day or before (UTC).")
@options.in_collection("Only what was asked of this collection.")
@click.option(
    "--which", type=click.Choice(WHICH), default="all", show_default=True, help="By what came of them; up, down: thumbs."
)
@click.option("--consent", is_flag=True, help="Those who asked agree that what they wrote is kept in a dataset. Needed.")
@options.answered(_print_made)
def sample(context: CliContext, consent: bool, **wanted: Any) -> Any:
    """Make a dataset NAME of questions that people asked, drawn at random from the traces, each once.

    Nobody has said yet what answers them: they are not measured before they are labelled.
    """
    if not consent:
        raise click.UsageError(
            "What people asked is kept in a dataset until that is deleted: say with --consent that they agree."
        )
    days = {name: day.date().isoformat() for name in ("since", "until") if (day := wanted.pop(name))}
    body = {name: value for name, value in wanted.items() if value is not None} | days
    with context.connect() as client:
        return client.post("/api/datasets/sample", body | {"consent": True})
