"""Headings that a tagged PDF names itself: office programs write the style of a heading into the file's structure tree."""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final

import pypdfium2.raw as pdfium_c

_HEADING: Final = re.compile(r"^H([1-6])$")
_MAX_LOOKS: Final = 1_000_000
"""Elements that are looked at in one document. Every page's tree begins at the root, with all that is on other pages."""
_TYPE_BYTES: Final = 64


class Tags:
    """Reads which marked content of a page is a heading; stops when a document's trees are too large."""

    def __init__(self, document: Any) -> None:
        self.left = _MAX_LOOKS if pdfium_c.FPDFCatalog_IsTagged(document) else 0
        self._buffer = ctypes.create_string_buffer(_TYPE_BYTES)

    def levels(self, page: Any) -> dict[int, int]:
        """Level of the heading (from 1) by the id of the marked content that says it."""
        if self.left <= 0:
            return {}
        tree = pdfium_c.FPDF_StructTree_GetForPage(page)
        if not tree:
            return {}
        try:
            return self._levels(tree)
        finally:
            pdfium_c.FPDF_StructTree_Close(tree)

    def _levels(self, tree: Any) -> dict[int, int]:
        found: dict[int, int] = {}
        count = pdfium_c.FPDF_StructTree_CountChildren(tree)
        self.left -= count
        stack = [(pdfium_c.FPDF_StructTree_GetChildAtIndex(tree, index), 0) for index in range(min(count, self.left))]
        while stack and self.left > 0:
            element, level = stack.pop()
            if not element:
                continue
            if match := _HEADING.match(self._type(element)):
                level = int(match[1])
            count = max(0, pdfium_c.FPDF_StructElement_CountChildren(element))
            self.left -= count + 1
            for index in range(min(count, max(0, self.left))):
                content = pdfium_c.FPDF_StructElement_GetChildMarkedContentID(element, index) if level else -1
                if content >= 0:
                    found[content] = level
                elif child := pdfium_c.FPDF_StructElement_GetChildAtIndex(element, index):
                    stack.append((child, level))
        return found

    def _type(self, element: Any) -> str:
        size = pdfium_c.FPDF_StructElement_GetType(element, self._buffer, _TYPE_BYTES)
        return self._buffer.raw[: size - 2].decode("utf-16-le", "replace") if 2 < size <= _TYPE_BYTES else ""
