"""Tokens of the person at the command line for cloud sources: where they are, and how they travel.

They are given as references, by `--source-token NAME=REFERENCE` or the variable `RAG_SOURCE_TOKENS`, are looked up by this
process, and go along with the requests of this one command. A name that says its address (`wiki@https://wiki.example.com`) is
held against the source's: another source may have the name by now.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from ragd.api.middleware.headers import NEW_SOURCE, SOURCE_TOKEN
from ragd.cli.common.output import note, warn

VARIABLE: Final = "RAG_SOURCE_TOKENS"
OPTION: Final = "--source-token"

REQUEST: Final = "request"
"""In place of a reference: the token comes with each request."""

# Where a name ends and a reference begins, and where in a name its address begins.
_REFERENCE: Final = re.compile(r"=(?=(?:env|file|keyring):.)", re.DOTALL)
_ADDRESS: Final = re.compile(r"@(?=https?://.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Given:
    """A source, by its name or its id, and where the token for it is. `by` is the option or variable that says so.

    `address` is of the host that the token is for; "" where none was named.
    """

    source: str
    reference: str
    by: str
    address: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", unicodedata.normalize("NFC", self.source.strip()))


def reference(*, or_request: bool) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """The callback of an option that says where a token is. A token itself is refused, and not repeated."""

    def checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        from ragd.config.secrets import is_reference

        text = value.strip() if value is not None else None
        if text is None or (or_request and text == REQUEST) or (text and is_reference(text)):
            return text
        rest = f", or {REQUEST} when it is to come with each request" if or_request else ""
        raise click.BadParameter(
            f"this is not where a token is. Write env:NAME, file:PATH or keyring:NAME{rest}. If it was the token itself, it may "
            "be in your shell's history now: make a new one.",
            ctx,
            param,
        )

    return checked


def _noted(ctx: click.Context, _param: click.Parameter, values: Sequence[str]) -> None:
    ctx.obj.source_tokens = (
        *_pairs(re.split(r"[\s,]+", os.environ.get(VARIABLE, "").strip()), VARIABLE),
        *_pairs(values, OPTION),
    )


source_tokens: Final = click.option(
    OPTION,
    multiple=True,
    metavar="NAME=REFERENCE",
    expose_value=False,
    callback=_noted,
    help=f"Your token for a cloud source: wiki=env:MY_TOKEN, or wiki@https://HOST=env:MY_TOKEN; repeatable (else {VARIABLE}).",
)
"""`--source-token NAME=REFERENCE`: what `connect` then sends along with each request."""


def _pairs(texts: Sequence[str], by: str) -> list[Given]:
    found = []
    for text in texts:
        if not text:
            continue
        pair = text.strip()
        middle = _REFERENCE.search(pair, 1)
        if middle is None:
            raise click.UsageError(
                f"{by}: write the name of a source, '=' and where your token is: wiki=env:MY_TOKEN, wiki=file:PATH or "
                "wiki=keyring:NAME; wiki@https://HOST=env:MY_TOKEN has its address checked. A token itself never stands there."
            )
        name = pair[: middle.start()]
        at = _ADDRESS.search(name, max(1, name.rfind("=")))
        source, address = (name[: at.start()], name[at.end() :]) if at else (name, "")
        found.append(Given(source, pair[middle.end() :], by, address))
    return found


def is_brought(given: Sequence[Given], source: Mapping[str, Any]) -> bool:
    """Whether a token for this source was given."""
    return any(one.source in (source["name"], source["id"]) for one in given)


def headers_for(known: Sequence[Mapping[str, Any]], given: Sequence[Given]) -> dict[str, str]:
    """The header that carries these tokens. Raises `SettingsError` when one can't be had, `SourceNotFound` for an unknown name.

    A name that only the variable knows may be of another data directory: that is a warning.
    """
    from ragd.core.errors import SourceNotFound

    tokens: dict[str, Given] = {}
    for one in given:
        found = next((source for source in known if is_brought([one], source)), None)
        if found is not None:
            _check_address(one, found)
            tokens[found["id"]] = one
        elif one.source == NEW_SOURCE:
            continue
        elif one.by == OPTION:
            raise SourceNotFound(f"{OPTION}: there is no source '{one.source}'. See `rag sources list`.")
        else:
            warn(f"{VARIABLE} names the source '{one.source}', and there is none.")
    return header({source_id: token(one.reference, one.by) for source_id, one in tokens.items()})


def _check_address(given: Given, source: Mapping[str, Any]) -> None:
    from ragd.core.errors import SettingsError

    there = str(source["config"].get("base_url", ""))
    if given.address and _origin(given.address) != _origin(there):
        raise SettingsError(
            f"{given.by}: the token is for {given.address}, and the source '{source['name']}' is at {there or 'no address'}. It "
            "was not sent. If it is meant for that host, write its address behind the '@'."
        )


def _origin(address: str) -> str:
    """Scheme, host and port."""
    return "/".join(address.strip().lower().split("/", 3)[:3])


def header(tokens: Mapping[str, str]) -> dict[str, str]:
    """The header for tokens by source id; none without tokens."""
    return {SOURCE_TOKEN: ", ".join(f"{source_id}={value}" for source_id, value in tokens.items())} if tokens else {}


def token(reference: str, by: str = OPTION) -> str:
    """The token that a reference leads to. Raises `SettingsError`."""
    from ragd.config.secrets import resolve
    from ragd.core.errors import SettingsError

    value = resolve(reference, by)
    if "," in value:
        raise SettingsError(f"'{by}': what {reference} holds is no token: it has a comma.")
    return value


def note_missing_token(answer: Mapping[str, Any]) -> bool:
    """Say how to bring a token when passages of an answer were left out for want of one; gives whether that was so."""
    live = answer["effective"].get("live")
    is_missing = bool(live and live["no_token"])
    if is_missing:
        note(
            "Some passages are of sources that ask whose question it is, and were left out. Bring your token with "
            f"{OPTION} NAME=env:VARIABLE, or set {VARIABLE}; `rag sources list` has the names."
        )
    return is_missing
