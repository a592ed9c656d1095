"""The headings of a PDF: from its outline, else from its tags, else, where that is clear, by the size of the type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ragd.formats.pdf.blocks import TEXT, Block, heading_block
from ragd.formats.pdf.outline import OutlineEntry, place_headings

_BY_OUTLINE: Final = "outline"
_BY_TAGS: Final = "tags"
BY_SIZE: Final = "type_size"

_MAX_HEADING: Final = 120
_LARGER: Final = 1.15
"""A heading's size, in sizes of the running text, from which it is told by its size alone."""
_SAME_SIZE: Final = 1.04
_MOSTLY: Final = 0.7
"""Share of the characters in a size that must stand in short lines of their own for that to be a heading's size."""
_MAX_SHARE: Final = 0.4
"""Share of the document's characters above which what looks like headings is its text."""
_LEVELS: Final = 6
_NO_HEADING: Final = tuple("。．.、,;；，")
_NUMBERED: Final = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s|第[\d一二三四五六七八九十]{1,3}[章条節項編部])\s*\S")


def with_headings(
    pages: Sequence[list[Block]], outline: Mapping[int, Sequence[OutlineEntry]], unsized: Collection[int]
) -> tuple[list[list[Block]], str]:
    """The pages with headings, and where they are from: the outline, else the file's tags, else the size of the type.

    Pages of the indexes `unsized` (read by OCR) have no reliable sizes.
    """
    if outline:
        return [place_headings(blocks, outline.get(index, ())) for index, blocks in enumerate(pages)], _BY_OUTLINE
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
