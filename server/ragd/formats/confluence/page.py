"""The envelope that the Confluence source hands over, and what the parts of its page refer to while they are written.

An envelope (`confluence/1`) is one page with all that is needed to read it, as JSON.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast
from urllib.parse import urljoin

from ragd.core.errors import DocumentDamaged, ParseFailed
from ragd.diagrams.model import Diagram
from ragd.formats.common.opc import Element
from ragd.formats.common.pictures import is_relative
from ragd.formats.confluence.xml import all_text, attribute, fit, name_of

_FORMAT: Final = "confluence/1"


@dataclass(frozen=True, slots=True)
class _Body:
    representation: Literal["storage", "view"]
    value: str


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment with its replies; `selection` is the text that an inline comment was made on."""

    id: str
    kind: str
    author: str
    created: str
    value: str
    selection: str
    resolved: bool
    replies: tuple[Comment, ...]


@dataclass(frozen=True, slots=True)
class Envelope:
    """A page as it was fetched. `pictures` and `drawings` go by file and diagram name, `includes` by page title."""

    deployment: Literal["cloud", "data_center"]
    kind: str
    id: str
    title: str
    space_key: str
    space_name: str
    url: str
    body: _Body
    author: str = ""
    updated: str = ""
    ancestors: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    users: Mapping[str, str] = field(default_factory=dict)
    includes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    attachments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    drawings: Mapping[str, str] = field(default_factory=dict)
    jira: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    comments: tuple[Comment, ...] = ()


