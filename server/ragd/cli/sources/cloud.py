"""`rag sources add confluence|jira|TYPE`: the connection is tested and shown, then the source is added and read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, note, one_line, plural, table, warn
from ragd.cli.common.source_tokens import NEW, OPTION, REQUEST, VARIABLE, header, source_tokens, token
from ragd.cli.ingest import DEFAULT_COLLECTION, ensure_collection, outcome, print_result
from ragd.cli.sources import cloud_options
from ragd.cli.sources.cloud_options import access_of, config_of, with_options
from ragd.cli.sources.cloud_tables import DEPLOYMENTS, accounted, print_tokens_note
from ragd.cli.sources.folders import folder, wait_for_reading

if TYPE_CHECKING:
    from ragd.client.blocking import Client

_TITLES: Final = {"confluence": "Confluence", "jira": "Jira"}

_common: Final[tuple[Any, ...]] = (
    *cloud_options.reading,
    click.option("--public", is_flag=True, default=None, help="Show it to whoever may ask this daemon; needs no token then."),
    click.option("--name", help="What it is called (else as its type is)."),
    options.in_collection(f"Where its documents go (else `{DEFAULT_COLLECTION}`)."),
    click.option("--create/--no-create", default=False, help="Make the collection when there is none of that name."),
    click.option("--dry-run", is_flag=True, help="Test the connection, say what would be read, and store nothing."),
    click.option("--no-wait", is_flag=True, help="Return at once."),
    source_tokens,
    options.as_json,
    click.pass_context,
)


class _AddGroup(click.Group):
    """`folder`, `confluence` and `jira`, and every type that an installed package adds."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from ragd.providers.registry import names

        own = super().get_command(ctx, cmd_name)
        return _of_type(cmd_name) if own is None and cmd_name in names("source") else own

    def list_commands(self, ctx: click.Context) -> list[str]:
        from ragd.providers.registry import names

        return list(dict.fromkeys([*super().list_commands(ctx), *names("source")]))


@click.group(cls=_AddGroup)
def add() -> None:
    """Add a source, which is read at once."""


add.add_command(folder)


@add.command()
@click.argument("base_url")
@with_options(*cloud_options.account, *cloud_options.confluence, *cloud_options.parts, *cloud_options.globs, *_common)
def confluence(ctx: click.Context, base_url: str, **given: Any) -> None:
    """Add Confluence: pages, blog posts, comments, attached files.

    BASE_URL is such as https://example.atlassian.net/wiki or https://confluence.example.com.
    """
    _add(ctx, "confluence", _site(base_url, given), given)


@add.command()
@click.argument("base_url")
@with_options(*cloud_options.account, *cloud_options.jira, *cloud_options.parts, *cloud_options.globs, *_common)
def jira(ctx: click.Context, base_url: str, **given: Any) -> None:
    """Add Jira: issues with comments, links and attached files.

    BASE_URL is such as https://example.atlassian.net or https://jira.example.com.
    """
    _add(ctx, "jira", _site(base_url, given), given)


def _site(base_url: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if given["token"] is None:
        raise click.UsageError(
            "Say where the token of the account is: --token keyring:NAME, file:PATH or env:NAME; or --token request, when each "
            "request brings it."
        )
    return {"base_url": base_url, **config_of(given)}


def _of_type(type_: str) -> click.Command:
    @click.command(type_, help=f"Add a source of the type {type_}, which an installed package adds.")
    @with_options(
        click.option("--config", "text", required=True, metavar="JSON", help="Its configuration, a JSON object."), *_common
    )
    def plugin(ctx: click.Context, text: str, **given: Any) -> None:
        _add(ctx, type_, json_object(text), given)

    return plugin


def json_object(text: str) -> dict[str, Any]:
    """What `--config` says. Raises `click.UsageError`."""
    try:
        config = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"--config is no JSON: {error}.") from error
    if not isinstance(config, dict):
        raise click.UsageError('--config is a JSON object, such as {"address": "https://example.com"}.')
    return config


