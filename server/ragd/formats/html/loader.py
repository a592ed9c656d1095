"""HTML pages: the main content as Markdown, block by block, each with the source lines that it came from.

markdownify turns the inline content of one block (paragraph, table cell) into Markdown at a time; the walk over the page is
ours, since only so does a passage know its lines.
"""

from __future__ import annotations

import re
from importlib.metadata import version as installed
from typing import Final

import bs4
from bs4 import BeautifulSoup

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, ParseFailed, TooComplex
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.decoding import decode, is_blank
from ragd.formats.common.naming import choose_title, metadata_of, tags_of
from ragd.formats.common.pictures import PictureShelf
from ragd.formats.html.blocks import BlockWriter
from ragd.formats.html.content import page_content
from ragd.formats.html.pictures import PagePictures
from ragd.formats.html.tree import TextLines, first, parsable, parse, tags
from ragd.language.detection import language_of_tag
from ragd.providers.protocols import ALONE, LoadContext

# `<meta charset=x>`, `<meta http-equiv=Content-Type content="text/html; charset=x">`, `<?xml encoding="x"?>`
_DECLARED: Final = re.compile(rb"<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*[\"']?\s*([-\w.:]+)", re.IGNORECASE)
_DECLARED_WITHIN: Final = 65_536
_TITLE_SEPARATORS: Final = "|-–—:·•»>/\\｜‐－―・："


class HtmlLoader(FormatLoader):
    """HTML and XHTML, without scripts, hidden parts and boilerplate."""

    name = "html"
    version = "3"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        found = _DECLARED.search(data[:_DECLARED_WITHIN])
        decoded = decode(data, name, declared=found[1].decode("ascii", "replace") if found else None)
        text = parsable(decoded.text)
        try:
            tree = parse(text)
        except ParseFailed as error:
            raise type(error)(f"'{name}' can't be read: {error.message} Save the page anew, or as a PDF.") from error
        lines = TextLines(tree)
        title_element, html = first(tree, "title"), first(tree, "html")
        page_title = title_element.get_text() if title_element else None
        base, stated = _head(tree)
        declared_language = html.get("lang") if html else None
        shelf = PictureShelf(context)
        writer = BlockWriter(lines, PagePictures(shelf, base))
        content, left_out = page_content(tree, text)
        try:
            writer.write(content)
        except RecursionError as error:
            raise TooComplex(f"'{name}' is nested too deeply to be read.") from error
        if is_blank(writer.markdown):
            raise DocumentEmpty(f"'{name}' holds no text once scripts, navigation and hidden parts are left out.")
        first_h1 = next((heading.title for heading in writer.headings if heading.level == 1), None)
        title, metadata = choose_title(name, title_element=_without_site(page_title, first_h1), heading=first_h1)
        metadata |= {"encoding": decoded.encoding, **shelf.metadata()}
        metadata |= metadata_of(
            author=stated.get("author"),
            description=stated.get("description"),
            tags=tags_of(stated.get("keywords")),
            boilerplate_characters=left_out,
        )
        declared = language_of_tag(declared_language) if isinstance(declared_language, str) else None
        return self._document(
            title,
            writer,
            metadata,
            parser=f"beautifulsoup4 {bs4.__version__}, markdownify {installed('markdownify')}",
            pictures=shelf.pictures,
            language=declared,
            warnings=(*decoded.warnings, *shelf.warnings()),
        )


def _head(tree: BeautifulSoup) -> tuple[str, dict[str, str]]:
    """The address that links are relative to, and what `<meta>` states by its name; of several the first. Empty where nothing is.

    Asked before the page's head is taken out of it.
    """
    base, stated = None, dict[str, str]()
    for tag in tags(tree, ("base", "meta")):
        if tag.name == "meta":
            stated.setdefault(str(tag.get("name", "")).lower(), str(tag.get("content", "")))
        elif base is None and tag.has_attr("href"):
            base = str(tag["href"]).strip()
    return base or "", stated


def _without_site(title: str | None, heading: str | None) -> str | None:
    """`Install` of "Install — Kestrel documentation", when that is what the page's heading says."""
    if not title or not heading:
        return title
    stated, shown = " ".join(title.split()), " ".join(heading.split())
    before, after = stated.startswith(shown), stated.endswith(shown)
    rest = stated[len(shown) :] if before else stated[: -len(shown)] if after else ""
    edge = rest.strip()[:1] if before else rest.strip()[-1:]
    return shown if edge and edge in _TITLE_SEPARATORS else title
