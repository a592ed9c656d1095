"""The blocks of a Word document, paragraphs and tables, to Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragd.core.documents import Mark, Place
from ragd.core.errors import ParseFailed
from ragd.formats.common.opc import Element, R
from ragd.formats.common.pictures import REFERENCE
from ragd.formats.common.text import fence_for
from ragd.formats.tables.blocks import (
    HEADER_TOKENS,
    PART_TOKENS,
    TableContent,
    TableRow,
    cell_text,
    estimated_tokens,
)
from ragd.formats.tables.merged import merged_cells
from ragd.formats.tables.pipes import pipe_lines
from ragd.formats.word.content import WordContent, trimmed, without_signs
from ragd.formats.word.inline import Inline, Line
from ragd.formats.word.numbering import Item, Nesting
from ragd.formats.word.package import W, child_value
from ragd.formats.word.reading import Reading
from ragd.formats.word.styles import Look
from ragd.formats.word.tables import Grid, ReadCell, blocks_of, flat_rows, read_grid

if TYPE_CHECKING:
    from ragd.formats.html.fragment import Fragment

_NEW_PAGE: Final = ("nextPage", "oddPage", "evenPage", None)
_NOTE_LABEL: Final = re.compile(r"\[\^e?\d+\]")
_OTHER_FORMATS: Final = (b"PK", b"{\\rtf", b"\xd0\xcf\x11\xe0")
_CHUNK_HEAD: Final = 2_000
_MAX_HEADING: Final = 300
"""Characters from which a paragraph in a heading's style is text that somebody wanted to look large."""


