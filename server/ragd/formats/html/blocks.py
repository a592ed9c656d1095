"""Writes the blocks of an HTML tree as Markdown, recording headings and the source lines of each block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from bs4.element import NavigableString, PageElement, Tag

from ragd.core.documents import Mark, Place
from ragd.formats.common.builder import IndentedBuilder
from ragd.formats.html.inline import InlineConverter, fence_for
from ragd.formats.html.pictures import PagePictures
from ragd.formats.html.table import is_layout, read_rows
from ragd.formats.html.tree import BLOCKS, HEADINGS, NOTHING, TextLines, become_text, is_text

_LISTS: Final = frozenset(("ul", "ol", "menu"))
_LANGUAGE_CLASS: Final = re.compile(r"(?:(?:language|lang|highlight|highlight-source)-|brush:)(?!source-)([\w+#]+)(?:-basic)?;?")
_LANGUAGE_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring texts and inline elements of a container: a paragraph without a tag of its own."""

    nodes: list[PageElement]


class BlockWriter(IndentedBuilder):
    """Collects Markdown, marks and headings."""

    max_indent = 60
    blanks = "\u200b\ufeff"
    """The zero-width space, which editors leave in empty paragraphs."""

    def __init__(self, lines: TextLines, pictures: PagePictures) -> None:
        super().__init__()
        self._lines = lines
        self._inline = InlineConverter(pictures.markdown, pictures.resolved)
        self._above_blocks: set[int] = set()
        self._above_headings: set[int] = set()
        self._items = 0

    def write(self, root: Tag) -> None:
        """Write what `root` holds. The depth of recursion is that of the tree, which the parser bounds."""
        for node in reversed(list(root.descendants)):
            if isinstance(node, Tag) and node.parent is not None:
                if node.name in BLOCKS or id(node) in self._above_blocks:
                    self._above_blocks.add(id(node.parent))
                if node.name in HEADINGS or id(node) in self._above_headings:
                    self._above_headings.add(id(node.parent))
        self._write_parts(root)

    def _write_parts(self, container: Tag) -> None:
        for part in self._parts_of(container):
            if isinstance(part, _Run):
                self._write(self._inline.text(part.nodes), *part.nodes)
            else:
                self._write_block(part)

    def _parts_of(self, container: Tag) -> Iterator[Tag | _Run]:
        """The blocks that a container holds, and between them the runs of inline content."""
        run: list[PageElement] = []
        for child in container.children:
            if isinstance(child, Tag) and child.name == NOTHING:
                continue
            if isinstance(child, Tag) and (child.name in BLOCKS or id(child) in self._above_blocks):
                if run:
                    yield _Run(run)
                    run = []
                yield child
            elif isinstance(child, Tag) or is_text(child):
                run.append(child)
        if any(isinstance(node, Tag) or str(node).strip() for node in run):
            yield _Run(run)

    def _write_block(self, tag: Tag) -> None:
        if tag.name in HEADINGS:
            self._write_heading(tag)
        elif tag.name == "pre" or "mermaid" in tag.get_attribute_list("class"):
            self._write_preformatted(tag)
        elif tag.name in _LISTS and id(tag) not in self._above_headings:  # a list of cards is a container
            self._write_list(tag)
        elif tag.name == "dl" and id(tag) not in self._above_headings:
            self._write_definitions(tag)
        elif tag.name == "blockquote":
            with self.inside("> "):
                self._write_parts(tag)
        elif tag.name == "table" and not is_layout(tag):
            self._write_table(tag)
        elif tag.name == "p":
            self._write(self._inline.text([tag]), tag)
        elif tag.name != "hr":
            self._write_parts(tag)

    def _write_heading(self, tag: Tag) -> None:
        title = " ".join(tag.get_text(" ", strip=True).split()) or self._inline.line(tag)
        if not title:
            return
        level = int(tag.name[1])
        start = self._write(f"{'#' * level} {title}", tag)
        if start is not None and not self._indent:
            self._head(start, level, title)

    def _write_preformatted(self, tag: Tag) -> None:
        for line_break in tag.find_all("br"):
            become_text(line_break, "\n")
        text = tag.get_text().strip("\n")
        if text.strip():
            fence = fence_for(text, 3)
            self._write(f"{fence}{_language_of(tag)}\n{text}\n{fence}", tag)

    def _write_list(self, tag: Tag) -> None:
        start = str(tag.get("start", "1"))
        number = int(start) if tag.name == "ol" and start.isdecimal() and len(start) < 9 else 1
        self._tight = self._items > 0 and self._marker is None  # right below an item's own text
        self._items += 1
        for item in tag.find_all(True, recursive=False):
            before = self._length
            with self.inside(f"{number}. " if tag.name == "ol" else "- ", once=True):
                self._write_parts(item)
            if self._length > before:
                number += 1
                self._tight = True
        self._items -= 1
        self._tight = False

    def _write_definitions(self, tag: Tag) -> None:
        """Terms, and below each its explanations, as pandoc and PHP Markdown Extra have them."""
        for item in tag.find_all(["dt", "dd"]):
            if item.find_parent("dl") is not tag:
                continue
            if item.name == "dt":
                self._write(self._inline.line(item), item)
            else:
                self._tight = True
                with self.inside(":   ", once=True):
                    self._write_parts(item)
                self._tight = False

    def _write_table(self, table: Tag) -> None:
        if table.caption:
            self._write(self._inline.line(table.caption), table.caption)
        for index, row in enumerate(read_rows(table, self._inline.line)):
            line = f"| {' | '.join(row.cells.values())} |"
            if index == 0:
                line += "\n|" + " --- |" * len(row.cells)
            self._write(line, *row.tags)
            self._tight = True
        self._tight = False

    def _write(self, text: str, *nodes: PageElement) -> int | None:
        """Append a block and mark its source lines; returns where it begins."""
        start = self._add(text)
        if start is not None and (span := self._source_lines(nodes)):
            self.marks.append(Mark(start, Place(line_range=span)))
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
        elif isinstance(node, NavigableString) and node.strip() and (line := self._lines.of(node)):
            first = line + node[: len(node) - len(node.lstrip())].count("\n")
            yield first, first + node.strip().count("\n")


def _language_of(tag: Tag) -> str:
    """Language of a block of code by the classes of it, of `<code>` in it, or of what is around it."""
    for node in (tag, tag.code, *islice(tag.parents, _LANGUAGE_DEPTH)):
        if node is None:
            continue
        classes = [str(name) for name in node.get_attribute_list("class") if name]
        classes += str(node.get("data-syntaxhighlighter-params") or "").replace("brush: ", "brush:").split()
        if "mermaid" in classes:
            return "mermaid"
        if classes[:1] == ["sourceCode"] and len(classes) > 1:  # pandoc's
            return classes[1]
        for name in classes:
            if found := _LANGUAGE_CLASS.fullmatch(name):
                return found[1]
    return ""
