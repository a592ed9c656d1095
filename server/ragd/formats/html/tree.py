"""HTML to a tree that is safe to walk: bounded depth, implied end tags, and source lines for texts.

Python's html.parser does not close `<p>`, `<li>` and table cells that HTML lets authors leave open, so that an old page would
nest a thousand deep; this tree closes them as the HTML standard says. Depth beyond `MAX_DEPTH` is refused while parsing,
before any recursion could meet it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Iterator
from typing import Any, Final

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning, XMLParsedAsHTMLWarning
from bs4.element import Comment, NavigableString, PageElement, PreformattedString, Tag
from bs4.exceptions import ParserRejectedMarkup

from ragd.core.errors import DocumentDamaged, TooComplex

MAX_DEPTH: Final = 150
MAX_ELEMENTS: Final = 1_000_000
"""Of one page: each takes some 40 µs and half a kilobyte. Standards that are published as one page have some hundred thousand."""

BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "li",
    "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
NOTHING: Final = "template"
# Python's parser gives up on a marked section that it doesn't know; browsers, and with a blank in it this parser, skip it.
_MARKED_SECTION: Final = re.compile(r"<!\[(?!CDATA\[)")

# Start tag -> (what it closes, what the search for it stops at). A block's start tag also closes an open paragraph.
_IMPLIED_ENDS: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "li": (frozenset(("li",)), frozenset(("ul", "ol", "menu"))),
    "dt": (frozenset(("dt", "dd")), frozenset(("dl",))),
    "dd": (frozenset(("dt", "dd")), frozenset(("dl",))),
    "tr": (frozenset(("tr",)), frozenset(("table",))),
    "td": (frozenset(("td", "th")), frozenset(("tr", "table"))),
    "th": (frozenset(("td", "th")), frozenset(("tr", "table"))),
    "tbody": (frozenset(("thead", "tbody")), frozenset(("table",))),
    "tfoot": (frozenset(("thead", "tbody")), frozenset(("table",))),
    "option": (frozenset(("option",)), frozenset(("select",))),
    "a": (frozenset(("a",)), BLOCKS),
}
_PARAGRAPH: Final = frozenset(("p",))
_NO_PARAGRAPH: Final = BLOCKS - _PARAGRAPH
_CLOSES_PARAGRAPH: Final = BLOCKS - {"td", "th", "tr", "tbody", "thead", "tfoot", "body", "html"}


class _Tag(Tag):
    """markdownify asks every tag for a parent by name; BeautifulSoup's own way costs as much as the parsing."""

    def find_parent(self, name: Any = None, attrs: Any = None, **kwargs: Any) -> Tag | None:
        if isinstance(name, str) and not attrs and not kwargs:
            return next((parent for parent in self.parents if parent.name == name), None)
        return super().find_parent(name, attrs, **kwargs)


class _Tree(BeautifulSoup):
    """BeautifulSoup with implied end tags and bounds on depth and size."""

    elements = 0

    def handle_starttag(self, name: str, *args: Any, **kwargs: Any) -> Tag | None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise TooComplex(f"The HTML has more than {MAX_ELEMENTS:,} elements.")
        if len(self.tagStack) > MAX_DEPTH:
            raise TooComplex(f"The HTML is nested more than {MAX_DEPTH} elements deep.")
        if name in _CLOSES_PARAGRAPH:
            self._close(_PARAGRAPH, _NO_PARAGRAPH)
        if implied := _IMPLIED_ENDS.get(name):
            self._close(*implied)
        return super().handle_starttag(name, *args, **kwargs)

    def _close(self, names: frozenset[str], until: frozenset[str]) -> None:
        for open_tag in reversed(self.tagStack):
            if open_tag.name in names:
                self.handle_endtag(open_tag.name)
                return
            if open_tag.name in until:
                return


def parsable(text: str) -> str:
    """The page as the parser is given it; a tag's `sourceline` and `sourcepos` are of this text."""
    # Tags that begin after the last one that ends are text; the parser would look for the end of each as far as the page goes.
    complete, end, rest = text.rpartition(">")
    return _MARKED_SECTION.sub("<! [", complete + end) + rest.replace("<", "&lt;")


def parse(text: str) -> BeautifulSoup:
    """The tree of a `parsable` page. Raises `ParseFailed` for markup that can't be read or nests too deeply."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        try:
            return _Tree(text, "html.parser", element_classes={Tag: _Tag})
        except ParserRejectedMarkup as error:
            raise DocumentDamaged("The HTML holds a declaration that can't be read.") from error
        except RecursionError as error:
            raise TooComplex("The HTML is nested too deeply.") from error


class TextLines:
    """First source line of every text of a tree, also after the tree was changed.

    The parser records lines of tags only. A text begins where the tag before it does, plus the newlines of texts in between; a
    start tag written over several lines makes that a little too early until the next tag.
    """

    def __init__(self, tree: BeautifulSoup) -> None:
        # The texts themselves are kept, or a new one might get the id() of one that was removed.
        self._lines: dict[int, tuple[NavigableString, int]] = {}
        line = 1
        for node in tree.descendants:
            if isinstance(node, Tag):
                line = node.sourceline or line
            elif isinstance(node, NavigableString):
                self._lines[id(node)] = (node, line)
                line += node.count("\n")

    def of(self, text: NavigableString) -> int | None:
        found = self._lines.get(id(text))
        return found[1] if found else None


def tags(root: Tag, names: Container[str]) -> Iterator[Tag]:
    """The elements of these names inside, in order. BeautifulSoup's own search takes three times as long."""
    return (node for node in root.descendants if isinstance(node, Tag) and node.name in names)


def first(root: Tag, name: str) -> Tag | None:
    """The first element of that name inside."""
    return next(tags(root, (name,)), None)


def is_text(node: PageElement) -> bool:
    """Whether a node is visible text, not a comment, declaration or the like."""
    return isinstance(node, NavigableString) and not isinstance(node, PreformattedString | Comment)


def remove(tag: Tag) -> None:
    """Take a tag and all that it holds out of what is shown.

    It stays as an empty tag that means nothing: BeautifulSoup looks through all siblings for one that it takes out.
    """
    _clear(tag)
    tag.name = NOTHING


def become_text(tag: Tag, text: str) -> None:
    """Put a text in the place of a tag."""
    _clear(tag)
    tag.name = "span"
    tag.append(text)


def _clear(tag: Tag) -> None:
    last: PageElement = tag
    while isinstance(last, Tag) and last.contents:
        last = last.contents[-1]
    if last is not tag:
        after = last.next_element
        last.next_element, tag.next_element = None, after
        if after is not None:
            after.previous_element = tag
        tag.contents = []
    tag.attrs = {}
