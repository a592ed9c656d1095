"""`rag sources` and `rag sync`: folders, and places elsewhere, that are read again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, note, plural
from ragd.cli.common.source_tokens import OPTION, Given, is_brought, reference, source_tokens
from ragd.cli.ingest import outcome, print_result
from ragd.cli.sources import cloud_options
from ragd.cli.sources.cloud import add, json_object
from ragd.cli.sources.cloud_options import access_of, config_of
from ragd.cli.sources.folders import find_source, wait_for_reading
from ragd.cli.sources.ledger import ledger, retry
from ragd.cli.sources.tables import NO_SOURCES, accounted, print_source, print_sources

if TYPE_CHECKING:
    from ragd.client.blocking import Client


@click.group()
def sources() -> None:
    """List, add and change folders and cloud sources that are read."""


@sources.command("list")
@options.paged
@options.answered(print_sources)
def _list(context: CliContext, **page: int) -> Any:
    """List the sources by name."""
    return context.get("/api/sources", **page)


@sources.command("show")
@click.argument("name")
@options.answered(print_source)
def _show(context: CliContext, name: str) -> Any:
    """Show one source, and how it was read the last time."""
    with context.connect() as client:
        return find_source(client, name)


sources.add_command(add)
sources.add_command(ledger)
sources.add_command(retry)


@sources.command("change")
@click.argument("name")
@click.option("--rename", metavar="NAME", help="What it is to be called.")
@click.option("--enable/--disable", "enabled", default=None, help="Whether to read it at all.")
@click.option("--path", type=options.existing_folder, help="Where the folder is now.")
@click.option("--gitignore/--no-gitignore", default=None, help="Whether to leave out what .gitignore files name.")
@click.option("--watch/--no-watch", default=None, help="Whether to follow a folder's changes.")
@click.option("--base-url", metavar="ADDRESS", help="Where Confluence or Jira is now.")
@options.all_of(
    *cloud_options.globs,
    *cloud_options.account,
    *cloud_options.confluence,
    *cloud_options.jira,
    *cloud_options.parts,
    *cloud_options.reading,
)
@click.option("--public/--private", "public", default=None, help="Whether whoever may ask this daemon may read it.")
@click.option("--config", "text", metavar="JSON", help="Parts of the configuration of a type that a package adds.")
@source_tokens
@options.answered(print_source)
def _change(context: CliContext, /, name: str, **given: Any) -> Any:
    """Change what is named, and keep the rest. '' empties a list, as in --exclude ''.

    A folder that moved takes its documents along.
    """
    with context.connect() as client:
        source = find_source(client, name)
        config = {key: given[key] for key in ("base_url", "gitignore", "watch") if given[key] is not None}
        config |= {"path": str(given["path"].absolute())} if given["path"] else {}
        config |= config_of(given, source["config"]) | (json_object(given["text"]) if given["text"] is not None else {})
        body = {"name": given["rename"], "config": config or None, "enabled": given["enabled"], **access_of(given)}
        body = {key: value for key, value in body.items() if value is not None}
        if not body:
            raise click.UsageError("Name something to change; see --help.")
        return client.patch(f"/api/sources/{source['id']}", body)


@sources.command("remove")
@click.argument("name")
@click.option("--keep-documents", is_flag=True, help="Keep its documents as if ingested by hand; not of a private source.")
@options.yes
@click.pass_obj
def _remove(context: CliContext, name: str, keep_documents: bool, yes: bool) -> None:
    """Remove a source with its documents. The files themselves stay."""
    with context.connect() as client:
        found = find_source(client, name)
        documents = f"{'keep' if keep_documents else 'delete'} its {plural(found['document_count'], 'document')}"
        options.confirm(f"Remove the source '{clean(found['name'])}' and {documents}?", yes=yes)
        client.delete(f"/api/sources/{found['id']}", documents="keep" if keep_documents else "delete")
    click.echo(f"Removed the source '{clean(found['name'])}'.")


@click.command()
@click.argument("names", nargs=-1, metavar="[SOURCE]...")
@click.option("--full", is_flag=True, help="Confluence, Jira: compare the version of every item, not only of what changed.")
@click.option(
    "--allow-empty",
    is_flag=True,
    help="A folder that is found empty, or a space that is nearly all gone, is meant to be: delete its documents.",
)
@click.option(
    "--token",
    callback=reference(or_request=False),
    metavar="REFERENCE",
    help="Where the token is, for a source whose token comes with each request.",
)
@click.option("--no-wait", is_flag=True, help="Queue the jobs and return at once.")
@source_tokens
@options.as_json
@click.pass_obj
def sync(context: CliContext, /, names: tuple[str, ...], token: str | None, no_wait: bool, as_json: bool, **body: bool) -> int:
    """Read sources again, all of them when none is named.

    What is unchanged costs nothing; files that moved keep what was made of them; what is gone is deleted. A source whose token
    comes with each request needs --token, or --source-token; without, `rag sync` alone leaves it out.
    """
    if token is not None and len(names) != 1:
        raise click.UsageError("--token is for one source: name it.")
    if token is not None:
        context.source_tokens = (Given(names[0], token, "--token"),)
    with context.connect("content" if no_wait else "jobs") as client:
        chosen = [find_source(client, name) for name in names] if names else _readable(client, context)
        if token is not None and not chosen[0]["waits_for_token"]:
            raise click.UsageError(f"--token: the source '{names[0]}' has a token of its own, or needs none. Leave it out.")
        started = [(source, client.post(f"/api/sources/{source['id']}/sync", body)) for source in chosen]
        jobs = []
        for source, job in started:
            ended = job if no_wait else wait_for_reading(client, {**source, **job})
            jobs.append(ended)
            if not as_json and not no_wait:
                nothing = "no documents found" if source["type"] == "folder" else "nothing changed"
                print_result({**ended, "collection": source["name"]}, context.logs, nothing=nothing)
                if said := accounted(client.get(f"/api/sources/{source['id']}")):
                    click.echo(said)
    if as_json:
        echo_json(jobs)
    elif not chosen:
        click.echo(NO_SOURCES)
    elif no_wait:
        click.echo(f"Queued {plural(len(jobs), 'job')}.")
    return 0 if no_wait else max(map(outcome, jobs), default=0)


sources.add_command(sync)


def _readable(client: Client, context: CliContext) -> list[dict[str, Any]]:
    """Every source that can be read now: switched on, and with a token where each request has to bring one."""
    chosen = []
    for source in client.pages("/api/sources"):
        if source["waits_for_token"] and source["enabled"] and not is_brought(context.source_tokens, source):
            note(f"'{source['name']}' is left out: its token comes with each request. Bring it with {OPTION}.")
        elif source["enabled"]:
            chosen.append(source)
    return chosen
