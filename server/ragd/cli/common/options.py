"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print what the service answers, as JSON.")
yes = click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
limit = click.option("-n", "--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="Rows on a page at most.")
page = click.option("--page", type=click.IntRange(1), default=1, show_default=True, help="Which page to print.")


def in_collection(text: str) -> Callable[[F], F]:
    """`--collection NAME` with its own help text."""
    return click.option("-c", "--collection", metavar="NAME", help=text)


def confirmed(question: str, *, yes: bool) -> bool:
    """Ask before something is lost. Where nobody can answer, `--yes` must have been given."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise click.UsageError("This can't be undone and nobody is there to confirm it; add --yes.")
    return click.confirm(question, default=False, err=True)