def read_envelope(data: bytes) -> Envelope:
    """Raises `ParseFailed` that says which part is missing or has the wrong type; never with a title in it."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else f"it is not JSON ({type(error).__name__})"
        raise DocumentDamaged(f"What was fetched of this page can't be read: {reason}. Synchronise the source again.") from error
    if not isinstance(values, dict):
        raise _wrong("it is not a JSON object")
    if (stated := values.get("format")) != _FORMAT:
        raise _wrong(f"'format' is {json.dumps(stated)[:60]}, not \"{_FORMAT}\"")
    try:
        return _envelope(values)
    except RecursionError as error:
        raise _wrong("its comments are nested too deeply") from error


def _envelope(values: dict[str, Any]) -> Envelope:
    space, body = _map(values, "space"), _map(values, "body")
    return Envelope(
        deployment=cast(Any, _one_of(values, "deployment", ("cloud", "data_center"))),
        kind=_one_of(values, "kind", ("page", "blogpost")),
        id=_text(values, "id"),
        title=_text(values, "title"),
        space_key=_text(space, "key", "space."),
        space_name=_text(space, "name", "space.", ""),
        url=_text(values, "url"),
        body=_Body(cast(Any, _one_of(body, "representation", ("storage", "view"), "body.")), _text(body, "value", "body.")),
        author=_text(values, "author", default=""),
        updated=_text(values, "updated", default=""),
        ancestors=_texts(values, "ancestors"),
        labels=_texts(values, "labels"),
        users=_flat(values, "users"),
        includes=_records(values, "includes"),
        attachments=_records(values, "attachments"),
        pictures={name: _decoded(text) for name, text in _flat(values, "pictures").items()},
        drawings=_flat(values, "drawings"),
        jira=_records(values, "jira"),
        comments=_comments(values, "comments"),
    )


def _comments(values: Mapping[str, Any], key: str) -> tuple[Comment, ...]:
    found = values.get(key) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise _wrong(f"'{key}' is not a list of objects")
    inside = f"{key}[]."
    return tuple(
        Comment(
            id=_text(each, "id", inside),
            kind=_text(each, "kind", inside, "footer"),
            author=_text(each, "author", inside, ""),
            created=_text(each, "created", inside, ""),
            value=_text(each, "value", inside),
            selection=_text(each, "selection", inside, ""),
            resolved=each.get("resolved") is True,
            replies=_comments(each, "replies"),
        )
        for each in found
    )


def _text(values: Mapping[str, Any], key: str, inside: str = "", default: str | None = None) -> str:
    found = values.get(key)
    if found is None and default is not None:
        return default
    if not isinstance(found, str):
        raise _wrong(f"'{inside}{key}' is missing" if found is None else f"'{inside}{key}' is not a text")
    return fit(found)


def _one_of(values: Mapping[str, Any], key: str, allowed: tuple[str, ...], inside: str = "") -> str:
    found = _text(values, key, inside)
    if found not in allowed:
        raise _wrong(f"'{inside}{key}' is none of {', '.join(allowed)}")
    return found


def _texts(values: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = values.get(key) or []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise _wrong(f"'{key}' is not a list of texts")
    return tuple(fit(each) for each in found)


def _map(values: Mapping[str, Any], key: str, *, needed: bool = True) -> dict[str, Any]:
    found = values.get(key)
    if found is None and not needed:
        return {}
    if not isinstance(found, dict):
        raise _wrong(f"'{key}' is missing" if found is None else f"'{key}' is not an object")
    return found


def _flat(values: Mapping[str, Any], key: str) -> dict[str, str]:
    found = _map(values, key, needed=False)
    return {fit(name): _text(found, name, f"{key}.*.") for name in found}


def _records(values: Mapping[str, Any], key: str) -> dict[str, dict[str, str]]:
    """Objects of texts by name; what an object holds besides texts is none of our concern."""
    records = {}
    for name, record in _map(values, key, needed=False).items():
        if not isinstance(record, dict):
            raise _wrong(f"'{key}' holds something that is not an object")
        records[fit(name)] = {field: fit(text) for field, text in record.items() if isinstance(text, str)}
    return records


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _wrong("'pictures' holds something that is not base64") from error


def _wrong(what: str) -> ParseFailed:
    return DocumentDamaged(f"What was fetched of this page can't be read: {what}. Synchronise the source again.")


_MAX_INCLUDES: Final = 100
_MAX_INCLUDED: Final = 5_000_000
"""Included pages of one page, and characters of them together: pages may include each other many times over."""
MAX_INCLUDE_DEPTH: Final = 5

_EMBEDDED: Final = "embedded/"
_ENCODED: Final = {" ": "%20", "(": "%28", ")": "%29", "\n": "", "\r": "", "\t": "", "<": "%3C", ">": "%3E"}


@dataclass(slots=True)
class PageParts:
    """One envelope. `notes` counts what could not be shown, by kind; `drawn` has the
    drawings that were read, each with the line under which its labels stand.

    `shown_issues` are the Jira keys that macros of the page name one by one; `lone_query` whether only one macro asks a query.
    `listed` are the long lists that were written already, of which a second showing would say nothing new.
    """

    envelope: Envelope
    notes: Counter[str] = field(default_factory=Counter)
    drawn: list[tuple[str, list[Diagram]]] = field(default_factory=list)
    lone_query: bool = False
    shown_issues: frozenset[str] = frozenset()
    listed: set[str] = field(default_factory=set)
    _held: dict[str, bytes] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)
    _includes: int = 0
    _included: int = 0

    def picture(self, name: str) -> str:
        """The link under which `held` gives the picture called `name`; empty when the envelope has none."""
        data = self.envelope.pictures.get(name)
        if not data:
            return ""
        if name not in self._links:
            link = f"{_EMBEDDED}{len(self._links)}"
            self._links[name], self._held[link] = link, data
        return self._links[name]

    def held(self, link: str) -> bytes | None:
        return self._held.get(link)

    def file_url(self, name: str) -> str:
        """Where people open an attachment of the page; empty when nobody knows."""
        return self.address(self.envelope.attachments.get(name, {}).get("url", ""))

    def address(self, link: str) -> str:
        """A link as seen from the page, fit for Markdown."""
        link = link.strip()
        if is_relative(link) and not link.startswith("#"):
            try:
                link = urljoin(self.envelope.url, link)
            except ValueError:
                return ""
        return "".join(_ENCODED.get(letter, letter) for letter in link)

    def survey(self, root: Element) -> None:
        """Note which Jira issues the macros of the body name, and whether one alone asks a query."""
        keys: set[str] = set()
        queries = 0
        for element in root.iter():
            if name_of(element) == "ac:parameter":
                parent = element.getparent()
                if parent is not None and attribute(parent, "name") == "jira":
                    name = attribute(element, "name")
                    queries += name == "jqlQuery"
                    keys |= {all_text(element).strip()} if name == "key" else set()
        self.shown_issues, self.lone_query = frozenset(keys), queries == 1

    def target_text(self, target: Element | None) -> str:
        """What a resource identifier names, for people: `DEV: Setup`, `@Aiko Tanaka`, an address."""
        if target is None:
            return ""
        match name_of(target):
            case "ri:page" | "ri:blog-post":
                space, title = attribute(target, "space-key"), attribute(target, "content-title")
                return f"{space}: {title}" if space and title else title or (f"space {space}" if space else "")
            case "ri:space":
                return f"space {attribute(target, 'space-key')}"
            case "ri:user":
                ids = (attribute(target, name) for name in ("account-id", "userkey", "username"))
                return f"@{next((name for key in ids if (name := self.envelope.users.get(key))), 'unknown user')}"
            case "ri:url":
                return attribute(target, "value")
            case "ri:attachment":
                return attribute(target, "filename")
            case "ri:shortcut":
                return f"{attribute(target, 'key')}@{attribute(target, 'parameter')}"
            case "ri:content-entity":
                return f"page {attribute(target, 'content-id')}"
            case _:
                return ""

    def may_include(self, length: int) -> bool:
        """Whether so many characters more may be included; counts them if so."""
        if self._includes >= _MAX_INCLUDES or self._included + length > _MAX_INCLUDED:
            return False
        self._includes += 1
        self._included += length
        return True

    def first_time(self, what: str) -> bool:
        """Whether `what` is listed for the first time; it counts as listed from then on."""
        is_new = what not in self.listed
        self.listed.add(what)
        return is_new
