"""Page headers, footers and page numbers of a PDF: what is repeated at the edge of its pages.

A line counts when it stands at the same height of the page, with only boilerplate beyond it, and either says the same
on at least three pages close to each other, numbers aside that count with the pages; or is a page number, on two pages already.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ragd.formats.common.text import roman
from ragd.formats.pdf.layout.columns import Row, rows_of
from ragd.formats.pdf.layout.joins import row_text
from ragd.formats.pdf.page.page import Item, Page

_ROWS: Final = 4
"""Rows at each edge that may be boilerplate."""
_ZONE: Final = 0.2
_MIN_PAGES: Final = 3
_MAX_STRIDE: Final = 3
"""Furthest distance, in pages, between two appearances: left and right pages may differ, and a picture may fill one."""
_LEVEL: Final = 6.0
"""Points by which the height of equal lines may differ."""
_APART: Final = 1.5
_LARGE: Final = 1.25
_MAX_CHARS: Final = 200
_DIGITS: Final = re.compile(r"\d+")
_ROMAN: Final = "(?=[ivxlcdm])(?:c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))"
_NUMBER: Final = re.compile(
    rf"^[\W_]*+(?:page|pages|p\.?|seite|sheet|ページ|頁)?\W*+(?P<number>\d{{1,5}}|{_ROMAN})\W*+"
    r"(?:(?:of|von|ページ中|中)?\W*+(?P<total>\d{1,5}))?\W*+(?:pages?|ページ目?|頁|枚目?)?[\W_]*+$"
)
_DECORATED: Final = re.compile(r"page|p\.|ページ|頁|/|／|of|^[-–—]\s*\d+\s*[-–—]$")


@dataclass(frozen=True, slots=True)
class _Seen:
    """A line at the edge of page `page`: `height` is its distance from that edge."""

    page: int
    height: float
    text: str
    numbers: tuple[int, ...]
    value: int | None
    phrase: int


def take_boilerplate(pages: Sequence[Page], body_size: float) -> None:
    """Moves the boilerplate of all pages from their items to their `head` and `foot`. `body_size` is that of the running text."""
    edges = [(_edge(page, upper=True), _edge(page, upper=False)) for page in pages]
    for side in (0, 1):
        groups: dict[str, list[_Seen]] = defaultdict(list)
        numbers: list[_Seen] = []
        for page, pair in zip(pages, edges, strict=True):
            for _, phrases in pair[side]:
                for phrase in phrases:
                    if (seen := _seen(page, phrase, upper=side == 0)) is None:
                        continue
                    large = phrase[0].size > _LARGE * body_size
                    groups[_DIGITS.sub("#", seen.text) if not large else seen.text].append(seen)
                    if seen.value is not None and not large:
                        numbers.append(seen)
        found = _page_numbers(numbers, len(pages))
        for group in groups.values():
            found |= _repeated(group)
        rows = [_boilerplate_rows(pair[side], found) for pair in edges]
        if any(len(page.items) > sum(len(row.items) for row in taken) for page, taken in zip(pages, rows, strict=True)):
            for page, taken in zip(pages, rows, strict=True):
                _take(page, taken, upper=side == 0)


def _edge(page: Page, *, upper: bool) -> list[tuple[Row, list[list[Item]]]]:
    """The outermost rows of a page, from its edge inward, with their phrases: items that stand near each other.

    A table that begins at the edge and goes on is the page's content, and none of them.
    """
    height = page.frame.size[1]
    limit = _ZONE * height
    rows = rows_of([item for item in page.items if (item.box[3] < limit if upper else item.box[1] > height - limit)])
    found = []
    for row in (rows if upper else rows[::-1])[:_ROWS]:
        phrases = [[row.items[0]]]
        for before, item in pairwise(row.items):
            if item.box[0] - before.box[2] > _APART * item.size:
                phrases.append([])
            phrases[-1].append(item)
        found.append((row, phrases))
    return found


def _seen(page: Page, phrase: Sequence[Item], *, upper: bool) -> _Seen | None:
    line = unicodedata.normalize("NFKC", row_text(phrase)).casefold()
    text = "".join(line.split())
    if not text or len(text) > _MAX_CHARS:
        return None
    box = phrase[0].box
    height = (box[1] + box[3]) / 2
    numbers = tuple(int(digits[:9]) for digits in _DIGITS.findall(text))
    value = None
    if match := _NUMBER.match(line.strip()):
        value = int(match["number"]) if match["number"].isdigit() else roman(match["number"])
    return _Seen(page.index, height if upper else page.frame.size[1] - height, text, numbers, value, id(phrase))


def _page_numbers(seen: Sequence[_Seen], page_count: int) -> set[int]:
    """Numbers that count with the pages: on two pages, or on one when it says that it is one."""
    groups: dict[int, list[_Seen]] = defaultdict(list)
    for one in seen:
        groups[(one.value or 0) - one.page].append(one)
    found: set[int] = set()
    for group in groups.values():
        for run in _runs(group):
            alone = page_count == 1 and run[0].value == 1 and bool(_DECORATED.search(run[0].text))
            if len({one.page for one in run}) > 1 or alone:
                found |= {one.phrase for one in run}
    return found


def _repeated(group: Sequence[_Seen]) -> set[int]:
    found: set[int] = set()
    for run in _runs(group):
        if len({one.page for one in run}) < _MIN_PAGES:
            continue
        if len({one.text for one in run}) == 1 or _count_with_pages(run):
            found |= {one.phrase for one in run}
        else:
            same: dict[str, list[_Seen]] = defaultdict(list)
            for one in run:
                same[one.text].append(one)
            for equal in same.values():
                for part in _runs(equal):
                    if len({one.page for one in part}) >= _MIN_PAGES:
                        found |= {one.phrase for one in part}
    return found


def _runs(group: Sequence[_Seen]) -> list[list[_Seen]]:
    """Lines at about the same height, on pages close to each other."""
    found: list[list[_Seen]] = []
    levels: list[list[_Seen]] = []
    for one in sorted(group, key=lambda one: one.height):
        if levels and one.height - levels[-1][0].height <= _LEVEL:
            levels[-1].append(one)
        else:
            levels.append([one])
    for level in levels:
        begin = len(found)
        for one in sorted(level, key=lambda one: one.page):
            if len(found) > begin and one.page - found[-1][-1].page <= _MAX_STRIDE:
                found[-1].append(one)
            else:
                found.append([one])
    return found


def _count_with_pages(run: Sequence[_Seen]) -> bool:
    """Whether each number in these lines stays, or grows with the page, and one grows."""
    count = len(run[0].numbers)
    if any(len(one.numbers) != count for one in run):
        return False
    grows = False
    for index in range(count):
        values = [(one.numbers[index], one.page) for one in run]
        if len({value for value, _ in values}) == 1:
            continue
        if len({value - page for value, page in values}) > 1:
            return False
        grows = True
    return grows


def _boilerplate_rows(edge: Sequence[tuple[Row, list[list[Item]]]], found: set[int]) -> list[Row]:
    """The rows of one edge, from the outermost on, that are boilerplate."""
    taken: list[Row] = []
    for index, (row, phrases) in enumerate(edge):
        known = sum(id(phrase) in found for phrase in phrases)
        if known < len(phrases) and not (known and _is_apart([row for row, _ in edge], index)):
            break
        taken.append(row)
    return taken


def _take(page: Page, rows: Sequence[Row], *, upper: bool) -> None:
    taken = {id(item) for row in rows for item in row.items}
    if not taken:
        return
    page.segments = [segment for segment in page.segments if id(segment) not in taken]
    page.grids = [grid for grid in page.grids if id(grid) not in taken]
    lines = [(row_text(row.items), row.box) for row in rows]
    if upper:
        page.head = lines
    else:
        page.foot = lines[::-1]


def _is_apart(rows: Sequence[Row], index: int) -> bool:
    """Whether white parts a row from the next one inward: more than a line is high, and than there is between rows."""
    if index + 1 == len(rows):
        return len(rows) < _ROWS
    row, inner = rows[index], rows[index + 1]
    if max(inner.y0 - row.y1, row.y0 - inner.y1) <= row.size:
        return False
    return index + 2 >= len(rows) or abs(inner.y0 - row.y0) > _APART * abs(rows[index + 2].y0 - inner.y0)
