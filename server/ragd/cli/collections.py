"""`rag collections`: the named sets of documents, which the service also calls knowledge bases."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import fields, listing, moment, plural
from ragd.core.errors import CollectionNotFound

if TYPE_CHECKING:
    from ragd.client.blocking import Client

_HEADINGS = ("name", "status", "documents", "chunks", "description")


def _print(found: Mapping[str, Any]) -> None:
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


def _print_made(made: Mapping[str, Any]) -> None:
    click.echo(f"Made the collection '{made['name']}'. Fill it with `rag ingest PATH --collection {made['name']}`.")


@click.group()
def collections() -> None:
    """List, make and change collections."""


@collections.command("list")
@options.paged
@options.answered(
    listing(
        _HEADINGS,
        itemgetter("name", "status", "document_count", "chunk_count", "description"),
        numeric=("documents", "chunks"),
    )
)
def _list(context: CliContext, **page: int) -> Any:
    """List the collections by name."""
    return context.get("/api/collections", **page)


@collections.command("show")
@click.argument("name")
@options.answered(_print)
def _show(context: CliContext, name: str) -> Any:
    """Show one collection."""
    with context.connect() as client:
        return _find(client, name)


@collections.command("add")
@click.argument("name")
@click.option("--description", default="", help="What is in it, for people.")
@options.answered(_print_made)
def _add(context: CliContext, **given: str) -> Any:
    """Make a collection."""
    with context.connect() as client:
        return client.post("/api/collections", given)


@collections.command("remove")
@click.argument("name")
@options.yes
@click.pass_obj
def _remove(context: CliContext, name: str, yes: bool) -> None:
    """Delete a collection with everything that was read into it. The files themselves stay."""
    with context.connect() as client:
        found = _find(client, name)
        documents = plural(found["document_count"], "document")
        options.confirm(f"Delete the collection '{found['name']}' with {documents}?", yes=yes)
        client.delete(_path(name))
    click.echo(f"Deleted the collection '{found['name']}'.")


@collections.command("rename")
@click.argument("name")
@click.argument("new_name")
@options.answered(_print)
def _rename(context: CliContext, name: str, new_name: str) -> Any:
    """Give a collection another name. Nothing is indexed again."""
    return _change(context, name, {"name": new_name})


@collections.command("enable")
@click.argument("name")
@options.answered(_print)
def _enable(context: CliContext, name: str) -> Any:
    """Make a disabled collection take part in searches again."""
    return _change(context, name, {"status": "enabled"})


@collections.command("disable")
@click.argument("name")
@options.answered(_print)
def _disable(context: CliContext, name: str) -> Any:
    """Keep a collection, but leave it out of searches and take nothing new into it."""
    return _change(context, name, {"status": "disabled"})


def _change(context: CliContext, name: str, values: Mapping[str, str]) -> Any:
    with context.connect() as client:
        return client.patch(_path(name), values)


def _find(client: Client, name: str) -> dict[str, Any]:
    found = next((item for item in client.pages("/api/collections") if item["name"] == name), None)
    if found is None:
        raise CollectionNotFound(f"There is no collection '{name}'. See `rag collections list`.")
    return found


def _path(name: str) -> str:
    return f"/api/collections/{quote(name, safe='')}"
