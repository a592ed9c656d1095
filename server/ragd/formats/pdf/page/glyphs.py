"""The visible characters of a PDF page with their boxes: the raw material of its layout.

pdfium hands out a page's text at once, but the box of each character only by a call of its own; that is most of the time a page
takes, so it is made as cheap as it can be.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from itertools import repeat
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from ragd.formats.pdf.page.page import Frame

_MAX_CHARACTERS: Final = 200_000
"""Characters that are read of one page; a page of small print has 15,000."""
_BROKEN: Final = 0.3
_BLANKS: Final = np.array([0x20, 0xA0, 0x3000, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0xFEFF, *range(0x2000, 0x200C)])


def _quick(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of pypdfium2.raw, called with addresses and without giving up the interpreter: half the time of a page."""
    address = ctypes.cast(getattr(pdfium_c, name), ctypes.c_void_p).value or 0
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


_loose_box: Final = _quick("FPDFText_GetLooseCharBox", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_text_object: Final = _quick("FPDFText_GetTextObject", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_is_generated: Final = _quick("FPDFText_IsGenerated", ctypes.c_int, ctypes.c_void_p, ctypes.c_int)


class Glyphs:
    """The visible characters of a page, in the order of the file: codes, boxes in shown space, and places in the text."""

    def __init__(self, text_page: Any, frame: Frame) -> None:
        self.raw = text_page
        self.address = ctypes.cast(text_page, ctypes.c_void_p).value or 0
        characters = pdfium_c.FPDFText_CountChars(text_page)
        self.cut_off = characters > _MAX_CHARACTERS
        count = min(max(0, characters), _MAX_CHARACTERS)
        self.codes = _codes(text_page, count)
        breaks = np.cumsum((self.codes == 10) | (self.codes == 13))
        blank = (self.codes < 33) & (self.codes != 2)
        self.at: NDArray[np.intp] = np.flatnonzero(~(blank | np.isin(self.codes, _BLANKS)))
        self.line = breaks[self.at]
        self.boxes = frame.shown(_boxes(self.address, self.at))

    def __len__(self) -> int:
        return len(self.at)

    def seams(self, kinds: NDArray[np.int8]) -> list[int]:
        """Characters (but the first) before which pdfium added a blank, since another piece of text begins there.

        It may be the next cell of a table, closer to the one before than two words are.
        """
        places = np.flatnonzero((np.diff(self.at) == 2) & (kinds == 1)).tolist()
        before = self.at[places].tolist()
        return [
            place
            for place, at in zip(places, before, strict=True)
            if _is_generated(self.address, at + 1) == 1 and _text_object(self.address, at) != _text_object(self.address, at + 2)
        ]

    def is_generated(self, place: int) -> bool:
        """Whether pdfium made the blank after this visible character."""
        return bool(_is_generated(self.address, int(self.at[place]) + 1) == 1)

    def content_id(self, index: int) -> int:
        """The marked content that a character of the text (by its index there) belongs to; -1 for none."""
        handle = pdfium_c.FPDFText_GetTextObject(self.raw, index)
        return int(pdfium_c.FPDFPageObj_GetMarkedContentID(handle)) if handle else -1

    @property
    def are_broken(self) -> bool:
        """Whether many visible characters stand for nothing: a text layer without the way back to Unicode."""
        codes = self.codes[self.at]
        broken = (codes == 0xFFFD) | ((codes >= 0xE000) & (codes <= 0xF8FF)) | ((codes < 32) & (codes != 2)) | (codes >= 0xF0000)
        return len(codes) > 0 and float(broken.mean()) > _BROKEN


def _codes(text_page: Any, count: int) -> NDArray[np.uint32]:
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium_c.FPDFText_GetText(text_page, 0, count, buffer) if count else 0
    text = bytes(buffer).decode("utf-16-le", "surrogatepass")[: max(0, written - 1)]
    if len(text) == count:
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    # Some characters are no part of the text that pdfium hands out at once, or take two units of it.
    return np.array([pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(count)], dtype=np.uint32)


def _boxes(text_page: int, at: NDArray[np.intp]) -> NDArray[np.float64]:
    """Left, bottom, right, top of these characters in page space."""
    if not len(at):
        return np.empty((0, 4))
    buffer = (pdfium_c.FS_RECTF * len(at))()
    begin, size = ctypes.addressof(buffer), ctypes.sizeof(pdfium_c.FS_RECTF)
    deque(map(_loose_box, repeat(text_page), at.tolist(), range(begin, begin + size * len(at), size)), maxlen=0)
    found = np.frombuffer(buffer, dtype=np.float32).reshape(-1, 4).astype(np.float64)
    left, top, right, bottom = found.T
    return np.stack((np.minimum(left, right), np.minimum(bottom, top), np.maximum(left, right), np.maximum(bottom, top)), axis=1)
