"""The outline of a PDF: its entries as headings where they stand in the text.

An entry's title is looked for on its page as one or several whole lines (a short number or label before it allowed), then as the
beginning of a line. The lines become the heading; where the page does not show the title, a heading is inserted at the height
that the entry points to, or else at the place reached so far.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Final

import pypdfium2.raw as pdfium_c

from ragd.formats.pdf.blocks import TEXT, Block, heading_block
from ragd.formats.pdf.page.page import Frame
from ragd.formats.pdf.page.text import HYPHEN

MAX_ENTRIES: Final = 5_000
_MAX_LABEL: Final = 12
_MAX_LINES: Final = 4


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of the outline; `level` counts from 1. `y` is the height on the page, in reading space, that it points to."""

    level: int
    title: str
    y: float | None = None


def read_outline(pdf: Any, frames: Sequence[Frame], warnings: list[str]) -> dict[int, list[OutlineEntry]]:
    """The entries by the index of their page. Those that lead back tear the section tree: they are left out, with a warning."""
    entries: dict[int, list[OutlineEntry]] = defaultdict(list)
    unplaced = last = 0
    for bookmark in islice(pdf.get_toc(), MAX_ENTRIES):
        try:
            title = " ".join(bookmark.get_title().split())
        except UnicodeDecodeError:
            title = ""
        destination = bookmark.get_dest()
        index = destination.get_index() if destination else None
        if title and index is not None and last <= index < len(frames):
            entries[index].append(OutlineEntry(bookmark.level + 1, title, _height(destination.raw, frames[index])))
            last = index
        else:
            unplaced += 1
    if unplaced:
        warnings.append(f"{unplaced} outline entries name no page in order and were left out")
    return entries


def place_headings(blocks: Sequence[Block], entries: Sequence[OutlineEntry]) -> list[Block]:
    """The blocks of a page with a heading for each entry, in order."""
    found = list(blocks)
    done = 0
    plain = cache(_plain)
    for entry in entries:
        lines = [
            (index, piece, plain(text))
            for index, block in enumerate(found[done:], done)
            if block.kind in TEXT
            for piece, (text, _) in enumerate(block.pieces)
        ]
        title = _plain(entry.title)
        match = _whole(lines, title, found, entry.y)
        if match is None:
            start = next((line for line in lines if title and title in line[2][: len(title) + _MAX_LABEL]), None)
            at = (start[0], start[1]) if start else (_at_height(found, done, entry.y), 0)
            found, done = _inserted(found, at, entry)
        else:
            found, done = _replaced(found, match, entry)
    return found


def _height(destination: Any, frame: Frame) -> float | None:
    if frame.turns or frame.reads != "right":
        return None
    flags = [pdfium_c.FPDF_BOOL() for _ in range(3)]
    values = [pdfium_c.FS_FLOAT() for _ in range(3)]
    if not pdfium_c.FPDFDest_GetLocationInPage(destination, *flags, *values) or not flags[1].value:
        return None
    return float(frame.top - values[1].value)


def _whole(
    lines: Sequence[tuple[int, int, str]], title: str, blocks: Sequence[Block], y: float | None
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """First and last line of those that say the title and nothing else; of several, the nearest to `y`, else the first."""
    best: tuple[float, tuple[tuple[int, int], tuple[int, int]]] | None = None
    for begin in range(len(lines) if title else 0):
        text = ""
        for end in range(begin, min(begin + _MAX_LINES, len(lines))):
            text += lines[end][2]
            if len(text) > len(title) + _MAX_LABEL:
                break
            if text.endswith(title) and len(text) - len(title) < len(lines[begin][2]):  # the title begins in the first of them
                top = blocks[lines[begin][0]].pieces[lines[begin][1]][1][1]
                away = abs(top - y) if y is not None else 0.0
                if best is None or away < best[0]:
                    best = (away, (lines[begin][:2], lines[end][:2]))
                break
        if best and y is None:
            break
    return best[1] if best else None


def _replaced(
    blocks: list[Block], match: tuple[tuple[int, int], tuple[int, int]], entry: OutlineEntry
) -> tuple[list[Block], int]:
    (first, piece), (last, last_piece) = match
    pieces = [
        line
        for index in range(first, last + 1)
        for number, line in enumerate(blocks[index].pieces)
        if (index, number) >= (first, piece) and (index, number) <= (last, last_piece) and blocks[index].kind in TEXT
    ]
    before = [*blocks[:first], *_part(blocks[first], 0, piece)]
    after = [*_part(blocks[last], last_piece + 1, None), *blocks[last + 1 :]]
    if after:
        after[0].tight = False
    return [*before, heading_block(pieces, entry.level, entry.title), *after], len(before) + 1


def _inserted(blocks: list[Block], at: tuple[int, int], entry: OutlineEntry) -> tuple[list[Block], int]:
    index, piece = at
    if index >= len(blocks):
        before, after = blocks, []
        box = blocks[-1].box if blocks else (0.0, 0.0, 0.0, 0.0)
        box = (box[0], box[3], box[2], box[3])
    else:
        block = blocks[index]
        before = [*blocks[:index], *_part(block, 0, piece)]
        after = [*_part(block, piece, None), *blocks[index + 1 :]]
        after[0].tight = False
        box = block.pieces[piece][1]
    return [*before, heading_block([(entry.title, box)], entry.level, entry.title), *after], len(before) + 1


def _part(block: Block, start: int, end: int | None) -> list[Block]:
    pieces = block.pieces[start:end]
    if not pieces:
        return []
    if end is not None:
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    tight = block.tight and start == 0
    return [Block(block.kind if start == 0 else "text", pieces, block.size, block.bold, tight)]


def _at_height(blocks: Sequence[Block], done: int, y: float | None) -> int:
    if y is None:
        return done
    for index in range(done, len(blocks)):
        if blocks[index].pieces and blocks[index].pieces[0][1][3] > y:
            return index
    return len(blocks)


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().replace(HYPHEN, "").split())
