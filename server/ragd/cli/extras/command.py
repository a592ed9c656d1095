"""`rag extras`: packages that are not needed by everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, table

if TYPE_CHECKING:
    from ragd.cli.extras.packages import Extra


@click.group()
def extras() -> None:
    """List and add packages that not everybody needs.

    Text recognition, language models, metrics, GPUs.
    """


@extras.command("list")
@options.answered(lambda rows: table(("extra", "state", "for"), [(row["name"], row["state"], row["for"]) for row in rows]))
def list_extras(context: CliContext) -> Any:  # noqa: ARG001
    """List the extras, and which are installed."""
    from ragd.cli.extras.packages import FOR, extra
    from ragd.evaluation.external.environments import FOR as APART
    from ragd.evaluation.external.environments import state

    found = [(extra(name), what_for) for name, what_for in FOR.items()]
    rows = [{"name": one.name, "state": one.state, "packages": one.packages, "for": what_for} for one, what_for in found]
    return rows + [{"name": name, "state": state(name), "packages": {}, "for": what_for} for name, what_for in APART.items()]


@extras.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--index-url", metavar="URL", help="Package index, in place of the one that pip or uv is set up with.")
@click.pass_obj
def add(context: CliContext, names: tuple[str, ...], index_url: str | None) -> None:
    """Install extras into the environment that this `rag` runs in, or, as the list says, into one of their own.

    The versions are those that were tested with this release, each file checked by its hash. Index, proxy and certificates are
    those that pip (or uv, where there is no pip) is set up with.
    """
    from ragd.cli.common.progress import Preparation
    from ragd.cli.extras.apart import install_apart
    from ragd.cli.extras.packages import FOR, extra, install, lost_by
    from ragd.client.discovery import find_daemon
    from ragd.core.errors import ValidationFailed
    from ragd.evaluation.external.environments import FOR as APART
    from ragd.evaluation.external.environments import folder_of

    if unknown := [name for name in names if name not in FOR and name not in APART]:
        raise ValidationFailed(f"There is no extra '{unknown[0]}'. There are: {', '.join((*FOR, *APART))}.")
    ours = [name for name in names if name in FOR]
    if new := [name for name in ours if not extra(name).is_known]:
        raise ValidationFailed(f"The environment is older than the extra {new[0]}. Run the set-up (scripts/quickstart.py) again.")
    if other := [name for name in ours if not extra(name).packages]:
        raise ValidationFailed(f"The extra {other[0]} is not for this machine: {FOR[other[0]]}.")
    for name in names:
        with Preparation(f"Installing {name}"):
            (install if name in FOR else install_apart)(name, index_url)
        click.echo(f"{name}: {_versions(extra(name)) if name in FOR else folder_of(name)}")
    if owner := lost_by():
        note(f"{owner} leaves it out when it installs another release: add it again then.")
    if ours and find_daemon(context.directories.data):
        note("The daemon that runs uses it after it was started again: `rag stop`, then `rag serve`.")


def _versions(installed: Extra) -> str:
    return ", ".join(f"{package} {version}" for package, version in installed.packages.items())
