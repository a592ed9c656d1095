"""Where stretches of a document's content stand in its source."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ragd.core.documents import Document, Place
from ragd.formats.excel.areas import Area, area_of

_NEWLINE: Final = re.compile("\n")
_LEAST_OF_PAGE: Final = 40
"""Characters of a page below which what stands on it is no stretch of its own: a page number, the end of a line."""
_WHOLE: Final = 0.9
"""Share of a page that a scan's picture has: where its text stands is not said by that."""


class Places:
    """Finds the place of a range of the content."""

    def __init__(self, document: Document) -> None:
        self._markdown = document.markdown
        self._verbatim = document.verbatim
        self._newlines = [match.start() for match in _NEWLINE.finditer(document.markdown)] if document.verbatim else []
        self._marks = document.marks
        self._offsets = [mark.offset for mark in document.marks]

    def stretches(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A range of the content, cut where a page begins together with a paragraph: what a chunk says stands on one page.

        A paragraph or table that goes on over pages is not cut.
        """
        first = max(0, bisect_right(self._offsets, start) - 1)
        before = None
        for mark in self._marks[first : bisect_left(self._offsets, end)]:
            page = mark.place.page
            above = self._markdown[start : mark.offset] if page != before and before is not None else ""
            if above.endswith("\n\n") and len(above.strip()) >= _LEAST_OF_PAGE:
                yield start, mark.offset
                start = mark.offset
            before = page
        yield start, end

    def of(self, start: int, end: int) -> Place:
        """Lines by counting when the content is the source; else by the marks from the one at `start` to the last before `end`.

        Of several marks those of the page, slide or sheet with most of the characters give it, and the first of them the anchor.
        Lines are of all marks together, cells of those on that sheet, and the rectangle of those on that page.
        """
        if self._verbatim:
            return Place(line_range=(bisect_left(self._newlines, start) + 1, bisect_left(self._newlines, end - 1) + 1))
        first = max(0, bisect_right(self._offsets, start) - 1)
        last = max(first + 1, bisect_left(self._offsets, end))
        places = [mark.place for mark in self._marks[first:last]]
        if len(places) < 2:
            return places[0] if places else Place()
        lines = [place.line_range for place in places if place.line_range]
        edges = [start, *self._offsets[first + 1 : last], end]
        shares: Counter[_Part] = Counter()
        for place, low, high in zip(places, edges[:-1], edges[1:], strict=True):
            shares[_part(place)] += high - low
        part = max(shares, key=lambda one: shares[one])
        together = [place for place in places if _part(place) == part]
        head = together[0]
        return Place(
            page=head.page,
            slide=head.slide,
            sheet=head.sheet,
            cell_range=_joined_cells([place.cell_range for place in together if place.cell_range]),
            line_range=(min(low for low, _ in lines), max(high for _, high in lines)) if lines else None,
            bbox=_joined_boxes([place.bbox for place in together if place.bbox]),
            anchor=head.anchor,
        )


_Part = tuple[int | None, int | None, str | None]


def _part(place: Place) -> _Part:
    """The page, slide or sheet."""
    return place.page, place.slide, place.sheet


def _joined_boxes(boxes: Sequence[tuple[float, float, float, float]]) -> tuple[float, float, float, float] | None:
    if not boxes:
        return None
    parts = [box for box in boxes if (box[2] - box[0]) * (box[3] - box[1]) < _WHOLE]
    lefts, tops, rights, bottoms = zip(*(parts or boxes), strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def _joined_cells(ranges: Sequence[str]) -> str | None:
    """The smallest range that holds all of these."""
    areas = [area for cells in ranges if (area := area_of(cells))]
    if not areas:
        return None
    tops, lefts, bottoms, rights = zip(*areas, strict=True)
    return str(Area(min(tops), min(lefts), max(bottoms), max(rights)))
