"""A page as one JSON document for the `confluence` loader: its body and what belongs to it. Equal content gives equal bytes."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from ragd.core.errors import DocumentVanished, ItemForbidden, PayloadTooLarge
from ragd.sources.atlassian.responses import Unanswered
from ragd.sources.atlassian.values import dig, text_of
from ragd.sources.base import Fetched
from ragd.sources.confluence.body import References, references
from ragd.sources.confluence.content import body_of, user_id
from ragd.sources.confluence.items import Attachment, Page, utc_text

log = logging.getLogger(__name__)

_FORMAT: Final = "confluence/1"
MOST_PICTURES, LARGEST_PICTURE = 20, 5 * 1024 * 1024
"""How many pictures and drawings of a page are taken, and how large each may be, in bytes."""

_RESOLVED: Final = frozenset(("resolved", "closed"))
_DRAWING_NAMES: Final = ("", ".drawio", ".drawio.xml")

Download = Callable[[Attachment, int], bytes]


@dataclass(frozen=True, slots=True)
class Content:
    """What an envelope is made of. `names` are display names by user id, `files` the page's attachments."""

    deployment: str
    page: Page
    references: References
    labels: Sequence[str] = ()
    comments: Sequence[Mapping[str, Any]] = ()
    includes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[Attachment] = ()
    base_url: str = ""

    def fetched(self, fingerprint: str, download: Download) -> Fetched:
        """The page as an item; pictures and drawings are downloaded when it is loaded."""
        page = self.page
        return Fetched(
            id=page.item_id,
            fingerprint=fingerprint,
            version=str(page.version),
            title=page.title,
            source=page.source,
            uri=page.url,
            name=f"{page.kind}-{page.id}.json",
            load=partial(envelope, self, download),
            loader="confluence",
            updated_at=page.updated or None,
        )


def envelope(content: Content, download: Download, limit: int) -> bytes:
    """The document. Pictures and drawings are downloaded now. Raises `PayloadTooLarge` beyond `limit` bytes."""
    page = content.page
    representation, value = page.body or ("storage", "")
    names = content.names
    wanted = content.references
    files = {file.name: file for file in content.files}
    shown = [files[name] for name in wanted.pictures if name in files]
    document = {
        "format": _FORMAT,
        "deployment": content.deployment,
        "kind": page.kind,
        "id": page.id,
        "title": page.title,
        "space": {"key": page.space.key, "name": page.space.name},
        "ancestors": list(page.above),
        "labels": list(content.labels),
        "url": page.url,
        "author": names.get(page.author, ""),
        "updated": page.updated,
        "body": {"representation": representation, "value": value},
        "users": {id_: names[id_] for id_ in _mentioned(content) if names.get(id_)},
        "includes": dict(content.includes),
        "attachments": {
            name: {"id": files[name].id, "media_type": files[name].media_type, "url": files[name].url(content.base_url)}
            for name in (*wanted.files, *wanted.pictures)
            if name in files
        },
        "pictures": {
            name: base64.b64encode(data).decode("ascii") for name, data in _downloaded({one.name: one for one in shown}, download)
        },
        "drawings": {
            name: data.decode("utf-8", errors="replace") for name, data in _downloaded(_drawings(wanted, files), download)
        },
        "jira": {},
        "comments": threads(content.comments, names),
    }
    made = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", errors="replace")
    if len(made) > limit:
        raise PayloadTooLarge(f"{page.item_id} has more than {limit >> 20} MB with its comments and pictures.")
    return made


def _mentioned(content: Content) -> dict[str, None]:
    """Whom the page, what it includes and its comments mention."""
    bodies = [body[1] for raw in content.comments if (body := body_of(raw))]
    bodies += [one["value"] for one in content.includes.values()]
    return content.references.users | {id_: None for body in bodies for id_ in references(body, "").users}


def threads(comments: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Comments in the order of their ids, replies below what they answer; one whose parent is away stands for itself."""
    made = {text_of(raw, "id"): _comment(raw, names) for raw in sorted(comments, key=_order)}
    roots: list[dict[str, Any]] = []
    for raw in sorted(comments, key=_order):
        id_ = text_of(raw, "id")
        above = [text_of(one, "id") for one in dig(raw, "ancestors") or ()]
        parent = next((one for one in reversed(above) if one in made and one != id_), None)
        (made[parent]["replies"] if parent else roots).append(made[id_])
    return roots


def _comment(raw: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    author = dig(raw, "history", "createdBy") or dig(raw, "version", "by")
    selection = text_of(raw, "extensions", "inlineProperties", "originalSelection")
    is_inline = bool(selection) or text_of(raw, "extensions", "location") == "inline"
    return {
        "id": text_of(raw, "id"),
        "kind": "inline" if is_inline else "footer",
        "author": text_of(author, "displayName") or names.get(user_id(author), ""),
        "created": utc_text(text_of(raw, "history", "createdDate") or text_of(raw, "version", "when")),
        "value": (body_of(raw) or ("", ""))[1],
        "selection": selection,
        "resolved": text_of(raw, "extensions", "resolution", "status") in _RESOLVED,
        "replies": [],
    }


def _order(raw: Mapping[str, Any]) -> tuple[int, str]:
    id_ = text_of(raw, "id")
    return len(id_), id_


def _drawings(wanted: References, files: Mapping[str, Attachment]) -> dict[str, Attachment]:
    found = {}
    for name in wanted.drawings:
        file = next((files[name + end] for end in _DRAWING_NAMES if name + end in files), None)
        if file is not None:
            found[name] = file
    return found


def _downloaded(files: Mapping[str, Attachment], download: Download) -> list[tuple[str, bytes]]:
    """Those that can be had. The page is worth having without one; a new version of a file brings the page again."""
    found = []
    for name, file in list(files.items())[:MOST_PICTURES]:
        try:
            found.append((name, download(file, LARGEST_PICTURE)))
        except (ItemForbidden, DocumentVanished, PayloadTooLarge, Unanswered) as error:
            log.warning("a picture of a page is left out", extra={"item": file.item_id, "page": file.page, "reason": error.code})
    return found
