"""What is drawn on a PDF page beside its text: straight lines, which may be a table's, and pictures."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium_c

from ragd.formats.pdf.page.page import Box, Frame, Rule

_MAX_OBJECTS: Final = 20_000
_MAX_RULES: Final = 4_000
_MAX_FORM_DEPTH: Final = 4
_MAX_PATH_SEGMENTS: Final = 400
_THIN: Final = 2.5
"""Points up to which a drawn shape is a line."""
_SHORTEST: Final = 6.0
_WHITE: Final = 250

_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Final[_Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class Drawn:
    """Rules and pictures of a page in shown space. Pictures are pdfium's handles: good only as long as the page is open."""

    rules: list[Rule] = field(default_factory=list)
    images: list[tuple[Any, Box]] = field(default_factory=list)
    paths: int = 0
    cut_off: bool = False


def read_objects(page: Any, frame: Frame) -> Drawn:
    """The lines and pictures of a page, up to a bound; `cut_off` says that there were more objects than it allows."""
    found = Drawn()
    values = [ctypes.c_float() for _ in range(4)]
    edges: list[tuple[float, float, float, float]] = []
    for number, (kind, handle, matrix) in enumerate(_objects(page)):
        if number >= _MAX_OBJECTS:
            found.cut_off = True
            break
        if not pdfium_c.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, values)):
            continue
        left, bottom, right, top = _mapped(matrix, *(value.value for value in values))
        if kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            x0, y0, x1, y1 = frame.shown([[left, bottom, right, top]])[0].tolist()
            found.images.append((handle, (x0, y0, x1, y1)))
            continue
        found.paths += 1
        if len(edges) >= _MAX_RULES or max(right - left, top - bottom) < _SHORTEST or not _is_drawn(handle):
            continue
        if min(right - left, top - bottom) <= _THIN:
            edges.append((left, bottom, right, top))
        else:
            edges += _edges(handle, matrix)
    found.rules = _rules(edges, frame)
    return found


def _objects(page: Any) -> Iterator[tuple[int, Any, _Matrix]]:
    """Paths and pictures, those in form objects too, with the matrix from their space to the page's."""
    stack: list[tuple[Any, int, int, _Matrix]] = [(None, 0, pdfium_c.FPDFPage_CountObjects(page), _IDENTITY)]
    while stack:
        form, position, count, matrix = stack.pop()
        for index in range(position, count):
            handle = pdfium_c.FPDFFormObj_GetObject(form, index) if form else pdfium_c.FPDFPage_GetObject(page, index)
            kind = pdfium_c.FPDFPageObj_GetType(handle) if handle else 0
            if kind in (pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE):
                yield kind, handle, matrix
            elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and len(stack) < _MAX_FORM_DEPTH:
                stack.append((form, index + 1, count, matrix))
                inner = _times(_matrix(handle), matrix)
                stack.append((handle, 0, max(0, pdfium_c.FPDFFormObj_CountObjects(handle)), inner))
                break


def _is_drawn(path: Any) -> bool:
    """Whether a path can be seen: stroked, or filled with another colour than white."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium_c.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke)):
        return False
    if stroke.value:
        return True
    if not fill.value:
        return False
    colour = [ctypes.c_uint() for _ in range(4)]
    known = pdfium_c.FPDFPageObj_GetFillColor(path, *map(ctypes.byref, colour))
    return not known or min(part.value for part in colour[:3]) < _WHITE


def _edges(path: Any, matrix: _Matrix) -> list[tuple[float, float, float, float]]:
    """The level and upright sides of a path, in page space."""
    count = pdfium_c.FPDFPath_CountSegments(path)
    if not 2 <= count <= _MAX_PATH_SEGMENTS:
        return []
    matrix = _times(_matrix(path), matrix)
    found = []
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(path, index)
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        pdfium_c.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = _point(matrix, x.value, y.value)
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium_c.FPDF_SEGMENT_LINETO:
            found.append((*last, *point))
        last = point
        if pdfium_c.FPDFPathSegment_GetClose(segment):
            found.append((*last, *start))
            last = start
    return [
        (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        for x0, y0, x1, y1 in found
        if min(abs(x1 - x0), abs(y1 - y0)) < 0.5 and max(abs(x1 - x0), abs(y1 - y0)) >= _SHORTEST
    ]


def _rules(edges: list[tuple[float, float, float, float]], frame: Frame) -> list[Rule]:
    if not edges:
        return []
    rules = []
    for x0, y0, x1, y1 in np.asarray(frame.shown(edges)).tolist():
        upright = x1 - x0 < y1 - y0
        rules.append(Rule(True, (x0 + x1) / 2, y0, y1) if upright else Rule(False, (y0 + y1) / 2, x0, x1))
    return rules


def _matrix(handle: Any) -> _Matrix:
    matrix = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(handle, matrix):
        return _IDENTITY
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _times(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _point(matrix: _Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return (a * x + c * y + e, b * x + d * y + f)


def _mapped(matrix: _Matrix, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
    if matrix == _IDENTITY:
        return (left, bottom, right, top)
    points = [_point(matrix, x, y) for x in (left, right) for y in (bottom, top)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return (min(xs), min(ys), max(xs), max(ys))
