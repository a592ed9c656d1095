"""The content of a Word document as it grows, and the pages that it stands on.

Word stores no pages. Its editor leaves a mark where a page ended when it was last saved, and people put in page breaks. Text
carries such places inside as `page_sign`s (of characters that XML doesn't allow, so that no text can hold them) until it is
added to the content, where they become marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ragd.core.documents import Heading, Mark, MergedCell, Place
from ragd.formats.common.builder import ContentBuilder
from ragd.formats.common.naming import MAX_TITLE_CHARS

PAGE_SIGN_EDGES: Final = "\x01\x02"
_SIGN: Final = re.compile("\x01([0-9]+)\x02")
_SIGN_KEPT: Final = re.compile("(\x01[0-9]+\x02)")
_EDGES: Final = " \t\n\u00a0\u3000"
_MAX_HASHES: Final = 6


class Pages:
    """Counts pages along the text. `rendered` says whether the editor has left marks."""

    def __init__(self) -> None:
        self.now = 1
        self.rendered = False
        self._blank = True  # nothing stands on this page yet
        self._broken = False  # a break was put in, and the editor's own mark for it may follow

    def see(self) -> None:
        """Something visible stands here."""
        self._blank = self._broken = False

    def begin(self) -> None:
        """A new page for what must begin one, if it doesn't anyway."""
        if not self._blank:
            self.break_here()

    def break_here(self) -> None:
        self.now += 1
        self._blank = self._broken = True

    def break_rendered(self) -> None:
        self.rendered = True
        if not self._broken:
            self.now += 1
        self._blank, self._broken = True, False

    def sign(self) -> str:
        """What stands in a text where the present page begins."""
        return f"\x01{self.now}\x02"


def without_signs(text: str) -> str:
    return _SIGN.sub("", text)


def trimmed(text: str) -> str:
    """The text without blanks at its ends, also where page signs stand among them."""
    parts = _SIGN_KEPT.split(text)
    first, last = 0, len(parts) - 1
    while first < last and not parts[first].strip(_EDGES):
        first += 2
    while last > first and not parts[last].strip(_EDGES):
        last -= 2
    parts[first] = parts[first].lstrip(_EDGES)
    parts[last] = parts[last].rstrip(_EDGES)
    return "".join([*parts[1:first:2], *parts[first : last + 1], *parts[last + 1 :: 2]])


def _begin(text: str, page: int) -> tuple[int, str]:
    """The page on which a trimmed text really begins, where it carries signs in front, and the text without those."""
    while found := _SIGN.match(text):
        page, text = int(found[1]), text[found.end() :]
    return page, text


class WordContent(ContentBuilder):
    """Collects the Markdown with its marks and headings."""

    def __init__(self) -> None:
        super().__init__()
        self._opening: str | None = None

    def add(self, text: str, page: int, separator: str = "\n\n", *, prefix: str = "", trim: bool = True) -> tuple[int, int]:
        """Append a block that begins on `page`, after `prefix`; where it stands. A blank one adds nothing."""
        page, text = _begin(trimmed(text) if trim else text, page)
        if not without_signs(text).strip():
            return self._length, self._length
        start = self._separate(separator)
        if self._opening is not None:
            self.headings.append(Heading(start, start, 1, self._opening))
            self._opening = None
        parts = _SIGN.split(prefix + text)
        for number, part in zip([str(page), *parts[1::2]], parts[::2], strict=True):
            if part:
                self._mark(Place(page=int(number)))
                self._put(part)
        return start, self._length

    def add_blocks(
        self, text: str, marks: Iterable[Mark], headings: Iterable[Heading] = (), merged: Iterable[MergedCell] = ()
    ) -> None:
        """Append blocks that are put together already; the offsets of marks, headings and merged cells are those of `text`."""
        if not text:
            return
        start = self._separate()
        self.headings += [replace(found, start=start + found.start, end=start + found.end) for found in headings]
        self._merge(start, merged)
        for mark in marks:
            self._mark(Place(page=mark.place.page or 1), start + mark.offset)
        self._put(text)

    def add_row(self, text: str, page: int, separator: str, merged: Iterable[MergedCell]) -> None:
        """Append a table's row, with the cells that are merged in it."""
        start, _ = self.add(text, page, separator)
        self._merge(start, merged)

    def add_heading(self, line: str, title: str, level: int, page: int) -> None:
        """A heading of one line; `title` is what it is called in the section tree."""
        start, end = self.add(without_signs(line), _begin(line, page)[0], prefix="#" * min(level, _MAX_HASHES) + " ")
        self.headings.append(Heading(start, end, level, title[:MAX_TITLE_CHARS]))

    def open_section(self, title: str) -> None:
        """A heading that the document doesn't have and that takes no characters: what follows is no part of the last section."""
        self._opening = title
