"""Rows to blocks: paragraphs and list items, tables, and program text.

A line goes on the paragraph above it unless something says otherwise: a wider step down, another size, a bullet, an indent, or a
line above that ends early although the next word had room. Lines too short for running text (addresses, labels) stay lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ragd.formats.pdf.blocks import Block
from ragd.formats.pdf.layout.aligned import with_tables
from ragd.formats.pdf.layout.columns import BULLET, Flow, Row, pitch_of
from ragd.formats.pdf.layout.joins import joint, row_text
from ragd.formats.pdf.page.page import Box, Grid
from ragd.formats.pdf.page.text import HYPHEN, SOFT_HYPHEN, is_cjk
from ragd.formats.tables.pipes import pipe_lines
from ragd.language.scripts import SIGNS_AND_KANA, UNIFIED_HAN

_WIDER_STEP: Final = 1.35
_FREE_STEP: Final = 2.0
_SIZE_RATIO: Final = 1.08
_INDENT: Final = 0.8
"""Shift to the right, in sizes of the text, from which a line is indented."""
_NARROW: Final = 12.0
"""Width of a flow, in sizes of its text, below which its lines are taken for labels, not for running text."""
_ROOM: Final = 0.6
_NEIGHBOURS: Final = 3
_BULLET: Final = re.compile("^(?:[•●○■□◆◇▪▫‣⁃∙·・➢➤✓✔►▶\uf0a7\uf0b7\uf0d8\uf0fc]|[–—*-](?= ))[ ]*(?=\\S)")
_NUMBER: Final = re.compile(  # "1.", "(1)", "①", "a)", "1.2 ", "第3章"
    r"^(?:\d{1,3}[.)．](?=\D)|[（(]\d{1,3}[)）]|[①-⑳]|\(?[a-z][.)] |(?:\d{1,3}\.)+\d{0,3} "
    r"|第[\d一二三四五六七八九十百]{1,4}[章条節項編部])\s*(?=\S)"
)
_WORD_END: Final = re.compile(f"[ {SIGNS_AND_KANA}{UNIFIED_HAN}]")
_CONTENTS: Final = re.compile(r"\.\.\. \S{1,6}$")
_ENDS: Final = tuple(".!?:;。！？：；．」』)）")


@dataclass(slots=True)
class _Line:
    """A line of text; `index` is its number in its column, `item` says that it begins as an item of a list does."""

    text: str
    row: Row
    index: int
    size: float
    bold: bool
    level: int
    item: bool

    @property
    def text_x0(self) -> float:
        """Where the text begins, after a bullet that stands alone."""
        lone = len(self.row.items) > 1 and BULLET.match(self.row.items[0].text)
        return self.row.items[1].box[0] if lone else self.row.x0


@dataclass(slots=True)
class _Draft:
    """A paragraph that grows line by line. `right` is the right edge of its last line's flow, `first` its first line there."""

    lines: list[_Line]
    item: bool
    tight: bool
    right: float
    first: int = 0

    @property
    def margin(self) -> float:
        """Where its lines begin in this flow, but for an indented first one."""
        here = self.lines[self.first :]
        return min((line.row.x0 for line in (here if self.first else here[1:])), default=here[0].row.x0)


@dataclass(frozen=True, slots=True)
class _Column:
    """The lines that are read downward in one flow, where they begin and end, and the usual step from one to the next."""

    lines: Sequence[_Line]
    left: float
    right: float
    pitch: float

    @staticmethod
    def of(rows: Sequence[Row]) -> _Column:
        """Of the rows of a flow that are no tables."""
        lines = [_line(row, index) for index, row in enumerate(row for row in rows if not isinstance(row.items[0], Grid))]
        left = min((line.row.x0 for line in lines), default=0.0)
        return _Column(lines, left, _right_edge(lines), pitch_of([line.row for line in lines]))


def blocks_of(flows: Iterable[Flow]) -> list[Block]:
    """The blocks of a page in reading order."""
    blocks: list[Block] = []
    draft: _Draft | None = None
    for flow in flows:
        column = _Column.of(flow.rows)
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
                breaks = None if goes_on and _goes_on_in_next_column(draft, line, column.left) else "loose"
            elif draft:
                breaks = _break_before(draft, line, column)
            if draft and breaks is None:
                draft.first = len(draft.lines) if begins else draft.first
                draft.right = column.right
                draft.lines.append(line)
            else:
                draft = _finished(blocks, draft, _Draft([line], line.item, breaks == "tight", column.right))
            begins = False
    _finished(blocks, draft)
    return blocks


