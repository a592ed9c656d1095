"""HTML to a tree that is safe to walk: bounded depth, implied end tags, source lines for texts, and no hidden parts.

Python's html.parser does not close `<p>`, `<li>` and table cells that HTML lets authors leave open, so that an old page would
nest a thousand deep; this tree closes them as the HTML standard says. Depth beyond `MAX_DEPTH` is refused while parsing,
before any recursion could meet it.
"""

from __future__ import annotations

import re
import warnings
from typing import Any, Final

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning, XMLParsedAsHTMLWarning
from bs4.element import Comment, NavigableString, PageElement, PreformattedString, Tag
from bs4.exceptions import ParserRejectedMarkup

from rag_assistant.errors import ParseFailed

MAX_DEPTH: Final = 150

BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "li",
    "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_NEVER_SHOWN: Final = frozenset((
    "audio", "base", "button", "canvas", "datalist", "embed", "head", "iframe", "input", "link", "meta", "noembed",
    "noframes", "noscript", "object", "script", "select", "style", "svg", "template", "textarea", "title", "video",
))  # fmt: skip
_SECTIONING: Final = ("main", "article", "section")
_PAGE_FURNITURE: Final = frozenset(("nav", "aside", "footer"))
_FURNITURE_ROLES: Final = frozenset(("navigation", "banner", "contentinfo", "complementary", "search"))
_HIDING_STYLE: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)

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
_CLOSES_PARAGRAPH: Final = BLOCKS - {"td", "th", "tr", "tbody", "thead", "tfoot", "body", "html"}


class _Tree(BeautifulSoup):
    """BeautifulSoup with implied end tags and a bound on depth."""

    def handle_starttag(self, name: str, *args: Any, **kwargs: Any) -> Tag | None:
        if len(self.tagStack) > MAX_DEPTH:
            raise ParseFailed(f"The HTML is nested more than {MAX_DEPTH} elements deep.")
        if name in _CLOSES_PARAGRAPH:
            self._close(frozenset(("p",)), BLOCKS - {"p"})
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


def parse(text: str) -> BeautifulSoup:
    """The tree of a page. Raises `ParseFailed` for markup that can't be read or nests too deeply."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        try:
            return _Tree(_MARKED_SECTION.sub("<! [", text), "html.parser")
        except (ParserRejectedMarkup, RecursionError) as error:
            raise ParseFailed(f"The HTML can't be read: {error}") from error


def text_lines(tree: BeautifulSoup) -> dict[int, int]:
    """First source line of every text, by the text's id().

    The parser records lines of tags only. A text begins where the tag before it does, plus the newlines of texts in between; a
    start tag written over several lines makes that a little too early until the next tag.
    """
    lines: dict[int, int] = {}
    line = 1
    for node in tree.descendants:
        if isinstance(node, Tag):
            line = node.sourceline or line
        elif isinstance(node, NavigableString):
            lines[id(node)] = line
            line += node.count("\n")
    return lines


def is_text(node: PageElement) -> bool:
    """Whether a node is visible text, not a comment, declaration or the like."""
    return isinstance(node, NavigableString) and not isinstance(node, PreformattedString | Comment)


def remove_unseen(tree: BeautifulSoup) -> None:
    """Take out scripts, styles, hidden parts and the page's furniture (navigation, banners, footers, side columns)."""
    for tag in tree.find_all(_is_unseen):
        if not tag.decomposed:
            tag.decompose()


def _is_unseen(tag: Tag) -> bool:
    name = tag.name
    if name in _NEVER_SHOWN or name in _PAGE_FURNITURE or tag.get("role") in _FURNITURE_ROLES:
        return True
    # An article's own header holds its title; only the page's is furniture.
    if name == "header" and tag.find_parent(_SECTIONING) is None:
        return True
    if name in ("html", "body"):  # some pages hide the body until a script shows it
        return False
    return tag.has_attr("hidden") or tag.get("aria-hidden") == "true" or bool(_HIDING_STYLE.search(str(tag.get("style", ""))))


def main_content(tree: BeautifulSoup) -> Tag:
    """`<main>`, else the only `<article>`, else the body; a candidate without text doesn't count."""
    articles = tree.find_all("article")
    candidates = [tree.find("main"), tree.find(role="main"), articles[0] if len(articles) == 1 else None, tree.body]
    for candidate in candidates:
        if isinstance(candidate, Tag) and candidate.get_text(strip=True):
            return candidate
    return tree
