"""Names of a chart's series by the colours in its legend, and words that text recognition ran together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Final

from ragd.core.documents import OcrLine
from ragd.vision.charts.marks import Area

_SIGNS: Final = frozenset("Oo0口")
"""Letters that text recognition makes of a patch of colour, beside signs that are none."""
_BREAK: Final = re.compile(r"\s+|(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])")
_MOST_BREAKS: Final = 12
_NEAR: Final = 0.06
"""How far right of its patch of colour a name begins at most."""


def names_of(patches: Sequence[Sequence[Area]], words: Sequence[OcrLine]) -> tuple[str, ...]:
    """The name beside a patch of each colour, in their order; none at all where one of them has none."""
    placed = [next(((one, line) for one in some if (line := _beside(one, words))), None) for some in patches]
    known = [one for one in placed if one is not None]
    if len(known) != len(placed):
        return ()
    found: list[str] = []
    for swatch, line in known:
        inside = sorted(one for one, other in known if other is line and _meets(one, line))
        found.append(_bare(_part(line, inside, inside.index(swatch)) if swatch in inside else line.text))
    return tuple(found) if all(found) and len(set(found)) == len(found) else ()


def _beside(swatch: Area, words: Sequence[OcrLine]) -> OcrLine | None:
    """The words that begin directly behind a patch, or that it stands in."""
    y = (swatch[1] + swatch[3]) / 2
    level = [line for line in words if line.box[1] <= y <= line.box[3] and line.box[2] > swatch[2]]
    line = min(level, key=lambda line: max(0.0, line.box[0] - swatch[2]), default=None)
    return line if line is not None and line.box[0] - swatch[2] <= _NEAR else None


def _bare(text: str) -> str:
    """A name without what was read of the patches of colour beside it."""
    words = [word for word in text.split() if any(letter.isalnum() for letter in word)]
    while len(words) > 1 and words[0] in _SIGNS:
        words.pop(0)
    while len(words) > 1 and words[-1] in _SIGNS:
        words.pop()
    return " ".join(words).lstrip("□■●•▪")


def _meets(swatch: Area, line: OcrLine) -> bool:
    """Whether a patch stands in a line of words, or directly before it."""
    return line.box[0] - 0.03 <= swatch[0] < line.box[2]


def _part(line: OcrLine, swatches: Sequence[Area], index: int) -> str:
    """The part of a line of words behind one of the patches in it, by how wide the parts are."""
    if len(swatches) < 2:
        return line.text
    ends = [*(one[0] for one in swatches[1:]), line.box[2]]
    wide = [end - one[2] for one, end in zip(swatches, ends, strict=True)]
    breaks = [(found.start(), found.end()) for found in _BREAK.finditer(line.text)][:_MOST_BREAKS]
    best, least = "", float("inf")
    for chosen in combinations(breaks, len(swatches) - 1):
        cuts = [(0, 0), *chosen, (len(line.text), len(line.text))]
        parts = [line.text[start[1] : end[0]] for start, end in pairwise(cuts)]
        lengths = [len(_bare(part)) for part in parts]
        if min(lengths) == 0:
            continue
        off = sum(abs(length / sum(lengths) - width / sum(wide)) for length, width in zip(lengths, wide, strict=True))
        if off < least:
            best, least = parts[index], off
    return best


def apart(line: OcrLine) -> list[OcrLine]:
    """The words of a line, each with its place by the letters before it."""
    left, top, right, bottom = line.box
    step = (right - left) / max(1, len(line.text))
    return [
        replace(line, text=found[0], box=(left + step * found.start(), top, left + step * found.end(), bottom))
        for found in re.finditer(r"\S+", line.text)
    ]


def parted(labels: Sequence[OcrLine], area: Area) -> list[OcrLine]:
    """The names below an axis, where text recognition ran most of them together as one line."""
    found: list[OcrLine] = []
    for line in labels:
        is_long = line.box[2] - line.box[0] > 0.5 * (area[2] - area[0]) and len(line.text.split()) >= 3
        found += apart(line) if is_long else [line]
    return found
