"""Writes the blocks of an HTML tree as Markdown, recording headings and the source lines of each block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bs4.element import NavigableString, PageElement, Tag
from markdownify import ATX, MarkdownConverter

from rag_assistant.ingest.loaders.html_tree import BLOCKS, HEADINGS, is_text
from rag_assistant.ingest.loaders.naming import MAX_TITLE_CHARS
from rag_assistant.types import Heading, Mark, Place

_WHOLE: Final = frozenset(("blockquote", "dl"))
_LISTS: Final = frozenset(("ul", "ol", "menu"))
_MAKES_LAYOUT: Final = HEADINGS | {"table"}
_FOLLOWABLE: Final = re.compile(r"^(?:https?:|mailto:|[^:]*$|[/#.])", re.IGNORECASE)
_BACKTICKS: Final = re.compile("`+")
_LANGUAGE_CLASS: Final = re.compile(r"(?:language|lang|highlight-source|brush:)[-\s]?([\w+#-]+)")


class _Converter(MarkdownConverter):
    """Markdown that reads as the page does: nothing escaped, no embedded data, no links that would run something."""

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        description = " ".join(str(el.get("alt") or "").split())
        target = str(el.get("src") or "")
        if not _FOLLOWABLE.match(target):
            return description
        return f"![{description}]({target})" if target else description

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        target = str(el.get("href") or "").strip()
        if not target or target.startswith("#") or not _FOLLOWABLE.match(target):
            return text
        return str(super().convert_a(el, text, parent_tags))  # type: ignore[misc]  # missing in its stub


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring texts and inline elements of a container: a paragraph without a tag of its own."""

    nodes: list[PageElement]


