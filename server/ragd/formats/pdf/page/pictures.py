"""The pictures of a PDF page as files: JPEG and JPEG 2000 as they stand in the PDF, others as PNG."""

from __future__ import annotations

import ctypes
import hashlib
import io
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium_c
from PIL import Image

from ragd.formats.common.pictures import picture
from ragd.formats.pdf.page.page import Box, Page

MIN_SIDE: Final = 16
MAX_PIXELS: Final = 40_000_000
_MAX_ON_PAGE: Final = 40
MAX_BYTES: Final = 256 * 1024 * 1024
"""Bytes of pictures that are kept of one document, all together."""
_MAX_STREAM: Final = 64 * 1024 * 1024
_WHOLE_PAGE: Final = 0.8
_AS_THEY_STAND: Final = (b"DCTDecode", b"JPXDecode")
_PNG_LEVEL: Final = 3


class Pictures:
    """Reads the pictures of one document; the same one on many pages is encoded once, and all together have a bound."""

    def __init__(self) -> None:
        self.kept = 0
        self.left_out: dict[str, int] = {}
        self._encoded: dict[bytes, bytes] = {}

    def read(self, page: Page, images: Sequence[tuple[Any, Box]], *, behind_text: bool) -> None:
        """Adds the pictures of a page to it. A picture as large as the page, with text on it, is its paper."""
        area = page.frame.shown_size[0] * page.frame.shown_size[1]
        taken = 0
        for handle, box in images:
            width, height = ctypes.c_uint(), ctypes.c_uint()
            if not pdfium_c.FPDFImageObj_GetImagePixelSize(handle, ctypes.byref(width), ctypes.byref(height)):
                continue
            if min(width.value, height.value) < MIN_SIDE:
                continue
            if behind_text and page.frame.covered_area([box]) >= _WHOLE_PAGE * area:
                self._leave_out("as large as a page, under its text")
            elif taken == _MAX_ON_PAGE:
                self._leave_out(f"beyond the first {_MAX_ON_PAGE} of a page")
            elif width.value * height.value > MAX_PIXELS:
                self._leave_out("of too many pixels")
            elif self.kept > MAX_BYTES:
                self._leave_out(f"beyond {MAX_BYTES // 2**20} MiB of pictures")
            elif data := self._data(handle):
                taken += 1
                inside = page.frame.turned_box(box)
                page.pictures.append((picture(data, place=page.frame.place(page.index, inside)), inside))
            else:
                self._leave_out("that can't be decoded")

    def warnings(self) -> list[str]:
        return [f"{count} pictures {why} were left out" for why, count in self.left_out.items()]

    def _leave_out(self, why: str) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + 1

    def _data(self, handle: Any) -> bytes:
        raw = _stream(pdfium_c.FPDFImageObj_GetImageDataRaw, handle)
        key = hashlib.sha256(raw).digest() if raw else b""
        if key in self._encoded:
            return self._encoded[key]
        # Of a chain of filters pdfium takes off those before the picture's own.
        whole = _filters(handle)[-1:] in ([name] for name in _AS_THEY_STAND)
        data = (_stream(pdfium_c.FPDFImageObj_GetImageDataDecoded, handle) if whole else b"") or _png(handle)
        self.kept += len(data)
        if key and data:
            self._encoded[key] = data
        return data


def _stream(read: Any, handle: Any) -> bytes:
    size = read(handle, None, 0)
    if not 0 < size <= _MAX_STREAM:
        return b""
    buffer = ctypes.create_string_buffer(size)
    read(handle, buffer, size)
    return buffer.raw


def _filters(handle: Any) -> list[bytes]:
    names = []
    for index in range(pdfium_c.FPDFImageObj_GetImageFilterCount(handle)):
        size = pdfium_c.FPDFImageObj_GetImageFilter(handle, index, None, 0)
        buffer = ctypes.create_string_buffer(max(size, 1))
        pdfium_c.FPDFImageObj_GetImageFilter(handle, index, buffer, size)
        names.append(buffer.value)
    return names


def _png(handle: Any) -> bytes:
    bitmap = pdfium_c.FPDFImageObj_GetBitmap(handle)
    if not bitmap:
        return b""
    try:
        pixels = _pixels(bitmap)
    finally:
        pdfium_c.FPDFBitmap_Destroy(bitmap)
    if pixels is None:
        return b""
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "PNG", compress_level=_PNG_LEVEL)
    return target.getvalue()


def _pixels(bitmap: Any) -> np.ndarray[Any, np.dtype[np.uint8]] | None:
    """`[height, width]` of greys, or `[height, width, 3]` of red, green, blue."""
    width, height = pdfium_c.FPDFBitmap_GetWidth(bitmap), pdfium_c.FPDFBitmap_GetHeight(bitmap)
    stride = pdfium_c.FPDFBitmap_GetStride(bitmap)
    depth = {
        pdfium_c.FPDFBitmap_Gray: 1, pdfium_c.FPDFBitmap_BGR: 3, pdfium_c.FPDFBitmap_BGRx: 4, pdfium_c.FPDFBitmap_BGRA: 4,
    }.get(pdfium_c.FPDFBitmap_GetFormat(bitmap))  # fmt: skip
    address = pdfium_c.FPDFBitmap_GetBuffer(bitmap)
    if depth is None or not address or width * height > MAX_PIXELS:
        return None
    raw = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_ubyte)), shape=(height, stride))
    rows = raw[:, : width * depth].reshape(height, width, depth)
    if depth == 1:
        return rows[:, :, 0].copy()
    return np.ascontiguousarray(rows[:, :, 2::-1])
