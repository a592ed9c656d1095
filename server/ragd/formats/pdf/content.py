"""Blocks to content: Markdown with the place of every line, its headings, and the ranges that are boilerplate."""

from __future__ import annotations

from collections.abc import Sequence

from ragd.core.documents import Heading, Mark, Place
from ragd.formats.common.builder import ContentBuilder
from ragd.formats.common.pictures import reference
from ragd.formats.pdf.blocks import Block
from ragd.formats.pdf.layout.joins import Lexicon
from ragd.formats.pdf.page.page import Box, Page

_MAX_HASHES = 6
_BETWEEN = "\n\n"


class PdfContent(ContentBuilder):
    """Collects the content of a document page by page."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self.boilerplate: list[tuple[int, int]] = []
        self._lexicon = lexicon
        self._after_heading = False

    def add_page(self, page: Page, blocks: Sequence[Block]) -> None:
        """Boilerplate at the top, blocks, comments, boilerplate at the foot: each on lines of its own."""
        self._add_boilerplate(page, page.head)
        for block in blocks:
            self._add_block(page, block)
        if page.notes:
            self._separate()
            self._mark(Place(page=page.index + 1))
            self._put("\n".join(f"- {note}" for note in page.notes))
        self._add_boilerplate(page, page.foot)

    def add_line(self, text: str, place: Place) -> None:
        """A line about the document that it does not hold itself."""
        self._separate()
        self._mark(place)
        self._put(text)

    def _add_block(self, page: Page, block: Block) -> None:
        self._separate("\n" if block.tight and not self._after_heading and block.kind != "heading" else _BETWEEN)
        self._after_heading = block.kind == "heading"
        start = self._length
        if block.picture:
            self.pictures.append(block.picture)
            self._mark(block.picture.place)
            self._put(reference(block.picture))
            return
        if block.kind == "heading":
            self._mark(page.frame.place(page.index, block.pieces[0][1]))
            self._put(f"{'#' * min(block.level, _MAX_HASHES)} ")
        for index, (text, box) in enumerate(block.pieces):
            line = self._lexicon.resolved(text.removesuffix("\x02"))
            if text.endswith("\x02"):
                after = block.pieces[index + 1][0] if index + 1 < len(block.pieces) else ""
                line += self._lexicon.between(line, after) if after else "-"
            self._mark(page.frame.place(page.index, box))
            self._put(line)
        if block.kind == "heading":
            self.headings.append(Heading(start, self._length, block.level, block.title))

    def _add_boilerplate(self, page: Page, lines: Sequence[tuple[str, Box]]) -> None:
        """The range holds the blank line before it, too (at the very start: after it), so that no gap is left without it."""
        for text, box in lines:
            begin = self._length
            self._separate()
            self._mark(page.frame.place(page.index, box))
            self._put(self._lexicon.resolved(text))
            if self.boilerplate and self.boilerplate[-1][1] >= begin:
                self.boilerplate[-1] = (self.boilerplate[-1][0], self._length)
            else:
                self.boilerplate.append((begin, self._length))

    def _separate(self, blank: str = _BETWEEN) -> int:
        leading = self._parts and self.boilerplate == [(0, self._length)]
        start = super()._separate(blank)
        if leading:
            self.boilerplate[0] = (0, self._length)
        return start

    def _mark(self, place: Place, offset: int | None = None) -> None:
        """The same; of two places with nothing between them the second counts."""
        if self.marks and self.marks[-1].offset == self._length:
            self.marks[-1] = Mark(self._length, place)
        else:
            super()._mark(place, offset)
