"""The content of a Confluence page, block by block: title, body and comments, with headings, anchors and pictures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final
from urllib.parse import unquote_plus

from bs4 import BeautifulSoup
from bs4.element import Tag

from ragd.core.documents import Mark, Place
from ragd.core.errors import ParseFailed
from ragd.formats.common.builder import ContentBuilder
from ragd.formats.common.linked_pictures import PictureShelf
from ragd.formats.confluence.anchors import Anchors
from ragd.formats.confluence.page import PageParts
from ragd.formats.confluence.xml import tamed
from ragd.formats.html.blocks import BlockWriter
from ragd.formats.html.content import keep_states, remove_unseen
from ragd.formats.html.pictures import PagePictures, keep_diagrams
from ragd.formats.html.tree import HEADINGS, TextLines, parsable, parse

_HEADING_START: Final = re.compile(r"(?=<h[1-6][\s>])", re.IGNORECASE)


class PageContent(ContentBuilder):
    """Collects blocks below each other."""

    def __init__(self, shelf: PictureShelf) -> None:
        super().__init__()
        self._shelf = shelf

    def changes(self) -> list[Mark]:
        """One mark for each place, where it begins."""
        return [mark for index, mark in enumerate(self.marks) if index == 0 or mark.place != self.marks[index - 1].place]

    def heading(self, level: int, title: str, place: Place) -> None:
        title = " ".join(title.split())
        start = self._block(f"{'#' * level} {title}")
        self._head(start, level, title)
        self.marks.append(Mark(start, place))

    def paragraph(self, text: str, place: Place) -> None:
        if text.strip():
            self.marks.append(Mark(self._block(text), place))

    def html(self, tree: BeautifulSoup, place: Place) -> None:
        """The blocks of a tree, whose headings begin lines of their own. `place` is where they stand, up to the first heading
        that has an anchor as its id.

        Raises `ParseFailed` for a tree that is nested too deeply.
        """
        anchors = {tag.sourceline: str(tag["id"]) for tag in tree.find_all(HEADINGS) if tag.get("id")}
        lines = TextLines(tree)
        pictures = len(self._shelf.pictures)
        writer = BlockWriter(lines, PagePictures(self._shelf, ""))
        try:
            writer.write(tree.body if isinstance(tree.body, Tag) else tree)
        except RecursionError as error:
            raise ParseFailed("The page is nested too deeply to be read.") from error
        markdown = writer.markdown
        if not markdown.strip():
            return
        start = self._block(markdown)
        self.marks.append(Mark(start, place))
        lines_at = {mark.offset: mark.place.line_range for mark in writer.marks}
        for heading in writer.headings:
            self.headings.append(replace(heading, start=heading.start + start, end=heading.end + start))
            line = (lines_at[heading.start] or (0, 0))[0]
            if line in anchors:
                self.marks.append(Mark(heading.start + start, Place(anchor=anchors[line])))
        self._place_pictures(pictures, markdown, start)

    def _place_pictures(self, first: int, markdown: str, start: int) -> None:
        """Where pictures stand is told by the heading above them; the lines of a made-up HTML file would say nothing."""
        marks = self.marks
        index = at = 0
        for number in range(first, len(self._shelf.pictures)):
            picture = self._shelf.pictures[number]
            at = max(at, markdown.find(f"]({picture.link})", at))
            while index + 1 < len(marks) and marks[index + 1].offset <= start + at:
                index += 1
            self._shelf.pictures[number] = replace(picture, place=marks[index].place)

    def _block(self, text: str) -> int:
        """Append a block; returns where it begins."""
        self._separate()
        return self._put(text)


def written_tree(html: str) -> BeautifulSoup:
    """The tree of HTML that a `StorageWriter` wrote."""
    return parse(parsable(html))


def view_tree(page: PageParts, anchors: Anchors, shift: int) -> BeautifulSoup:
    """The tree of a body as Confluence shows it, without what is not seen, its headings `shift` levels deeper.

    Raises `ParseFailed`.
    """
    text = parsable(_HEADING_START.sub("\n", tamed(page.envelope.body.value)))
    tree = parse(text)
    keep_diagrams(tree, text)
    keep_states(tree)
    remove_unseen(tree)
    for tag in tree.find_all(HEADINGS):
        title = " ".join(tag.get_text(" ", strip=True).split())
        tag.name = f"h{min(int(tag.name[1]) + shift, 6)}"
        tag.attrs = {"id": anchors.next(title)} if title else {}
    for link in tree.find_all("a", href=True):
        link["href"] = page.address(str(link["href"]))
    for image in tree.find_all("img", src=True):
        source = str(image["src"])
        name = unquote_plus(source.partition("?")[0].rpartition("/")[2])
        image["src"] = page.picture(name) or page.address(source)
    return tree
