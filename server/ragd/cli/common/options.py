"""Options that several commands share, and how a command says what the service answered."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ragd.cli.common.output import echo_json

F = TypeVar("F", bound=Callable[..., Any])
Printer = Callable[[Any], None]
"""Shows people what the service answered."""

as_json = click.option("--json", "as_json", is_flag=True, help="Print what the service answers, as JSON.")
yes = click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
create = click.option("--create/--no-create", default=False, help="Make the collection when there is none of that name.")
no_wait = click.option("--no-wait", is_flag=True, help="Queue the job and return at once.")
strategy = click.option("--strategy", metavar="NAME", help="hybrid, dense_only, sparse_only, or a strategy of the settings.")
existing_folder = click.Path(exists=True, file_okay=False, path_type=Path)
existing_file = click.Path(exists=True, dir_okay=False, path_type=Path)
file_to_write = click.Path(dir_okay=False, writable=True, path_type=Path)
_limit = click.option(
    "-n", "--limit", "page_size", type=click.IntRange(1, 100), default=20, show_default=True, help="Rows on a page at most."
)
_page = click.option("--page", type=click.IntRange(1), default=1, show_default=True, help="Which page to print.")


def paged(command: F) -> F:
    """`--limit` and `--page`, as the parameters `page_size` and `page` that every list of the service takes."""
    return _limit(_page(command))


def in_collection(text: str) -> Callable[[F], F]:
    """`--collection NAME` with its own help text."""
    return click.option("-c", "--collection", multiple=True, metavar="NAME", help=text, callback=_only)


def in_collections(text: str) -> Callable[[F], F]:
    """`--collection NAME`, several times, with its own help text."""
    return click.option("-c", "--collection", multiple=True, metavar="NAME", help=text)


def _only(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> str | None:
    """The one value; several are refused, where click would take the last."""
    if len(values) > 1:
        raise click.BadParameter(f"only one can be named here, not {len(values)}.")
    return values[0] if values else None


def all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options in the order of the help text."""
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


def answered(show: Printer) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """A command that returns what the service answered: with `--json` it is printed as it came, else by `show`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., None]:
        def run(context: Any, /, *, as_json: bool, **given: Any) -> None:
            answer = command(context, **given)
            if as_json:
                echo_json(answer)
            else:
                show(answer)

        return as_json(click.pass_obj(functools.update_wrapper(run, command)))

    return decorate


def confirm(question: str, *, yes: bool) -> None:
    """Ask before something is lost, and end with 1 for a no. Where nobody can answer, `--yes` must have been given."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("This can't be undone and nobody is there to confirm it; add --yes.")
    if not click.confirm(question, default=False, err=True):
        raise click.exceptions.Exit(1)
