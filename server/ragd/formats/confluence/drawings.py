"""The words in a draw.io drawing: labels of its shapes, and which of them its arrows connect.

A drawing is `<mxfile>` with one `<diagram>` a page, whose content is XML, or that XML percent-encoded, deflated and in base64.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from html import unescape
from typing import Final
from urllib.parse import unquote

from lxml import etree

from ragd.formats.confluence.xml import Element, fit

_MAX_PAGE: Final = 10 * 1024 * 1024
"""Bytes of one page of a drawing, unpacked."""
MAX_PAGES: Final = 50
_MAX_LINES: Final = 2000
_MAX_LABEL: Final = 1000

# lxml refuses a text that declares an encoding.
_DECLARATION: Final = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
_TAG: Final = re.compile(r"<[^<>]*>")
_WITH_LABEL: Final = {"mxCell": "value", "UserObject": "label", "object": "label"}


def diagram_text(source: str) -> list[str]:
    """One line for each label and each labelled or connecting arrow, in the order of the file; empty when it can't be read."""
    lines: list[str] = []
    for name, root in _pages(source):
        found = list(dict.fromkeys(_lines(root)))
        if name and found:
            lines.append(f"{name}:")
        lines += found
    return lines[:_MAX_LINES]


def _pages(source: str) -> Iterator[tuple[str, Element]]:
    """The pages with their names; a lone page's, which draw.io gives by itself, is left out."""
    root = _parsed(source)
    if root is None:
        return
    diagrams = list(root.iter("diagram"))[:MAX_PAGES]
    if not diagrams:
        yield "", root
    for diagram in diagrams:
        inner = diagram if len(diagram) else _parsed(_unpacked(diagram.text or ""))
        if inner is not None:
            yield (_plain(diagram.get("name") or "") if len(diagrams) > 1 else ""), inner


def _parsed(text: str) -> Element | None:
    if not text.strip() or "<!DOCTYPE" in text:
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(fit(_DECLARATION.sub("", text)), parser)
    except etree.XMLSyntaxError:
        return None


def _unpacked(text: str) -> str:
    text = text.strip()
    if text.startswith("<"):
        return text
    try:
        packed = base64.b64decode(text, validate=False)
        xml = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, _MAX_PAGE)
    except (binascii.Error, zlib.error, ValueError):
        return ""
    return unquote(xml.decode("utf-8", "replace"))


def _lines(root: Element) -> Iterator[str]:
    labels: dict[str, str] = {}
    edges: list[tuple[str, str, str]] = []
    in_edges: set[str] = set()
    cells: list[tuple[str, str]] = []
    for element in root.iter():
        attribute = _WITH_LABEL.get(str(element.tag))
        if attribute is None:
            continue
        wrapper = element.getparent()
        wrapped = attribute == "value" and wrapper is not None and wrapper.tag in ("UserObject", "object")
        label = _plain((wrapper.get("label") if wrapped else element.get(attribute)) or "")
        identity = (wrapper.get("id") if wrapped else element.get("id")) or ""
        if element.get("edge") == "1":
            edges.append((element.get("source") or "", element.get("target") or "", label))
            in_edges.add(identity)
        elif not wrapped and label:
            labels[identity] = label
            cells.append((identity, label))
    yield from (label for identity, label in cells if identity not in in_edges)
    for source, target, label in edges:
        ends = f"{labels[source]} → {labels[target]}" if source in labels and target in labels else ""
        if said := f"{ends}: {label}" if ends and label else ends or label:
            yield said


def _plain(label: str) -> str:
    """Labels are HTML, or text."""
    return " ".join(unescape(_TAG.sub(" ", label)).split())[:_MAX_LABEL]
