"""How the content refers to pictures: as Markdown images, by asset id or, where the content is the source, as the source does."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from ragd.core.documents import Picture, Place

REFERENCE: Final = re.compile(
    r"!\[(?P<alt>[^\]\n]{0,1000})\]"
    r"(?:\(\s{0,9}(?:<(?P<angled>[^>\n]{1,2000})>|(?P<link>(?:[^()\s]|\([^()\s]{0,200}\)){1,2000}))[^)\n]{0,500}\)"
    r"|\[(?P<label>[^\[\]\n]{1,1000})\])"
    r"|<img\b[^>]{0,1000}?\bsrc\s{0,9}=\s{0,9}[\"']?(?P<src>[^\"'\s>]{1,2000})[^>]{0,2000}>",
    re.IGNORECASE,
)
"""A reference to a picture in the content: Markdown's `![alt](link)` and `![alt][label]`, or HTML's `<img src=…>`. Every part has
its bound, so that a text full of beginnings costs no square."""

_SCHEME: Final = "asset://"
_MAX_ALT: Final = 300


def picture(data: bytes, alt: str = "", place: Place | None = None, link: str = "") -> Picture:
    """A picture found in a file, by its bytes; `link` is given when the content refers to it otherwise than by its asset id."""
    asset_id = hashlib.sha256(data).hexdigest()[:32]
    return Picture(asset_id, data, link or f"{_SCHEME}{asset_id}", _plain(alt), place or Place())


def reference(found: Picture) -> str:
    """The Markdown that stands for a picture in the content."""
    return f"![{found.alt}]({found.link})"


def link_of(found: re.Match[str]) -> str:
    """What a match of `REFERENCE` refers to: the `link` of a picture."""
    return found["link"] or found["angled"] or found["label"] or found["src"] or ""


def _plain(alt: str) -> str:
    return " ".join(alt.replace("[", "(").replace("]", ")").split())[:_MAX_ALT]
