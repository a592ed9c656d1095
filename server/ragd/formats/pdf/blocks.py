"""Rows to blocks: paragraphs, list items, tables, program text, and pictures among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ragd.core.documents import Picture
from ragd.formats.common.naming import MAX_TITLE_CHARS
from ragd.formats.pdf.layout.aligned import with_tables
from ragd.formats.pdf.layout.columns import Flow, Row, pitch_of
from ragd.formats.pdf.layout.joins import join_lines
from ragd.formats.pdf.layout.paragraphs import INDENT, Column, Draft, break_before, goes_on_in_next_column, pieces_of
from ragd.formats.pdf.page.page import Box, Grid, union
from ragd.formats.pdf.page.text import HYPHEN
from ragd.formats.tables.pipes import pipe_lines

Kind = Literal["text", "item", "table", "code", "picture", "heading", "aside"]
TEXT: Final = ("text", "item")


@dataclass(slots=True)
class Block:
    """A block of the content. Each piece is a line's text (with what joins it to the next) and its place in reading space.

    `tight`: only a line break, no blank line, stands before it. `level` is a heading's, or that of text tagged as one.
    """

    kind: Kind
    pieces: list[tuple[str, Box]]
    size: float = 0.0
    bold: bool = False
    tight: bool = False
    level: int = 0
    title: str = ""
    picture: Picture | None = None

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)

    @property
    def box(self) -> Box:
        return union([box for _, box in self.pieces])


def blocks_of(flows: Iterable[Flow]) -> list[Block]:
    """The blocks of a page in reading order."""
    blocks: list[Block] = []
    draft: Draft | None = None
    for flow in flows:
        column = Column.of(flow.rows)
        lines = {id(line.row): line for line in column.lines}
        begins, goes_on = True, flow.follows
        for part in _grouped(flow.rows):
            if isinstance(part, Block):
                draft = _finished(blocks, draft)
                blocks.append(part)
                goes_on = False
                continue
            line = lines[id(part)]
            breaks: Literal["tight", "loose"] | None = "loose"
            if draft and begins:
                breaks = None if goes_on and goes_on_in_next_column(draft, line, column.left) else "loose"
            elif draft:
                breaks = break_before(draft, line, column)
            if draft and breaks is None:
                draft.first = len(draft.lines) if begins else draft.first
                draft.right = column.right
                draft.lines.append(line)
            else:
                draft = _finished(blocks, draft, Draft([line], line.item, breaks == "tight", column.right))
            begins = False
    _finished(blocks, draft)
    return blocks


def _finished(blocks: list[Block], draft: Draft | None, new: Draft | None = None) -> Draft | None:
    """Adds the block of a paragraph that is complete; the paragraph that begins then is handed back."""
    if draft:
        sizes = sorted(line.size for line in draft.lines)
        block = Block("item" if draft.item else "text", pieces_of(draft), size=sizes[len(sizes) // 2], tight=draft.tight)
        block.bold = all(line.bold for line in draft.lines)
        block.level = draft.lines[0].level
        blocks.append(block)
    return new


def heading_block(pieces: Sequence[tuple[str, Box]], level: int, title: str = "") -> Block:
    """A heading of these lines, of which there is at least one; without a `title`, they are it."""
    text = join_lines(text.strip() for text, _ in pieces)
    size = max(box[3] - box[1] for _, box in pieces)
    joined = [(text, union([box for _, box in pieces]))]
    return Block("heading", joined, size=size, level=level, title=(title or text).replace(HYPHEN, "")[:MAX_TITLE_CHARS])


def nested(blocks: list[Block]) -> list[Block]:
    """The blocks with items of inner lists indented by two blanks for each level."""
    margins: list[float] = []
    above = 0.0
    for block in blocks:
        x0, y0, _, _ = block.pieces[0][1]
        if block.kind != "item" or y0 < above:  # in the next column another list begins
            margins = []
        above = y0
        if block.kind != "item":
            continue
        while margins and x0 < margins[-1] - INDENT * block.size:
            margins.pop()
        if not margins or x0 > margins[-1] + INDENT * block.size:
            margins.append(x0)
        text, box = block.pieces[0]
        block.pieces[0] = ("  " * (len(margins) - 1) + text, box)
    return blocks


def with_pictures(blocks: Sequence[Block], pictures: Iterable[tuple[Picture, Box]]) -> list[Block]:
    """The blocks with each picture after the last one that ends above its middle, of those it stands below or beside."""
    found = list(blocks)
    for picture, box in pictures:
        middle = (box[1] + box[3]) / 2
        beside = [index for index, block in enumerate(found) if block.box[0] < box[2] and block.box[2] > box[0]]
        above = [index for index in beside if found[index].box[3] <= middle]
        at = above[-1] + 1 if above else beside[0] if beside else len(found)
        if at < len(found):
            found[at].tight = False
        found.insert(at, Block("picture", [("", box)], picture=picture))
    return found


def _grouped(rows: Sequence[Row]) -> list[Row | Block]:
    """The rows of a flow, tables and program text already as blocks."""
    found: list[Row | Block] = []
    begin = 0
    fixed = [all(getattr(item, "fixed", False) for item in row.items) for row in rows]
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and fixed[end] == fixed[begin]:
            end += 1
        if fixed[begin] and end - begin > 1:
            found.append(_code(rows[begin:end]))
        else:
            tabled = with_tables(rows[begin:end])
            found += [_table(row.items[0]) if isinstance(row.items[0], Grid) else row for row in tabled]
        begin = end
    return found


def _code(rows: Sequence[Row]) -> Block:
    """Program text in a fence, its indents and gaps in characters as wide as its letters."""
    widths = sorted((item.box[2] - item.box[0]) / len(item.text) for row in rows for item in row.items)
    width = widths[len(widths) // 2] or 1.0
    left = min(row.x0 for row in rows)
    pitch = pitch_of(rows)
    pieces: list[tuple[str, Box]] = [("```\n", rows[0].box)]
    for index, row in enumerate(rows):
        text = ""
        for item in row.items:
            column = round((item.box[0] - left) / width)
            text += " " * max(column - len(text), 1 if text else 0) + item.text.replace(HYPHEN, "-")
        apart = index and pitch and row.y0 - rows[index - 1].y0 > 1.6 * pitch
        pieces.append((("\n" if apart else "") + text + "\n", row.box))
    pieces.append(("```", rows[-1].box))
    return Block("code", pieces, size=rows[0].size)


def _table(grid: Grid) -> Block:
    lines = pipe_lines([cell.replace("|", "\\|") for cell in row] for row in grid.rows)
    breaks = ["\n"] * (len(lines) - 1) + [""]
    pieces = [(line + after, box) for line, after, box in zip(lines, breaks, grid.boxes, strict=True)]
    return Block("table", pieces, size=grid.size)
