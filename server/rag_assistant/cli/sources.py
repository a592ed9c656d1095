"""`rag sources` and `rag sync`: folders that are read again and again."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag_assistant.cli import options
from rag_assistant.cli.feed import COUNTED, outcome, print_result
from rag_assistant.cli.folders import folder, wait_for_reading
from rag_assistant.cli.output import clean, echo_json, fields, moment, plural, table, tell_rest
from rag_assistant.cli.places import Places
from rag_assistant.errors import SourceNotFound

if TYPE_CHECKING:
    from rag_assistant.cli.client import Client


@click.group()
def sources() -> None:
    """List, add and change the folders that are followed."""


@sources.command("list")
@options.limit
@options.page
@options.as_json
@click.pass_obj
def list_(places: Places, limit: int, page: int, as_json: bool) -> None:
    """List the sources by name."""
    from rag_assistant.cli.client import connect

    with connect(places) as client:
        answer = client.get("/api/sources", page=page, page_size=limit)
    if as_json:
        echo_json(answer)
        return
    if not answer["total"]:
        click.echo("No sources. Add a folder with `rag sources add folder PATH`.")
        return
    rows = [
        (item["name"], _state(item), item["collection"], item["document_count"], moment(item["last_finished_at"]), _path(item))
        for item in answer["items"]
    ]
    table(("name", "state", "collection", "documents", "last read", "path"), rows, numeric=("documents",))
    tell_rest(answer)


@sources.command()
@click.argument("name")
@options.as_json
@click.pass_obj
def show(places: Places, name: str, as_json: bool) -> None:
    """Show one source, and how it was read the last time."""
    from rag_assistant.cli.client import connect

    with connect(places) as client:
        found = find_source(client, name)
    print_source(found, as_json=as_json)


@sources.group()
def add() -> None:
    """Add a source, which is read at once."""


add.add_command(folder)


@sources.command()
@click.argument("name")
@click.option("--rename", metavar="NAME", help="What it is to be called.")
@click.option("--path", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Where the folder is now.")
@click.option("--include", multiple=True, metavar="GLOB", help="Take only files that match; repeatable. '' for all.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out what matches; repeatable. '' for nothing.")
@click.option("--gitignore/--no-gitignore", default=None, help="Whether to leave out what .gitignore files name.")
@click.option("--watch/--no-watch", default=None, help="Whether to follow its changes.")
@click.option("--enable/--disable", "enabled", default=None, help="Whether to read it at all.")
@options.as_json
@click.pass_obj
def change(
    places: Places,
    name: str,
    rename: str | None,
    path: Path | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    gitignore: bool | None,
    watch: bool | None,
    enabled: bool | None,
    as_json: bool,
) -> None:
    """Change what is named, and keep the rest. A folder that moved takes its documents along."""
    from rag_assistant.cli.client import connect

    given = {"path": str(path.absolute()) if path else None, "gitignore": gitignore, "watch": watch}
    config: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    config |= {key: [glob for glob in globs if glob] for key, globs in (("include", include), ("exclude", exclude)) if globs}
    body = {
        key: value for key, value in (("name", rename), ("config", config or None), ("enabled", enabled)) if value is not None
    }
    if not body:
        raise click.UsageError("Name something to change; see --help.")
    with connect(places) as client:
        changed = client.patch(f"/api/sources/{find_source(client, name)['id']}", body)
    print_source(changed, as_json=as_json)


@sources.command()
@click.argument("name")
@click.option("--keep-documents", is_flag=True, help="Keep its documents, as if they had been ingested by hand.")
@options.yes
@click.pass_context
def remove(ctx: click.Context, name: str, keep_documents: bool, yes: bool) -> None:
    """Remove a source with its documents. The files themselves stay."""
    from rag_assistant.cli.client import connect

    places: Places = ctx.obj
    with connect(places) as client:
        found = find_source(client, name)
        documents = "keep its" if keep_documents else "delete its"
        question = f"Remove the source '{clean(found['name'])}' and {documents} {plural(found['document_count'], 'document')}?"
        if not options.confirmed(question, yes=yes):
            ctx.exit(1)
        client.delete(f"/api/sources/{found['id']}", documents="keep" if keep_documents else "delete")
    click.echo(f"Removed the source '{clean(found['name'])}'.")


@click.command()
@click.argument("names", nargs=-1, metavar="[SOURCE]...")
@click.option("--allow-empty", is_flag=True, help="A folder that is found empty is meant to be: delete its documents.")
@click.option("--no-wait", is_flag=True, help="Queue the jobs and return at once.")
@options.as_json
@click.pass_context
def sync(ctx: click.Context, names: tuple[str, ...], allow_empty: bool, no_wait: bool, as_json: bool) -> None:
    """Read sources again, all of them when none is named.

    Unchanged files cost nothing; moved ones keep what was made of them; documents whose files are gone are deleted.
    """
    from rag_assistant.cli.client import connect

    places: Places = ctx.obj
    with connect(places, "facts" if no_wait else "jobs") as client:
        every = [source for source in client.pages("/api/sources") if source["enabled"]] if not names else []
        chosen = [find_source(client, name) for name in names] or every
        body = {"allow_empty": allow_empty}
        started = [(source, client.post(f"/api/sources/{source['id']}/sync", body)) for source in chosen]
        jobs = []
        for source, job in started:
            ended = job if no_wait else wait_for_reading(client, {**source, **job})
            jobs.append(ended)
            if not as_json and not no_wait:
                print_result({**ended, "collection": source["name"]}, places.logs)
    if as_json:
        echo_json(jobs)
    elif not chosen:
        click.echo("No sources. Add a folder with `rag sources add folder PATH`.")
    elif no_wait:
        click.echo(f"Queued {plural(len(jobs), 'job')}.")
    ctx.exit(0 if no_wait else max(map(outcome, jobs), default=0))


sources.add_command(sync)


def find_source(client: Client, name: str) -> dict[str, Any]:
    """The source of that name, or of that id. Raises `SourceNotFound`."""
    wanted = unicodedata.normalize("NFC", name)
    found = next((item for item in client.pages("/api/sources") if wanted in (item["name"], item["id"])), None)
    if found is None:
        raise SourceNotFound(f"There is no source '{name}'. See `rag sources list`.")
    return found


def changes(result: Mapping[str, Any]) -> str:
    """What a reading did, in a few words; empty when nothing changed."""
    counted = [f"{result[name]:,} {name}" for name in COUNTED if name not in ("unchanged", "skipped") and result.get(name)]
    return ", ".join(counted + ([f"{result['failed_count']:,} failed"] if result["failed_count"] else []))


def print_source(source: Mapping[str, Any], *, as_json: bool) -> None:
    """One source with its configuration and its last reading."""
    if as_json:
        echo_json(source)
        return
    config, last = source["config"], source["last_result"]
    pairs: list[tuple[str, object]] = [
        ("Name", source["name"]),
        ("Folder", config["path"]),
        ("Collection", source["collection"]),
        ("State", _state(source)),
        ("Documents", f"{source['document_count']:,}"),
        ("Include", ", ".join(config["include"]) or "all"),
        ("Exclude", ", ".join(config["exclude"]) or "nothing"),
        (".gitignore", "followed" if config["gitignore"] else "not looked at"),
        ("Last read", moment(source["last_finished_at"]) or "never"),
    ]
    if last:
        what = changes(last) or "nothing changed"
        left_out = f"; {last['skipped']:,} of other types, {last['ignored']:,} ignored" if last["everything"] else ""
        pairs.append(("Result", f"{what}{left_out}"))
    pairs += [(name, source[key]) for name, key in (("Error", "last_error"), ("Notice", "notice")) if source[key]]
    fields([*pairs, ("Id", source["id"])])
    if last and last["failed"]:
        click.echo()
        table(("failed", "code", "reason"), [(item["source"], item["code"], item["message"]) for item in last["failed"]])


def _state(source: Mapping[str, Any]) -> str:
    return str(source["state"]) if source["enabled"] else "off"


def _path(source: Mapping[str, Any]) -> str:
    return str(source["config"].get("path", ""))
