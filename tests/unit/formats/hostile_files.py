"""Makers of files that are made to do harm. All of them are small, or quickly made."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import Final

import docx
import openpyxl
import pptx

MEGABYTE: Final = 1024 * 1024

WORD: Final = "word/document.xml"
STRINGS: Final = "xl/sharedStrings.xml"
SHEET: Final = "xl/worksheets/sheet1.xml"
SLIDE: Final = "ppt/slides/slide1.xml"


def office(name: str) -> bytes:
    """A small good file of the format that `name` has."""
    buffer = io.BytesIO()
    if name.endswith(".docx"):
        word = docx.Document()
        word.add_paragraph("The queue holds 40 items.")
        word.save(buffer)
    elif name.endswith(".xlsx"):
        book = openpyxl.Workbook()
        book.worksheets[0]["A1"] = "queue"
        book.save(buffer)
    else:
        show = pptx.Presentation()
        show.slides.add_slide(show.slide_layouts[0]).shapes.title.text = "Queue"
        show.save(buffer)
    return buffer.getvalue()


def packed(head: bytes, unit: bytes, tail: bytes, size: int) -> tuple[bytes, int, int]:
    """A deflate stream of `head`, `unit` again and again, and `tail`, about `size` bytes unpacked; its true size; its CRC.

    A block that ends with a full flush knows nothing of what is before it, so it is packed once and repeated.
    """
    block = unit * (MEGABYTE // len(unit))
    times = size // len(block)

    def deflate(data: bytes, mode: int) -> bytes:
        engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        return engine.compress(data) + engine.flush(mode)

    middle = deflate(block, zlib.Z_FULL_FLUSH)
    checksum = zlib.crc32(head)
    if size <= 100 * MEGABYTE:  # nobody gets to the end of a larger one
        for _ in range(times):
            checksum = zlib.crc32(block, checksum)
    stream = deflate(head, zlib.Z_FULL_FLUSH) + middle * times + deflate(tail, zlib.Z_FINISH)
    return stream, len(head) + len(block) * times + len(tail), zlib.crc32(tail, checksum)


def with_part(archive: bytes, part: str, stream: bytes, size: int, checksum: int) -> bytes:
    """The archive with a part whose packed bytes are `stream`, whatever its headers say of `size` and `checksum`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if entry.filename != part:
                new.writestr(entry.filename, old.read(entry))
        new.writestr(zipfile.ZipInfo(part), stream)  # as it is; the headers are made to fit below
        at = new.getinfo(part).header_offset
    data = bytearray(buffer.getvalue())
    numbers = struct.pack("<LLL", checksum, len(stream), size)
    directory = data.rindex(b"PK\x01\x02")
    for header, method, fields in ((at, 8, 14), (directory, 10, 16)):
        data[header + method : header + method + 2] = struct.pack("<H", zipfile.ZIP_DEFLATED)
        data[header + fields : header + fields + 12] = numbers
    return bytes(data)


def with_text(archive: bytes, part: str, text: str) -> bytes:
    content = text.encode()
    engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return with_part(archive, part, engine.compress(content) + engine.flush(), len(content), zlib.crc32(content))


XML = {
    WORD: (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>',
        "</w:body></w:document>",
    ),
    SHEET: (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>',
        "</sheetData></worksheet>",
    ),
    STRINGS: ('<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">', "</sst>"),
    SLIDE: (
        '<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree>',
        "</p:spTree></p:cSld></p:sld>",
    ),
}


def pdf_of(objects: Sequence[str]) -> bytes:
    """A PDF of numbered objects, in Latin-1, the first of which is the catalogue."""
    parts = [b"%PDF-1.4\n"]
    offsets = []
    at = len(parts[0])
    for number, content in enumerate(objects, start=1):
        parts.append(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
        offsets.append(at)
        at += len(parts[-1])
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n"
    return b"".join([*parts, end.encode(), f"startxref\n{at}\n%%EOF".encode()])


FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
CONTENT = "BT /F1 12 Tf 72 720 Td (The queue holds 40 items.) Tj ET"
STREAM = f"<< /Length {len(CONTENT)} >>\nstream\n{CONTENT}\nendstream"
PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"


def png_of(side: int) -> bytes:
    """A valid PNG of `side` x `side` black and white pixels, in which every pixel is black."""
    row = b"\0" * (1 + (side + 7) // 8)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))

    header = struct.pack(">LLBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * side, 9)) + chunk(b"IEND", b"")


def laughing_yaml() -> str:
    """A list of nine lists of nine lists and so on, 31 thousand million words, in twelve lines."""
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{step}: &a{step} [{', '.join([f'*a{step - 1}'] * 9)}]" for step in range(1, 12)]
    return "\n".join(lines) + "\n"


def notebook_of(size: int) -> str:
    """A notebook with one cell that printed `size` characters."""
    output = {"output_type": "stream", "name": "stdout", "text": ["x" * 99 + "\n"] * (size // 100)}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["print(1)"], "outputs": [output]}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def nested_mail(levels: int) -> str:
    """A mail in whose parts are parts, `levels` deep."""
    heads = "".join(f'Content-Type: multipart/mixed; boundary="b{level}"\n\n--b{level}\n' for level in range(levels))
    inside = "Content-Type: text/plain\n\nThe queue holds 40 items.\n"
    return (
        "Subject: Queue\nFrom: a@example.com\nMIME-Version: 1.0\n"
        + heads
        + inside
        + "".join(f"\n--b{level}--\n" for level in reversed(range(levels)))
    )
