"""What is attached to a PDF page: links, the values of form fields, and the comments of readers."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pypdfium2.raw as pdfium_c

from ragd.formats.pdf.page.page import Frame, Page, Segment

MAX_LINKS: Final = 1_000
_MAX_ANNOTATIONS: Final = 2_000
_MAX_CHARS: Final = 10_000
_MAX_SIZE: Final = 12.0
_TARGET: Final = re.compile(r"^(?:https?://|mailto:)[^\s<>]+$", re.IGNORECASE)
_COMMENTS: Final = frozenset((
    pdfium_c.FPDF_ANNOT_TEXT, pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_LINE, pdfium_c.FPDF_ANNOT_SQUARE,
    pdfium_c.FPDF_ANNOT_CIRCLE, pdfium_c.FPDF_ANNOT_POLYGON, pdfium_c.FPDF_ANNOT_POLYLINE, pdfium_c.FPDF_ANNOT_HIGHLIGHT,
    pdfium_c.FPDF_ANNOT_UNDERLINE, pdfium_c.FPDF_ANNOT_SQUIGGLY, pdfium_c.FPDF_ANNOT_STRIKEOUT, pdfium_c.FPDF_ANNOT_STAMP,
    pdfium_c.FPDF_ANNOT_CARET, pdfium_c.FPDF_ANNOT_INK,
))  # fmt: skip
_TEXT_FIELDS: Final = frozenset(
    (pdfium_c.FPDF_FORMFIELD_TEXTFIELD, pdfium_c.FPDF_FORMFIELD_COMBOBOX, pdfium_c.FPDF_FORMFIELD_LISTBOX)
)
_TICKS: Final = frozenset((pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON))


@dataclass(slots=True)
class _Attached:
    """Links (box in shown space, target), values of fields (box, text) and comments of a page."""

    links: list[tuple[Sequence[float], str]] = field(default_factory=list)
    fields: list[tuple[Sequence[float], str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    cut_off: bool = False

    def add_fields(self, page: Page) -> None:
        """Puts the values of form fields where their fields stand, as if they were printed there."""
        for box, text in self.fields:
            x0, y0, x1, y1 = page.frame.turned_box(box)
            size = min(y1 - y0, _MAX_SIZE)
            lines = text.splitlines() or [text]
            top = y0 if len(lines) > 1 else (y0 + y1 - size) / 2
            for number, line in enumerate(lines):
                if line.strip():
                    width = min(x1 - x0, 0.5 * size * len(line)) or size
                    y = top + 1.2 * size * number
                    page.segments.append(Segment(line.strip(), x0, y, x0 + width, y + size, size))


def read_annotations(document: Any, page: Any, form: Any, frame: Frame) -> _Attached:
    """`form` is the environment of the document's form, or None when it has none."""
    found = _Attached()
    count = pdfium_c.FPDFPage_GetAnnotCount(page)
    found.cut_off = count > _MAX_ANNOTATIONS
    for kind, annotation in _annotations(page, min(count, _MAX_ANNOTATIONS)):
        if kind == pdfium_c.FPDF_ANNOT_LINK:
            if target := _target(document, annotation):
                found.links += [(box, target) for box in _boxes(annotation, frame)]
        elif kind == pdfium_c.FPDF_ANNOT_WIDGET:
            value = _value(form, annotation) if form else ""
            found.fields += [(box, value) for box in _boxes(annotation, frame)[:1] if value]
        elif kind in _COMMENTS and (comment := _string(annotation, b"Contents")):
            author = _string(annotation, b"T")
            found.comments.append(f"Comment by {author}: {comment}" if author else f"Comment: {comment}")
    return found


def _annotations(page: Any, count: int) -> Iterator[tuple[int, Any]]:
    for index in range(count):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            yield pdfium_c.FPDFAnnot_GetSubtype(annotation), annotation
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)


def _boxes(annotation: Any, frame: Frame) -> list[list[float]]:
    """The boxes of an annotation in shown space: one for each line of a link, if it says so."""
    found: list[tuple[float, float, float, float]] = []
    points = pdfium_c.FS_QUADPOINTSF()
    for index in range(min(pdfium_c.FPDFAnnot_CountAttachmentPoints(annotation), 64)):
        if pdfium_c.FPDFAnnot_GetAttachmentPoints(annotation, index, points):
            xs, ys = (points.x1, points.x2, points.x3, points.x4), (points.y1, points.y2, points.y3, points.y4)
            found.append((min(xs), min(ys), max(xs), max(ys)))
    if not found:
        rectangle = pdfium_c.FS_RECTF()
        if not pdfium_c.FPDFAnnot_GetRect(annotation, rectangle):
            return []
        xs2, ys2 = (rectangle.left, rectangle.right), (rectangle.bottom, rectangle.top)
        found.append((min(xs2), min(ys2), max(xs2), max(ys2)))
    return [[float(value) for value in box] for box in frame.shown(found).tolist()]


def _target(document: Any, annotation: Any) -> str:
    link = pdfium_c.FPDFAnnot_GetLink(annotation)
    action = pdfium_c.FPDFLink_GetAction(link) if link else None
    if not action or pdfium_c.FPDFAction_GetType(action) != pdfium_c.PDFACTION_URI:
        return ""
    length = pdfium_c.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < length <= _MAX_CHARS:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium_c.FPDFAction_GetURIPath(document, action, buffer, length)
    target = buffer.raw[: length - 1].decode("utf-8", "replace")
    return target if _TARGET.match(target) else ""


def _value(form: Any, annotation: Any) -> str:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _TICKS:
        return "☑" if pdfium_c.FPDFAnnot_IsChecked(form, annotation) else "☐"
    if kind not in _TEXT_FIELDS:
        return ""
    return _wide(lambda buffer, size: pdfium_c.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))


def _string(annotation: Any, key: bytes) -> str:
    text = _wide(lambda buffer, size: pdfium_c.FPDFAnnot_GetStringValue(annotation, key, buffer, size))
    return " ".join(text.split())


def _wide(read: Any) -> str:
    """A UTF-16 text of pdfium, by a function that gives its bytes and fills a buffer with them."""
    size = read(None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")[:_MAX_CHARS]
