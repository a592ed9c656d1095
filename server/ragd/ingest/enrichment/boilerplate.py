"""Page headers, footers and page numbers by their repetition over the pages of a document.

Only the outer three lines of a page are looked at, and only two kinds of evidence count:

- A number that follows the pages: `12`, `- 12 -`, `Page 12 of 80`, `Operations manual 12`, on at least three pages and on most of
  those between the first and the last of them. What stands beside it must be the title or a heading of the document; at the
  bottom, or on four fifths of all pages, anything that repeats, unless it makes the number that of a step or a chapter.
- The same line on most pages (or most of the odd or the even ones), if it is at the bottom, is the title or a stamp
  ("Confidential", 社外秘), stands above headings, or outside of such a line. Any other line at the top may be the header row of
  a table that goes on over the pages.

Of a text that is neither the title nor a heading the first one stays, so that nothing is lost from the search.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from ragd.core.documents import Document
from ragd.formats.common.naming import FROM_FILE_NAME, TITLE_SOURCE
from ragd.formats.common.text import roman

_DEPTH: Final = 3
"""Lines from the top and from the bottom of a page that may be boilerplate."""
_MAX_LINE: Final = 160
_MIN_PAGES: Final = 3
_MOST: Final = 0.6
_NEARLY_ALL: Final = 0.8
_MIN_UNKNOWN: Final = 5
_MIN_PART_OF_TITLE: Final = 8
"""Characters beside a page number that name nothing known; characters that title and header share."""
_MIN_ABOVE_HEADINGS: Final = 2

_NUMBER: Final = r"(?P<number>\d{1,4}|[ivxlc]{1,7})"
_OF: Final = r"(?:\s?(?:/|of)\s?\d{1,4})?"
_PAGE: Final = r"(?:page|p\.|pg\.|ページ|頁)"
_SEPARATORS: Final = " -–—―~|:・·.<>[]()"
_EDGE: Final = rf"[{re.escape(_SEPARATORS)}]*+"
_ALONE: Final = re.compile(rf"{_EDGE}{_PAGE}?\s?{_NUMBER}{_OF}\s?{_PAGE}?{_EDGE}")
_AT_END: Final = re.compile(rf"(?P<rest>.*?\S)\s?{_PAGE}?\s?(?<![\d./,:-])(?P<number>\d{{1,4}}){_OF}\s?{_PAGE}?{_EDGE}")
_AT_START: Final = re.compile(rf"{_EDGE}{_PAGE}?\s?(?P<number>\d{{1,4}}){_OF}\s?{_PAGE}?(?=[\s|–—―-])(?P<rest>.+)")

_STAMP: Final = re.compile(
    r"\b(?:confidential|internal use|internal only|proprietary|draft|do not (?:distribute|copy)|not for distribution"
    r"|copyright|all rights reserved)\b|©|\(c\)|社外秘|部外秘|関係者外秘|極秘|機密|取扱注意|禁転載|無断転載|無断複製"
    r"|(?:転載|複製|複写)禁止"
)
_MAX_STAMP: Final = 80
_STRUCTURE: Final = ("|", "![", "#", ">", "```", "~~~")
_LABEL: Final = re.compile(
    r"(?:\b(?:step|part|chapter|section|lesson|exercise|question|answer|figure|fig|table|appendix|annex|day|week|month|phase"
    r"|stage|level|slide|task|case|example|item|no|number|scenario|module|unit|problem|test|round|session|topic|rule|tip|volume"
    r"|vol|version|exhibit|option|act|scene|q)|第|手順|問|例|図|表|章|節|項|部|回|課題|問題|演習|事例|ケース|ステップ|付録|別紙"
    r"|様式|資料|その)$"
)
_HEADING_NUMBER: Final = re.compile(
    r"^(?:(?:chapter|section|part|appendix|annex)\s)?(?:\d+(?:\.\d+)*|[a-z])[.:)]*\s|^第\s?\d+\s?[章節部編]\s?"
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line near the edge of a page: `[start, end)` with its newline; `depth` 0 is the outermost. `text` is folded.

    `above_heading`: the next line is a heading.
    """

    page: int
    bottom: bool
    depth: int
    start: int
    end: int
    text: str
    above_heading: bool


def page_boilerplate(document: Document) -> list[tuple[int, int]]:
    """Ranges of whole lines, in no order. None for a document without pages or slides."""
    lines, pages = _edge_lines(document)
    if len(pages) < 2:
        return []
    names = _Names(document)
    numbered = list(_numbered(lines, pages, names))
    repeated = _repeated(lines, pages, names, {line for line, _ in numbered})
    return [(line.start, line.end) for line in _later([*numbered, *((line, line.text) for line in repeated)])]


def _later(lines: Sequence[tuple[_Line, str]]) -> list[_Line]:
    """Of lines with the same text (given beside them) all but the first; all when there is none."""
    first: dict[str, int] = {}
    for line, text in lines:
        first[text] = min(line.start, first.get(text, line.start))
    return [line for line, text in lines if not text or line.start > first[text]]


class _Names:
    """What a running header may say: the document's title and its headings, folded. A title that is the first line is none."""

    def __init__(self, document: Document) -> None:
        stated = document.metadata.get(TITLE_SOURCE) not in (FROM_FILE_NAME, "first_line")
        self._title = _folded(document.title) if stated else ""
        self._headings = frozenset(_without_number(_folded(heading.title)) for heading in document.headings)

    def is_title(self, text: str) -> bool:
        """The title, or a good part of it: headers are often shortened, and titles often have a subtitle."""
        title = self._title
        if min(len(text), len(title)) < _MIN_PART_OF_TITLE:
            return bool(text) and text == title
        return text in title or (title in text and len(text) < 2 * len(title))

    def knows(self, text: str) -> bool:
        return not text or _without_number(text) in self._headings or self.is_title(text)


