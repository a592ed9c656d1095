"""Picture files: the content is a reference to the picture and, below it, the text that was recognised in it.

Each row of text has its rectangle as its place. Boxes on one row are one line; a gap between rows makes a new paragraph. The
pages of a TIFF follow one another. An SVG states its text itself; where it has none, its picture is read like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Final

import PIL

from ragd.core.documents import Document, OcrLine, PictureText, Place
from ragd.core.errors import DocumentEmpty
from ragd.formats.common.builder import ContentBuilder, FormatLoader
from ragd.formats.common.naming import base_name, choose_title
from ragd.formats.common.pictures import picture, reference
from ragd.formats.images.drawings import is_drawing, read_drawing
from ragd.formats.images.rasters import MAX_FRAMES, PictureRefused, frames, on_paper, read_raster
from ragd.providers.protocols import ALONE, LoadContext

MAX_PIXELS: Final = 50_000_000
"""Pixels that are decoded; a JPEG with more is decoded smaller, other formats are refused."""
_PARAGRAPH_GAP: Final = 0.8
"""Blank height between two rows, in heights of a row, that parts paragraphs. Lines of one paragraph have up to 0.6."""

_BETWEEN_BOXES: Final = "  "
_SAME_ROW: Final = 0.5

Box = tuple[float, float, float, float]


class _Content(ContentBuilder):
    def __init__(self) -> None:
        super().__init__()
        self.skipped: list[str] = []

    @property
    def recognised(self) -> str:
        """What follows the reference to the picture."""
        return "".join(self._parts[1:])

    def add(self, text: str, place: Place) -> None:
        self._mark(place)
        self._put(text)

    def add_page(self, read: PictureText, page: int | None) -> None:
        if read.skipped:
            self.skipped.append(read.skipped)
        for row, begins_paragraph in _rows(read.lines):
            # The separator belongs to the row before it, whose place goes on until the next mark.
            self.add("\n\n" if begins_paragraph else "\n", self.marks[-1].place)
            self.add(_BETWEEN_BOXES.join(line.text for line in row), Place(page=page, bbox=_around(row)))


class ImageLoader(FormatLoader):
    """PNG, JPEG, BMP, TIFF, WebP, GIF and SVG, by their bytes."""

    name = "image"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        if not data:
            raise DocumentEmpty(f"'{name}' is empty (0 bytes).")
        try:
            return self._drawing(data, name, context) if is_drawing(data) else self._raster(data, name, context)
        except PictureRefused as refused:
            raise refused.error(
                f"'{name}' can't be read as a picture: {refused.detail}. Get the file again, or save it as a smaller PNG."
            ) from refused

    def _drawing(self, data: bytes, name: str, context: LoadContext) -> Document:
        drawing = read_drawing(data, MAX_PIXELS)
        content = _Content()
        metadata = {"width": drawing.width, "height": drawing.height, "format": "SVG"}
        title, source = choose_title(name, svg_title=drawing.title)
        content.add(reference(picture(data, base_name(name))), Place())
        if drawing.text:
            content.add("\n\n" + drawing.text, Place())
        else:
            content.add_page(context.read_picture(on_paper(drawing.image)), None)
        return self._made(data, name, title, content, metadata | source, [])

    def _raster(self, data: bytes, name: str, context: LoadContext) -> Document:
        raster = read_raster(data, MAX_PIXELS)
        content, warnings = _Content(), []
        metadata: dict[str, Any] = {"width": raster.width, "height": raster.height, "format": raster.format}
        if raster.taken_at:
            metadata["created"] = raster.taken_at
        if raster.format == "TIFF":
            content.add(reference(picture(data, base_name(name))), Place(page=1))
            count = 0
            for count, image in enumerate(frames(data, MAX_PIXELS), 1):
                content.add_page(context.read_picture(on_paper(image)), count)
            metadata["page_count"] = count
            if count == MAX_FRAMES:
                warnings.append(f"only the first {MAX_FRAMES} pages were read")
        else:
            content.add(reference(picture(data, base_name(name))), Place())
            content.add_page(context.read_picture(on_paper(raster.image)), None)
        title, source = choose_title(name)
        return self._made(data, name, title, content, metadata | source, warnings)

    def _made(
        self, data: bytes, name: str, title: str, content: _Content, metadata: dict[str, Any], warnings: list[str]
    ) -> Document:
        if content.skipped:
            metadata["ocr_skipped"] = True
            warnings += [f"the text of the picture was not read: {reason}" for reason in dict.fromkeys(content.skipped)]
        return self._document(
            title,
            content,
            metadata,
            parser=f"pillow {PIL.__version__}",
            pictures=(picture(data, base_name(name), content.marks[0].place),),
            prose=content.recognised,
            warnings=warnings,
        )


def _rows(lines: Sequence[OcrLine]) -> Iterator[tuple[list[OcrLine], bool]]:
    """Lines in reading order as rows, each with whether a paragraph begins there (it does at the first)."""
    rows: list[list[OcrLine]] = []
    for line in lines:
        if rows and _continues(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    usual = median(line.box[3] - line.box[1] for line in lines) if lines else 0.0
    previous: Box | None = None
    for row in rows:
        box = _around(row)
        # A row that is not below the previous one begins a new column.
        yield row, previous is None or box[1] - previous[3] > _PARAGRAPH_GAP * usual or box[3] < previous[1]
        previous = box


def _continues(row: Sequence[OcrLine], line: OcrLine) -> bool:
    """Whether a line goes on to the right of a row."""
    _, top, right, bottom = row[-1].box
    shared = min(bottom, line.box[3]) - max(top, line.box[1])
    return line.box[0] >= right and shared > _SAME_ROW * min(bottom - top, line.box[3] - line.box[1])


def _around(row: Sequence[OcrLine]) -> Box:
    return (
        min(line.box[0] for line in row),
        min(line.box[1] for line in row),
        max(line.box[2] for line in row),
        max(line.box[3] for line in row),
    )
