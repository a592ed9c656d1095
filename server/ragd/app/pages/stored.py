"""What is stored of a document, by its pages and headings: plain text as it was printed, out of the Markdown made of it.

A mark says from which character on the content is at which place; a PDF has one for each of its lines. So the lines of a page
come without its file, those of a scanned one with the places where text was recognised.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple

from ragd.app.pages.paragraphs import Paragraph, cells_of, paragraphs_of, without_markup

_CELLS_OF_ROW: Final = re.compile(r"([A-Z]+)([0-9]+)(?::([A-Z]+)([0-9]+))?$")
_CELL: Final = ("start", "column", "rows", "columns", "level", "text")
_WHERE: Final = ("page", "slide", "sheet", "bbox")

Box = tuple[float, float, float, float]
"""Left, top, right and bottom as fractions (0..1) of the page as shown."""


class StoredLine(NamedTuple):
    """A printed line. `before` is what stands between the line above and it in the content: a blank line, a line's end, nothing
    within a word.
    """

    text: str
    box: Box | None
    before: Literal["\n\n", "\n", ""]


class StoredPages:
    """The content of one version. `places` are as `encode_places` gives them; boxes are kept of the pages `boxed` alone."""

    def __init__(self, markdown: str, places: Mapping[str, Any], boxed: Collection[int] = ()) -> None:
        marks: Sequence[tuple[int, Mapping[str, Any]]] = places["marks"]
        self._markdown = markdown
        self._starts = array("q", (offset for offset, _ in marks))
        self._pages = array("l", (place.get("page") or 0 for _, place in marks))
        self._boxes: dict[int, Box] = {
            offset: tuple(place["bbox"]) for offset, place in marks if place.get("page") in boxed and place.get("bbox")
        }
        self._rows = _Rows(marks)
        self._headings: dict[int, int] = {start: level for start, _, level, _ in places["headings"]}
        self._of_page: dict[int, list[int]] = {}
        for index, page in enumerate(self._pages):
            self._of_page.setdefault(page, []).append(index)
        self.count = max(self._pages, default=0)
        self.outline = [_entry(heading, self._starts, marks) for heading in places["headings"]]
        """The headings in order: `title`, `level` (from 1), `start` (character of the content), and their place."""
        self._merged: Sequence[Sequence[Any]] = places.get("merged", ())
        self.slides = [
            {"slide": slide, "ratio": ratio, "blocks": [{"start": start, "end": end, "bbox": box} for start, end, *box in blocks]}
            for slide, ratio, blocks in places.get("slides", ())
        ]
        """The slides whose layout is known, as `SlideLayout` has them, in order."""

    def lines(self, page: int) -> list[StoredLine]:
        """What was read on a page (from 1), in reading order. Boxes are those of `boxed` pages."""
        found: list[StoredLine] = []
        for index in self._of_page.get(page, ()):
            start = self._starts[index]
            before = self._before(start)
            for text in _printed(self._markdown[start : self._end(index)], heading=start in self._headings):
                found.append(StoredLine(text, self._boxes.get(start), before))
                before = "\n"
        return found

    def text(self, page: int) -> str:
        """The text of a page: its lines, with a blank one between paragraphs."""
        return "".join(line.before * (number > 0) + line.text for number, line in enumerate(self.lines(page)))

    def paragraphs(self, page: int) -> list[Paragraph]:
        """What was read on a page (from 1) as it is read, not as its lines are printed."""
        indices = self._of_page.get(page, ())
        found: list[Paragraph] = []
        for number, index in enumerate(indices):
            if number and indices[number - 1] == index - 1:
                continue
            last = next((at for at in range(index, len(self._pages)) if self._pages[at] != page), len(self._pages)) - 1
            start, end = self._starts[index], self._end(last)
            headings = {at - start for at in self._headings if start <= at < end}
            found += paragraphs_of(self._markdown[start:end], headings)
        return found

    def rows(self, start: int, end: int) -> list[dict[str, Any]]:
        """The rows of sheets whose text begins in these characters of the content: `start`, and the cells as numbers and letters.

        `top` is less than `bottom` where the header, or a merged cell, belongs to them.
        """
        return self._rows.between(start, end)

    def merged(self, start: int, end: int) -> list[dict[str, Any]]:
        """Cells of tables that are merged with others, as `MergedCell` has them, of the rows that begin in these characters."""
        first, last = (bisect_left(self._merged, at, key=itemgetter(0)) for at in (start, end))
        return [dict(zip(_CELL, cell, strict=False)) for cell in self._merged[first:last]]

    def _end(self, index: int) -> int:
        return self._starts[index + 1] if index + 1 < len(self._starts) else len(self._markdown)

    def _before(self, start: int) -> Literal["\n\n", "\n", ""]:
        around = self._markdown[max(0, start - 1) : start + 1]
        if start == 0 or any(character.isspace() for character in around):
            return "\n\n" if self._markdown.endswith("\n\n", 0, start) else "\n"
        return ""


def _entry(heading: Sequence[Any], starts: Sequence[int], marks: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[str, Any]:
    start, end, level, title = heading
    # A heading that is one mark's beginning is at that mark; of others it is what stands before their end.
    at = bisect_right(starts, max(start, end - 1)) - 1
    place = marks[at][1] if at >= 0 else {}
    return {"title": title, "level": level, "start": start} | {key: place[key] for key in _WHERE if key in place}


def _printed(content: str, *, heading: bool) -> Iterator[str]:
    """The lines of a stretch of content as they were printed: without the signs that make Markdown of them."""
    lines = content.split("\n")
    if heading:
        lines[0] = lines[0].lstrip("#")
    for line in lines:
        text = without_markup(line).strip()
        if (cells := cells_of(text)) is not None:
            text = "  ".join(cells).strip()
        if text:
            yield text


class _Rows:
    """The rows of a workbook's sheets, of which there may be a million."""

    def __init__(self, marks: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        self._starts = array("q")
        self._tops = array("l")
        self._bottoms = array("l")
        self._columns: list[tuple[str, str]] = []
        for offset, place in marks:
            if cells := _CELLS_OF_ROW.match(place.get("cell_range") or ""):
                self._starts.append(offset)
                self._tops.append(int(cells[2]))
                self._bottoms.append(int(cells[4] or cells[2]))
                self._columns.append((sys.intern(cells[1]), sys.intern(cells[3] or cells[1])))

    def between(self, start: int, end: int) -> list[dict[str, Any]]:
        return [
            {
                "start": self._starts[index],
                "top": self._tops[index],
                "bottom": self._bottoms[index],
                "left": self._columns[index][0],
                "right": self._columns[index][1],
            }
            for index in range(bisect_left(self._starts, start), bisect_left(self._starts, end))
        ]
