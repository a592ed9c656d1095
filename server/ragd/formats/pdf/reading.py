"""A PDF opened and read page by page: what is on its pages, and what it says about itself. Needs pdfium's lock (see `pdf`)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium_c

from ragd.core.errors import DocumentDamaged, DocumentEncrypted, TooComplex
from ragd.formats.pdf.headings import OutlineEntry, read_outline
from ragd.formats.pdf.layout.tables import ruled_tables
from ragd.formats.pdf.page.annotations import MAX_LINKS, read_annotations
from ragd.formats.pdf.page.glyphs import Glyphs
from ragd.formats.pdf.page.objects import read_objects
from ragd.formats.pdf.page.page import Frame, Page, Rule
from ragd.formats.pdf.page.pictures import Pictures
from ragd.formats.pdf.page.scans import Scans, is_scan
from ragd.formats.pdf.page.tags import Tags
from ragd.formats.pdf.page.text import read_segments
from ragd.providers.protocols import LoadContext

MAX_PAGES: Final = 20_000
_MAX_LABEL_BYTES: Final = 512
_MAX_INFO_BYTES: Final = 65_536


@dataclass(slots=True)
class ReadPdf:
    """All of a PDF that its content is made of."""

    pages: list[Page]
    outline: dict[int, list[OutlineEntry]]
    info: dict[str, str]
    labels: dict[str, str]
    links: list[str]
    scans: Scans
    warnings: list[str] = field(default_factory=list)


def read_pdf(data: bytes, name: str, context: LoadContext) -> ReadPdf:
    """Raises `DocumentEncrypted` and `ParseFailed`, which name the file."""
    pdf = opened(data, name)
    try:
        count = len(pdf)
        if not count:
            raise DocumentDamaged(f"'{name}' has no pages: the PDF is damaged.")
        if count > MAX_PAGES:
            raise TooComplex(f"'{name}' has {count:,} pages; at most {MAX_PAGES:,} are read. Split it into several files.")
        if pdf.get_formtype() != pdfium_c.FORMTYPE_NONE:
            pdf.init_forms()
        reader = _Reader(pdf, name, context)
        pages = []
        for index in range(count):
            pages.append(reader.page(index))
            context.report(index + 1, count)
        warnings = [*reader.pictures.warnings(), *reader.warnings]
        if hidden := sum(page.hidden for page in pages):
            warnings.append(f"{hidden} characters outside the shown part of the pages were left out")
        return ReadPdf(
            pages=pages,
            outline=read_outline(pdf, [page.frame for page in pages], warnings),
            info={key: _info(pdf, key) for key in ("Title", "Author", "Keywords")},
            labels=_labels(pdf, count),
            links=reader.links,
            scans=reader.scans,
            warnings=warnings,
        )
    finally:
        pdf.close()


def opened(data: bytes, name: str) -> Any:
    """The document of these bytes; the caller closes it."""
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise DocumentEncrypted(
                f"'{name}' is protected by a password. Save a copy without one to make it searchable."
            ) from error
        raise DocumentDamaged(f"'{name}' can't be read as PDF: it is damaged or isn't one.") from error


class _Reader:
    def __init__(self, pdf: Any, name: str, context: LoadContext) -> None:
        self.pdf = pdf
        self.name = name
        self.context = context
        self.pictures = Pictures()
        self.scans = Scans()
        self.tags = Tags(pdf.raw)
        self.links: list[str] = []
        self.warnings: list[str] = []

    def page(self, index: int) -> Page:
        damaged = f"Page {index + 1} of '{self.name}' can't be read: the PDF is damaged."
        try:
            page = self.pdf[index]
        except pypdfium2.PdfiumError as error:
            raise DocumentDamaged(damaged) from error
        try:
            text_page = page.get_textpage()
        except pypdfium2.PdfiumError as error:
            page.close()
            raise DocumentDamaged(damaged) from error
        try:
            return self._read(page, text_page, index)
        finally:
            text_page.close()
            page.close()

    def _read(self, pdf_page: Any, text_page: Any, index: int) -> Page:
        left, bottom, right, top = pdf_page.get_bbox()
        page = Page(index, Frame(left, bottom, right, top, turns=pdf_page.get_rotation() // 90 % 4))
        glyphs = Glyphs(text_page.raw, page.frame)
        drawn = read_objects(pdf_page.raw, page.frame)
        form = self.pdf.formenv.raw if self.pdf.formenv else None
        attached = read_annotations(self.pdf.raw, pdf_page.raw, form, page.frame)
        if drawn.cut_off or attached.cut_off or glyphs.cut_off:
            self.warnings.append(f"page {index + 1} has too many characters, drawings or notes; the rest of them was left out")
        upright = [rule for rule in drawn.rules if rule.upright]
        unplaced = read_segments(glyphs, page, upright, attached.links, self.tags.levels(pdf_page.raw))
        if broken := glyphs.are_broken:
            page.segments, page.aside = [], []
        if broken or is_scan(len(glyphs), drawn, page.frame):
            self.scans.read(pdf_page, page, self.context)
        else:
            self.pictures.read(page, drawn.images, behind_text=len(page.segments) > 0)
        page.grids, page.segments = ruled_tables(_turned(drawn.rules, page.frame), page.segments)
        attached.add_fields(page)
        page.notes = attached.comments
        self.links += [target for _, target in unplaced][: MAX_LINKS - len(self.links)]
        return page


def _turned(rules: Sequence[Rule], frame: Frame) -> list[Rule]:
    """Rules of shown space in reading space."""
    if frame.reads == "right" or not rules:
        return list(rules)
    boxes = [
        (rule.at, rule.start, rule.at, rule.end) if rule.upright else (rule.start, rule.at, rule.end, rule.at) for rule in rules
    ]
    return [
        Rule(True, x0, y0, y1) if y1 - y0 > x1 - x0 else Rule(False, y0, x0, x1)
        for x0, y0, x1, y1 in frame.turned(np.array(boxes, dtype=np.float64)).tolist()
    ]


def _info(pdf: Any, key: str) -> str:
    """A text of the information dictionary; empty when it has none. What is no proper UTF-16 is replaced."""
    size = pdfium_c.FPDF_GetMetaText(pdf.raw, key.encode(), None, 0)
    if not 2 < size <= _MAX_INFO_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium_c.FPDF_GetMetaText(pdf.raw, key.encode(), buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


def _labels(pdf: Any, count: int) -> dict[str, str]:
    """The labels of pages that are not their numbers, by number."""
    buffer = ctypes.create_string_buffer(_MAX_LABEL_BYTES)
    found: dict[str, str] = {}
    for index in range(count):
        size = pdfium_c.FPDF_GetPageLabel(pdf.raw, index, buffer, _MAX_LABEL_BYTES)
        if 2 < size <= _MAX_LABEL_BYTES:
            label = buffer.raw[: size - 2].decode("utf-16-le", "replace").strip()
            if label and label != str(index + 1):
                found[str(index + 1)] = label
    return found
