"""`rag sources add folder`, and what else commands need that take a folder as a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, note, plural, table
from ragd.cli.ingest import DEFAULT_COLLECTION, ensure_collection, outcome, print_result

if TYPE_CHECKING:
    from ragd.client.blocking import Client

F = TypeVar("F", bound=Callable[..., Any])


def folder_options(command: F) -> F:
    """What to take from a folder: `include`, `exclude` and `no_gitignore`."""
    for option in (
        click.option("--no-gitignore", is_flag=True, help="Take what .gitignore files leave out, too."),
        click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out what matches, as in a .gitignore; repeatable."),
        click.option("--include", multiple=True, metavar="GLOB", help="Take only files that match; repeatable."),
    ):
        command = option(command)
    return command


def folder_config(include: tuple[str, ...], exclude: tuple[str, ...], *, no_gitignore: bool) -> dict[str, Any]:
    """Those of the options that were given, as a source's configuration has them."""
    given: dict[str, Any] = {"include": list(include), "exclude": list(exclude), "gitignore": not no_gitignore}
    return {name: value for name, value in given.items() if value not in ([], True)}


def wait_for_reading(client: Client, source: Mapping[str, Any]) -> dict[str, Any]:
    """Follow the job that reads a source. Ctrl-C cancels it."""
    from ragd.cli.common.progress import follow

    return follow(client, source["job_id"], f"Reading {source['name']}", cancel=True)


@click.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--name", help="What it is called (else as the folder is).")
@options.in_collection(f"Where its documents go (else `{DEFAULT_COLLECTION}`).")
@click.option("--create/--no-create", default=False, help="Make the collection when there is none of that name.")
@folder_options
@click.option("--no-watch", is_flag=True, help="Read it on demand only, by `rag sync`.")
@click.option("--dry-run", is_flag=True, help="Say what would be read, and store nothing.")
@click.option("--no-wait", is_flag=True, help="Return at once.")
@options.as_json
@click.pass_context
def folder(
    ctx: click.Context,
    path: Path,
    name: str | None,
    collection: str | None,
    create: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    no_gitignore: bool,
    no_watch: bool,
    dry_run: bool,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Add a folder with all that is in it.

    The daemon follows it: new, changed, moved and deleted files follow by themselves.
    """
    context: CliContext = ctx.obj
    config = folder_config(include, exclude, no_gitignore=no_gitignore) | ({"watch": False} if no_watch else {})
    body = {"type": "folder", "config": {"path": str(path.absolute()), **config}}
    body |= {key: value for key, value in (("name", name), ("collection", collection)) if value}
    if dry_run:
        with context.connect() as client:
            _print_preview(client.post("/api/sources", body, dry_run=True), as_json=as_json)
        return
    with context.connect("content" if no_wait else "jobs") as client:
        if create and collection:
            ensure_collection(client, collection)
        source = client.post("/api/sources", body)
        job = None if no_wait else wait_for_reading(client, source)
        source = client.get(f"/api/sources/{source['id']}")
        is_daemon = client.is_daemon
    if as_json:
        echo_json(source)
    else:
        click.echo(f"Added the source '{clean(source['name'])}'.")
        if job:
            print_result({**job, "collection": source["name"]}, context.logs)
    if not source["followed"] and not no_watch:
        why = "the daemon does not watch folders (watch.enabled is off)" if is_daemon else "no daemon is running (`rag serve`)"
        note(f"Its changes are not followed: {why}. `rag sync` reads them.")
    ctx.exit(outcome(job) if job else 0)


def _print_preview(found: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(found)
        return
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found["by_type"].items())
    click.echo(f"{plural(found['files'], 'file')} would be read{f': {kinds}' if kinds else ''}.")
    click.echo(f"Left out: {found['skipped']:,} of other types, {found['ignored']:,} by globs or .gitignore.")
    for name in found["names"]:
        click.echo(f"  {clean(name)}")
    if found["files"] > len(found["names"]):
        click.echo(f"  … and {found['files'] - len(found['names']):,} more")
    if found["failed"]:
        click.echo()
        table(("can't be read", "code", "reason"), [(item["source"], item["code"], item["message"]) for item in found["failed"]])