def _finished(blocks: list[Block], draft: _Draft | None, new: _Draft | None = None) -> _Draft | None:
    """Adds the block of a paragraph that is complete; the paragraph that begins then is handed back."""
    if draft:
        sizes = sorted(line.size for line in draft.lines)
        block = Block("item" if draft.item else "text", _pieces_of(draft), size=sizes[len(sizes) // 2], tight=draft.tight)
        block.bold = all(line.bold for line in draft.lines)
        block.level = draft.lines[0].level
        blocks.append(block)
    return new


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
        while margins and x0 < margins[-1] - _INDENT * block.size:
            margins.pop()
        if not margins or x0 > margins[-1] + _INDENT * block.size:
            margins.append(x0)
        text, box = block.pieces[0]
        block.pieces[0] = ("  " * (len(margins) - 1) + text, box)
    return blocks


def _break_before(draft: _Draft, line: _Line, column: _Column) -> Literal["tight", "loose"] | None:
    """Whether a new block begins with `line`, and whether a blank line stands before it."""
    last, left, right, pitch = draft.lines[-1], column.left, column.right, column.pitch
    size = max(line.size, last.size)
    step = (line.row.y0 + line.row.y1 - last.row.y0 - last.row.y1) / 2
    if size > _SIZE_RATIO * min(line.size, last.size) or line.level != last.level:
        return "loose"
    if step > max(_WIDER_STEP * pitch, 1.2 * size) if pitch else step > _FREE_STEP * size:
        return "loose"
    if line.item:
        return "tight"
    if last.text.endswith((HYPHEN, SOFT_HYPHEN)):
        return None
    if _CONTENTS.search(last.text):
        return "tight"
    if right - left < _NARROW * size and not draft.item:
        return "tight"
    ends_early = _ends_early(last, line, column)
    broken: Literal["tight", "loose"] = "loose" if len(draft.lines) > 1 else "tight"
    if draft.item:
        outside = not draft.first and abs(line.row.x0 - draft.lines[0].text_x0) > 0.5 * size
        return ("loose" if outside or last.text.endswith(_ENDS) else "tight") if ends_early else None
    margin = draft.margin
    if line.row.x0 > margin + _INDENT * size and (len(draft.lines) > 1 or ends_early):
        return "loose"
    if line.row.x0 < margin - (_INDENT if len(draft.lines) > 1 else 4) * size:
        return "loose"
    return broken if ends_early else None


def _ends_early(last: _Line, line: _Line, column: _Column) -> bool:
    """Whether the first word of `line` had room at the end of the line above."""
    left, right = column.left, column.right
    room = right - last.row.x1
    if room <= _first_width(line) + _ROOM * line.size:
        return False
    running = last.row.x1 - last.row.x0 > min(_NARROW * line.size, 0.6 * (right - left))
    if running and line.text[:1].islower() and not last.text.endswith(_ENDS):
        return False
    # Text that flows around a picture ends early, line for line at the same place.
    near = column.lines[max(0, last.index - _NEIGHBOURS) : last.index + _NEIGHBOURS + 1]
    level = sum(abs(other.row.x1 - last.row.x1) <= line.size for other in near)
    return level < _NEIGHBOURS


def _first_width(line: _Line) -> float:
    first = line.row.items[0]
    x0, _, x1, _ = first.box
    text = first.text
    if is_cjk(text[0]):
        return 2 * line.size
    word = _WORD_END.split(text, maxsplit=1)[0]
    return (x1 - x0) * len(word) / len(text)


def _goes_on_in_next_column(draft: _Draft, line: _Line, left: float) -> bool:
    """Whether a paragraph at the foot of one column goes on with the first line of the next, which begins at `left`."""
    last = draft.lines[-1]
    if line.item or line.level != last.level or max(line.size, last.size) > _SIZE_RATIO * min(line.size, last.size):
        return False
    if last.text.endswith((HYPHEN, SOFT_HYPHEN)):
        return True
    full = draft.right - last.row.x1 <= _first_width(line) + _ROOM * line.size
    indented = line.row.x0 > left + _INDENT * line.size and not draft.item
    return full and not indented and not last.text.endswith(_ENDS[:-4])


def _pieces_of(draft: _Draft) -> list[tuple[str, Box]]:
    """The lines of a paragraph, each with what joins it to the next, and their places."""
    texts = [line.text for line in draft.lines]
    if draft.item:
        texts[0] = _BULLET.sub("- ", texts[0])
    pieces: list[tuple[str, Box]] = []
    for index, line in enumerate(draft.lines):
        text, between = joint(texts[index], texts[index + 1]) if index + 1 < len(texts) else (texts[index], "")
        pieces.append((text + between, line.row.box))
    return pieces


def _line(row: Row, index: int) -> _Line:
    longest = max(row.items, key=lambda item: len(item.text))
    text = row_text(row.items)
    bold = all(getattr(item, "bold", False) for item in row.items)
    item = bool(_BULLET.match(text) or _NUMBER.match(text))
    level = min(getattr(item, "level", 0) for item in row.items)
    return _Line(text, row, index, longest.size, bold, level, item)


def _right_edge(lines: Sequence[_Line]) -> float:
    """Where the lines of a flow end at most, but for a single one that hangs over."""
    ends = sorted((line.row.x1 for line in lines), reverse=True)
    if len(ends) > 3 and ends[0] - ends[1] > 1.2 * lines[0].size:
        return ends[1]
    return ends[0] if ends else 0.0


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
