"""The words of PDF pages where they stand: what is selected over a page's picture. Called in a worker process, as loaders are.

Each page is read by itself: boilerplate stays, tables stay lines, and nothing is written as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import pypdfium2

from ragd.core.errors import ParseFailed
from ragd.formats.pdf.layout.columns import Flow, Row, pitch_of, reading_order
from ragd.formats.pdf.loader import LOCK
from ragd.formats.pdf.page.annotations import read_annotations
from ragd.formats.pdf.page.glyphs import Glyphs
from ragd.formats.pdf.page.objects import read_objects
from ragd.formats.pdf.page.page import Frame, Item, Page, Segment
from ragd.formats.pdf.page.text import HYPHEN, SOFT_HYPHEN, read_segments
from ragd.formats.pdf.reading import opened

_WIDER_STEP: Final = 1.35
_APART: Final = 0.8
"""White above a line, in sizes of its text, from which it begins a paragraph."""

Line = dict[str, Any]
"""`{"words": [[text, [left, top, right, bottom]], …], "paragraph": bool}`; boxes are fractions (0..1) of the page as shown."""


def read_page_texts(data: bytes, first: int, count: int) -> list[list[Line]]:
    """The lines of up to `count` pages from `first` (from 1) on, in reading order; fewer at the end of the document.

    A page without text, or one that can't be read, has no lines. Raises `ParseFailed` when the file is no PDF or has no page
    `first`.
    """
    with LOCK:
        pdf = opened(data, "The PDF")
        try:
            if not 1 <= first <= len(pdf):
                raise ParseFailed(f"The PDF has pages 1 to {len(pdf)}; there is no page {first}.")
            if pdf.get_formtype() != pypdfium2.raw.FORMTYPE_NONE:
                pdf.init_forms()
            return [_read(pdf, index) for index in range(first - 1, min(first - 1 + count, len(pdf)))]
        finally:
            pdf.close()


def _read(pdf: Any, index: int) -> list[Line]:
    try:
        pdf_page = pdf[index]
    except pypdfium2.PdfiumError:
        return []
    try:
        text_page = pdf_page.get_textpage()
    except pypdfium2.PdfiumError:
        pdf_page.close()
        return []
    try:
        left, bottom, right, top = pdf_page.get_bbox()
        page = Page(index, Frame(left, bottom, right, top, turns=pdf_page.get_rotation() // 90 % 4))
        glyphs = Glyphs(text_page.raw, page.frame)
        upright = [rule for rule in read_objects(pdf_page.raw, page.frame).rules if rule.upright]
        read_segments(glyphs, page, upright, (), {}, with_words=True)
        if glyphs.are_broken:
            return []
        form = pdf.formenv.raw if pdf.formenv else None
        read_annotations(pdf.raw, pdf_page.raw, form, page.frame).add_fields(page)
    finally:
        text_page.close()
        pdf_page.close()
    return [*_lines(page, reading_order(page.items)), *(_line(page, [aside], begins=True) for aside in page.aside)]


def _lines(page: Page, flows: Sequence[Flow]) -> Iterator[Line]:
    for flow in flows:
        pitch = pitch_of(flow.rows)
        if flow.rows:
            yield _line(page, flow.rows[0].items, begins=not flow.follows)
        for above, row in pairwise(flow.rows):
            yield _line(page, row.items, begins=_begins(above, row, pitch))


def _begins(above: Row, row: Row, pitch: float) -> bool:
    """Whether a row begins a paragraph, by the white above it."""
    return row.y0 - above.y1 > _APART * row.size or (pitch > 0 and row.middle - above.middle > _WIDER_STEP * pitch)


def _line(page: Page, items: Sequence[Item], *, begins: bool) -> Line:
    words = [
        [text.replace(HYPHEN, "-").replace(SOFT_HYPHEN, "-"), page.frame.place(page.index, box).bbox]
        for item in items
        if isinstance(item, Segment)
        for text, box in item.words or ((item.text, item.box),)
    ]
    return {"words": words, "paragraph": begins}
