"""Which part of a page is its content: hidden parts, navigation, banners and the like are left out.

In three steps. What HTML itself says: hidden elements, `<nav>`, `<aside>`, page header and footer, roles. Then the main element:
`<main>`, the only `<article>`, or one that goes by a name that known systems use (Confluence, MediaWiki, SharePoint, …). Last,
inside of that, what its class or id calls a side bar, cookie notice and so on; and in a page that marks no main content, blocks
that are nearly nothing but links, as old pages have in the cells of a layout table. A name alone never takes out an element
that holds the main content, the page's title or most of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from bs4 import BeautifulSoup
from bs4.element import Tag

from ragd.formats.html.pictures import keep_diagrams
from ragd.formats.html.tree import HEADINGS, NOTHING, become_text, is_text, remove, tags

_NEVER_SHOWN: Final = frozenset((
    "audio", "base", "button", "canvas", "datalist", "embed", "head", "iframe", "input", "link", "meta", "noembed",
    "noframes", "noscript", "object", "rp", "rt", "script", "select", "style", "svg", "template", "textarea", "title", "video",
))  # fmt: skip
_HIDING_STYLE: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)

_SECTIONING: Final = ("main", "article", "section")
_BOILERPLATE_ROLES: Final = frozenset(("navigation", "banner", "contentinfo", "complementary", "search"))

# Whole words of a class or id, at hyphens, underscores and changes of case.
_BOILERPLATE_NAME: Final = re.compile(
    r"(?:^|-)(?:cookies?|consent|gdpr|onetrust|breadcrumbs?|crumbs|side-?bar|side-?nav|nav-?bar|skip-?(?:link|nav|to-content)|"
    r"pagination|pager|social|newsletter|header-?link|hash-?link|anchorjs-link|linenos?|lineno-?div|gutter|blob-num|"
    r"page-metadata|printfooter|site-footer|global-?nav|feedback|ribbon(?:row)?)(?:$|-)"
)
_LIKELY_NAME: Final = re.compile(
    r"(?:^|-)(?:nav|navigation|menus?|toc|toctree|contents|header|footer|top-?bar|tool-?bar|related|links|share|left|right|banner|"
    r"mast-?head|language|locale)(?:$|-)"
)
_TABS: Final = re.compile(r"(?:^|-)tabs?(?:$|-)")
_NO_WORD: Final = re.compile(r"\W+")
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_CONTENT_NAMES: Final = (
    "wiki-content", "main-content", "mw-content-text", "markdown-body", "article-body", "delta-place-holder-main",
    "theme-doc-markdown", "rst-content", "page-content", "main", "content",
)  # fmt: skip

_MIN_LINKS: Final = 4
_MIN_LINK_SHARE: Final = 0.7
"""Share of a block's text that is links, from which it is taken for navigation."""
_MIN_INNER_SHARE: Final = 0.9
"""The same of a list whose links all lead to places of the page itself."""
_MAX_SHARE: Final = 0.5
"""Share of the page's text beyond which nothing is left out by its name or its links alone."""
_BLOCKS_OF_LINKS: Final = frozenset(("td", "ul", "div", "p", "center", "table"))
_NEVER_BOILERPLATE: Final = frozenset(("html", "body", "main", "article", "pre", "code"))
_PERMALINK: Final = frozenset(("", "¶", "#", "§", "🔗", "link", "permalink"))


@dataclass(slots=True)
class _Measure:
    """Of an element with all that is in it. `text` and `linked` are letters and digits; `inner` are links within the page."""

    text: int = 0
    linked: int = 0
    links: int = 0
    inner: int = 0
    headings: int = 0

    @property
    def is_navigation(self) -> bool:
        return self.links >= _MIN_LINKS and not self.headings and self.linked >= _MIN_LINK_SHARE * self.text

    @property
    def is_table_of_contents(self) -> bool:
        return 0 < self.links == self.inner and not self.headings and self.linked >= _MIN_INNER_SHARE * self.text