def _add(ctx: click.Context, type_: str, config: dict[str, Any], given: Mapping[str, Any]) -> None:
    context: CliContext = ctx.obj
    as_json, dry_run, no_wait = given["as_json"], given["dry_run"], given["no_wait"]
    body = {"type": type_, "config": config, **access_of(given)}
    body |= {key: given[key] for key in ("name", "collection") if given[key]}
    brought = _token_of_new(context, config, given["name"])
    with context.connect("content" if dry_run or no_wait else "jobs") as client:
        client.send_along(brought)
        preview = client.post("/api/sources", body, dry_run=True)
        if dry_run:
            _print_preview(type_, preview, as_json=as_json)
            return
        if not as_json:
            _print_preview(type_, preview, as_json=False)
        if given["create"] and given["collection"]:
            ensure_collection(client, given["collection"])
        added = client.post("/api/sources", body)
        job = None if no_wait else wait_for_reading(client, added)
        source = client.get(f"/api/sources/{added['id']}")
        _note_added(client, source, job, context, as_json=as_json)
    ctx.exit(outcome(job) if job else 0)


def _token_of_new(context: CliContext, config: Mapping[str, Any], name: str | None) -> dict[str, str]:
    """The header with the token of a source that is just being added, where it comes with each request.

    It is given under the name that the source gets, or under `new`.
    """
    if (config.get("auth") or {}).get("token") != REQUEST:
        return {}
    mine = next((one for one in context.source_tokens if one.source in (NEW, name)), None)
    if mine is None:
        called = name or NEW
        raise click.UsageError(
            f"With --token request the token comes with each request: add {OPTION} '{called}=env:VARIABLE', or set {VARIABLE}."
        )
    # It is not known under this name yet.
    context.source_tokens = tuple(one for one in context.source_tokens if one is not mine)
    return header({NEW: token(mine.reference, mine.by)})


def _note_added(
    client: Client, source: Mapping[str, Any], job: Mapping[str, Any] | None, context: CliContext, *, as_json: bool
) -> None:
    name = clean(source["name"])
    if as_json:
        echo_json(source)
    else:
        click.echo(f"Added the source '{name}'.")
        if job:
            print_result({**job, "collection": source["name"]}, context.logs, nothing="no items found")
            if said := accounted(source):
                click.echo(said)
    if source["waits_for_token"]:
        note(f"Its token comes with each request, so it is read when you say so: rag sync '{name}' --token env:VARIABLE")
    elif not client.is_daemon:
        note("It is read by its schedule while a daemon runs (`rag serve`). `rag sync` reads it at once.")
    print_tokens_note(source)


def _print_preview(type_: str, found: Mapping[str, Any], *, as_json: bool) -> None:
    """What a cloud source would read, and as whom."""
    if as_json:
        echo_json(found)
        return
    where = DEPLOYMENTS.get(found["deployment"], found["deployment"])
    click.echo(f"Connected to {_TITLES.get(type_, type_)} {clean(where)} as {one_line(found['account'])}.")
    containers = found["containers"]
    counts = [container["items"] for container in containers]
    if containers:
        click.echo()
        rows = [(one["key"], one["name"], "?" if one["items"] is None else f"{one['items']:,}") for one in containers]
        table(("key", "name", "items"), rows, numeric=("items",))
        click.echo()
    known = sum(count for count in counts if count is not None)
    at_least = "at least " if None in counts else ""
    click.echo(f"{at_least}{plural(known, 'item')} in {plural(len(containers), _container(type_))} would be read.".capitalize())
    _print_names(found["names"], known)
    for warning in found["warnings"]:
        warn(warning)


def _print_names(names: Sequence[str], known: int) -> None:
    for name in names:
        click.echo(f"  {one_line(name)}")
    if names and known > len(names):
        click.echo(f"  … and {known - len(names):,} more")


def _container(type_: str) -> str:
    return "project" if type_ == "jira" else "space" if type_ == "confluence" else "place"
