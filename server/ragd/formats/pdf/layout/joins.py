"""How pieces of text become one: items of a row, and lines of a paragraph, with the hyphens at the ends of lines.

Whether a hyphen at the end of a line divides a word or belongs to it is decided by the document itself: by which of the two forms
stands somewhere else in it. Where neither does, a few words that make compounds (self-, -based) keep it, and all others lose it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from typing import Final

from ragd.formats.pdf.page.page import Item
from ragd.formats.pdf.page.text import HYPHEN, SOFT_HYPHEN, is_cjk

_APART: Final = 1.5
"""Gap, in sizes of the text, from which two items of a row are kept apart by two blanks."""
_TOUCHING: Final = 0.12
_CJK_TOUCHING: Final = 0.4

_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD: Final = re.compile(r"(?:(?<=-)|(?<![^\W\d_]))[^\W\d_]{1,40}$")
_FIRST_WORD: Final = re.compile(r"^[^\W\d_]+")
_SPLIT_NAME: Final = re.compile(r"[^\s_/][_/]$")
"""The end of a line that breaks an identifier, a path or an address."""
_LEADERS: Final = re.compile(r"(?:[.·…・‥]\s?){5,}")
_FIRST_PARTS: Final = frozenset(
    "all cross half high ill long low mid multi near non one post real self semi short two well".split()
)
_LAST_PARTS: Final = frozenset(
    "aware based bit by driven end free friendly granted hand independent in level like line known minded off only oriented out"
    " over party point purpose ready related safe scale side sized specific term time tolerant to up user way wide".split()
)


def row_text(items: Sequence[Item]) -> str:
    """The items of one row as a line of text."""
    parts: list[str] = []
    for index, item in enumerate(items):
        if index:
            before = items[index - 1]
            gap = item.box[0] - before.box[2]
            size = min(before.size, item.size)
            spaced = getattr(item, "spaced", True)
            beside = is_cjk(before.text[-1]) + is_cjk(item.text[0])
            if gap > _APART * size:
                parts.append("  ")
            elif gap > (_CJK_TOUCHING if beside else _TOUCHING) * size or (spaced and beside < 2):
                parts.append(" ")
        parts.append(item.text)
    text = "".join(parts)
    return _LEADERS.sub("... ", text) if _LEADERS.search(text) else text


def joint(before: str, after: str) -> tuple[str, str]:
    """A line that the next one follows in its paragraph: what of it stays, and what stands between the two.

    The line keeps the mark `HYPHEN` at its end where a lexicon has to decide.
    """
    if before.endswith(SOFT_HYPHEN):
        return before[:-1], ""
    if before.endswith((HYPHEN, "-", "\u2010")) and len(before) > 1 and after:
        if before[-2].isalpha() and after[0].islower():
            return before[:-1] + HYPHEN, ""
        if before[-2].isalnum() and after[0].isalnum():
            return before[:-1] + "-", ""
    if before and after and (is_cjk(before[-1]) or is_cjk(after[0]) or _SPLIT_NAME.search(before)):
        return before, ""
    return before, " "


def join_lines(lines: Iterable[str]) -> str:
    """Lines of one cell or heading as one text; hyphens that are to be decided are marked."""
    text = ""
    for line in lines:
        if text:
            text, between = joint(text, line)
            text += between
        text += line
    return text


class Lexicon:
    """Decides about the hyphens of one document. Feed it every line, then ask."""

    def __init__(self, texts: Sequence[str]) -> None:
        wanted: set[str] = set()
        for before, after in zip_longest(texts, texts[1:], fillvalue=""):
            if HYPHEN in before:
                parts = before.split(HYPHEN)
                for left, right in pairwise([*parts[:-1], parts[-1] or after]):
                    first, last = _LAST_WORD.search(left), _FIRST_WORD.search(right)
                    if first and last:
                        wanted |= {(first[0] + last[0]).lower(), f"{first[0]}-{last[0]}".lower()}
        self._known = {word for text in texts for word in _WORD.findall(text.lower()) if word in wanted} if wanted else set()

    def between(self, before: str, after: str) -> str:
        """A hyphen or nothing: what belongs between the end of a line (its mark cut off) and the beginning of the next."""
        first, last = _LAST_WORD.search(before), _FIRST_WORD.search(after)
        if not first or not last:
            return "-" if before[-1:].isalnum() and after[:1].isalnum() else ""
        left, right = first[0].lower(), last[0].lower()
        if f"{left}-{right}" in self._known or not last[0][0].islower():
            return "-"
        if left + right in self._known:
            return ""
        compound = left in _FIRST_PARTS or right in _LAST_PARTS or before[: first.start()].endswith("-")
        return "-" if compound else ""

    def resolved(self, text: str) -> str:
        """A text without marks."""
        if HYPHEN not in text:
            return text
        parts = text.split(HYPHEN)
        done = parts[0]
        for part in parts[1:]:
            done += (self.between(done, part) if part else "-") + part
        return done
