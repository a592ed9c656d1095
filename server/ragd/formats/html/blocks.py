"""Writes the blocks of an HTML tree as Markdown, recording headings and the source lines of each block."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from bs4.element import NavigableString, PageElement, Tag

from ragd.core.documents import Mark, MergedCell, Place
from ragd.formats.common.builder import IndentedBuilder
from ragd.formats.common.text import fenced
from ragd.formats.html.inline import InlineConverter
from ragd.formats.html.pictures import PagePictures
from ragd.formats.html.tree import BLOCKS, HEADINGS, NOTHING, TextLines, become_text, is_text, tags
from ragd.formats.tables.merged import Span, header_cells, merged_cells, reaching, shown
from ragd.formats.tables.pipes import Reach, pipe_lines, spread

_MAX_COLUMNS: Final = 60
_MAX_ROWS: Final = 1000
"""Columns and rows that one cell may extend over."""
_MAX_HEADER_ROWS: Final = 4

_MAKES_LAYOUT: Final = HEADINGS | {"table", "pre"}
_CELLS: Final = ["td", "th"]
_LISTS: Final = frozenset(("ul", "ol", "menu"))
_LANGUAGE_CLASS: Final = re.compile(r"(?:(?:language|lang|highlight|highlight-source)-|brush:)(?!source-)([\w+#]+)(?:-basic)?;?")
_LANGUAGE_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of a row by column, the tags that it was made from, and what is merged in it, with a start of 0."""

    cells: dict[int, str]
    tags: tuple[Tag, ...]
    merged: Sequence[MergedCell] = ()


def _own_rows(table: Tag) -> list[Tag]:
    """The rows of a table without those of tables in its cells."""
    return [row for row in table.find_all("tr") if row.find_parent("table") is table]


def _is_layout(table: Tag) -> bool:
    """Whether a table only arranges a page: its cells are blocks like any other."""
    attributes: dict[str, Any] = dict(table.attrs)
    if attributes.get("role") in ("presentation", "none"):
        return True
    rows = _own_rows(table)
    cells = [row.find_all(_CELLS, recursive=False) for row in rows]
    if any(cell.name == "th" for row in cells for cell in row) or (table.caption and table.caption.parent is table):
        return False
    return all(len(row) <= 1 for row in cells) or any(True for _ in tags(table, _MAKES_LAYOUT))


def _read_rows(table: Tag, text_of: Callable[[Tag], str]) -> list[_Row]:
    """The rows that hold something, all of the same length, without columns that hold nothing; the first is the header.

    A cell over several columns stands in the first of them, in a header in all. `text_of` gives a cell's text.
    """
    rows: list[_Row] = []
    headers = 0
    above: Reach = {}
    spans: list[Span] | None = []
    spans_of: dict[int, list[Span] | None] = {}
    for number, tag in enumerate(_own_rows(table)):
        found = tag.find_all(_CELLS, recursive=False)
        is_header = headers == len(rows) < _MAX_HEADER_ROWS and bool(found) and _is_header(tag, found)
        read = [_cell(cell, text_of, is_header=is_header) for cell in found]
        cells, above = spread(read, above)
        spans = reaching(((over, across) for _, _, over, across in read), spans)
        if any(cells.values()):
            headers += is_header
            rows.append(_Row(cells, (tag,)))
            spans_of[number] = spans
    if not rows:
        return []
    columns = sorted({column for row in rows for column, text in row.cells.items() if text})
    merged = shown(spans_of, columns)
    heads = max(headers, 1)
    texts = [[row.cells.get(column, "") for column in columns] for row in rows[:heads]]
    header = header_cells(texts, merged) or [cell for row in merged[:1] for cell in merged_cells(0, row)]
    if headers > 1:
        rows = [_joined(rows[:headers]), *rows[headers:]]
    below = ([], *merged[heads:])
    return [
        _Row(
            {index: row.cells.get(column, "") for index, column in enumerate(columns)},
            row.tags,
            tuple(merged_cells(0, spans)) if number else tuple(header),
        )
        for number, (row, spans) in enumerate(zip(rows, below, strict=True))
    ]


def _cell(cell: Tag, text_of: Callable[[Tag], str], *, is_header: bool) -> tuple[str, str, int, int]:
    text = text_of(cell).replace("|", "\\|")
    return text, text if is_header else "", _span(cell, "rowspan", _MAX_ROWS), _span(cell, "colspan", _MAX_COLUMNS)


def _is_header(row: Tag, cells: list[Tag]) -> bool:
    return (row.parent is not None and row.parent.name == "thead") or all(cell.name == "th" for cell in cells)


def _joined(rows: list[_Row]) -> _Row:
    """Several header rows as one: what stands above each other, each text once."""
    columns = sorted({column for row in rows for column in row.cells})
    stacked = {column: dict.fromkeys(row.cells.get(column, "") for row in rows) for column in columns}
    joined = {column: " ".join(text for text in texts if text) for column, texts in stacked.items()}
    return _Row(joined, tuple(tag for row in rows for tag in row.tags))


def _span(cell: Tag, name: str, most: int) -> int:
    value = str(cell.get(name) or "").strip()
    # 0 means all the rows that follow.
    return min(int(value) or most, most) if value.isdecimal() and len(value) < 9 else 1


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
        elif tag.name == "table" and not _is_layout(tag):
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
            self._write(fenced(text, _language_of(tag)), tag)

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
        rows = _read_rows(table, self._inline.line)
        for line, row in zip(pipe_lines(row.cells.values() for row in rows), rows, strict=True):
            start = self._write(line, *row.tags)
            if start is not None:
                self._merge(start, row.merged)
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
