"""Electronic books: the chapters in reading order, each read as the HTML that it is."""

from __future__ import annotations

import re
from functools import partial
from importlib.metadata import version as installed
from typing import Final

import bs4
from bs4 import BeautifulSoup
from bs4.element import Tag

from ragd.core.documents import Document, Heading
from ragd.core.errors import DocumentEmpty, TooComplex
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import decode, is_blank
from ragd.formats.common.naming import choose_title, metadata_of
from ragd.formats.epub.package import Book
from ragd.formats.html.fragment import Fragment, file_fragment, joined
from ragd.language.detection import detect_language, language_of_tag
from ragd.providers.protocols import ALONE, LoadContext

_DECLARED: Final = re.compile(rb"encoding\s{0,9}=\s{0,9}[\"']([-\w.:]{1,40})[\"']")
_DECLARED_WITHIN: Final = 200
_MAX_CHARACTERS: Final = 100_000_000
_OUTSIDE: Final = ("http://", "https://", "mailto:")
_PARTS_OF_A_PAGE: Final = ["aside", "header", "footer"]


class EpubLoader(FormatLoader):
    """`.epub`, versions 2 and 3. A chapter without a heading goes by its name in the table of contents."""

    name = "epub"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        book = Book(data, name)
        chapters, labels = book.chapters(), book.labels()
        fragments: list[Fragment] = []
        length = 0
        for done, part in enumerate(chapters):
            context.report(done, len(chapters))
            found = _chapter(book, part, labels.get(part, ""))
            length += len(found.markdown)
            if length > _MAX_CHARACTERS:
                raise TooComplex(f"'{name}' holds more than {_MAX_CHARACTERS:,} characters. Split the file.")
            fragments.append(found)
        whole = joined(fragments)
        if is_blank(whole.markdown):
            raise DocumentEmpty(f"'{name}' holds no text and no pictures.")
        title, metadata = choose_title(
            name, property=next(iter(book.stated("title")), None), heading=next((head.title for head in whole.headings), None)
        )
        metadata["chapters"] = len(chapters)
        metadata |= metadata_of(
            author=", ".join(book.stated("creator")),
            description=next(iter(book.stated("description")), ""),
            tags=book.stated("subject")[:50],
            remote_pictures=whole.remote,
        )
        declared = next(iter(book.stated("language")), None)
        return self._document(
            title,
            whole.markdown,
            metadata,
            parser=f"beautifulsoup4 {bs4.__version__}, markdownify {installed('markdownify')}",
            headings=whole.headings,
            merged=whole.merged,
            pictures=whole.pictures,
            language=(language_of_tag(declared) if declared else None) or detect_language(whole.markdown),
        )


def _chapter(book: Book, part: str, label: str) -> Fragment:
    data = book.chapter(part)
    if not data.strip():
        return Fragment("")
    declared = _DECLARED.search(data[:_DECLARED_WITHIN])
    text = decode(data, book.name, declared=declared[1].decode("ascii") if declared else "utf-8").text
    found = file_fragment(text, partial(book.picture, part), f"'{part}' in '{book.name}'", _as_a_page_of_a_book)
    if label and found.markdown and not found.headings:
        # What stands before the first heading of the next chapter belongs to this one.
        return Fragment(found.markdown, (Heading(0, 0, 1, label[:200]),), found.pictures, found.remote, found.merged)
    return found


def _as_a_page_of_a_book(tree: BeautifulSoup) -> None:
    """What surrounds the content of a web page is content here: notes are asides, titles stand in headers. A cover is often drawn
    around its picture, and links between chapters lead nowhere."""
    for tag in tree.find_all(_PARTS_OF_A_PAGE):
        tag.name = "div"
    for link in tree.find_all("a", href=True):
        if not str(link["href"]).lower().startswith(_OUTSIDE):
            del link["href"]
    for image in tree.find_all("img", alt=True):
        if str(image["alt"]).rpartition("/")[2] == str(image.get("src") or "").rpartition("/")[2]:
            del image["alt"]  # the name of the file, which a program filled in
    for drawing in tree.find_all("svg"):
        images = drawing.find_all("image")
        if len(images) == 1 and isinstance(image := images[0], Tag) and (source := image.get("xlink:href") or image.get("href")):
            drawing.name = "img"
            drawing.attrs = {"src": str(source), "alt": str(image.get("alt") or "")}
            drawing.contents = []
