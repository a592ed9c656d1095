"""Pictures of documents: how the content refers to them, and how those are got that Markdown and HTML refer to.

The content has them as Markdown images, by asset id or, where the content is the source, as the source does. A source refers to
them by a relative path, or embeds them in the reference itself as a data URI.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote_to_bytes

from ragd.core.documents import Picture, Place
from ragd.formats.common.text import listed
from ragd.formats.registry import PICTURE_MEDIA_TYPES
from ragd.providers.protocols import LoadContext

REFERENCE: Final = re.compile(
    r"!\[(?P<alt>[^\]\n]{0,1000})\]"
    r"(?:\(\s{0,9}(?:<(?P<angled>[^>\n]{1,2000})>|(?P<link>(?:[^()\s]|\([^()\s]{0,200}\)){1,2000}))[^)\n]{0,500}\)"
    r"|\[(?P<label>[^\[\]\n]{1,1000})\])"
    r"|<img\b[^>]{0,1000}?\bsrc\s{0,9}=\s{0,9}[\"']?(?P<src>[^\"'\s>]{1,2000})[^>]{0,2000}>",
    re.IGNORECASE,
)
"""A reference to a picture in the content: Markdown's `![alt](link)` and `![alt][label]`, or HTML's `<img src=…>`. Every part has
its bound, so that a text full of beginnings costs no square."""

_ASSETS: Final = "asset://"
_MAX_ALT: Final = 300
_MAX_EMBEDDED: Final = 20 * 1024 * 1024
"""Bytes of one embedded picture."""
_MAX_TOTAL: Final = 200 * 1024 * 1024
"""Bytes of all pictures of one document."""
_MAX_PICTURES: Final = 2000
_DATA_URI: Final = re.compile(
    rf"data:(?:{'|'.join(map(re.escape, (*PICTURE_MEDIA_TYPES, 'image/jpg')))})((?:;[\w=.+-]*)*),", re.IGNORECASE
)
_REMOTE: Final = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SIGNATURES: Final = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM")
_SHOWN_NAMES: Final = 3
_SHOWN_LENGTH: Final = 80


def picture(data: bytes, alt: str = "", place: Place | None = None, link: str = "") -> Picture:
    """A picture found in a file, by its bytes; `link` is given when the content refers to it otherwise than by its asset id."""
    asset_id = hashlib.sha256(data).hexdigest()[:32]
    alt = " ".join(alt.replace("[", "(").replace("]", ")").split())[:_MAX_ALT]
    return Picture(asset_id, data, link or f"{_ASSETS}{asset_id}", alt, place or Place())


def reference(found: Picture) -> str:
    """The Markdown that stands for a picture in the content."""
    return f"![{found.alt}]({found.link})"


def link_of(found: re.Match[str]) -> str:
    """What a match of `REFERENCE` refers to: the `link` of a picture."""
    return found["link"] or found["angled"] or found["label"] or found["src"] or ""


def is_data_uri(reference: str) -> bool:
    return reference[:5].lower() == "data:"


def is_remote(reference: str) -> bool:
    """Whether a reference leads to another machine."""
    return _REMOTE.match(reference) is not None


def is_relative(reference: str) -> bool:
    """Whether a reference may lead to a file beside the document."""
    return bool(reference) and not is_remote(reference) and _SCHEME.match(reference) is None


def embedded(reference: str) -> bytes | None:
    """The picture in a data URI; None when it holds none, or one that is too large."""
    found = _DATA_URI.match(reference)
    if not found or len(reference) > _MAX_EMBEDDED * 3:  # percent-encoded, a byte takes three characters
        return None
    payload = reference[found.end() :]
    try:
        encoded = found[1].lower().endswith(";base64")
        data = base64.b64decode(unquote_to_bytes(payload), validate=False) if encoded else unquote_to_bytes(payload)
    except (binascii.Error, ValueError):
        return None
    is_picture = data.startswith(_SIGNATURES) or data[8:12] == b"WEBP" or b"<svg" in data[:4096]
    return data if is_picture and len(data) <= _MAX_EMBEDDED else None


class PictureShelf:
    """Collects the pictures of one document, and what could not be got."""

    def __init__(self, context: LoadContext) -> None:
        self.pictures: list[Picture] = []
        self.remote = 0
        self._linked = context.linked
        self._data: dict[str, bytes | None] = {}
        self._missing: dict[str, int] = {}
        self._left_out = 0
        self._total = 0

    def take(self, links: Sequence[str], alt: str, place: Place, *, shown_as: str = "") -> Picture | None:
        """List the picture that the first working one of these links leads to; `shown_as` is how the content refers to it, if not
        by its asset id. A remote picture is counted and not fetched; a missing one is noted."""
        data = next((data for link in links if (data := self._bytes(link)) is not None), None)
        if data is None:
            self._note_missing(links)
            return None
        if len(self.pictures) >= _MAX_PICTURES or self._total > _MAX_TOTAL:
            self._left_out += 1
            return None
        found = picture(data, alt, place, shown_as)
        self.pictures.append(found)
        return found

    def _note_missing(self, links: Sequence[str]) -> None:
        if any(is_remote(link) for link in links):
            self.remote += 1
        else:
            name = next((link for link in links if not is_data_uri(link)), "an embedded picture")
            self._missing[name] = self._missing.get(name, 0) + 1

    def warnings(self) -> list[str]:
        warnings = []
        if self._missing:
            names = [name if len(name) <= _SHOWN_LENGTH else f"{name[:_SHOWN_LENGTH]}…" for name in self._missing]
            count = sum(self._missing.values())
            warnings.append(f"pictures that could not be read: {count} ({listed(names, _SHOWN_NAMES)})")
        if self._left_out:
            warnings.append(f"pictures left out, since the document has too many: {self._left_out}")
        return warnings

    def metadata(self) -> dict[str, int]:
        return {"remote_pictures": self.remote} if self.remote else {}

    def _bytes(self, link: str) -> bytes | None:
        if is_data_uri(link):
            data = embedded(link)
            self._total += len(data or b"")
            return data
        if link not in self._data and self._total <= _MAX_TOTAL:
            self._data[link] = (self._linked(link) or None) if is_relative(link) else None
            self._total += len(self._data[link] or b"")
        return self._data.get(link)
