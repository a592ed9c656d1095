"""Lines to paragraphs and list items.

A line goes on the paragraph above it unless something says otherwise: a wider step down, another size, a bullet, an indent, or a
line above that ends early although the next word had room. Lines too short for running text (addresses, labels) stay lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ragd.formats.pdf.layout.columns import BULLET, Row, pitch_of
from ragd.formats.pdf.layout.joins import joint, row_text
from ragd.formats.pdf.page.page import Box, Grid
from ragd.formats.pdf.page.text import HYPHEN, SOFT_HYPHEN, is_cjk
from ragd.language.scripts import SIGNS_AND_KANA, UNIFIED_HAN

_WIDER_STEP: Final = 1.35
_FREE_STEP: Final = 2.0
_SIZE_RATIO: Final = 1.08
INDENT: Final = 0.8
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
class Line:
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
class Draft:
    """A paragraph that grows line by line. `right` is the right edge of its last line's flow, `first` its first line there."""

    lines: list[Line]
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
class Column:
    """The lines that are read downward in one flow, where they begin and end, and the usual step from one to the next."""

    lines: Sequence[Line]
    left: float
    right: float
    pitch: float

    @staticmethod
    def of(rows: Sequence[Row]) -> Column:
        """Of the rows of a flow that are no tables."""
        lines = [_line(row, index) for index, row in enumerate(row for row in rows if not isinstance(row.items[0], Grid))]
        left = min((line.row.x0 for line in lines), default=0.0)
        return Column(lines, left, _right_edge(lines), pitch_of([line.row for line in lines]))


def break_before(draft: Draft, line: Line, column: Column) -> Literal["tight", "loose"] | None:
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
    if line.row.x0 > margin + INDENT * size and (len(draft.lines) > 1 or ends_early):
        return "loose"
    if line.row.x0 < margin - (INDENT if len(draft.lines) > 1 else 4) * size:
        return "loose"
    return broken if ends_early else None


def _ends_early(last: Line, line: Line, column: Column) -> bool:
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


def _first_width(line: Line) -> float:
    first = line.row.items[0]
    x0, _, x1, _ = first.box
    text = first.text
    if is_cjk(text[0]):
        return 2 * line.size
    word = _WORD_END.split(text, maxsplit=1)[0]
    return (x1 - x0) * len(word) / len(text)


def goes_on_in_next_column(draft: Draft, line: Line, left: float) -> bool:
    """Whether a paragraph at the foot of one column goes on with the first line of the next, which begins at `left`."""
    last = draft.lines[-1]
    if line.item or line.level != last.level or max(line.size, last.size) > _SIZE_RATIO * min(line.size, last.size):
        return False
    if last.text.endswith((HYPHEN, SOFT_HYPHEN)):
        return True
    full = draft.right - last.row.x1 <= _first_width(line) + _ROOM * line.size
    indented = line.row.x0 > left + INDENT * line.size and not draft.item
    return full and not indented and not last.text.endswith(_ENDS[:-4])


def pieces_of(draft: Draft) -> list[tuple[str, Box]]:
    """The lines of a paragraph, each with what joins it to the next, and their places."""
    texts = [line.text for line in draft.lines]
    if draft.item:
        texts[0] = _BULLET.sub("- ", texts[0])
    pieces: list[tuple[str, Box]] = []
    for index, line in enumerate(draft.lines):
        text, between = joint(texts[index], texts[index + 1]) if index + 1 < len(texts) else (texts[index], "")
        pieces.append((text + between, line.row.box))
    return pieces


def _line(row: Row, index: int) -> Line:
    longest = max(row.items, key=lambda item: len(item.text))
    text = row_text(row.items)
    bold = all(getattr(item, "bold", False) for item in row.items)
    item = bool(_BULLET.match(text) or _NUMBER.match(text))
    level = min(getattr(item, "level", 0) for item in row.items)
    return Line(text, row, index, longest.size, bold, level, item)


def _right_edge(lines: Sequence[Line]) -> float:
    """Where the lines of a flow end at most, but for a single one that hangs over."""
    ends = sorted((line.row.x1 for line in lines), reverse=True)
    if len(ends) > 3 and ends[0] - ends[1] > 1.2 * lines[0].size:
        return ends[1]
    return ends[0] if ends else 0.0
