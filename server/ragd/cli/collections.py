"""`rag collections`: the named sets of documents, which the service also calls knowledge bases."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import echo_json, fields, listing, moment, plural
from ragd.core.errors import CollectionNotFound

if TYPE_CHECKING:
    from ragd.client.blocking import Client


@click.group()
def collections() -> None:
    """List, make and change collections."""


@collections.command("list")
@options.limit
@options.page
@options.as_json
@click.pass_obj
def list_(context: CliContext, limit: int, page: int, as_json: bool) -> None:
    """List the collections by name."""
    with context.connect() as client:
        answer = client.get("/api/collections", page=page, page_size=limit)
    headings = ("name", "status", "documents", "chunks", "description")
    row = itemgetter("name", "status", "document_count", "chunk_count", "description")
    listing(answer, headings, row, as_json=as_json, numeric=("documents", "chunks"))


@collections.command()
@click.argument("name")
@options.as_json
@click.pass_obj
def show(context: CliContext, name: str, as_json: bool) -> None:
    """Show one collection."""
    with context.connect() as client:
        found = _find(client, name)
    _print(found, as_json=as_json)


@collections.command()
@click.argument("name")
@click.option("--description", default="", help="What is in it, for people.")
@options.as_json
@click.pass_obj
def add(context: CliContext, name: str, description: str, as_json: bool) -> None:
    """Make a collection."""
    with context.connect() as client:
        made = client.post("/api/collections", {"name": name, "description": description})
    if as_json:
        echo_json(made)
    else:
        click.echo(f"Made the collection '{made['name']}'. Fill it with `rag ingest PATH --collection {made['name']}`.")


@collections.command()
@click.argument("name")
@options.yes
@click.pass_context
def remove(ctx: click.Context, name: str, yes: bool) -> None:
    """Delete a collection with everything that was read into it. The files themselves stay."""
    context: CliContext = ctx.obj
    with context.connect() as client:
        found = _find(client, name)
        question = f"Delete the collection '{found['name']}' with {plural(found['document_count'], 'document')}?"
        if not options.confirmed(question, yes=yes):
            ctx.exit(1)
        client.delete(_path(name))
    click.echo(f"Deleted the collection '{found['name']}'.")


@collections.command()
@click.argument("name")
@click.argument("new_name")
@options.as_json
@click.pass_obj
def rename(context: CliContext, name: str, new_name: str, as_json: bool) -> None:
    """Give a collection another name. Nothing is indexed again."""
    _change(context, name, {"name": new_name}, as_json=as_json)


@collections.command()
@click.argument("name")
@options.as_json
@click.pass_obj
def enable(context: CliContext, name: str, as_json: bool) -> None:
    """Make a disabled collection take part in searches again."""
    _change(context, name, {"status": "enabled"}, as_json=as_json)


@collections.command()
@click.argument("name")
@options.as_json
@click.pass_obj
def disable(context: CliContext, name: str, as_json: bool) -> None:
    """Keep a collection, but leave it out of searches and take nothing new into it."""
    _change(context, name, {"status": "disabled"}, as_json=as_json)


def _change(context: CliContext, name: str, values: dict[str, Any], *, as_json: bool) -> None:
    with context.connect() as client:
        changed = client.patch(_path(name), values)
    _print(changed, as_json=as_json)


def _find(client: Client, name: str) -> dict[str, Any]:
    found = next((item for item in client.pages("/api/collections") if item["name"] == name), None)
    if found is None:
        raise CollectionNotFound(f"There is no collection '{name}'. See `rag collections list`.")
    return found


def _path(name: str) -> str:
    return f"/api/collections/{quote(name, safe='')}"


def _print(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(found)
        return
    fields(
        [
            ("Name", found["name"]),
            ("Description", found["description"]),
            ("Status", found["status"]),
            ("Documents", f"{found['document_count']:,}"),
            ("Chunks", f"{found['chunk_count']:,}"),
            ("Made", moment(found["created_at"])),
            ("Changed", moment(found["updated_at"])),
            ("Id", found["id"]),
        ]
    )
