"""Drawings inside of pictures: what draw.io, PlantUML and Excalidraw write into the PNG and SVG files that they make."""

from __future__ import annotations

import base64
import binascii
import re
import string
import struct
import zlib
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from ragd.diagrams.model import Diagram
from ragd.diagrams.reading import MAX_BYTES, Page, parsed
from ragd.diagrams.sources.plantuml import read_plantuml
from ragd.diagrams.structure.drawio import read_drawio
from ragd.diagrams.structure.excalidraw import decoded_payload, read_excalidraw, unpacked_excalidraw
from ragd.diagrams.structure.svg import read_svg

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_MOST_CHUNKS: Final = 10_000
_HEAD: Final = 16_384
_EXCALIDRAW: Final = "application/vnd.excalidraw+json"
_PAYLOAD: Final = re.compile(r"<!-- payload-start -->\s*([A-Za-z0-9+/=\s]+?)\s*<!-- payload-end -->")
_PLANTUML: Final = re.compile(r"<\?plantuml-src ([0-9A-Za-z_-]{1,400000})\?>")
_FROM_PLANTUML: Final = str.maketrans(
    string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_",
    string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/",
)
_DRAWIO: Final = ("mxfile", "mxGraphModel")
_CHUNK: Final = struct.Struct(">I4s")


def read_picture(data: bytes) -> list[Diagram]:
    """The diagrams that a picture file has in it as such, apart from its pixels; empty when there is none."""
    if data.startswith(_PNG):
        texts = dict(_png_texts(data))
        found = [page.diagram for page in _drawio(next((texts[name] for name in _DRAWIO if name in texts), ""))]
        if "plantuml" in texts:
            found.append(read_plantuml(texts["plantuml"]))
        if _EXCALIDRAW in texts:
            found += [page.diagram for page in read_excalidraw(unpacked_excalidraw(texts[_EXCALIDRAW]))]
    elif b"<svg" in data[:_HEAD] and len(data) <= MAX_BYTES:
        found = _of_svg(data)
    else:
        return []
    return [diagram for diagram in found if diagram]


def _drawio(text: str) -> list[Page]:
    return read_drawio(unquote(text) if text.lstrip().startswith("%") else text) if text else []


def _of_svg(data: bytes) -> list[Diagram | None]:
    text = data.decode("utf-8", "replace")
    if found := _PLANTUML.search(text):
        return [read_plantuml(_unpacked_plantuml(found[1]))]
    if found := _PAYLOAD.search(text):
        return [page.diagram for page in read_excalidraw(unpacked_excalidraw(decoded_payload(found[1])))]
    root = parsed(text)
    if root is None:
        return []
    if pages := _drawio(root.get("content") or ""):
        return [page.diagram for page in pages]
    return [read_svg(root)]


def _unpacked_plantuml(text: str) -> str:
    """PlantUML's source as it stands in a drawing: deflated, in a base64 with an alphabet of its own."""
    packed = text.translate(_FROM_PLANTUML)
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4))
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, MAX_BYTES).decode("utf-8", "replace")
    except (binascii.Error, ValueError, zlib.error):
        return ""


def _png_texts(data: bytes) -> Iterator[tuple[str, str]]:
    """Keyword and text of the text chunks (PNG specification, 11.3.4), unpacked up to a bound."""
    at, count = len(_PNG), 0
    while at + 12 <= len(data) and count < _MOST_CHUNKS:
        length, kind = _CHUNK.unpack_from(data, at)
        body = data[at + 8 : at + 8 + length]
        at, count = at + 12 + length, count + 1
        if kind not in (b"tEXt", b"zTXt", b"iTXt"):
            continue
        keyword, _, rest = body.partition(b"\0")
        try:
            if kind == b"zTXt":
                rest = _inflated(rest[1:])
            elif kind == b"iTXt":
                packed, (_language, _, rest) = rest[:1], rest[2:].partition(b"\0")
                rest = rest.partition(b"\0")[2]
                rest = _inflated(rest) if packed == b"\1" else rest
        except zlib.error:
            continue
        yield keyword.decode("latin-1"), rest[:MAX_BYTES].decode("utf-8" if kind == b"iTXt" else "latin-1", "replace")


def _inflated(packed: bytes) -> bytes:
    return zlib.decompressobj().decompress(packed, MAX_BYTES)
