"""`rag watch`: follow a folder, and say what happens, until Ctrl-C."""

from __future__ import annotations

import json
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, moment, note
from ragd.cli.ingest import DEFAULT_COLLECTION, ensure_collection, print_result
from ragd.cli.sources.folders import folder_config, folder_options
from ragd.cli.sources.tables import changes

if TYPE_CHECKING:
    from ragd.client.blocking import Client

# Seconds between two looks at the source.
LOOK_EVERY = 0.5


@click.command()
@click.argument("path", type=options.existing_folder)
@options.in_collection(f"Where its documents go (else `{DEFAULT_COLLECTION}`).")
@options.create
@folder_options
@click.option("--json", "as_json", is_flag=True, help="Print each reading that changed something as a line of JSON.")
@click.pass_obj
def watch(context: CliContext, /, path: Path, collection: str | None, create: bool, as_json: bool, **given: Any) -> None:
    """Follow a folder, and say what happens, until Ctrl-C.

    What happens to its files happens to its documents. It becomes a source, if it is none yet. A running daemon follows it from
    then on, and this only says what it does; without one it is followed until Ctrl-C.
    """
    from ragd.cli.common.progress import follow

    config = {"watch": True, **folder_config(given)}
    with context.connect("watch") as client:
        if create and collection:
            ensure_collection(client, collection)
        source, is_read = _followed(client, str(path.absolute()), collection, config)
        if not source["followed"]:
            raise click.ClickException("Folders are not watched: the setting watch.enabled is off.")
        name = clean(source["name"])
        try:
            if is_read:
                job = follow(client, source["job_id"], f"Reading {name}", cancel=False)
                if not as_json:
                    print_result({**job, "collection": source["name"]}, context.logs)
            note(f"Watching {clean(source['config']['path'])} as the source '{name}'. Ctrl-C stops.")
            _note_changes(client, client.get(f"/api/sources/{source['id']}"), as_json=as_json)
        except KeyboardInterrupt:
            if client.is_daemon:
                note(f"The daemon goes on watching. To end that: rag sources change '{name}' --no-watch")
            else:
                note("Stopped watching.")


def _followed(client: Client, path: str, collection: str | None, config: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The source of this folder, which is being followed, and whether it is being read for that; made when there is none."""
    wanted = collection or DEFAULT_COLLECTION
    for known in client.pages("/api/sources"):
        if known["config"].get("path") == path and (known["collection"] == wanted or collection is None):
            source = client.patch(f"/api/sources/{known['id']}", {"enabled": True, "config": config})
            return source, source["state"] == "syncing" or source["job_id"] != known["job_id"]
    return client.post("/api/sources", {"type": "folder", "collection": wanted, "config": {"path": path, **config}}), True


def _note_changes(client: Client, source: dict[str, Any], *, as_json: bool) -> None:
    reported, notice = source["last_finished_at"], None
    while True:
        if source["notice"] != notice:
            notice = source["notice"]
            note(notice or "Watching again.")
        if source["last_finished_at"] != reported:
            reported = source["last_finished_at"]
            _print_changes(source, as_json=as_json)
        sleep(LOOK_EVERY)
        source = client.get(f"/api/sources/{source['id']}")


def _print_changes(source: dict[str, Any], *, as_json: bool) -> None:
    result, error = source["last_result"], source["last_error"]
    at = moment(source["last_finished_at"])[11:]
    if error:
        note(f"{at} {error}")
    elif what := changes(result):
        if as_json:
            click.echo(json.dumps(result, ensure_ascii=False))
            return
        click.echo(f"{at} {what} ({result['embedded']:,} embedded, {result['reused']:,} reused)")
        for failure in result["failed"]:
            click.echo(f"         {clean(failure['source'])}: {clean(failure['message'])}")
