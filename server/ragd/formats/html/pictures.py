"""Pictures of an HTML page: `<img>` with its stand-ins for lazy loading, `srcset`, `<picture>`, and diagrams drawn in SVG."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import urljoin

from bs4 import BeautifulSoup
from bs4.element import Tag

from ragd.core.documents import Place
from ragd.formats.common.pictures import PictureShelf, is_data_uri, is_relative, is_remote, reference
from ragd.formats.common.text import line_starts
from ragd.formats.html.tree import remove, tags

_MIN_LABELS: Final = 3
"""Texts in an inline SVG from which it is a diagram and no icon."""
_MAX_SVG: Final = 2 * 1024 * 1024

_LAZY: Final = ("data-src", "data-original", "data-lazy-src")
_MIN_SIDE: Final = 4
_SYMBOL_CLASS: Final = re.compile(r"(?:^|[-_ ])(?:emoji|emoticon|smiley)", re.IGNORECASE)
_SVG_END: Final = re.compile(r"</svg\s*>", re.IGNORECASE)
_NAMESPACE: Final = 'xmlns="http://www.w3.org/2000/svg"'


class PagePictures:
    """Writes the pictures of one page as Markdown and puts them on the shelf. `base` is the page's `<base href>`."""

    def __init__(self, shelf: PictureShelf, base: str) -> None:
        self._shelf = shelf
        self._base = base
        self._captions: dict[int, str] = {}

    def markdown(self, image: Tag) -> str:
        """`![alt](link)`; the description alone for emoticons, spacers and what leads nowhere."""
        description = " ".join(str(image.get("alt") or "").split()).replace("[", "(").replace("]", ")")
        if description == str(image.get("src") or ""):  # as Sphinx fills in what the author left out
            description = ""
        if _is_symbol(image):
            return description
        links = [self.resolved(link) for link in dict.fromkeys(_links(image)) if link]
        links = [link for link in links if is_relative(link) or is_remote(link) or is_data_uri(link)]
        if not links:
            return description
        alt = description or self._caption(image)
        place = Place(line_range=(image.sourceline, image.sourceline)) if image.sourceline else Place()
        if found := self._shelf.take(links, alt, place):
            return reference(replace(found, alt=description))  # the caption stands in the text already
        shown = next((link for link in links if not is_data_uri(link)), None)
        return f"![{description}]({shown.replace(' ', '%20')})" if shown else description

    def _caption(self, image: Tag) -> str:
        figure = next((parent for parent in image.parents if parent.name == "figure"), None)
        if figure is None:
            return ""
        if id(figure) not in self._captions:
            caption = figure.find("figcaption")
            self._captions[id(figure)] = " ".join(caption.get_text(" ").split()) if caption else ""
        return self._captions[id(figure)]

    def resolved(self, link: str) -> str:
        """A link as seen from the page itself, whatever base it names."""
        return urljoin(self._base, link) if self._base and not is_data_uri(link) else link


def keep_diagrams(tree: BeautifulSoup, text: str) -> None:
    """Replace each inline SVG that holds some text of its own by an image of it; `text` is what the tree was parsed from."""
    starts: list[int] = []
    for drawing in list(tags(tree, ("svg",))):
        if drawing.find_parent("svg") or drawing.sourceline is None or drawing.sourcepos is None:
            continue
        labels = [" ".join(label.get_text().split()) for label in drawing.find_all("text")]
        if sum(bool(label) for label in labels) < _MIN_LABELS:
            continue
        starts = starts or line_starts(text.split("\n"))
        begin = starts[drawing.sourceline - 1] + drawing.sourcepos
        end = _SVG_END.search(text, begin, begin + _MAX_SVG)
        if not end:
            continue
        source = text[begin : end.end()]
        if "xmlns=" not in source[:2000].partition(">")[0]:
            source = f"{source[:4]} {_NAMESPACE}{source[4:]}"
        title = drawing.find("title")
        alt = " ".join(title.get_text().split()) if title else ""
        remove(drawing)
        drawing.name = "img"
        drawing.attrs.update(src=f"data:image/svg+xml;base64,{base64.b64encode(source.encode()).decode()}", alt=alt)


def _links(image: Tag) -> Iterator[str]:
    """Where the picture may be, the best first: what is loaded late stands in other attributes than `src`."""
    for name in _LAZY:
        yield str(image.get(name) or "").strip()
    yield str(image.get("src") or "").strip()
    yield from _of_set(str(image.get("srcset") or image.get("data-srcset") or ""))
    if image.parent and image.parent.name == "picture":
        for source in image.parent.find_all("source"):
            yield from _of_set(str(source.get("srcset") or ""))


def _of_set(srcset: str) -> Iterator[str]:
    for candidate in srcset.split(", "):
        yield candidate.strip().partition(" ")[0].rstrip(",")


def _is_symbol(image: Tag) -> bool:
    """Whether it is an emoticon, or a spacer or counter of a few pixels."""
    if _SYMBOL_CLASS.search(" ".join(str(name) for name in image.get_attribute_list("class") if name)):
        return True
    sides = [str(image.get(name) or "").removesuffix("px") for name in ("width", "height")]
    return any(side.isdecimal() and int(side) < _MIN_SIDE for side in sides)
