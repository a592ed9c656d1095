"""The body of an OpenDocument text as HTML, which the reader of HTML turns into Markdown.

Changes are read as accepted: the text that was deleted stands apart, in `tracked-changes`. Tables of contents, hidden text and
ruby are left out; notes follow the block that refers to them, comments are kept aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from ragd.core.errors import TooComplex
from ragd.formats.common.opc import Element
from ragd.formats.opendocument.package import DC, DRAW, LINK, OFFICE, STYLE, SVG, TABLE, TEXT
from ragd.formats.opendocument.styles import Styles, whole

_LEFT_OUT: Final = frozenset((
    f"{TEXT}tracked-changes", f"{TEXT}table-of-content", f"{TEXT}alphabetical-index", f"{TEXT}illustration-index",
    f"{TEXT}table-index", f"{TEXT}object-index", f"{TEXT}user-index", f"{TEXT}sequence-decls", f"{TEXT}variable-decls",
    f"{TEXT}user-field-decls", f"{OFFICE}forms", f"{OFFICE}annotation-end", f"{TEXT}ruby-text", f"{TEXT}hidden-text",
    f"{TEXT}hidden-paragraph", f"{TEXT}note-citation", f"{SVG}title", f"{SVG}desc", f"{TABLE}covered-table-cell",
    f"{OFFICE}event-listeners", f"{DRAW}glue-point",
))  # fmt: skip
_INDEXES: Final = ("table-of-content", "index")
_MAX_BLANKS: Final = 100
_MAX_SPAN: Final = 60
_MAX_CHARACTERS: Final = 100_000_000
_MAX_LEVEL: Final = 6
_MAX_OUTLINE: Final = 10
_MAX_NUMBER: Final = 1_000_000


class HtmlWriter:
    """Writes the body of the document called `name`. `comments`, and counts of what was left out, fill up on the way."""

    def __init__(self, styles: Styles, name: str) -> None:
        self.comments: list[str] = []
        self.deleted = 0
        self.index_lines = 0
        self.title = ""
        self._styles = styles
        self._name = name
        self._notes: list[str] = []
        self._beside: list[str] = []
        self._labels: set[str] = set()
        self._counts: dict[tuple[str, int], int] = {}
        self._length = 0

    def document(self, body: Element) -> str:
        return "".join(self._blocks(body, 0))

    def _blocks(self, parent: Element, depth: int) -> Iterator[str]:
        """The blocks that an element holds, each with its notes and with what is anchored to it behind it."""
        code: list[str] = []
        for child in parent:
            if child.tag == f"{TEXT}p" and self._styles.is_a(child.get(f"{TEXT}style-name"), "Preformatted_20_Text"):
                code.append(self._inline(child))
                continue
            yield from self._code(code)
            code = []
            yield from self._counted(self._block(child, depth))
            if depth == 0:  # a cell or an item keeps its notes for the table or list that it is in
                yield from self._after()
        yield from self._code(code)

    def _block(self, element: Element, depth: int) -> Iterable[str]:
        tag = element.tag
        if tag in _LEFT_OUT or element.get(f"{TEXT}display") == "none":
            self._count(element)
        elif tag == f"{TEXT}h":
            return [self._heading(element)]
        elif tag == f"{TEXT}p":
            return [self._paragraph(element)]
        elif tag == f"{TEXT}list":
            return self._list(element, "", 1, depth)
        elif tag == f"{TABLE}table":
            return self._table(element, depth)
        elif tag.startswith(DRAW):
            return [f"<p>{picture}</p>"] if (picture := _picture(element)) else self._blocks(element, depth + 1)
        else:
            return self._blocks(element, depth)
        return ()

    def _heading(self, element: Element) -> str:
        level = whole(element, f"{TEXT}outline-level", _MAX_OUTLINE)
        text = self._inline(element)
        if not text.strip():
            return ""
        number = "" if element.get(f"{TEXT}is-list-header") == "true" else self._styles.heading_number(level)
        level = min(level, _MAX_LEVEL)
        return f"<h{level}>{escape(number)}{text}</h{level}>"

    def _paragraph(self, element: Element) -> str:
        style = element.get(f"{TEXT}style-name")
        if "hidden" in self._styles.marks(style):
            return ""
        text = self._inline(element)
        if self._styles.is_a(style, "Title") and not self.title:
            self.title = " ".join("".join(element.itertext()).split())
            return f"<h1>{text}</h1>"
        return f"<blockquote><p>{text}</p></blockquote>" if self._styles.is_a(style, "Quotations") else f"<p>{text}</p>"

    def _list(self, element: Element, style: str, level: int, depth: int) -> Iterator[str]:
        if any(True for _ in element.iter(f"{TEXT}h")):  # numbered headings are items of lists
            for item in element:
                yield from self._blocks(item, depth)
            return
        style = element.get(f"{TEXT}style-name") or style
        name = "ol" if self._styles.is_numbered(style, level) else "ul"
        number = self._first_number(element, style, level)
        self._counts[style, level] = number - 1 + sum(1 for _ in element.iterchildren(f"{TEXT}list-item"))
        yield f'<{name} start="{number}">' if name == "ol" else f"<{name}>"
        for item in element:
            yield "<li>"
            for child in item:
                is_list = child.tag == f"{TEXT}list"
                yield from self._list(child, style, level + 1, depth + 1) if is_list else self._block(child, depth + 1)
            yield "</li>"
        yield f"</{name}>"

    def _first_number(self, element: Element, style: str, level: int) -> int:
        for item in element:
            if item.get(f"{TEXT}start-value"):
                return whole(item, f"{TEXT}start-value", _MAX_NUMBER)
        goes_on = element.get(f"{TEXT}continue-numbering") == "true" or element.get(f"{TEXT}continue-list")
        return self._counts.get((style, level), 0) + 1 if goes_on else 1

    def _table(self, table: Element, depth: int) -> Iterator[str]:
        yield "<table>"
        for row in table.iter(f"{TABLE}table-row"):
            if next(row.iterancestors(f"{TABLE}table")) is not table:
                continue
            is_head = row.getparent().tag == f"{TABLE}table-header-rows"
            tag = "th" if is_head else "td"
            yield "<tr>"
            for cell in row.iterchildren(f"{TABLE}table-cell"):
                columns, rows = (whole(cell, f"{TABLE}number-{what}-spanned", _MAX_SPAN) for what in ("columns", "rows"))
                yield f'<{tag} colspan="{columns}" rowspan="{rows}">'
                yield from self._blocks(cell, depth + 1)
                yield f"</{tag}>"
            yield "</tr>"
        yield "</table>"

    def _inline(self, element: Element) -> str:
        parts = [escape(element.text or "")]
        for child in element:
            if child.tag not in _LEFT_OUT:
                parts.append(self._inline_element(child))
            parts.append(escape(child.tail or ""))
        return "".join(parts)

    def _inline_element(self, element: Element) -> str:
        tag = element.tag
        if tag == f"{TEXT}s":
            return " " * whole(element, f"{TEXT}c", _MAX_BLANKS)
        if tag == f"{TEXT}tab":
            return "\t"
        if tag == f"{TEXT}line-break":
            return "<br>"
        if tag == f"{TEXT}a":
            return f'<a href="{escape(element.get(LINK, ""))}">{self._inline(element)}</a>'
        if tag == f"{TEXT}note":
            return self._note(element)
        if tag == f"{OFFICE}annotation":
            self._comment(element)
            return ""
        if tag.startswith(DRAW):
            if picture := _picture(element):
                return picture
            inside = list(self._blocks(element, 1))
            self._beside += inside
            return ""
        marks = self._styles.marks(element.get(f"{TEXT}style-name")) if tag == f"{TEXT}span" else set()
        if "hidden" in marks:
            return ""
        text = self._inline(element)
        for mark in sorted(marks) if text.strip() else ():
            text = f"<{mark}>{text}</{mark}>"
        return text

    def _note(self, note: Element) -> str:
        cited = "".join(note.findtext(f"{TEXT}note-citation") or "").strip()
        label = f"e{cited}" if note.get(f"{TEXT}note-class") == "endnote" else cited
        while label in self._labels:
            label += "'"
        self._labels.add(label)
        body = note.find(f"{TEXT}note-body")
        text = " ".join(self._inline(part) for part in (() if body is None else body.iter(f"{TEXT}p", f"{TEXT}h")))
        self._notes.append(f"<p>[^{escape(label)}]: {text}</p>")
        return f"[^{escape(label)}]"

    def _comment(self, element: Element) -> None:
        text = " ".join(" ".join("".join(part.itertext()).split()) for part in element.iter(f"{TEXT}p"))
        if text.strip():
            who = [element.findtext(f"{DC}creator") or "", (element.findtext(f"{DC}date") or "")[:10]]
            self.comments.append(": ".join(part for part in (", ".join(filter(None, who)), text) if part))

    def _after(self) -> Iterator[str]:
        """What is anchored to the last block, text boxes for instance, and its notes."""
        beside, notes = self._beside, self._notes
        self._beside, self._notes = [], []
        yield from beside
        yield from notes

    def _code(self, lines: list[str]) -> Iterator[str]:
        if lines:
            text = "\n".join(lines).replace("<br>", "\n")
            yield from self._counted([f"<pre>{text}</pre>"])

    def _counted(self, parts: Iterable[str]) -> Iterator[str]:
        for part in parts:
            self._length += len(part)
            if self._length > _MAX_CHARACTERS:
                raise TooComplex(f"'{self._name}' holds more than {_MAX_CHARACTERS:,} characters. Split the file.")
            yield part

    def _count(self, element: Element) -> None:
        if element.tag == f"{TEXT}tracked-changes":
            self.deleted += sum(1 for _ in element.iter(f"{TEXT}deletion"))
        elif element.tag.endswith(_INDEXES):
            self.index_lines += sum(1 for _ in element.iter(f"{TEXT}p"))


def _picture(frame: Element) -> str:
    image = frame.find(f"{DRAW}image")
    if image is None or not (source := image.get(LINK)):
        return ""
    alt = " ".join((frame.findtext(f"{SVG}desc") or frame.findtext(f"{SVG}title") or "").split())
    return f'<img src="{escape(source)}" alt="{escape(alt)}">'


def header_texts(root: Element | None) -> list[str]:
    """What page headers and footers say, which is left out."""
    if root is None:
        return []
    found = (element for name in ("header", "footer") for element in root.iter(f"{STYLE}{name}"))
    texts = (" ".join("".join(element.itertext()).split()) for element in found)
    return list(dict.fromkeys(text for text in texts if any(map(str.isalpha, text))))