def _without_number(title: str) -> str:
    """`function reference` of `4 Function reference` and of `Chapter 4: Function reference`, folded."""
    return _HEADING_NUMBER.sub("", title)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _edge_lines(document: Document) -> tuple[list[_Line], list[int]]:
    """The outer lines of each page, and the numbers of the pages that have lines."""
    markdown = document.markdown
    known = _Touching(document.boilerplate)
    headings = _Touching([(heading.start, heading.end) for heading in document.headings])
    marks = [(mark.offset, mark.place.page or mark.place.slide) for mark in document.marks]
    starts = [next(group) for _, group in groupby(marks, key=lambda mark: mark[1])]
    found: list[_Line] = []
    pages: list[int] = []
    ends = [*(start for start, _ in starts[1:]), len(markdown)]
    for (start, page), end in zip(starts, ends, strict=False):
        if page is None:
            continue
        lines = [(low, high) for low, high in _lines(markdown, start, end) if not known.touch(low, high)]
        if lines:
            pages.append(page)
        for bottom, outer in ((False, lines[:_DEPTH]), (True, lines[: -_DEPTH - 1 : -1])):
            for depth, (low, high) in enumerate(outer):
                text = markdown[low:high].strip()
                if len(text) <= _MAX_LINE and not text.startswith(_STRUCTURE) and not headings.touch(low, high):
                    above_heading = not bottom and depth + 1 < len(lines) and headings.touch(*lines[depth + 1])
                    found.append(_Line(page, bottom, depth, low, high, _folded(text), above_heading))
    return found, pages


def _lines(markdown: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines that aren't blank, with their newlines."""
    while start < end:
        after = markdown.find("\n", start, end) + 1 or end
        if markdown[start:after].strip():
            yield start, after
        start = after


class _Touching:
    """Ranges, sorted and apart."""

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self._ranges = ranges
        self._starts = [start for start, _ in ranges]

    def touch(self, start: int, end: int) -> bool:
        """Whether a range shares characters with `[start, end)`."""
        index = bisect_left(self._starts, end) - 1
        return index >= 0 and self._ranges[index][1] > start


def _numbered(lines: Sequence[_Line], pages: Sequence[int], names: _Names) -> Iterator[tuple[_Line, str]]:
    """Lines with a number that follows the pages, each with what it says that is said nowhere else."""
    groups: dict[tuple[bool, int], dict[str, list[_Line]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if (found := _page_number(line.text)) is not None:
            rest, number = found
            groups[line.bottom, number - line.page][rest].append(line)
    for (bottom, offset), by_rest in groups.items():
        on = sorted({line.page for group in by_rest.values() for line in group})
        follows = len(on) >= _MIN_PAGES and len(on) >= _MOST * _pages_between(on)
        for rest, group in by_rest.items():
            known, count = names.knows(rest), len({line.page for line in group})
            on_each = offset == 0 and count == len(pages) and names.is_title(rest)
            unknown_is_fine = bottom or (count >= _NEARLY_ALL * len(pages) and (" " in rest or len(rest) >= _MIN_UNKNOWN))
            if _LABEL.search(rest) or not (on_each or follows) or not (known or (count >= _MIN_PAGES and unknown_is_fine)):
                continue
            yield from ((line, "" if known else rest) for line in group)


def _page_number(text: str) -> tuple[str, int] | None:
    """What stands beside the page number, and the number."""
    if found := _ALONE.fullmatch(text):
        number = found["number"]
        return "", int(number) if number.isdecimal() else roman(number)
    if found := _AT_END.fullmatch(text) or _AT_START.fullmatch(text):
        return found["rest"].strip(_SEPARATORS), int(found["number"])
    return None


def _pages_between(on: Sequence[int]) -> int:
    """Pages from the first to the last of these, or only the odd or the even ones when these are all of that kind."""
    step = 2 if len({page % 2 for page in on}) == 1 else 1
    return (on[-1] - on[0]) // step + 1


def _repeated(lines: Sequence[_Line], pages: Sequence[int], names: _Names, numbered: set[_Line]) -> list[_Line]:
    """Lines that are the same on most pages, from the edge inwards as far as something says that they are boilerplate."""
    groups: dict[tuple[bool, str], list[_Line]] = defaultdict(list)
    for line in lines:
        groups[line.bottom, line.text].append(line)
    of_a_kind = Counter(page % 2 for page in pages)
    often = {line for group in groups.values() if _on_most({line.page for line in group}, pages, of_a_kind) for line in group}
    above = Counter(line.text for line in often if line.above_heading)
    found: list[_Line] = []
    for _, page_lines in groupby(lines, key=lambda line: (line.page, line.bottom)):
        run: list[_Line] = []
        for depth, line in enumerate(page_lines):
            if line.depth != depth or (line not in often and line not in numbered):
                break
            run.append(line)
            header = names.is_title(line.text) or _is_stamp(line.text) or above[line.text] >= _MIN_ABOVE_HEADINGS
            if line in numbered or line.bottom or header:
                found += run
                run.clear()
    return [line for line in found if line not in numbered]


def _on_most(on: set[int], pages: Sequence[int], of_a_kind: Counter[int]) -> bool:
    """Whether a line is on most pages, or on nearly all of the odd or the even ones, whose numbers are `of_a_kind`."""
    if len(on) < _MIN_PAGES:
        return False
    kinds = {page % 2 for page in on}
    return len(on) >= _MOST * len(pages) or (len(kinds) == 1 and len(on) >= _NEARLY_ALL * of_a_kind[min(kinds)])


def _is_stamp(text: str) -> bool:
    return len(text) <= _MAX_STAMP and _STAMP.search(text) is not None