class BlockReader:
    """Writes the body of a document into `out`, block by block."""

    def __init__(self, reading: Reading, body: Element) -> None:
        self.out = WordContent()
        self.title: str | None = None
        self.first_text = ""
        self._reading = reading
        self._body = body
        self._part = reading.package.main
        self._inline = Inline(reading, self._part, body)
        self._lists = Nesting()
        self._carried: list[str] = []
        self._code: list[str] = []
        self._code_page = 1
        sections = [found for found in body.iter(W + "sectPr") if found.getparent().tag in (W + "pPr", W + "body")]
        # How a section begins stands in its own properties, which come after its last paragraph.
        self._section_starts = iter([child_value(section, "type") for section in sections[1:]])

    def read(self) -> None:
        self._write(self._blocks(self._body), self._inline, headings=True)
        if self._carried:
            self._add("".join(self._carried), self._reading.pages.now)
        self._end_code()
        self._write_notes()

    def flat(self, container: Element, inline: Inline, depth: int, *, emphasis: bool = True) -> list[str]:
        """The lines of a cell, note or text box: each paragraph, list item and row of a table inside is one or more."""
        depth = self._reading.nested(depth)
        lines: list[str] = []
        for block in self._blocks(container):
            if block.tag == W + "altChunk":
                self._reading.left_out["chunks"] += 1
                continue
            if block.tag == W + "tbl":
                lines += flat_rows(block, self._cell_reader(inline, depth), self._reading.pages)
                continue
            look = self._reading.styles.look(block.find(W + "pPr"))
            line = inline.read(block, look, emphasis=emphasis)
            item = self._reading.numbering.item(block.find(W + "pPr"), look)
            text = without_signs(line.text).strip()
            if text:
                lines += [part for part in ((item.marker if item else "") + text).split("\n") if part.strip()]
            for content, _ in line.apart:
                own = content.split("\n") if isinstance(content, str) else self.flat(content, inline.within(content), depth)
                lines += [part for part in own if part.strip()]
        return lines

    def _blocks(self, container: Element) -> Iterator[Element]:
        return blocks_of(container, self._leave_contents)

    def _leave_contents(self, contents: Element) -> None:
        self._reading.left_out["contents"] += sum(1 for _ in contents.iter(W + "p"))
        self._inline.skip_pages(contents)

    def _write(self, blocks: Iterator[Element], inline: Inline, *, headings: bool, depth: int = 0) -> None:
        depth = self._reading.nested(depth)
        for block in blocks:
            if block.tag == W + "tbl":
                self._interrupt()
                self._write_table(block, inline, depth)
            elif block.tag == W + "altChunk":
                self._interrupt()
                self._write_chunk(block)
            else:
                self._write_paragraph(block, inline, depth, headings=headings)

    def _write_paragraph(self, paragraph: Element, inline: Inline, depth: int, *, headings: bool) -> None:
        properties = paragraph.find(W + "pPr")
        styles, pages = self._reading.styles, self._reading.pages
        look = styles.look(properties)
        if _begins_page(properties, default=look.new_page):
            pages.begin()
        page = pages.now
        in_contents = inline.in_contents
        level = styles.heading_level(properties, look) if headings else None
        line = inline.read(paragraph, look, emphasis=level is None)
        joined = properties is not None and _is_joined(properties)
        if look.contents or in_contents or inline.in_contents:
            self._reading.left_out["contents"] += next(paragraph.iter(W + "t"), None) is not None
        if look.contents:
            pass  # an entry of a table of contents that is text by now
        elif joined:
            self._carried.append(line.text)
        else:
            line.text = "".join([*self._carried, line.text])
            self._carried.clear()
            self.first_text = self.first_text or inline.words()
            item = self._reading.numbering.item(properties, look)
            self._write_line(line, page, level, item, look)
        self._write_apart(line, inline, depth)
        if properties is not None and properties.find(W + "sectPr") is not None and next(self._section_starts, "") in _NEW_PAGE:
            pages.break_here()

    def _write_line(self, line: Line, page: int, level: int | None, item: Item | None, look: Look) -> None:
        plain = without_signs(line.text).strip()
        # A blank line belongs to the code above it, if code goes on below.
        if level is None and item is None and (line.code is not None or (self._code and not plain)):
            self._code_page = self._code_page if self._code else page
            self._code.append((line.code or "").rstrip())
            return
        if not plain:
            return
        if level is not None and len(plain) <= _MAX_HEADING:
            self._write_heading(line, page, level, item, title=look.title)
            return
        self._end_code()
        if item is not None:
            self._write_item(line.text, page, item)
            return
        self._interrupt()
        text = trimmed(line.text)
        if look.quote:
            self.out.add(text.replace("\n", "\n> "), page, prefix="> ")
        else:
            self.out.add(text, page)

    def _write_heading(self, line: Line, page: int, level: int, item: Item | None, *, title: bool) -> None:
        """A heading line, with its number. Pictures in it follow; notes are no part of its title."""
        self._interrupt()
        self._write_notes()
        pictures = [found[0] for found in REFERENCE.finditer(line.text)]
        text = " ".join(without_signs(REFERENCE.sub("", line.text)).split())
        if item is not None and item.label:
            text = f"{item.label} {text}"
        name = " ".join(_NOTE_LABEL.sub("", text).split())
        if name:
            self.out.add_heading(text, name, level, page)
            if title and self.title is None:
                self.title = name
        for found in pictures:
            self._add(found, page)

    def _write_item(self, text: str, page: int, item: Item) -> None:
        offset, continued = self._lists.place(item)
        indented = trimmed(text).replace("\n", "\n" + " " * (offset + item.marker_width))
        self.out.add(indented, page, "\n" if continued else "\n\n", prefix=" " * offset + item.marker)

    def _write_apart(self, line: Line, inline: Inline, depth: int) -> None:
        """Floating pictures, text boxes and charts of a paragraph, after it."""
        pages = self._reading.pages
        for content, page in line.apart:
            self._interrupt()
            if isinstance(content, str):
                self._add(content, page)
                continue
            resumed, pages.now = pages.now, page
            self._write(self._blocks(content), inline.within(content), headings=False, depth=depth)
            self._interrupt()
            pages.now = resumed

    def _write_table(self, table: Element, inline: Inline, depth: int) -> None:
        grid = read_grid(table, self._cell_reader(inline, depth), self._reading.pages, self._reading.repeat)
        for caption, page in grid.captions:
            self._add(caption, page)
        self._add_grid(grid)

    def _write_chunk(self, chunk: Element) -> None:
        """A document that is imported here: programs that make Word files of web pages put all their text there."""
        package = self._reading.package
        part = package.target(self._part, chunk.get(R + "id"))
        fragment = _chunk_fragment(package.read(part), package.name) if part and package.is_new(part) else None
        if fragment is None:
            self._reading.left_out["chunks"] += 1
            return
        place = Place(page=self._reading.pages.now)
        self._reading.pages.see()
        self._reading.pictures += [replace(found, place=place) for found in fragment.pictures]
        self.out.add_blocks(fragment.markdown, [Mark(0, place)], fragment.headings, fragment.merged)

    def _cell_reader(self, inline: Inline, depth: int) -> ReadCell:
        return lambda cell, header: "\n".join(self.flat(cell, inline, depth, emphasis=not header))

    def _add_grid(self, grid: Grid) -> None:
        header, page = grid.header
        if not header:
            return
        lines = pipe_lines(map(cell_text, cells) for cells in (header, *(cells for cells, _ in grid.rows)))
        if estimated_tokens("\n".join(lines)) <= PART_TOKENS:
            for number, line in enumerate(lines):
                start = grid.rows[number - 1][1] if number else page
                merged = merged_cells(0, grid.spans[number - 1]) if number else grid.header_cells
                self.out.add_row(line, start, "\n" if number else "\n\n", merged)
            return
        if estimated_tokens(lines[0]) > HEADER_TOKENS:
            self.out.add(" / ".join(name for name in header if name), page)
        # A long table is written in parts that each have the header, or if that is too long, row by row.
        long = TableContent(self._reading.package.name)
        rows = (
            TableRow(cells, row_page, row_page, spans) for (cells, row_page), spans in zip(grid.rows, grid.spans, strict=True)
        )
        long.table(header, rows, lambda first, _last: Place(page=first), header_cells=grid.header_cells)
        self.out.add_blocks(long.markdown, long.marks, merged=long.merged)

    def _write_notes(self) -> None:
        """The notes that the text since the last heading refers to; their own notes, if any, come after them."""
        while notes := self._reading.notes.take():
            self._interrupt()
            for number, note in enumerate(notes):
                inline = Inline(self._reading, note.part, note.content, pages_count=False)
                text = f"[^{note.label}]: " + "\n    ".join(self.flat(note.content, inline, 0))
                self.out.add(text, note.page, "\n" if number else "\n\n")

    def _add(self, text: str, page: int) -> None:
        self._interrupt()
        self.out.add(text, page)

    def _interrupt(self) -> None:
        """What comes now is no part of a list or of code above it."""
        self._end_code()
        self._lists.end()

    def _end_code(self) -> None:
        lines, self._code = self._code, []
        while lines and not without_signs(lines[-1]).strip():
            lines.pop()
        while lines and not without_signs(lines[0]).strip():
            lines.pop(0)
        if lines:
            self._lists.end()
            code = "\n".join(lines)
            fence = fence_for(code, 3)
            self.out.add(f"{code}\n{fence}", self._code_page, prefix=f"{fence}\n", trim=False)


