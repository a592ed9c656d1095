"""Confluence pages and blog posts: the envelope that their source fetched, as Markdown with the anchors of its headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version as installed
from typing import Any, Final
from urllib.parse import quote, unquote_plus

import bs4
from bs4 import BeautifulSoup
from bs4.element import Tag

from ragd.core.documents import Document, Mark, Place
from ragd.core.errors import DocumentEmpty, ParseFailed, TooComplex
from ragd.core.sections import ANCESTORS
from ragd.diagrams.model import Diagram
from ragd.formats.common.builder import ContentBuilder, FormatLoader
from ragd.formats.common.diagrams import FoundDiagram
from ragd.formats.common.naming import choose_title, metadata_of
from ragd.formats.common.opc import LXML_VERSION, Element
from ragd.formats.common.pictures import PictureShelf
from ragd.formats.confluence.macros import ELEMENTS
from ragd.formats.confluence.page import Comment, Envelope, PageParts, read_envelope
from ragd.formats.confluence.storage import Anchors, StorageWriter
from ragd.formats.confluence.xml import parse_storage, tamed
from ragd.formats.html.blocks import BlockWriter
from ragd.formats.html.content import keep_seen
from ragd.formats.html.pictures import PagePictures
from ragd.formats.html.tree import HEADINGS, TextLines, parsable, parse
from ragd.providers.protocols import ALONE, LoadContext

_HEADING_START: Final = re.compile(r"(?=<h[1-6][\s>])", re.IGNORECASE)
_COMMENT_SHIFT: Final = 3


class _PageContent(ContentBuilder):
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
            raise TooComplex("The page is nested too deeply to be read.") from error
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
        self._merge(start, writer.merged)
        self._place_pictures(pictures, markdown, start)

    def _place_pictures(self, first: int, markdown: str, start: int) -> None:
        """The heading above a picture says where it stands; the lines of a made-up HTML file would say nothing."""
        marks = self.marks
        index = at = 0
        for number in range(first, len(self._shelf.pictures)):
            picture = self._shelf.pictures[number]
            at = max(at, markdown.find(f"]({picture.link})", at))
            while index + 1 < len(marks) and marks[index + 1].offset <= start + at:
                index += 1
            self._shelf.pictures[number] = replace(picture, place=marks[index].place)


def _view_tree(page: PageParts, anchors: Anchors, shift: int) -> BeautifulSoup:
    """The tree of a body as Confluence shows it, without what is not seen, its headings `shift` levels deeper.

    Raises `ParseFailed`.
    """
    text = parsable(_HEADING_START.sub("\n", tamed(page.envelope.body.value)))
    tree = parse(text)
    keep_seen(tree, text)
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


_NAMED_DRAWING: Final = re.compile(r"\*\*(Diagram: [^\n]{1,1000}?)\*\*")
_LABELS: Final = re.compile(r"(?:\s*(?:!\[[^\n]*|[-*] [^\n]*))*")


class ConfluenceLoader(FormatLoader):
    """Reads an envelope of the format `confluence/1`."""

    name = "confluence"
    version = "2"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        envelope = read_envelope(data)
        page = PageParts(envelope)
        shelf = PictureShelf(LoadContext(linked=page.held))
        content = _PageContent(shelf)
        title, metadata = choose_title(f"{envelope.kind} {envelope.id}", title=envelope.title)
        content.heading(1, title, Place())
        above = len(content.markdown)
        try:
            _write_body(content, page)
        except ParseFailed as error:
            raise type(error)(f"{envelope.kind} {envelope.id} can't be read: {error.message}") from error
        except RecursionError as error:
            raise TooComplex(f"{envelope.kind} {envelope.id} is nested too deeply to be read.") from error
        if len(content.markdown) == above and not envelope.comments:
            raise DocumentEmpty(f"{envelope.kind} {envelope.id} has a title and nothing else: no text, no picture, no comment.")
        if envelope.comments:
            content.heading(2, "Comments", Place())
            for comment in envelope.comments:
                _write_thread(content, page, comment)
        return self._document(
            title,
            content,
            metadata | _metadata(envelope) | shelf.metadata(),
            parser=f"lxml {LXML_VERSION}, beautifulsoup4 {bs4.__version__}, markdownify {installed('markdownify')}",
            marks=content.changes(),
            pictures=shelf.pictures,
            diagrams=_placed(content.markdown, page.drawn),
            warnings=(*(f"{what}: {count}" for what, count in sorted(page.notes.items())), *shelf.warnings()),
        )


def _placed(markdown: str, drawn: Sequence[tuple[str, list[Diagram]]]) -> list[FoundDiagram]:
    """Where the labels of each drawing stand: from the line that names it to the end of their list."""
    found: list[FoundDiagram] = []
    at = 0
    for line, diagrams in drawn:
        name = _letters(line)
        heads = (match for match in _NAMED_DRAWING.finditer(markdown, at) if _letters(match[1]) == name)
        head = next(heads, None)
        if head is None:
            continue
        at = head.end()
        if labels := _LABELS.match(markdown, at):
            at = labels.end()
        found += [(head.start(), at, diagram) for diagram in diagrams]
    return found


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _metadata(envelope: Envelope) -> dict[str, Any]:
    ancestors = [envelope.space_name or envelope.space_key, *envelope.ancestors]
    return {ANCESTORS: ancestors} | metadata_of(
        space=envelope.space_key,
        kind=envelope.kind,
        author=envelope.author,
        updated=envelope.updated,
        tags=list(envelope.labels),
    )


def _write_body(content: _PageContent, page: PageParts) -> None:
    envelope = page.envelope
    anchors = Anchors(envelope.deployment, envelope.title)
    if envelope.body.representation == "view":
        content.html(_view_tree(page, anchors, 1), Place())
        return
    root = _parsed(page, envelope.body.value)
    page.survey(root)
    _write_storage(content, StorageWriter(page, anchors, ELEMENTS), root, Place())


def _parsed(page: PageParts, storage: str) -> Element:
    root, is_well_formed = parse_storage(storage)
    if not is_well_formed:
        page.notes["parts that are not well-formed XML, read as HTML"] += 1
    return root


def _write_storage(content: _PageContent, writer: StorageWriter, root: Element, place: Place) -> None:
    writer.children(root)
    content.html(parse(parsable(writer.html)), place)


def _write_thread(content: _PageContent, page: PageParts, comment: Comment) -> None:
    """A comment under a heading of its own, and its replies below it, each at its own place."""
    place = _comment_place(page.envelope.deployment, page.envelope.url, comment.id)
    resolved = " (resolved)" if comment.resolved else ""
    content.heading(3, f"Comment by {_signed(comment)}{resolved}", place)
    content.paragraph("\n".join(f"> {line.strip()}" for line in comment.selection.splitlines() if line.strip()), place)
    _write_comment(content, page, comment, place)
    waiting = list(reversed(comment.replies))
    while waiting:
        reply = waiting.pop()
        place = _comment_place(page.envelope.deployment, page.envelope.url, reply.id)
        content.paragraph(f"**Reply by {_signed(reply)}:**", place)
        _write_comment(content, page, reply, place)
        waiting += reversed(reply.replies)


def _signed(comment: Comment) -> str:
    return " ".join((comment.author or "an unknown author", f"on {comment.created[:10]}" if comment.created else "")).strip()


def _write_comment(content: _PageContent, page: PageParts, comment: Comment, place: Place) -> None:
    """One that can't be read costs itself alone."""
    try:
        root = _parsed(page, comment.value)
        _write_storage(content, StorageWriter(page, None, ELEMENTS, _COMMENT_SHIFT), root, place)
    except (ParseFailed, RecursionError):
        page.notes["comments that could not be read"] += 1
        content.paragraph("[this comment could not be read]", place)


def _comment_place(deployment: str, page_url: str, comment_id: str) -> Place:
    """What opens a page at a comment."""
    number = quote(comment_id, safe="")
    mark = "&" if "?" in page_url else "?"
    jump = "" if deployment == "cloud" else f"#comment-{number}"
    return Place(anchor=f"{mark}focusedCommentId={number}{jump}")