def keep_seen(tree: BeautifulSoup, text: str) -> int:
    """Take out scripts, hidden parts and what HTML marks as the page's boilerplate; how many characters of the latter.

    What only an element's state or its drawing shows is text or a picture then. `text` is what the tree was parsed from.
    """
    keep_diagrams(tree, text)
    _keep_states(tree)
    left_out = 0
    waiting: list[Tag] = [tree]
    while waiting:
        for tag in [child for child in waiting.pop().children if isinstance(child, Tag)]:
            if _is_hidden(tag):
                remove(tag)
            elif _is_boilerplate(tag):
                left_out += _characters(tag)
                remove(tag)
            else:
                waiting.append(tag)
    return left_out


def _keep_states(tree: BeautifulSoup) -> None:
    """Write as text what only an element's state shows: whether a box is ticked, and the formula that MathML was made from."""
    with_states = list(tags(tree, ("input", "label", "math")))
    for box in with_states:
        if box.name != "input" or box.get("type") != "checkbox":
            continue
        following = next((str(node) for node in islice(box.next_elements, 4) if is_text(node) and node), "")
        state = "[x]" if box.has_attr("checked") else "[ ]"
        become_text(box, state if following[:1].isspace() else f"{state} ")
    for label in with_states:
        if label.name == "label" and isinstance(label.next_sibling, Tag) and label.next_sibling.name == "label":
            label.append(" ")
    for formula in with_states:
        source = formula.find("annotation", encoding="application/x-tex") if formula.name == "math" else None
        if source and (text := source.get_text().strip()):
            become_text(formula, f"${text}$")


def page_content(tree: BeautifulSoup, text: str) -> tuple[Tag, int]:
    """The element that holds a page's content, all else taken out of it; and how many characters are left out."""
    left_out = keep_seen(tree, text)
    tag, marked, beside = _main_content(tree)
    return tag, left_out + beside + _remove_boilerplate(tag, marked=marked)


def _main_content(tree: BeautifulSoup) -> tuple[Tag, bool, int]:
    """The content, whether the page marks it as that, and the characters beside it. An element without text doesn't count."""
    elements = [node for node in tree.descendants if isinstance(node, Tag)]
    body = next((tag for tag in elements if tag.name == "body"), tree)
    body = body if body.get_text(strip=True) else tree
    whole = _characters(body)
    articles = [tag for tag in elements if tag.name == "article"]
    main = next((tag for tag in elements if tag.name == "main"), None)
    of_role = next((tag for tag in elements if tag.attrs and tag.get("role") == "main"), None)
    for candidate in (main, of_role, articles[0] if len(articles) == 1 else None):
        if candidate and candidate.get_text(strip=True):
            return candidate, True, max(0, whole - _characters(candidate))
    named: dict[str, list[Tag]] = {name: [] for name in _CONTENT_NAMES}
    for tag in (node for node in body.descendants if isinstance(node, Tag)):
        for name in _names(tag):
            if name in named:
                named[name].append(tag)
    for found in named.values():
        if len(found) == 1 and (inside := _characters(found[0])) >= whole * _MAX_SHARE:
            return found[0], True, whole - inside
    return body, False, 0


def _remove_boilerplate(content: Tag, *, marked: bool) -> int:
    """Take out of the content what is no part of it by its name, or since it is nothing but links; how many characters."""
    within = [node for node in content.descendants if isinstance(node, Tag)]
    measures = _measured(content)
    protected = {id(parent) for tag in within if tag.name in ("h1", "main") for parent in tag.parents}
    elements = [tag for tag in within if id(tag) not in protected]
    total = measures[id(content)].text
    named = [
        tag
        for tag in elements
        if _is_named_boilerplate(tag, (measure := measures[id(tag)]))
        and (measure.is_navigation or measure.text <= total * _MAX_SHARE)
    ]
    left_out = _remove(named, measures, total - 1)
    if not marked:
        blocks = [tag for tag in elements if tag.name in _BLOCKS_OF_LINKS and measures[id(tag)].is_navigation]
        still_there = [tag for tag in blocks if not any(parent.name == NOTHING for parent in tag.parents)]
        left_out += _remove(still_there, measures, (total - left_out) * _MAX_SHARE)
    for heading in list(tags(content, HEADINGS)):
        for link in heading.find_all("a"):
            if link.get_text(strip=True).lower() in _PERMALINK and not link.find("img"):
                remove(link)
    return left_out


