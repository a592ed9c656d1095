"""Storage format as plain HTML: what Confluence would show, with nothing left that only Confluence understands.

The HTML is for the HTML loader's block writer, which makes Markdown of it. What HTML has no element for is
written by the functions in `macros.py` and `references.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from html import escape, unescape
from typing import Final
from urllib.parse import quote

from ragd.core.errors import TooComplex
from ragd.formats.common.opc import Element
from ragd.formats.confluence.page import PageParts
from ragd.formats.confluence.xml import all_text, attribute, child, name_of
from ragd.formats.html.tree import HEADINGS, MAX_DEPTH

_TO_INLINE: Final = {
    "b": "strong", "strong": "strong", "i": "em", "em": "em", "cite": "em", "del": "del", "s": "del", "strike": "del",
    "code": "code", "tt": "code", "kbd": "code", "samp": "code", "q": "q",
}  # fmt: skip
_BLOCKS: Final = frozenset(("p", "table", "thead", "tbody", "tfoot", "tr", "caption", "dl", "dt", "dd", "figure", "figcaption"))
_CONTAINERS: Final = frozenset((
    "div", "section", "article", "address", "center", "details", "summary", "fieldset", "header", "footer", "main", "aside",
    "ac:layout", "ac:layout-section", "ac:layout-cell",
))  # fmt: skip
_LISTS: Final = frozenset(("ul", "ol"))
# Texts that are there for the editor or for Confluence itself.
_UNSEEN: Final = frozenset((
    "ac:parameter", "ac:default-parameter", "ac:placeholder", "ac:task-id", "ac:task-uuid", "ac:task-status", "ac:adf-attribute",
    "ac:adf-mark", "script", "style", "colgroup", "col", "head",
))  # fmt: skip
_MAY_STAND_ALONE: Final = frozenset(("ac:structured-macro", "ac:macro", "ac:image"))
_HOLDS_BLOCKS: Final = _CONTAINERS | {
    "root",
    "li",
    "td",
    "th",
    "blockquote",
    "ac:rich-text-body",
    "ac:task-body",
    "ac:adf-content",
}
_AFTER_TEXT: Final = re.compile(r"</(?:a|code|del|em|strong)>\Z|[^>(\s]\Z")
_STRUCK: Final = re.compile(r"text-decoration[^;]{0,40}line-through", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")
_BLOCK_TAG: Final = re.compile(r"</?(?:p|div|li|t[drh]|h[1-6]|br|pre|blockquote|figure|figcaption)\b[^<>]*>")
_IMAGE: Final = re.compile(r"<img [^<>]*>")
_HEADING_TAG: Final = re.compile(r"<h[1-6]\b")
_RAISED: Final = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_INVISIBLE: Final = str.maketrans({"\u00a0": " ", "\u200b": None, "\ufeff": None, "\u00ad": None})

# What a fragment may hold as it is; parentheses would end a link in Markdown.
_SAFE: Final = "-._~!$&'*+,;=:@/?"

ElementWriter = Callable[["StorageWriter", Element], None]


class Anchors:
    """What is put behind a page's address to open it at its headings, in their order, as each deployment makes it.

    The second of equal ones ends with `.1`, the third with `.2`.
    """

    def __init__(self, deployment: str, page_title: str) -> None:
        self._before = "" if deployment == "cloud" else f"{''.join(page_title.split())}-"
        self._blank = "-" if deployment == "cloud" else ""
        self._seen: Counter[str] = Counter()

    def next(self, heading: str) -> str:
        """`heading` is its text without markup."""
        name = self._before + self._blank.join(heading.split())
        before = self._seen[name]
        self._seen[name] += 1
        return f"#{quote(f'{name}.{before}' if before else name, safe=_SAFE)}"


class StorageWriter:
    """Writes one fragment. `elements` write what HTML has not; `shift` is how much deeper its headings are to stand.

    Each heading begins a line, and has the anchor that `anchors` gives it as its id; without `anchors` it has none. The depth of
    recursion is that of the tree, which is bounded here, since an included page goes on where its macro stands.
    """

    def __init__(self, page: PageParts, anchors: Anchors | None, elements: Mapping[str, ElementWriter], shift: int = 1) -> None:
        self.page = page
        self.included: list[str] = []
        """Titles of the pages that are being written inside of each other, the outermost first."""
        self._namer = anchors
        self._shift = shift
        self._parts: list[str] = []
        self._depth = 0
        self._in_cell = 0
        self._in_heading = False
        self._handlers: dict[str, Callable[[Element], None]] = {
            "time": lambda element: self.text(all_text(element).strip() or attribute(element, "datetime")),
            "ac:task-list": self._write_tasks,
            "at:var": lambda element: self.text(f"[{attribute(element, 'name')}]"),
            "br": lambda _: self.raw("<br>"),
            "pre": self._write_preformatted,
            "blockquote": lambda element: self.quotation(lambda: self.children(element)),
            "sup": self._write_raised,
            "span": self._write_span,
            **{name: partial(write, self) for name, write in elements.items()},
        }

    @property
    def html(self) -> str:
        return "".join(self._parts)

    def children(self, element: Element) -> None:
        """Write an element's texts and elements, without itself. Raises `ParseFailed` when they nest too deeply."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooComplex(f"The page is nested more than {MAX_DEPTH} elements deep.")
        if element.text:
            self.text(element.text)
        for node in element:
            self.node(node)
            if node.tail:
                self.text(node.tail)
        self._depth -= 1

    def node(self, element: Element) -> None:
        """Write one element, without the text after it."""
        name = name_of(element)
        if name in _UNSEEN:
            return
        if handler := self._handlers.get(name):
            if name in _MAY_STAND_ALONE and _stands_alone(element):
                with self.inside("p"):  # where the handler writes blocks, they end it
                    handler(element)
            else:
                handler(element)
        elif name in HEADINGS:
            self._write_heading(element, int(name[1]))
        elif name in _LISTS:
            self._write_list(element, name)
        elif name in ("td", "th"):
            self._write_cell(element, name)
        elif tag := _TO_INLINE.get(name) or (name if name in _BLOCKS else "div" if name in _CONTAINERS else None):
            with self.inside(tag):
                self.children(element)
        else:
            self.children(element)

    def text(self, text: str) -> None:
        self._parts.append(escape(text.translate(_INVISIBLE), quote=False))

    def raw(self, html: str) -> None:
        self._parts.append(html)

    @contextmanager
    def inside(self, tag: str, **attributes: str) -> Iterator[None]:
        stated = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value)
        self.raw(f"<{tag}{stated}>")
        yield
        self.raw(f"</{tag}>")

    def paragraph(self, text: str, tag: str = "") -> None:
        """One line of its own, if it says anything."""
        if text.strip():
            with self.inside("p"):
                self.phrase(text, tag)

    def phrase(self, text: str, tag: str = "") -> None:
        if tag:
            with self.inside(tag):
                self.text(text)
        else:
            self.text(text)

    def items(self, lines: Iterable[str]) -> None:
        """A list of plain lines."""
        with self.inside("ul"):
            for line in lines:
                with self.inside("li"):
                    self.text(line)

    def badge(self, text: str) -> None:
        """Text in brackets that stands apart from what is before it."""
        is_apart = not self._parts or not _AFTER_TEXT.search(self._parts[-1][-10:])
        self.text(f"[{text}]" if is_apart else f" [{text}]")

    def link(self, address: str, text: str) -> None:
        with self.inside("a", href=address):
            self.text(text or address)

    def code(self, text: str, language: str = "") -> None:
        """`text` as it is. In a cell or heading the HTML loader makes one line of it."""
        with self.inside("pre"), self.inside("code", **{"class": f"language-{language}" if language else ""}):
            self.raw(escape(text, quote=False))

    def captured(self, write: Callable[[], None]) -> str:
        """The HTML that `write` would have written, taken out again."""
        start = len(self._parts)
        write()
        found = "".join(self._parts[start:])
        del self._parts[start:]
        return found

    def plain(self, write: Callable[[], None]) -> str:
        """The same without markup."""
        return _plain_text(self.captured(write))

    def quotation(self, write: Callable[[], None]) -> None:
        """A quotation, or a mere container where there is a heading in it: quoted, it would be none."""
        html = self.captured(write)
        with self.inside("div" if _HEADING_TAG.search(html) else "blockquote"):
            self.raw(html)

    def _write_heading(self, element: Element, level: int) -> None:
        if self._in_heading:
            self.children(element)
            return
        self._in_heading = True
        html = self.captured(lambda: self.children(element))
        self._in_heading = False
        title = _plain_text(html)
        anchor = self._namer.next(title) if title and self._namer else ""
        if title and self._in_cell:  # a cell is one line, where no heading can stand
            self.paragraph(title, "strong")
        elif title:
            self.raw("\n")
            with self.inside(f"h{min(level + self._shift, 6)}", id=anchor):
                self.text(title)
        for picture in _IMAGE.findall(html):
            self.raw(f"<p>{picture}</p>")

    def _write_list(self, element: Element, name: str) -> None:
        """A list that stands beside the items of another, instead of in one, goes with the item before it."""
        with self.inside(name, start=attribute(element, "start")):
            is_open = False
            for node in element:
                if is_open and name_of(node) not in _LISTS:
                    self.raw("</li>")
                    is_open = False
                if not is_open:
                    self.raw("<li>")
                    is_open = True
                if name_of(node) == "li":
                    self.children(node)
                else:
                    self.node(node)
                self.text((node.tail or "").strip())
            if is_open:
                self.raw("</li>")

    def _write_cell(self, element: Element, name: str) -> None:
        self._in_cell += 1
        with self.inside(name, rowspan=attribute(element, "rowspan"), colspan=attribute(element, "colspan")):
            self.children(element)
        self._in_cell -= 1

    def _write_tasks(self, element: Element) -> None:
        with self.inside("ul"):
            for task in element:
                if name_of(task) != "ac:task":
                    with self.inside("li"):
                        self.node(task)
                    continue
                done = all_text(child(task, "ac:task-status")).strip() == "complete"
                with self.inside("li"):
                    self.text("[x] " if done else "[ ] ")
                    self._write_task_body(task)

    def _write_task_body(self, task: Element) -> None:
        """The first paragraph goes on the line of the box."""
        for body in (node for node in task if name_of(node) == "ac:task-body"):
            first = next(iter(body), None)
            if first is None or name_of(first) != "p" or (body.text or "").strip():
                self.children(body)
                continue
            self.children(first)
            self.text(first.tail or "")
            for node in first.itersiblings():
                self.node(node)
                self.text(node.tail or "")

    def _write_preformatted(self, element: Element) -> None:
        html = self.captured(lambda: self.children(element))
        self.code(unescape(_TAG.sub("", html.replace("<br>", "\n"))))
        for picture in _IMAGE.findall(html):
            self.raw(f"<p>{picture}</p>")

    def _write_raised(self, element: Element) -> None:
        """`10³`, and where there is no such character `x^(k+m)`: without either, it would read as another number."""
        text = self.plain(lambda: self.children(element))
        if text and all(letter in _RAISED for letter in text):
            self.text("".join(_RAISED[letter] for letter in text))
        elif text:
            self.text(f"^{text}" if text.isalnum() else f"^({text})")

    def _write_span(self, element: Element) -> None:
        if _STRUCK.search(attribute(element, "style")[:1000]):
            with self.inside("del"):
                self.children(element)
        else:
            self.children(element)


def _stands_alone(element: Element) -> bool:
    """Whether an element is a block of its own: in something that holds blocks, with no text beside it."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None or name_of(parent) not in _HOLDS_BLOCKS or (element.tail or "").strip():
        return False
    return not ((parent.text if before is None else before.tail) or "").strip()


def _plain_text(html: str) -> str:
    """The text of HTML that a `StorageWriter` wrote, on one line."""
    return " ".join(unescape(_TAG.sub("", _BLOCK_TAG.sub(" ", html))).split())
