"""Where a text may be cut: paragraph, line, sentence and clause ends, blanks; whole blocks; and never inside a grapheme.

Each level is one pattern that is searched for only inside the window of a cut, so that the work is linear in the text; it starts
once in a run of marks, or long runs would cost their square.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

_CLOSING: Final = r"[」』）】〉》”’)\]\"']*"
PARAGRAPH: Final = re.compile(r"\n[ \t\u3000]*\n\s*")
LINE: Final = re.compile(r"\n\s*")
SENTENCE: Final = re.compile(rf"[。！？．｡]+{_CLOSING}\s*|(?<![.!?])[.!?]++{_CLOSING}+\s+")
_CLAUSE: Final = re.compile(r"[、，；：､]+|[,;:]\s+")
BLANK: Final = re.compile(r"\s+")
LEVELS: Final = (PARAGRAPH, LINE, SENTENCE, _CLAUSE, BLANK)
OVERLAP_LEVELS: Final = (re.compile(f"{LINE.pattern}|{SENTENCE.pattern}"), _CLAUSE, BLANK)

_FENCE: Final = re.compile(r"^[ \t]{0,12}(`{3,}|~{3,})([^\n]*)(?:\n|\Z)", re.MULTILINE)
# A head row, the row of dashes below it, and every row that follows.
_TABLE: Final = re.compile(r"^\|[^\n]*\n\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\n\|[^\n]*)*\n?", re.MULTILINE)
# A match may reach past the window; so much of what follows is shown to the pattern, the match must still end inside.
_LOOK_AHEAD: Final = 8
_LONGEST_GRAPHEME: Final = 32
_ZERO_WIDTH_JOINER: Final = "\u200d"


def ends(level: re.Pattern[str], text: str, low: int, high: int) -> Iterator[int]:
    """Ends of the level's matches in `(low, high]`, in order: the characters before which the text may be cut."""
    for match in level.finditer(text, max(0, low - _LOOK_AHEAD), min(len(text), high + _LOOK_AHEAD)):
        if low < match.end() <= high:
            yield match.end()


def fenced_blocks(text: str) -> list[tuple[int, int]]:
    """Character ranges of Markdown's fenced code blocks, fences included, in order. An unclosed one runs to the end."""
    if "```" not in text and "~~~" not in text:
        return []
    blocks: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(text):
        fence, info = match[1], match[2]
        if opened is None:
            if "`" not in info:
                opened = (match.start(), fence)
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]) and not info.strip():
            blocks.append((opened[0], match.end()))
            opened = None
    return [*blocks, (opened[0], len(text))] if opened else blocks


def whole_blocks(text: str) -> list[tuple[int, int]]:
    """Character ranges that should stay whole, in order and apart: fenced blocks, and Markdown tables outside of them.

    Loaders write a long table in parts that begin with its head; cut elsewhere, rows would stand without it.
    """
    fences = fenced_blocks(text)
    if "\n|" not in text:
        return fences
    inside = Unbreakable(fences)
    tables = [found.span() for found in _TABLE.finditer(text) if not inside.around(found.start() + 1)]
    return sorted([*fences, *tables])


class Unbreakable:
    """Ranges of a text, in order and apart, inside which it should not be cut."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._ranges = ranges
        self._starts = [start for start, _ in ranges]

    def around(self, position: int) -> tuple[int, int] | None:
        """The range that has `position` inside, its ends excluded."""
        index = bisect_right(self._starts, position) - 1
        if index >= 0 and self._ranges[index][0] < position < self._ranges[index][1]:
            return self._ranges[index]
        return None

    def edges(self, low: int, high: int) -> Iterator[int]:
        """Starts and ends of ranges in `(low, high]`."""
        for index in range(max(0, bisect_right(self._starts, low) - 1), bisect_right(self._starts, high)):
            start, end = self._ranges[index]
            yield from (edge for edge in (start, end) if low < edge <= high)


def grapheme_start(text: str, position: int, low: int) -> int:
    """The nearest place at or before `position`, after `low`, that isn't inside a grapheme; `position` if there is none near."""
    for candidate in range(position, max(low, position - _LONGEST_GRAPHEME), -1):
        if candidate == len(text) or not _joins(text[candidate - 1], text[candidate]):
            return candidate
    return position


def _joins(before: str, char: str) -> bool:
    return (
        _ZERO_WIDTH_JOINER in (before, char)
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or ("\U0001f1e6" <= char <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")  # the two halves of a flag
        or "\u1160" <= char <= "\u11ff"  # vowels and finals of decomposed Hangul
    )