class BlockWriter:
    """Collects Markdown, marks and headings. `lines` gives the source line of each text by its id()."""

    def __init__(self, lines: Mapping[int, int]) -> None:
        self._lines = lines
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []
        self._headings: list[Heading] = []
        self._converter: Any = _Converter(heading_style=ATX, bullets="-", escape_asterisks=False, escape_underscores=False)

    def result(self) -> tuple[str, tuple[Mark, ...], tuple[Heading, ...]]:
        return "".join(self._parts), tuple(self._marks), tuple(self._headings)

    def write(self, root: Tag) -> None:
        """Write what `root` holds. The stack holds what is still to come, the next on top."""
        stack: list[PageElement | _Run] = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, _Run):
                self._write_inline(node)
            elif isinstance(node, Tag) and not self._write_block(node):
                stack.extend(reversed(list(_parts_of(node))))

    def _write_block(self, tag: Tag) -> bool:
        """Whether the tag was written as one block; if not, it is a container whose parts are blocks."""
        if tag.name in HEADINGS:
            self._write_heading(tag)
        elif tag.name == "pre":
            self._write_preformatted(tag)
        elif tag.name in _LISTS and not _holds(tag, HEADINGS):  # a list of cards is a container
            self._write_list(tag)
        elif tag.name == "table" and not _is_layout(tag):
            self._write_table(tag)
        elif tag.name in _WHOLE or tag.name == "p":
            self._add(self._convert(tag), tag)
        else:
            return tag.name == "hr"
        return True

    def _convert(self, node: PageElement) -> str:
        return str(self._converter.process_element(node, parent_tags=set())).strip("\n").strip()

    def _inline(self, tag: Tag) -> str:
        text = "".join(self._converter.process_element(child, parent_tags={"_inline", "td"}) for child in tag.children)
        return " ".join(text.split())

    def _write_heading(self, tag: Tag) -> None:
        title = " ".join(tag.get_text(" ", strip=True).split())
        if title:
            level = int(tag.name[1])
            start = self._add(f"{'#' * level} {title}", tag)
            self._headings.append(Heading(start, self._length, level, title[:MAX_TITLE_CHARS]))

    def _write_inline(self, run: _Run) -> None:
        text = "".join(str(self._converter.process_element(node, parent_tags=set())) for node in run.nodes)
        self._add(text.strip(), *run.nodes)

    def _write_preformatted(self, tag: Tag) -> None:
        code = tag.get_text()
        text = code.strip("\n")
        if not text.strip():
            return
        fence = "`" * max([3, *(len(run) + 1 for run in _BACKTICKS.findall(text))])
        classes = " ".join(str(name) for node in (tag, tag.code) if node for name in node.get_attribute_list("class") if name)
        language = _LANGUAGE_CLASS.search(classes)
        self._add(f"{fence}{language[1] if language else ''}\n{text}\n{fence}", tag)

    def _write_list(self, tag: Tag) -> None:
        number = int(start) if tag.name == "ol" and (start := str(tag.get("start", "1"))).isdecimal() else 1
        separator = "\n\n"
        for item in tag.find_all(True, recursive=False):
            mark = f"{number}. " if tag.name == "ol" else "- "
            # As the content of a plain container, since markdownify would number an item by counting all before it.
            body = "".join(str(self._converter.process_element(child, parent_tags={"li"})) for child in item.children)
            if body := re.sub(r"\n{3,}", "\n\n", body.strip()):
                indented = re.sub(r"\n(?!\n)", "\n" + " " * len(mark), body)
                self._add(mark + indented, item, separator=separator)
                separator = "\n"
                number += 1

    def _write_table(self, table: Tag) -> None:
        if table.caption:
            self._add(self._inline(table.caption), table.caption)
        separator = "\n\n"
        width = 0
        for row in table.find_all("tr"):
            cells = [self._inline(cell).replace("|", "\\|") for cell in row.find_all(["td", "th"], recursive=False)]
            if not any(cells):
                continue
            cells += [""] * (width - len(cells))
            line = f"| {' | '.join(cells)} |"
            if not width:
                width = len(cells)
                line += "\n|" + " --- |" * width
            self._add(line, row, separator=separator)
            separator = "\n"

    def _add(self, text: str, *nodes: PageElement, separator: str = "\n\n") -> int:
        """Append a block and mark its source lines; returns where it begins."""
        if not text:
            return self._length
        if self._parts:
            self._parts.append(separator)
            self._length += len(separator)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        if span := self._source_lines(nodes):
            self._marks.append(Mark(start, Place(line_range=span)))
        return start

    def _source_lines(self, nodes: tuple[PageElement, ...]) -> tuple[int, int] | None:
        spans = [span for node in nodes for span in self._spans(node)]
        return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None

    def _spans(self, node: PageElement) -> Iterator[tuple[int, int]]:
        if isinstance(node, Tag):
            if node.sourceline:
                yield node.sourceline, node.sourceline
            for text in node.descendants:
                if isinstance(text, NavigableString):
                    yield from self._spans(text)
        elif isinstance(node, NavigableString) and node.strip() and id(node) in self._lines:
            first = self._lines[id(node)] + node[: len(node) - len(node.lstrip())].count("\n")
            yield first, first + node.strip().count("\n")


def _parts_of(container: Tag) -> Iterator[PageElement | _Run]:
    """The blocks that a container holds, and between them the runs of inline content."""
    run: list[PageElement] = []
    for child in container.children:
        if isinstance(child, Tag) and (child.name in BLOCKS or _holds(child, BLOCKS)):
            if run:
                yield _Run(run)
                run = []
            yield child
        elif isinstance(child, Tag) or is_text(child):
            run.append(child)
    if any(isinstance(node, Tag) or str(node).strip() for node in run):
        yield _Run(run)


def _is_layout(table: Tag) -> bool:
    attributes: dict[str, Any] = dict(table.attrs)
    return attributes.get("role") == "presentation" or _holds(table, _MAKES_LAYOUT)


def _holds(tag: Tag, names: frozenset[str]) -> bool:
    """Whether an element of one of these names is inside. BeautifulSoup's own search takes three times as long."""
    return any(isinstance(node, Tag) and node.name in names for node in tag.descendants)
