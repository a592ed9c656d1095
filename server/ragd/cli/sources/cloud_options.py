"""Options of cloud sources, alike for `rag sources add` and `rag sources change`, and the configuration that they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from ragd.cli.common.source_tokens import reference

_TOKEN_HELP: Final = (
    "Where the token is, never the token itself: env:NAME (of the daemon's environment), file:PATH, keyring:NAME; "
    "or 'request': each request brings it."
)

account: Final[tuple[Any, ...]] = (
    click.option("--deployment", type=click.Choice(["cloud", "data_center"]), help="Else by the address."),
    click.option("--auth", type=click.Choice(["api_token", "pat", "oauth"]), help="Kind of the token (else by the deployment)."),
    click.option("--email", help="Of the account that an API token belongs to."),
    click.option("--token", callback=reference(or_request=True), metavar="REFERENCE|request", help=_TOKEN_HELP),
)
confluence: Final[tuple[Any, ...]] = (
    click.option("--space", "spaces", multiple=True, metavar="KEY", help="Only this space (else all); repeatable."),
    click.option("--cql", help="Only pages that this CQL finds, such as 'label = howto'."),
)
jira: Final[tuple[Any, ...]] = (
    click.option("--project", "projects", multiple=True, metavar="KEY", help="Only this project (else all); repeatable."),
    click.option("--jql", help="Only issues that this JQL finds, such as 'created >= -365d'."),
    click.option("--field", "custom_fields", multiple=True, metavar="NAME", help="Read this custom field, too; repeatable."),
)
parts: Final[tuple[Any, ...]] = (
    click.option("--attachments/--no-attachments", default=None, help="Whether to read attached files (yes)."),
    click.option("--comments/--no-comments", default=None, help="Whether to read comments (yes)."),
)
globs: Final[tuple[Any, ...]] = (
    click.option("--include", multiple=True, metavar="GLOB", help="Take only what matches, such as 'DEV/**'; repeatable."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out what matches; repeatable."),
)
reading: Final[tuple[Any, ...]] = (
    click.option("--schedule", metavar="TEXT", help="When to read it: 'every 30m', a cron line, 'off' (else sync.schedule)."),
    click.option(
        "--live",
        type=click.Choice(["live", "cached", "off"]),
        help="What is asked at a hit: live reads the item anew as whoever asks, cached asks whether they may (else live.mode).",
    ),
)

_LISTS: Final = ("spaces", "projects", "custom_fields", "include", "exclude")
_SINGLE: Final = ("deployment", "cql", "jql", "attachments", "comments")


def config_of(given: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Those of the options that were given, as a source's configuration has them.

    An empty text in a list empties it. `before` is the configuration that is to be changed: its account is completed.
    """
    config: dict[str, Any] = {name: [text for text in given[name] if text] for name in _LISTS if given.get(name)}
    config |= {name: given[name] for name in _SINGLE if given.get(name) is not None}
    account = {"kind": given.get("auth"), "email": given.get("email"), "token": given.get("token")}
    auth = {name: value for name, value in account.items() if value is not None}
    if auth:
        config["auth"] = {**((before or {}).get("auth") or {}), **auth}
    return config


def access_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `schedule`, `live` and `public` that were given."""
    return {name: given[name] for name in ("schedule", "live", "public") if given.get(name) is not None}
