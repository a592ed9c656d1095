"""Content as the search gives it, the same in both deployments: pages with what belongs to them, in few requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ragd.sources.atlassian.client import AtlassianClient
from ragd.sources.atlassian.values import chunks, dig, text_of
from ragd.sources.confluence.cql import PAGES, WITH_BODY, WITH_FIELDS, among, every, modified_since, paged, search
from ragd.sources.confluence.items import Around, Attachment, Page, Space, number_of, utc_text

FIELDS: Final = ("version", "space", "ancestors", "metadata.labels", "history")
MOST_SPACES: Final = 100
"""How many spaces one request names."""
_PARTS: Final = ("container", "extensions.resolution")
_COMMENT: Final = ("body.storage", "version", *_PARTS, "ancestors", "history", "extensions.inlineProperties")
_PAGE_KINDS: Final = frozenset(("page", "blogpost"))
_BLANK: Final = re.compile(r"(?:\s++|&(?:nbsp|#160|#xa0);|</?(?:p|br|div|span)\b[^<>]*+>)*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a source covers: `spaces` are keys, None for all; `keep` is a person's CQL filter of pages."""

    spaces: tuple[str, ...] | None
    keep: str
    comments: bool
    attachments: bool

    @property
    def parts(self) -> tuple[str, ...]:
        """Kinds of content that belong to a page."""
        return (("comment",) if self.comments else ()) + (("attachment",) if self.attachments else ())

    @property
    def in_spaces(self) -> str:
        return "" if self.spaces is None else among("space", self.spaces)

    @property
    def pages(self) -> str:
        """Every page that is covered, as CQL."""
        return every(PAGES, self.in_spaces, f"({self.keep})" if self.keep else "")

    @property
    def listing(self) -> str:
        """The same in the order in which they were made: what is new meanwhile comes last, and moves nothing to another page."""
        return f"{self.pages} order by created"


@dataclass(frozen=True, slots=True)
class Looked:
    """What there is of some pages: their content as the search gives it, and what is around each, by the id of the page."""

    pages: dict[str, dict[str, Any]]
    around: dict[str, Around]


def spaces_of(client: AtlassianClient, path: str, parameter: str, keys: Sequence[str], page_size: int) -> list[Space]:
    """The spaces of these keys, all for none, that the token may see."""
    found = []
    for part in chunks(keys, MOST_SPACES) if keys else ((),):
        params = {"limit": page_size, "status": "current"} | ({parameter: list(part)} if part else {})
        found += [Space(text_of(raw, "id"), text_of(raw, "key"), text_of(raw, "name")) for raw in paged(client, path, params)]
    return found


def changed_ids(client: AtlassianClient, scope: Scope, since: datetime) -> list[str]:
    """Ids of pages that changed or whose comments or attachments did; the filter is not applied yet."""
    kinds = f"type in ({', '.join(('page', 'blogpost', *scope.parts))})"
    cql = every(kinds, modified_since(since), scope.in_spaces)
    expand = ("container",) if scope.parts else ()
    ids: dict[str, None] = {}
    for item in search(client, cql, limit=WITH_FIELDS, expand=expand):
        owner = item if item.get("type") in _PAGE_KINDS else dig(item, "container")
        if text_of(owner, "type") in _PAGE_KINDS:
            ids[text_of(owner, "id")] = None
    return list(ids)


def look(client: AtlassianClient, scope: Scope, ids: Sequence[str]) -> Looked:
    """Pages of these ids that the filter keeps, with labels, and the versions of their comments and attachments."""
    own = every(PAGES, among("id", ids), f"({scope.keep})" if scope.keep else "")
    parts = f" or (type in ({', '.join(scope.parts)}) and {among('container', ids)})" if scope.parts else ""
    found = search(client, f"({own}){parts}", limit=WITH_FIELDS, expand=(*FIELDS, *(_PARTS if scope.parts else ())))
    pages: dict[str, dict[str, Any]] = {}
    comments: dict[str, list[dict[str, Any]]] = {}
    files: dict[str, list[dict[str, Any]]] = {}
    for item in found:
        owner = text_of(item, "container", "id")
        if item.get("type") in _PAGE_KINDS:
            pages[str(item["id"])] = item
        elif item.get("type") == "comment":
            comments.setdefault(owner, []).append(item)
        elif item.get("type") == "attachment":
            files.setdefault(owner, []).append(item)
    around = {
        id_: Around(
            labels=_labels_of(page),
            comments=comment_states(comments.get(id_, ())),
            attachments=tuple(_attachment(file, page) for file in files.get(id_, ())),
            above=tuple(text_of(one, "id") for one in dig(page, "ancestors") or ()),
        )
        for id_, page in pages.items()
    }
    return Looked(pages, around)


