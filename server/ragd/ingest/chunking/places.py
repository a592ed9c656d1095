"""Where stretches of a document's content stand in its source."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ragd.core.documents import Document, Place
from ragd.formats.excel.areas import Area, area_of


class Places:
    """Finds the place of a range of the content."""

    def __init__(self, document: Document) -> None:
        self._verbatim = document.verbatim
        self._newlines = [index for index, char in enumerate(document.markdown) if char == "\n"] if document.verbatim else []
        self._marks = document.marks
        self._offsets = [mark.offset for mark in document.marks]

    def of(self, start: int, end: int) -> Place:
        """Lines by counting when the content is the source; else by the marks from the one at `start` to the last before `end`.

        Of several marks the first gives page, slide, sheet and anchor. Lines are of all marks together, cells of those on the
        first one's sheet, and the rectangle of those on its page.
        """
        if self._verbatim:
            return Place(line_range=(bisect_left(self._newlines, start) + 1, bisect_left(self._newlines, end - 1) + 1))
        first = max(0, bisect_right(self._offsets, start) - 1)
        places = [mark.place for mark in self._marks[first : max(first + 1, bisect_left(self._offsets, end))]]
        if len(places) < 2:
            return places[0] if places else Place()
        lines = [place.line_range for place in places if place.line_range]
        head = places[0]
        together = [place for place in places if (place.page, place.slide, place.sheet) == (head.page, head.slide, head.sheet)]
        return Place(
            page=head.page,
            slide=head.slide,
            sheet=head.sheet,
            cell_range=_joined_cells([place.cell_range for place in together if place.cell_range]),
            line_range=(min(low for low, _ in lines), max(high for _, high in lines)) if lines else None,
            bbox=_joined_boxes([place.bbox for place in together if place.bbox]),
            anchor=head.anchor,
        )


def _joined_boxes(boxes: Sequence[tuple[float, float, float, float]]) -> tuple[float, float, float, float] | None:
    if not boxes:
        return None
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def _joined_cells(ranges: Sequence[str]) -> str | None:
    """The smallest range that holds all of these."""
    areas = [area for cells in ranges if (area := area_of(cells))]
    if not areas:
        return None
    tops, lefts, bottoms, rights = zip(*areas, strict=True)
    return str(Area(min(tops), min(lefts), max(bottoms), max(rights)))
