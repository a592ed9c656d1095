"""What Confluence has, as values: spaces, pages, attachments; how they are listed, and when they are to be fetched again.

A fingerprint is `BASE|AROUND`. BASE covers version, title and place in the tree, which a plain listing gives. AROUND covers
labels, comments and attachments, none of which makes a new version of the page; where it is not known, it is left out with its
bar, and the rest still compares (`changes.differs`). A page that includes others is fetched again by
every deep listing (`base.ALWAYS_REFETCH`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from ragd.core.errors import SourceUnavailable
from ragd.ingest.discovery.file_rules import shown
from ragd.sources.atlassian.rules import ItemRules
from ragd.sources.atlassian.values import dig, text_of
from ragd.sources.base import Listed, Skip
from ragd.sources.confluence.body import References, references

_DRAWING_TYPE: Final = "application/vnd.jgraph.mxfile"


@dataclass(frozen=True, slots=True)
class Space:
    id: str
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page or blog post. `above` are the titles over it, the outermost first; `place` is what of them the fingerprint covers.

    `author` is a user's id. `body` is its representation and value, where it was asked for.
    """

    id: str
    kind: str
    title: str
    space: Space
    version: int
    updated: str
    url: str
    above: tuple[str, ...] = ()
    place: tuple[str, ...] = ()
    author: str = ""
    body: tuple[str, str] | None = None

    @property
    def item_id(self) -> str:
        return f"{self.kind}/{self.id}"

    @property
    def source(self) -> str:
        return f"{self.space.key}/{shown(self.title)}"

    @property
    def base(self) -> str:
        return f"{self.version}.{_digest([self.kind, self.title, self.space.key, self.space.name, *self.place])}"

    @property
    def references(self) -> References:
        """What its body refers to; nothing for one that is no storage format."""
        representation, value = self.body or ("storage", "")
        return references(value, self.space.key) if representation == "storage" else References()

    @property
    def hint(self) -> dict[str, Any]:
        """What a later look needs that has only this item's id."""
        return {"space": [self.space.id, self.space.key, self.space.name], "above": list(self.above), "place": list(self.place)}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a page. `page` is the page's item id; `download` its address as the site gives it."""

    id: str
    name: str
    page: str
    page_title: str
    space: str
    media_type: str
    size: int
    version: int
    updated: str
    download: str

    @property
    def item_id(self) -> str:
        return f"attachment/{self.id}"

    @property
    def page_id(self) -> str:
        return self.page.rpartition("/")[2]

    @property
    def source(self) -> str:
        return f"{self.space}/{shown(self.page_title)}/{shown(self.name)}"

    @property
    def fingerprint(self) -> str:
        return f"{self.version}.{_digest([self.page, self.space, self.page_title, self.name])}"

    @property
    def hint(self) -> dict[str, Any]:
        names = ("name", "page", "page_title", "space", "media_type", "size", "version", "updated", "download")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def of(cls, item: Listed) -> Attachment:
        return cls(id=item.remote_id, **item.hint)

    def url(self, base_url: str) -> str:
        """Where a person opens it; the same in both deployments."""
        return f"{base_url}/download/attachments/{quote(self.page_id)}/{quote(self.name, safe='')}"


@dataclass(frozen=True, slots=True)
class Around:
    """What belongs to a page without being in it.

    `comments` are (id, version, resolution) of each, `above` the ids of the pages above it.
    """

    labels: tuple[str, ...] = ()
    comments: tuple[tuple[str, int, str], ...] = ()
    attachments: tuple[Attachment, ...] = ()
    above: tuple[str, ...] = ()

    @property
    def stamp(self) -> str:
        files = sorted((one.id, one.version) for one in self.attachments)
        return _digest([sorted(self.labels), sorted(self.comments), files])


class Rules(ItemRules):
    """Pages and attachments as they are listed, with why some are left out."""

    def page(self, page: Page, fingerprint: str | None) -> Listed:
        return Listed(
            id=page.item_id,
            kind=page.kind,
            title=page.title,
            container=page.space.key,
            fingerprint=fingerprint,
            updated_at=page.updated or None,
            left_out=self.filtered(page.source),
            hint=page.hint,
        )

    def attachment(self, one: Attachment) -> Listed:
        return Listed(
            id=one.item_id,
            kind="attachment",
            title=one.name,
            container=one.space,
            fingerprint=one.fingerprint,
            owner=one.page,
            updated_at=one.updated or None,
            left_out=self.filtered(one.source) or self._unusable_file(one),
            hint=one.hint,
        )

    def _unusable_file(self, one: Attachment) -> Skip | None:
        if one.media_type == _DRAWING_TYPE:
            return Skip("unsupported", "It is the source of a drawing, whose text is read with the page that shows it.")
        return self.unusable(one.name, one.size)


def _digest(values: object) -> str:
    """A short name for values; equal ones have the same."""
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def number_of(value: object, *names: str) -> int:
    """A number that an answer must have. Raises `SourceUnavailable`."""
    found = dig(value, *names)
    if isinstance(found, bool) or not isinstance(found, int):
        item = text_of(value, "id") or "something"
        raise SourceUnavailable(f"Confluence answered without {'.'.join(names)} for {item}.")
    return found


def utc_text(moment: str) -> str:
    """A time as the site wrote it, in UTC and whole seconds (`2026-03-05T10:00:00Z`); "" for what is no time."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return ""
    aware = read if read.tzinfo else read.replace(tzinfo=UTC)
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
