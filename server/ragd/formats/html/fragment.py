"""HTML inside of another file, such as the body of a mail: all that is shown of it, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bs4 import BeautifulSoup
from bs4.element import Tag

from ragd.core.documents import Heading, MergedCell, Picture
from ragd.core.errors import ParseFailed, TooComplex
from ragd.formats.common.pictures import PictureShelf, is_remote
from ragd.formats.common.text import comments_title
from ragd.formats.html.blocks import BlockWriter
from ragd.formats.html.content import keep_seen
from ragd.formats.html.pictures import PagePictures
from ragd.formats.html.tree import TextLines, parsable, parse
from ragd.providers.protocols import LoadContext

_EMBEDDED: Final = "embedded/"


@dataclass(frozen=True, slots=True)
class Fragment:
    """Markdown with its headings and pictures. `remote` counts pictures that stand on other machines, of which only the
    description is kept: fetching them would let the sender know who reads."""

    markdown: str
    headings: tuple[Heading, ...] = ()
    pictures: tuple[Picture, ...] = ()
    remote: int = 0
    merged: tuple[MergedCell, ...] = ()


def html_fragment(
    html: str, embedded: Callable[[str], bytes | None], prepare: Callable[[BeautifulSoup], None] = lambda _tree: None
) -> Fragment:
    """`embedded` gives the picture that the file itself holds under a reference of the HTML's, if there is one. `prepare` may
    change the tree before it is read.

    Raises `ParseFailed` for markup that can't be read or nests too deeply.
    """
    text = parsable(html)
    tree = parse(text)
    prepare(tree)
    lines = TextLines(tree)
    held: dict[str, bytes] = {}
    remote = 0
    for image in tree.find_all("img"):
        source = str(image.get("src") or "").strip()
        if data := embedded(source):
            image["src"] = f"{_EMBEDDED}{len(held)}"
            held[str(image["src"])] = data
        elif is_remote(source):
            remote += 1
            image.replace_with(" ".join(str(image.get("alt") or "").split()))
    shelf = PictureShelf(LoadContext(linked=held.get))
    writer = BlockWriter(lines, PagePictures(shelf, ""))
    keep_seen(tree, text)
    try:
        writer.write(tree.body if isinstance(tree.body, Tag) else tree)
    except RecursionError as error:
        raise TooComplex("The HTML is nested too deeply to be read.") from error
    return Fragment(writer.markdown, tuple(writer.headings), tuple(shelf.pictures), remote, tuple(writer.merged))


def file_fragment(
    html: str, embedded: Callable[[str], bytes | None], name: str, prepare: Callable[[BeautifulSoup], None] = lambda _tree: None
) -> Fragment:
    """As `html_fragment`, of what a file is made of; its failures name that by `name`."""
    try:
        return html_fragment(html, embedded, prepare)
    except ParseFailed as error:
        raise type(error)(f"{name} can't be read: {error.message}") from error


def with_comments(found: Fragment, comments: Sequence[str], language: str | None) -> Fragment:
    """The content of a document with its comments as a list at the end, under a heading in its language."""
    if not comments:
        return found
    listed = "\n".join(f"- {comment}" for comment in comments)
    return joined([found, Fragment(listed, (Heading(0, 0, 1, comments_title(language)),))])


def joined(fragments: Iterable[Fragment]) -> Fragment:
    """Fragments below each other, as one; blank ones give nothing."""
    texts: list[str] = []
    headings: list[Heading] = []
    pictures: list[Picture] = []
    merged: list[MergedCell] = []
    length = remote = 0
    for fragment in fragments:
        remote += fragment.remote
        if not fragment.markdown:
            continue
        start = length + 2 if texts else 0
        headings += [replace(found, start=found.start + start, end=found.end + start) for found in fragment.headings]
        pictures += fragment.pictures
        merged += [replace(cell, start=cell.start + start) for cell in fragment.merged]
        texts.append(fragment.markdown)
        length = start + len(fragment.markdown)
    return Fragment("\n\n".join(texts), tuple(headings), tuple(pictures), remote, tuple(merged))