def _is_hidden(tag: Tag) -> bool:
    if tag.name in _NEVER_SHOWN or (tag.name == "dialog" and not tag.has_attr("open")):
        return True
    if not tag.attrs or tag.name in ("html", "body"):  # some pages hide the body until a script shows it
        return False
    if tag.get("aria-hidden") == "true":
        return True
    # The tabs that are not in front hold text like any other.
    hidden = tag.has_attr("hidden") or bool(_HIDING_STYLE.search(str(tag.get("style", ""))))
    return hidden and tag.get("role") != "tabpanel"


def _is_boilerplate(tag: Tag) -> bool:
    match tag.name:
        case "nav":
            return True
        case "footer":
            return not any(parent.name == "blockquote" for parent in tag.parents)
        case "aside":  # in an article it is a note
            return not any(parent.name in ("main", "article") or parent.get("role") == "main" for parent in tag.parents)
        case "header":  # an article's own holds its title
            return not any(parent.name in _SECTIONING for parent in tag.parents)
        case _:
            return tag.get("role") in _BOILERPLATE_ROLES


def _is_named_boilerplate(tag: Tag, measure: _Measure) -> bool:
    if tag.name in HEADINGS or tag.name in _NEVER_BOILERPLATE:
        return False
    names = _names(tag)
    if any(_BOILERPLATE_NAME.search(name) for name in names):
        return True
    if tag.name in ("ul", "ol") and measure.is_table_of_contents:
        return tag.get("role") != "tablist" and not any(_TABS.search(name) for name in names)
    return measure.is_navigation and any(_LIKELY_NAME.search(name) for name in names)


def _measured(root: Tag) -> dict[int, _Measure]:
    """By id(). Children come before their parents in the reverse of the document's order."""
    measures: dict[int, _Measure] = {id(root): _Measure()}
    nodes = list(root.descendants)
    for node in nodes:
        if isinstance(node, Tag):
            links = int(node.name == "a" and node.has_attr("href"))
            inner = int(links and str(node["href"]).startswith("#"))
            measures[id(node)] = _Measure(links=links, inner=inner, headings=int(node.name in HEADINGS))
    for node in reversed(nodes):
        parent = measures[id(node.parent)]
        if isinstance(node, Tag):
            own = measures[id(node)]
            parent.text += own.text
            parent.linked += own.text if node.name == "a" else own.linked
            parent.links += own.links
            parent.inner += own.inner
            parent.headings += own.headings
        elif is_text(node):
            parent.text += len(_NO_WORD.sub("", str(node)))
    return measures


def _remove(elements: Sequence[Tag], measures: Mapping[int, _Measure], most: float) -> int:
    """Take out these elements unless they hold more than `most` characters together; how many were taken out."""
    listed = {id(tag) for tag in elements}
    outermost = [tag for tag in elements if not any(id(parent) in listed for parent in tag.parents)]
    length = sum(measures[id(tag)].text for tag in outermost)
    if length > most:
        return 0
    for tag in outermost:
        remove(tag)
    return length


def _names(tag: Tag) -> list[str]:
    if not tag.attrs:
        return []
    values = [*tag.get_attribute_list("class"), *tag.get_attribute_list("id")]
    return [_WORD_START.sub("-", str(value)).lower() for value in values if value]


def _characters(tag: Tag) -> int:
    return len(_NO_WORD.sub("", tag.get_text()))
