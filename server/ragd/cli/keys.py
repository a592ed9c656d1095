"""`rag keys`: who may ask a service in server mode, and what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import echo_json, listing, moment, note
from ragd.core.errors import KeyNotFound

_UNITS: Final = {"m": 60, "h": 3600, "d": 86400}
_SIZES: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class _Duration(click.ParamType[int]):
    """Seconds of a text such as `90d`."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d{1,6})([mhd])", str(value))
        if match is None:
            self.fail(f"'{value}' is no duration. Write minutes, hours or days: 30m, 12h, 90d.", param, ctx)
        return int(match[1]) * _UNITS[match[2]]


class _Size(click.ParamType[int]):
    """Bytes of a text such as `10G`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d{1,12})([kKmMgGtT]?)[bB]?", str(value))
        if match is None:
            self.fail(f"'{value}' is no size. Write bytes, or 500M, 10G.", param, ctx)
        return int(match[1]) * _SIZES[match[2].lower()]


@click.group()
def keys() -> None:
    """Make, list, rotate and revoke API keys of server mode."""


def _state(key: Mapping[str, Any]) -> str:
    if key["revoked_at"]:
        return "revoked"
    return f"until {moment(key['expires_at'])[:10]}" if key["expires_at"] else "good"


def _where(key: Mapping[str, Any]) -> str:
    return "everywhere" if key["collections"] is None else f"{len(key['collections'])} collections"


def _row(key: Mapping[str, Any]) -> tuple[str, ...]:
    return key["name"], key["role"], _where(key), _state(key), moment(key["last_used_at"]) or "never used", key["id"]


@keys.command("create")
@click.argument("name")
@click.option("--role", type=click.Choice(["reader", "writer", "admin"]), required=True, help="What the key may do.")
@options.in_collections("A collection that the key counts in; may be repeated. None named: every one, and the service itself.")
@click.option("--own", is_flag=True, help="With --role admin: the key counts only in --collection and in those that it makes.")
@click.option("--expires", "expires_s", type=_Duration(), help="When the key ends: 30m, 12h, 90d. Else never by itself.")
@click.option("--rate", "rate_per_minute", type=click.IntRange(1), metavar="N", help="Requests a minute at most.")
@click.option("--quota-documents", type=click.IntRange(1), metavar="N", help="Documents in its collections at most.")
@click.option("--quota-bytes", type=_Size(), metavar="SIZE", help="Bytes of documents in its collections at most: 500M, 10G.")
@options.as_json
@click.pass_obj
def _create(context: CliContext, /, collection: tuple[str, ...], own: bool, as_json: bool, **given: Any) -> None:
    """Make a key. It is shown this once: what is kept is its hash."""
    body = {name: value for name, value in given.items() if value is not None}
    if collection or own:
        body["collections"] = list(collection)
    with context.connect() as client:
        _show(client.post("/api/keys", body), as_json)


@keys.command("list")
@options.paged
@options.answered(listing(("name", "role", "where", "state", "last used", "id"), _row, empty="No keys."))
def _list(context: CliContext, **given: Any) -> Any:
    """List keys, the newest first."""
    return context.get("/api/keys", **given)


@keys.command("rotate")
@click.argument("key", metavar="NAME-OR-ID")
@click.option("--grace", "grace_s", type=_Duration(), default="0m", help="How long the earlier secret is still good: 30m, 24h.")
@options.as_json
@click.pass_obj
def _rotate(context: CliContext, key: str, grace_s: int, as_json: bool) -> None:
    """Give a key a new secret."""
    with context.connect() as client:
        _show(client.post(f"/api/keys/{_id_of(client, key)}/rotate", {"grace_s": grace_s}), as_json)


@keys.command("revoke")
@click.argument("key", metavar="NAME-OR-ID")
@click.pass_obj
def _revoke(context: CliContext, key: str) -> None:
    """End a key at once."""
    with context.connect() as client:
        client.delete(f"/api/keys/{_id_of(client, key)}")
    click.echo("The key is revoked.")


def _id_of(client: Any, wanted: str) -> str:
    for key in client.pages("/api/keys"):
        if key["id"] == wanted or (key["name"] == wanted and not key["revoked_at"]):
            return str(key["id"])
    raise KeyNotFound(f"There is no key '{wanted}' that is not revoked. See `rag keys list`.")


def _show(key: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        echo_json(key)
        return
    click.echo(key["key"])
    note(f"The key '{key['name']}' ({key['role']}, {_where(key)}) is shown this once. Send it as 'Authorization: Bearer KEY'.")
