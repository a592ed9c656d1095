"""`rag sources add folder`, and what else commands need that take a folder as a source."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, note, plural, print_failed
from ragd.cli.ingest import DEFAULT_COLLECTION, ensure_collection, outcome, print_result
from ragd.core.errors import SourceNotFound

if TYPE_CHECKING:
    from ragd.client.blocking import Client

folder_options: Final = options.all_of(
    click.option("--include", multiple=True, metavar="GLOB", help="Take only files that match; repeatable."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out what matches, as in a .gitignore; repeatable."),
    click.option("--no-gitignore", is_flag=True, help="Take what .gitignore files leave out, too."),
)
"""What to take from a folder: `include`, `exclude` and `no_gitignore`."""


def folder_config(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `folder_options` that were given, as a source's configuration has them."""
    config = {name: list(given[name]) for name in ("include", "exclude") if given[name]}
    return config | ({"gitignore": False} if given["no_gitignore"] else {})


def find_source(client: Client, name: str) -> dict[str, Any]:
    """The source of that name, or of that id. Raises `SourceNotFound`."""
    wanted = unicodedata.normalize("NFC", name)
    found = next((item for item in client.pages("/api/sources") if wanted in (item["name"], item["id"])), None)
    if found is None:
        raise SourceNotFound(f"There is no source '{name}'. See `rag sources list`.")
    return found


def wait_for_reading(client: Client, source: Mapping[str, Any]) -> dict[str, Any]:
    """Follow the job that reads a source. Ctrl-C cancels it."""
    from ragd.cli.common.progress import follow

    return follow(client, source["job_id"], f"Reading {source['name']}", cancel=True)


def add_source(
    client: Client, body: Mapping[str, Any], *, create: bool, no_wait: bool
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The source that is made of `body`, and the job that has read it, unless nobody waited."""
    if create and "collection" in body:
        ensure_collection(client, body["collection"])
    added = client.post("/api/sources", body)
    job = None if no_wait else wait_for_reading(client, added)
    return client.get(f"/api/sources/{added['id']}"), job


def print_added(
    source: Mapping[str, Any], job: Mapping[str, Any] | None, logs: Path, *, as_json: bool, nothing: str = "no documents found"
) -> None:
    """Print a source that was added, and what its first reading did."""
    if as_json:
        echo_json(source)
        return
    click.echo(f"Added the source '{clean(source['name'])}'.")
    if job:
        print_result({**job, "collection": source["name"]}, logs, nothing=nothing)


@click.command()
@click.argument("path", type=options.existing_folder)
@click.option("--name", help="What it is called (else as the folder is).")
@options.in_collection(f"Where its documents go (else `{DEFAULT_COLLECTION}`).")
@options.create
@folder_options
@click.option("--no-watch", is_flag=True, help="Read it on demand only, by `rag sync`.")
@click.option("--dry-run", is_flag=True, help="Say what would be read, and store nothing.")
@click.option("--no-wait", is_flag=True, help="Return at once.")
@options.as_json
@click.pass_obj
def folder(
    context: CliContext, /, path: Path, create: bool, no_watch: bool, dry_run: bool, no_wait: bool, as_json: bool, **given: Any
) -> int:
    """Add a folder with all that is in it.

    The daemon follows it: new, changed, moved and deleted files follow by themselves.
    """
    config = {"path": str(path.absolute()), **folder_config(given)} | ({"watch": False} if no_watch else {})
    body = {"type": "folder", "config": config} | {key: given[key] for key in ("name", "collection") if given[key]}
    with context.connect("content" if dry_run or no_wait else "jobs") as client:
        if dry_run:
            _print_preview(client.post("/api/sources", body, dry_run=True), as_json=as_json)
            return 0
        source, job = add_source(client, body, create=create, no_wait=no_wait)
        is_daemon = client.is_daemon
    print_added(source, job, context.logs, as_json=as_json)
    if not source["followed"] and not no_watch:
        why = "the daemon does not watch folders (watch.enabled is off)" if is_daemon else "no daemon is running (`rag serve`)"
        note(f"Its changes are not followed: {why}. `rag sync` reads them.")
    return outcome(job) if job else 0


def _print_preview(found: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(found)
        return
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found["by_type"].items())
    click.echo(f"{plural(found['files'], 'file')} would be read{f': {kinds}' if kinds else ''}.")
    click.echo(f"Left out: {found['skipped']:,} of other types, {found['ignored']:,} by globs or .gitignore.")
    print_names([clean(name) for name in found["names"]], found["files"])
    print_failed(found["failed"], "can't be read")


def print_names(names: Sequence[str], total: int) -> None:
    """The first of several names, and how many more there are."""
    for name in names:
        click.echo(f"  {name}")
    if total > len(names):
        click.echo(f"  … and {total - len(names):,} more")