def _chunk_fragment(data: bytes, name: str) -> Fragment | None:
    """An imported web page (HTML, or MHTML with its pictures) or plain text; None for other formats and what can't be read."""
    # These libraries are seldom needed.
    from ragd.formats.common.decoding import decode
    from ragd.formats.email.body import BodyReader
    from ragd.formats.email.parts import parse_mail
    from ragd.formats.html.fragment import Fragment, html_fragment

    if data.startswith(_OTHER_FORMATS):
        return None
    head = data[:_CHUNK_HEAD].lstrip().lower()
    try:
        if b"\nmime-version:" in b"\n" + head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]:
            return BodyReader(name).read(parse_mail(data, name))
        text = decode(data, name).text
        if head.removeprefix(b"\xef\xbb\xbf").startswith(b"<"):
            return html_fragment(text, lambda _source: None)
        return Fragment(text.strip())
    except ParseFailed:
        return None


def _begins_page(properties: Element | None, *, default: bool) -> bool:
    stated = None if properties is None else properties.find(W + "pageBreakBefore")
    return default if stated is None else stated.get(W + "val") not in ("0", "false", "off")


def _is_joined(properties: Element) -> bool:
    """Whether a paragraph goes on in the next one: its end has been deleted, or it is a large initial of the next."""
    frame = properties.find(W + "framePr")
    initial = frame is not None and frame.get(W + "dropCap") in ("drop", "margin")
    return initial or properties.find(f"{W}rPr/{W}del") is not None
