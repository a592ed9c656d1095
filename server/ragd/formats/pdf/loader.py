"""PDF by pdfium: text in reading order with the place of every line, tables, headings, pictures, and scanned pages by OCR.

pdfium is not safe to use from several threads, so one lock guards all of it. It also repairs files that are cut off and shows
what is left; since a document is never to be half indexed, a file without its end mark is refused.

The stages: every page is read (`reading`), boilerplate is found over all pages (`layout.boilerplate`), each page is put in order
(`layout`), headings are placed (`headings`), and the content is written.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pypdfium2

from ragd.core.documents import Document, Heading, Mark, Place
from ragd.core.errors import DocumentDamaged, DocumentEmpty
from ragd.formats.common.builder import ContentBuilder, FormatLoader
from ragd.formats.common.naming import choose_title, first_line, metadata_of, tags_of
from ragd.formats.common.pictures import reference
from ragd.formats.common.text import listed
from ragd.formats.pdf.blocks import Block, with_pictures
from ragd.formats.pdf.headings import BY_SIZE, with_headings
from ragd.formats.pdf.layout.boilerplate import take_boilerplate
from ragd.formats.pdf.layout.columns import reading_order
from ragd.formats.pdf.layout.joins import Lexicon
from ragd.formats.pdf.layout.paragraphs import blocks_of, nested
from ragd.formats.pdf.page.page import Box, Page, Segment
from ragd.formats.pdf.reading import ReadPdf, read_pdf
from ragd.providers.protocols import ALONE, LoadContext

LOCK: Final = threading.Lock()
_END_MARK: Final = b"%%EOF"
_END_MARK_WITHIN: Final = 4096
_MOSTLY_FIXED: Final = 0.6
_RANGES_SHOWN: Final = 20
_MIN_LETTERS: Final = 6
_MIN_KINDS: Final = 4
_PROGRAM_MADE_TITLE: Final = re.compile(
    r"^(?:untitled.*|\(?anonymous\)?|microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|odt|rtf|tex|dvi|indd|pdf))$",
    re.IGNORECASE,
)
_MAX_HASHES = 6
_BETWEEN = "\n\n"


class PdfLoader(FormatLoader):
    """PDF with a text layer, or scanned."""

    name = "pdf"
    version = "3"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:
        if not data:
            raise DocumentEmpty(f"'{name}' is empty (0 bytes).")
        if _END_MARK not in data.rstrip(b"\0 \t\r\n")[-_END_MARK_WITHIN:]:
            raise DocumentDamaged(f"'{name}' has no end mark (%%EOF): it is cut off or isn't a PDF. Get the file again.")
        with LOCK:
            read = read_pdf(data, name, context)
        pages, source = _blocks(read)
        with_text = {page.index for page, blocks in zip(read.pages, pages, strict=True) if _has_text(page, blocks)}
        skipped = sorted(number for numbers in read.scans.skipped.values() for number in numbers)
        if not with_text and not skipped:
            drawn = "its pages are blank or hold drawings only"
            why = "nothing could be recognised on its scanned pages" if read.scans.done else drawn
            raise DocumentEmpty(f"'{name}' holds no text: {why}.")
        content = _PdfContent(Lexicon([text for blocks in pages for block in blocks for text, _ in block.pieces]))
        if not with_text:
            content.add_line(f"{name}: the text of its scanned pages ({_ranges(skipped)}) was not read.", Place(page=skipped[0]))
        for page, blocks in zip(read.pages, pages, strict=True):
            content.add_page(page, blocks)
        title, metadata = _title(read, pages, source, name)
        if content.headings:
            metadata["heading_source"] = source
        return self._document(
            title,
            content,
            metadata | _metadata(read),
            parser=f"pypdfium2 {pypdfium2.PYPDFIUM_INFO.version} (pdfium {pypdfium2.PDFIUM_INFO.version})",
            boilerplate=content.boilerplate,
            warnings=_warnings(read, {page.index + 1 for page in read.pages} - {index + 1 for index in with_text}),
        )


def _blocks(read: ReadPdf) -> tuple[list[list[Block]], str]:
    """The blocks of each page with headings and pictures, and where the headings are from. The segments are let go on the way."""
    sizes: Counter[float] = Counter()
    letters = in_fixed = 0
    fixed = _fixed_fonts(segment for page in read.pages for segment in page.segments)
    for page in read.pages:
        for segment in page.segments:
            segment.fixed = segment.even and segment.font in fixed
            sizes[round(segment.size * 2) / 2] += len(segment.text)
            letters += len(segment.text) if segment.text.isascii() else 0
            in_fixed += len(segment.text) if segment.fixed and segment.text.isascii() else 0
    if in_fixed >= _MOSTLY_FIXED * letters:  # a typescript
        for page in read.pages:
            for segment in page.segments:
                segment.fixed = False
    body = max(sizes, key=lambda size: sizes[size]) if sizes else 0.0
    take_boilerplate(read.pages, body)
    pages = []
    for page in read.pages:
        asides = [Block("aside", [(segment.text, segment.box)], size=segment.size) for segment in page.aside]
        pages.append([*blocks_of(reading_order(page.items)), *asides])
        page.segments, page.grids, page.aside = [], [], []
    recognised = {page.index for page in read.pages if page.recognised}
    pages, source = with_headings(pages, read.outline, recognised)
    return [with_pictures(nested(blocks), page.pictures) for page, blocks in zip(read.pages, pages, strict=True)], source


def _fixed_fonts(segments: Iterable[Segment]) -> set[str]:
    """Names of the fonts whose letters have one width: those that have mostly stood in segments where all do."""
    balance: Counter[str] = Counter()
    for segment in segments:
        if not segment.even:
            balance[segment.font] -= 2 * len(segment.text)
        elif len(segment.text) >= _MIN_LETTERS and sum(map(str.isalpha, set(segment.text))) >= _MIN_KINDS:
            balance[segment.font] += len(segment.text) if segment.text.isascii() else 0
    return {font for font, value in balance.items() if value > 0}


def _has_text(page: Page, blocks: Sequence[Block]) -> bool:
    edges = [text for text, _ in [*page.head, *page.foot]]
    return any(text.strip() for text in [*(block.text for block in blocks), *page.notes, *edges])


def _title(read: ReadPdf, pages: Sequence[Sequence[Block]], source: str, name: str) -> tuple[str, dict[str, Any]]:
    stated = read.info.get("Title", "")
    first = next((block for blocks in pages for block in blocks if block.text.strip()), None)
    heading = first.title if first and first.kind == "heading" else None
    if source == BY_SIZE and not heading:  # those that the file names itself may leave out the title above them
        heading = next((block.title for block in pages[0] if block.kind == "heading"), None)
    return choose_title(
        name,
        pdf_title=None if _PROGRAM_MADE_TITLE.match(stated.strip()) else stated,
        heading=heading,
        first_line=first_line(first.text) if first and len(first.pieces) == 1 else None,
    )


def _metadata(read: ReadPdf) -> dict[str, Any]:
    author = read.info.get("Author", "").strip()
    return metadata_of(
        page_count=len(read.pages),
        tags=tags_of(read.info.get("Keywords")),
        author="" if _PROGRAM_MADE_TITLE.match(author) else author,
        page_labels=read.labels,
        links=list(dict.fromkeys(read.links)),
        ocr_pages=read.scans.done,
        ocr_skipped=bool(read.scans.skipped),
    )


def _warnings(read: ReadPdf, blank: set[int]) -> list[str]:
    found = list(read.warnings)
    for reason, numbers in read.scans.skipped.items():
        found.append(f"the text of scanned pages was not read ({reason}): {_ranges(numbers)}")
    blank -= {number for numbers in read.scans.skipped.values() for number in numbers}
    if blank:
        found.append(f"no text on {len(blank)} of {len(read.pages)} pages: {_ranges(sorted(blank))}")
    return found


def _ranges(numbers: Sequence[int]) -> str:
    """`1-3, 7` of the sorted numbers 1, 2, 3 and 7; the first 20 ranges."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return listed([str(low) if low == high else f"{low}-{high}" for low, high in found], _RANGES_SHOWN)


class _PdfContent(ContentBuilder):
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
