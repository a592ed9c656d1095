"""`rag documents`: what has been read, and what was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.failures import FAILED
from ragd.cli.common.output import clean, echo_json, fields, moment, note, note_other_pages, plural, size, table, warn
from ragd.cli.common.source_tokens import OPTION, VARIABLE, source_tokens


@click.group()
def documents() -> None:
    """List, show and delete documents."""


def _print_list(answer: Mapping[str, Any], collection: str | None) -> None:
    if not answer["total"]:
        click.echo("No documents.")
        return
    names = ["source", "status", "chunk_count", *([] if collection else ["collection"]), "id"]
    hidden = [item for item in answer["items"] if item.get("restricted")]
    for item in hidden:
        item["source"] = "(hidden)"
    rows = [[item[name] for name in names] for item in answer["items"]]
    table(["chunks" if name == "chunk_count" else name for name in names], rows, numeric=("chunks",))
    note_other_pages(answer)
    if hidden:
        note(f"{plural(len(hidden), 'document')} hidden: bring a token that may read them, by {OPTION} or {VARIABLE}.")


@documents.command("list")
@options.in_collection("Only this collection.")
@click.option("--status", type=click.Choice(["ready", "processing", "failed", "deleted"]), help="Only documents of this status.")
@click.option("--unprocessed-images", is_flag=True, help="Only documents with pictures that are not described.")
@options.paged
@source_tokens
@options.as_json
@click.pass_obj
def _list(context: CliContext, /, as_json: bool, unprocessed_images: bool, **given: Any) -> None:
    """List documents by source."""
    if unprocessed_images:
        given["has_unprocessed_images"] = "true"
    answer = context.get("/api/documents", **given)
    if as_json:
        echo_json(answer)
    else:
        _print_list(answer, given["collection"])


@documents.command("show")
@click.argument("doc_id", metavar="ID")
@click.option("--content", is_flag=True, help="Print the whole text as Markdown.")
@source_tokens
@options.as_json
@click.pass_obj
def _show(context: CliContext, doc_id: str, content: bool, as_json: bool) -> None:
    """Show one document."""
    found = context.get(f"/api/documents/{doc_id}{'/content' if content else ''}")
    if as_json:
        echo_json(found)
    elif content:
        click.echo(clean(found["markdown"]))
    else:
        _print(found)


def _print(found: Mapping[str, Any]) -> None:
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
    if found["keywords"]:
        pairs.append(("Keywords", ", ".join(found["keywords"])))
    if len(found["versions"]) > 1:
        pairs.append(("Older", plural(len(found["versions"]) - 1, "version")))
    fields(pairs)
    if found["summary"]:
        click.echo(f"\n{clean(found['summary'])}")
    for warning in found["warnings"]:
        warn(warning)


@documents.command("remove")
@click.argument("doc_ids", metavar="ID...", nargs=-1, required=True)
@source_tokens
@options.yes
@click.pass_obj
def _remove(context: CliContext, doc_ids: tuple[str, ...], yes: bool) -> None:
    """Delete documents from the collection. The files themselves stay."""
    with context.connect() as client:
        sources = [client.get(f"/api/documents/{doc_id}")["source"] for doc_id in doc_ids]
        options.confirm(f"Delete {clean(sources[0]) if len(sources) == 1 else plural(len(sources), 'document')}?", yes=yes)
        for doc_id, source in zip(doc_ids, sources, strict=True):
            client.delete(f"/api/documents/{doc_id}")
            click.echo(f"Deleted {clean(source)}.")


@documents.command("verify")
@options.in_collection("Only this collection (else all that are enabled).")
@click.option("--repair", is_flag=True, help="Make the indexes of what differs anew, from the stored content.")
@options.as_json
@click.pass_obj
def _verify(context: CliContext, collection: str | None, repair: bool, as_json: bool) -> int:
    """Compare the stored content with the indexes, the vectors and the pictures.

    The exit status is 1 when they differ. Nothing is changed without --repair.
    """
    from ragd.cli.common.progress import follow
    from ragd.cli.ingest import report_job

    with context.connect("jobs") as client:
        body = {"collection": collection} if collection else {}
        report = client.post("/api/documents/verify", body)
        if as_json:
            echo_json(report)
        else:
            _print_report(report)
        if report["ok"] or not repair:
            return 0 if report["ok"] else FAILED
        job = follow(client, client.post("/api/reindex", body)["job_id"], "Indexing", cancel=True)
    return report_job(job, context.logs, as_json=as_json)


# What a report counts, as people would say it.
_PROBLEMS = {
    "damaged_facts": "have damaged content: ingest them again with --force",
    "missing_from_views": "are missing from an index",
    "outdated_profile": "were made under other settings",
    "missing_vectors": "have passages without a kept vector",
    "damaged_tokens": "have damaged token vectors",
}


def _print_report(report: dict[str, Any]) -> None:
    for found in report["collections"]:
        counted = f"{plural(found['documents'], 'document')}, {plural(found['chunks'], 'chunk')}"
        click.echo(f"{clean(found['collection'])}: {counted}: {'all agree' if found['ok'] else 'differences'}")
        for kind, said in _PROBLEMS.items():
            if found[kind]["count"]:
                click.echo(f"  {plural(found[kind]['count'], 'document')} {said}:")
                for doc_id in found[kind]["doc_ids"]:
                    click.echo(f"    {doc_id}")
        if count := found["missing_tokens"]["count"]:
            click.echo(f"  {plural(count, 'document')} without token vectors yet, which are made in the background")
        for side, count in found["surplus_entries"].items():
            if count:
                click.echo(f"  the {side} index has {count:,} entries too many")
    pictures = report["missing_pictures"]
    if pictures["count"]:
        click.echo(f"{plural(pictures['count'], 'picture')} missing on the disk: ingest the documents again with --force")
    if not report["ok"]:
        note("`rag documents verify --repair` makes the indexes anew from the stored content.")
