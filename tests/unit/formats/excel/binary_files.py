"""Makes workbooks that no library on the index writes as they come: `.xlsb` (MS-XLSB), and `.ods` that repeat their cells."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

_PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>'
    ),
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.bin"/>'
        "</Relationships>"
    ),
    "xl/_rels/workbook.bin.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.bin"/>'
        "</Relationships>"
    ),
}


def record(kind: int, content: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size = len(content)
    while size >= 0x80:
        head += bytes([size & 0x7F | 0x80])
        size >>= 7
    return head + bytes([size]) + content


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text.encode("utf-16-le")) // 2) + text.encode("utf-16-le")


def _cell(column: int, value: str | float | bool) -> bytes:
    head = struct.pack("<II", column, 0)
    if isinstance(value, bool):
        return record(4, head + bytes([value]))
    if isinstance(value, str):
        return record(6, head + _wide(value))
    return record(5, head + struct.pack("<d", value))


def xlsb(cells: Mapping[tuple[int, int], str | float | bool], sheet: str = "Sheet1", *, short: bool = False) -> bytes:
    """A workbook of one sheet with these cells, by row and column from 0. `short`: all but the first of a row without columns."""
    body = record(129) + record(148, struct.pack("<IIII", 0, 9, 0, 9)) + record(145)
    for row in sorted({row for row, _ in cells}):
        body += record(0, struct.pack("<IIHBBBI", row, 0, 300, 0, 0, 0, 0))
        for number, (column, value) in enumerate((at[1], value) for at, value in sorted(cells.items()) if at[0] == row):
            body += record(16, struct.pack("<Id", 0, float(value))) if short and number else _cell(column, value)
    body += record(146) + record(130)
    entry = record(156, struct.pack("<II", 0, 1) + _wide("rId1") + _wide(sheet))
    book = record(131) + record(143) + entry + record(144) + record(132)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**_PARTS, "xl/workbook.bin": book, "xl/worksheets/sheet1.bin": body}.items():
            archive.writestr(name, content)
    return stream.getvalue()


_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"


def ods(*rows: str) -> bytes:
    """An OpenDocument spreadsheet of one sheet."""
    names = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "table", "text"))
    body = f'<office:spreadsheet><table:table table:name="Parts">{"".join(rows)}</table:table></office:spreadsheet>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), _SPREADSHEET)
        content = f"<office:document-content {names}><office:body>{body}</office:body></office:document-content>"
        archive.writestr("content.xml", content)
        entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_SPREADSHEET}"/>'
        archive.writestr(
            "META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0">{entry}</manifest:manifest>'
        )
    return out.getvalue()


def row(cells: str, repeated: int = 1) -> str:
    """A row of `ods`."""
    return f'<table:table-row table:number-rows-repeated="{repeated}">{cells}</table:table-row>'


def cell(text: str, repeated: int = 1) -> str:
    """A cell of `row`; without a text it is blank."""
    value = f'office:value-type="string"><text:p>{text}</text:p>' if text else ">"
    return f'<table:table-cell table:number-columns-repeated="{repeated}" {value}</table:table-cell>'
