"""The headings of a PDF: from its outline, else from its tags, else, where that is clear, by the size of the type.

The title of an outline's entry is looked for on its page as one or several whole lines (a short number or label before it
allowed), then as the beginning of a line. The lines become the heading; where the page does not show the title, a heading is
inserted at the height that the entry points to, or else at the place reached so far.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Final

import pypdfium2.raw as pdfium_c

from ragd.formats.pdf.blocks import TEXT, Block, heading_block
from ragd.formats.pdf.page.page import Frame
from ragd.formats.pdf.page.text import HYPHEN

_MAX_ENTRIES: Final = 5_000
_MAX_LABEL: Final = 12
_MAX_LINES: Final = 4
_BY_OUTLINE: Final = "outline"
_BY_TAGS: Final = "tags"
BY_SIZE: Final = "type_size"
_MAX_HEADING: Final = 120
_LARGER: Final = 1.15
"""A heading's size, in sizes of the running text, from which it is known by its size alone."""
_SAME_SIZE: Final = 1.04
_MOSTLY: Final = 0.7
"""Share of the characters in a size that must stand in short lines of their own for that to be a heading's size."""
_MAX_SHARE: Final = 0.4
"""Share of the document's characters above which what looks like headings is its text."""
_LEVELS: Final = 6
_NO_HEADING: Final = tuple("。．.、,;；，")
_NUMBERED: Final = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s|第[\d一二三四五六七八九十]{1,3}[章条節項編部])\s*\S")


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
    for bookmark in islice(pdf.get_toc(), _MAX_ENTRIES):
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


def _place_headings(blocks: Sequence[Block], entries: Sequence[OutlineEntry]) -> list[Block]:
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


def with_headings(
    pages: Sequence[list[Block]], outline: Mapping[int, Sequence[OutlineEntry]], unsized: Collection[int]
) -> tuple[list[list[Block]], str]:
    """The pages with headings, and where they are from: the outline, else the file's tags, else the size of the type.

    Pages of the indexes `unsized` (read by OCR) have no reliable sizes.
    """
    if outline:
        return [_place_headings(blocks, outline.get(index, ())) for index, blocks in enumerate(pages)], _BY_OUTLINE
    if any(block.level for blocks in pages for block in blocks if block.kind in TEXT):
        return [[_tagged(block) for block in blocks] for blocks in pages], _BY_TAGS
    return _by_size(pages, unsized), BY_SIZE


def _tagged(block: Block) -> Block:
    return heading_block(block.pieces, block.level) if block.level and block.kind in TEXT else block


def _by_size(pages: Sequence[list[Block]], unsized: Collection[int]) -> list[list[Block]]:
    """Pages with short lines in larger type (or numbered and bold) as headings; as they were where that is not clear."""
    sized = [[] if index in unsized else blocks for index, blocks in enumerate(pages)]
    guessed = _guessed(sized)
    return [blocks if index in unsized else found for index, (blocks, found) in enumerate(zip(pages, guessed, strict=True))]


def _guessed(pages: Sequence[list[Block]]) -> list[list[Block]]:
    weights: Counter[float] = Counter()
    for blocks in pages:
        for block in blocks:
            if block.kind in TEXT or block.kind == "table":
                weights[round(block.size * 2) / 2] += len(block.text)
    total = sum(weights.values())
    if not total:
        return list(pages)
    body = max(weights, key=lambda size: weights[size])
    short: Counter[float] = Counter()
    other: Counter[float] = Counter()
    for blocks in pages:
        for block in blocks:
            if block.kind in TEXT and block.size >= _LARGER * body:
                (short if _is_short(block) else other)[round(block.size, 1)] += len(block.text)
    sizes = sorted((size for size in short if short[size] >= _MOSTLY * (short[size] + other[size])), reverse=True)
    if sum(short[size] for size in sizes) > _MAX_SHARE * total:
        sizes = []
    levels: dict[float, int] = {}
    level = 0
    for index, size in enumerate(sizes):
        if index == 0 or sizes[index - 1] > _SAME_SIZE * size:
            level += 1
        levels[size] = min(level, _LEVELS)
    bold = sum(len(block.text) for blocks in pages for block in blocks if block.bold)
    numbered = min(level + 1, _LEVELS) if bold < _MAX_SHARE * total else 0
    return [_with_guessed(blocks, levels, body, numbered) for blocks in pages]


def _with_guessed(blocks: list[Block], levels: dict[float, int], body: float, numbered: int) -> list[Block]:
    found: list[Block] = []
    for block in blocks:
        level = 0
        if block.kind in TEXT and _is_short(block):
            level = levels.get(round(block.size, 1), 0)
            text = block.text
            if not level and numbered and block.bold and not block.tight and block.size >= 0.98 * body and _NUMBERED.match(text):
                level = numbered
        if not level:
            found.append(block)
            continue
        last = found[-1] if found else None
        same = last is not None and last.kind == "heading" and last.level == level and block.tight
        if last is not None and same and len(last.text) + len(block.text) <= _MAX_HEADING:
            found[-1] = heading_block([*last.pieces, *block.pieces], level)
        else:
            found.append(heading_block(block.pieces, level))
    return found


def _is_short(block: Block) -> bool:
    text = block.text
    return (
        len(text) <= _MAX_HEADING
        and len(block.pieces) <= 3
        and not text.startswith("- ")
        and not text.endswith(_NO_HEADING)
        and any(char.isalpha() for char in text)
    )
