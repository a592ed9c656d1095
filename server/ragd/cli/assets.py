"""`rag assets`: pictures of documents, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, fields, listing, note


@click.group()
def assets() -> None:
    """List pictures, what is said of them, and have them described."""


def _row(item: Mapping[str, Any]) -> tuple[str, ...]:
    more = f" (and {item['more']} more like it)" if item["more"] else ""
    said = f"{clean(item['summary'])[:60]}{more}".strip()
    return item["source"], item["state"], item["image_type"] or "", said, item["asset_id"]


@assets.command("list")
@click.option(
    "--state", type=click.Choice(["described", "low_quality", "failed", "missing"]), help="Only pictures in this state."
)
@click.option("--same-as", metavar="ID", help="Only this picture and those that show the same.")
@click.option("--each", is_flag=True, help="A row for each picture and document, also where several show the same.")
@options.paged
@options.answered(listing(("document", "state", "type", "description", "id"), _row, empty="No pictures."))
def _list(context: CliContext, each: bool, same_as: str | None, **given: Any) -> Any:
    """List the pictures of documents, by document; those that show the same as one."""
    return context.get("/api/assets", same_as=same_as, fold=not each and same_as is None, **given)


@assets.command("show")
@click.argument("asset_id", metavar="ID")
@click.option("--csv", "as_csv", is_flag=True, help="Print the table, or the values of the chart, as CSV.")
@options.as_json
@click.pass_obj
def _show(context: CliContext, asset_id: str, as_csv: bool, as_json: bool) -> None:
    """Show everything that is known of a picture."""
    if as_csv:
        with context.connect() as client, client.download(f"/api/assets/{asset_id}/table") as answer:
            found = answer.read().decode()
        if not found:
            raise click.ClickException("No table and no values were read in this picture.")
        click.echo(found, nl=False)
        return
    found = context.get(f"/api/assets/{asset_id}/details")
    if as_json:
        echo_json(found)
        return
    said = found["description"] or {}
    fields(
        [
            ("picture", f"{found['width']} x {found['height']}, {found['mime']}"),
            ("shown in", ", ".join(document["source"] for document in found["documents"])),
            ("type", said.get("image_type", "not described")),
            ("by", " ".join(filter(None, (said.get("provider"), said.get("model"))))),
            *([("same as", said["same_as"])] if said.get("same_as") else []),
            ("summary", clean(said.get("summary", ""))),
            ("in doubt", "; ".join(map(clean, said.get("uncertainties", [])))),
            ("read in it", clean(" | ".join(found["text"].splitlines()))),
        ]
    )
    for part in (*map(clean, said.get("key_points", [])), said.get("mermaid", "")):
        if part:
            click.echo(part)


@assets.command("caption")
@click.option("--missing", is_flag=True, help="Describe what has no description yet (the default), failures too.")
@click.option("--low-quality", is_flag=True, help="Also those of which little was said.")
@click.option("--redo", metavar="MODEL", help="Those that this model, or captioner, has described.")
@click.argument("asset_ids", metavar="[ID]...", nargs=-1)
@options.as_json
@click.pass_obj
def _caption(
    context: CliContext,
    missing: bool,  # noqa: ARG001 - what is meant without any option
    low_quality: bool,
    redo: str | None,
    asset_ids: tuple[str, ...],
    as_json: bool,
) -> None:
    """Have pictures described, all that need it or only some, in the background."""
    body: dict[str, Any] = {"low_quality": low_quality} | ({"redo": redo} if redo else {})
    if asset_ids:
        body["asset_ids"] = list(asset_ids)
    with context.connect() as client:
        started = client.post("/api/assets/caption", body)
    if as_json:
        echo_json(started)
    elif started["job_id"] is None:
        click.echo("Nothing to describe.")
    else:
        click.echo(f"Pictures are being described: job {started['job_id']}.")
        note(f"rag jobs show {started['job_id']} tells how far it is.")
