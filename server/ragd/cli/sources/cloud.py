"""`rag sources add confluence|jira|TYPE`: the connection is tested and shown, then the source is added and read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import click

from ragd.api.middleware.headers import NEW_SOURCE
from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, echo_json, note, one_line, plural, table, warn
from ragd.cli.common.source_tokens import OPTION, REQUEST, VARIABLE, header, source_tokens, token
from ragd.cli.ingest import DEFAULT_COLLECTION, outcome
from ragd.cli.sources import cloud_options
from ragd.cli.sources.cloud_options import access_of, config_of
from ragd.cli.sources.folders import add_source, folder, print_added, print_names
from ragd.cli.sources.tables import DEPLOYMENTS, accounted

# What each type is called, and what it is made of.
_TYPES: Final = {"confluence": ("Confluence", "space"), "jira": ("Jira", "project")}

_common: Final[tuple[Any, ...]] = (
    *cloud_options.reading,
    click.option("--public", is_flag=True, default=None, help="Show it to whoever may ask this daemon; needs no token then."),
    click.option("--name", help="What it is called (else as its type is)."),
    options.in_collection(f"Where its documents go (else `{DEFAULT_COLLECTION}`)."),
    options.create,
    click.option("--dry-run", is_flag=True, help="Test the connection, say what would be read, and store nothing."),
    click.option("--no-wait", is_flag=True, help="Return at once."),
    source_tokens,
    options.as_json,
    click.pass_obj,
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


@add.command("confluence")
@click.argument("base_url")
@options.all_of(*cloud_options.account, *cloud_options.confluence, *cloud_options.parts, *cloud_options.globs, *_common)
def _confluence(context: CliContext, base_url: str, **given: Any) -> int:
    """Add Confluence: pages, blog posts, comments, attached files.

    BASE_URL is such as https://example.atlassian.net/wiki or https://confluence.example.com.
    """
    return _add(context, "confluence", _site(base_url, given), given)


@add.command("jira")
@click.argument("base_url")
@options.all_of(*cloud_options.account, *cloud_options.jira, *cloud_options.parts, *cloud_options.globs, *_common)
def _jira(context: CliContext, base_url: str, **given: Any) -> int:
    """Add Jira: issues with comments, links and attached files.

    BASE_URL is such as https://example.atlassian.net or https://jira.example.com.
    """
    return _add(context, "jira", _site(base_url, given), given)


def _site(base_url: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if given["token"] is None:
        raise click.UsageError(
            "Say where the token of the account is: --token keyring:NAME, file:PATH or env:NAME; or --token request, when each "
            "request brings it."
        )
    return {"base_url": base_url, **config_of(given)}


def _of_type(type_: str) -> click.Command:
    @click.command(type_, help=f"Add a source of the type {type_}, which an installed package adds.")
    @options.all_of(
        click.option("--config", "text", required=True, metavar="JSON", help="Its configuration, a JSON object."), *_common
    )
    def plugin(context: CliContext, text: str, **given: Any) -> int:
        return _add(context, type_, json_object(text), given)

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


def _add(context: CliContext, type_: str, config: dict[str, Any], given: Mapping[str, Any]) -> int:
    as_json, dry_run, no_wait = given["as_json"], given["dry_run"], given["no_wait"]
    body = {"type": type_, "config": config, **access_of(given)}
    body |= {key: given[key] for key in ("name", "collection") if given[key]}
    brought = _token_of_new(context, config, given["name"])
    with context.connect("content" if dry_run or no_wait else "jobs") as client:
        client.send_along(brought)
        preview = client.post("/api/sources", body, dry_run=True)
        if not as_json:
            _print_preview(type_, preview)
        elif dry_run:
            echo_json(preview)
        if dry_run:
            return 0
        source, job = add_source(client, body, create=given["create"], no_wait=no_wait)
        print_added(source, job, context.logs, as_json=as_json, nothing="no items found")
        if job and not as_json and (said := accounted(source)):
            click.echo(said)
        if source["waits_for_token"]:
            name = clean(source["name"])
            note(f"Its token comes with each request, so it is read when you say so: rag sync '{name}' --token env:VARIABLE")
        elif not client.is_daemon:
            note("It is read by its schedule while a daemon runs (`rag serve`). `rag sync` reads it at once.")
        _note_tokens(source)
    return outcome(job) if job else 0


def _token_of_new(context: CliContext, config: Mapping[str, Any], name: str | None) -> dict[str, str]:
    """The header with the token of a source that is just being added, where it comes with each request.

    It is given under the name that the source gets, or under `new`.
    """
    if (config.get("auth") or {}).get("token") != REQUEST:
        return {}
    mine = next((one for one in context.source_tokens if one.source in (NEW_SOURCE, name)), None)
    if mine is None:
        called = name or NEW_SOURCE
        raise click.UsageError(
            f"With --token request the token comes with each request: add {OPTION} '{called}=env:VARIABLE', or set {VARIABLE}."
        )
    # It is not known under this name yet.
    context.source_tokens = tuple(one for one in context.source_tokens if one is not mine)
    return header({NEW_SOURCE: token(mine.reference, mine.by)})


def _note_tokens(source: Mapping[str, Any]) -> None:
    """Say how people see what a source holds that is not public."""
    if not source["public"]:
        name = clean(source["name"])
        note(
            f"What it holds is shown to people with a token that may read it: `rag query … {OPTION} '{name}=env:NAME'`, or set "
            f"{VARIABLE}."
        )


def _print_preview(type_: str, found: Mapping[str, Any]) -> None:
    """What a cloud source would read, and as whom."""
    where = DEPLOYMENTS.get(found["deployment"], found["deployment"])
    title, container = _TYPES.get(type_, (type_, "place"))
    click.echo(f"Connected to {title} {clean(where)} as {one_line(found['account'])}.")
    containers = found["containers"]
    counts = [one["items"] for one in containers]
    if containers:
        click.echo()
        rows = [(one["key"], one["name"], "?" if one["items"] is None else f"{one['items']:,}") for one in containers]
        table(("key", "name", "items"), rows, numeric=("items",))
        click.echo()
    known = sum(count for count in counts if count is not None)
    at_least = "at least " if None in counts else ""
    click.echo(f"{at_least}{plural(known, 'item')} in {plural(len(containers), container)} would be read.".capitalize())
    names = [one_line(name) for name in found["names"]]
    print_names(names, known if names else 0)
    for warning in found["warnings"]:
        warn(warning)