def comments_of(client: AtlassianClient, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The comments of pages, by page, each with its body in storage format; where that is blank, as it is shown."""
    comments = list(search(client, f"type = comment and {among('container', ids)}", limit=WITH_BODY, expand=_COMMENT))
    shown: dict[str, dict[str, Any]] = {}
    for part in chunks([text_of(one, "id") for one in comments if body_of(one) is None], WITH_BODY):
        for raw in search(client, f"type = comment and {among('id', part)}", limit=WITH_BODY, expand=("body.view",)):
            shown[text_of(raw, "id")] = {"body": raw.get("body")}
    found: dict[str, list[dict[str, Any]]] = {}
    for comment in comments:
        found.setdefault(text_of(comment, "container", "id"), []).append(comment | shown.get(text_of(comment, "id"), {}))
    return found


def comment_states(comments: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, int, str], ...]:
    """Id, version and resolution of each: what differs when the comment does."""
    return tuple(
        (text_of(one, "id"), number_of(one, "version", "number"), text_of(one, "extensions", "resolution", "status"))
        for one in comments
    )


def _labels_of(page: Mapping[str, Any]) -> tuple[str, ...]:
    """Without those that a person keeps for itself, which nobody else sees."""
    labels = [label for label in dig(page, "metadata", "labels", "results") or () if text_of(label, "prefix") != "my"]
    return tuple(sorted({name for label in labels if (name := text_of(label, "name"))}))


def page_of(raw: Mapping[str, Any], url: str) -> Page:
    """A page as the search gives it with `FIELDS`."""
    above = tuple(text_of(one, "title") for one in dig(raw, "ancestors") or ())
    return Page(
        id=text_of(raw, "id"),
        kind=text_of(raw, "type"),
        title=text_of(raw, "title"),
        space=Space(text_of(raw, "space", "id"), text_of(raw, "space", "key"), text_of(raw, "space", "name")),
        version=number_of(raw, "version", "number"),
        updated=utc_text(text_of(raw, "version", "when")),
        url=url,
        above=above,
        place=above,
        author=user_id(dig(raw, "history", "createdBy") or dig(raw, "version", "by")),
        body=body_of(raw),
    )


def body_of(raw: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first of the representations that the site gave with something in it; None without one."""
    for representation in ("storage", "view"):
        value = dig(raw, "body", representation, "value")
        if isinstance(value, str) and not _BLANK.fullmatch(value):
            return representation, value
    return None


def user_id(user: object) -> str:
    """How bodies name this person."""
    return text_of(user, "accountId") or text_of(user, "userKey") or text_of(user, "username")


def people(contents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Ids and display names of those whom content names as its authors."""
    for raw in contents:
        for user in (dig(raw, "history", "createdBy"), dig(raw, "version", "by")):
            name = text_of(user, "displayName") or text_of(user, "publicName")
            for key in ("accountId", "userKey", "username"):
                if name and text_of(user, key):
                    yield text_of(user, key), name


def _attachment(raw: Mapping[str, Any], page: Mapping[str, Any]) -> Attachment:
    size = dig(raw, "extensions", "fileSize")
    return Attachment(
        id=text_of(raw, "id"),
        name=text_of(raw, "title"),
        page=f"{text_of(page, 'type')}/{text_of(page, 'id')}",
        page_title=text_of(page, "title"),
        space=text_of(page, "space", "key"),
        media_type=text_of(raw, "extensions", "mediaType") or text_of(raw, "metadata", "mediaType"),
        size=size if isinstance(size, int) else 0,
        version=number_of(raw, "version", "number"),
        updated=utc_text(text_of(raw, "version", "when")),
        download=text_of(raw, "_links", "download"),
    )
