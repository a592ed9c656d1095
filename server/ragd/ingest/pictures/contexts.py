"""What stands around a picture in its document: what a captioner is told of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from ragd.core.documents import Document
from ragd.core.storage import PictureLink, VersionContent
from ragd.formats.common.naming import base_name
from ragd.formats.common.pictures import REFERENCE, link_of
from ragd.vision.description import MOST_CONTEXT, PictureContext

_BLANK_LINE: Final = re.compile(r"\n\s*\n")
_CAPTION: Final = re.compile(
    r"^\W*(?:fig(?:ure|\.)?|table|chart|diagram|screenshot|photo|picture|図|表|写真|画面|グラフ|图|圖|表格|截图)\s*[\d０-９.:：\-－A-Z一二三四五六七八九十]",
    re.IGNORECASE,
)
_NEIGHBOUR: Final = 400
_LINE: Final = 160
"""Characters of a heading, of the line below a picture, and of its alternative text."""


def context_of(content: VersionContent, link: PictureLink) -> PictureContext:
    """The paragraph in which a picture stands with its neighbours, its heading, its caption line, its alternative text."""
    document = content.document
    start, end = _reference(document, link.link)
    before, after = _paragraphs(document, start, end)
    caption = next((line for part in (after, before) for line in part.splitlines() if _CAPTION.match(line)), "")
    text = _plain("\n".join(filter(None, (before[-_NEIGHBOUR:], after[:_NEIGHBOUR]))))
    name = base_name(content.source)
    alt = "" if link.alt == name else link.alt
    fixed = {
        "heading": _plain(_heading(document, start))[:_LINE],
        "caption": _plain(caption)[:_LINE],
        "alt": _plain(alt)[:_LINE],
        # A picture that is a document has its own file's name; one within a document only what its reference says.
        "file_name": (name if document.doc_type == "image" else _name_in(link.link))[:_LINE],
    }
    room = MOST_CONTEXT - sum(map(len, fixed.values()))
    return PictureContext(text=text[:room], **fixed, language=document.language or "en")


def without_context(context: PictureContext) -> PictureContext:
    """Nothing but the language in which to describe."""
    return PictureContext(language=context.language)


def _reference(document: Document, link: str) -> tuple[int, int]:
    found = next((match for match in REFERENCE.finditer(document.markdown) if link_of(match) == link), None)
    return found.span() if found else (0, 0)


def _paragraphs(document: Document, start: int, end: int) -> tuple[str, str]:
    """What stands before and after the reference: its own paragraph, and one more on each side; no heading."""
    if start == end:
        return "", ""
    before = _BLANK_LINE.split(document.markdown[max(0, start - 4 * _NEIGHBOUR) : start])
    after = _BLANK_LINE.split(document.markdown[end : end + 4 * _NEIGHBOUR])
    return "\n".join(_texts(before[-2:])), "\n".join(_texts(after[:2]))


def _texts(paragraphs: list[str]) -> list[str]:
    return [part.strip() for part in paragraphs if part.strip() and not part.lstrip().startswith("#")]


def _heading(document: Document, offset: int) -> str:
    place = bisect_right([heading.start for heading in document.headings], offset) - 1
    return document.headings[place].title if place >= 0 else document.title


def _plain(text: str) -> str:
    return " ".join(REFERENCE.sub(" ", text).split())


def _name_in(link: str) -> str:
    """The file's name in a reference; "" for one by asset id, or with the picture in itself."""
    return "" if ":" in link else base_name(link)
