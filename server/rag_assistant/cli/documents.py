"""`rag documents`: what has been read, and what was made of it."""

from __future__ import annotations

from typing import Any

import click

from rag_assistant.cli import options
from rag_assistant.cli.output import clean, echo_json, fields, moment, plural, size, table, tell_rest
from rag_assistant.cli.places import Places


@click.group()
def documents() -> None:
    """List, show and delete documents."""


@documents.command("list")
@options.in_collection("Only this collection.")
@click.option("--status", type=click.Choice(["ready", "processing", "failed", "deleted"]), help="Only documents of this status.")
@options.limit
@options.page
@options.as_json
@click.pass_obj
def list_(places: Places, collection: str | None, status: str | None, limit: int, page: int, as_json: bool) -> None:
    """List documents by source."""
    from rag_assistant.cli.client import connect

    with connect(places) as client:
        answer = client.get("/api/documents", collection=collection, status=status, page=page, page_size=limit)
    if as_json:
        echo_json(answer)
        return
    if not answer["total"]:
        click.echo("No documents.")
        return
    names = ["source", "status", "chunk_count", *([] if collection else ["collection"]), "id"]
    rows = [[item[name] for name in names] for item in answer["items"]]
    table(["chunks" if name == "chunk_count" else name for name in names], rows, numeric=("chunks",))
    tell_rest(answer)


@documents.command()
@click.argument("doc_id", metavar="ID")
@click.option("--content", is_flag=True, help="Print the whole text as Markdown.")
@options.as_json
@click.pass_obj
def show(places: Places, doc_id: str, content: bool, as_json: bool) -> None:
    """Show one document."""
    from rag_assistant.cli.client import connect

    with connect(places) as client:
        found = client.get(f"/api/documents/{doc_id}{'/content' if content else ''}")
    if as_json:
        echo_json(found)
        return
    if content:
        click.echo(clean(found["markdown"]))
        return
    pairs: list[tuple[str, Any]] = [
        ("Title", found["title"]),
        ("Source", found["source"]),
        ("Address", found["source_uri"]),
        ("Collection", found["collection"]),
        ("Type", found["doc_type"]),
        ("Language", found["language"] or "unknown"),
        ("Status", found["status"]),
        ("Size", size(found["size"])),
        ("Chunks", f"{found['chunk_count']:,}"),
        ("Updated", moment(found["updated_at"])),
        ("Version", found["version_id"] or "none"),
        ("Id", found["id"]),
    ]
    if found.get("error"):
        pairs.append(("Error", f"{found['error']['code']}: {found['error']['message']}"))
    if found["tags"]:
        pairs.append(("Tags", ", ".join(found["tags"])))
    fields(pairs)
    if found["summary"]:
        click.echo(f"\n{clean(found['summary'])}")


@documents.command()
@click.argument("doc_ids", metavar="ID...", nargs=-1, required=True)
@options.yes
@click.pass_context
def remove(ctx: click.Context, doc_ids: tuple[str, ...], yes: bool) -> None:
    """Delete documents from the collection. The files themselves stay."""
    from rag_assistant.cli.client import connect

    places: Places = ctx.obj
    with connect(places) as client:
        sources = [client.get(f"/api/documents/{doc_id}")["source"] for doc_id in doc_ids]
        question = f"Delete {clean(sources[0]) if len(sources) == 1 else plural(len(sources), 'document')}?"
        if not options.confirmed(question, yes=yes):
            ctx.exit(1)
        for doc_id, source in zip(doc_ids, sources, strict=True):
            client.delete(f"/api/documents/{doc_id}")
            click.echo(f"Deleted {clean(source)}.")
