"""Excalidraw: a JSON list of elements; texts belong to boxes and arrows, arrows are bound to what they join."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any, Final

from ragd.diagrams.model import Edge, EdgeKind, Group, Node, Shape, made
from ragd.diagrams.reading import MAX_BYTES, MAX_SHAPES, Page, plain

_SHAPES: Final[dict[str, Shape]] = {
    "rectangle": "box", "diamond": "diamond", "ellipse": "ellipse", "text": "box", "image": "box", "embeddable": "box",
}  # fmt: skip

_Element = Mapping[str, Any]


def read_excalidraw(source: str | bytes) -> list[Page]:
    """The drawing as one page; empty for anything else."""
    if len(source) > MAX_BYTES:
        return []
    try:
        stated = json.loads(source)
    except (ValueError, RecursionError):
        return []
    found = stated.get("elements") if isinstance(stated, dict) else None
    if not isinstance(found, list):
        return []
    elements = {
        str(element["id"]): element
        for element in found[:MAX_SHAPES]
        if isinstance(element, dict) and element.get("id") and not element.get("isDeleted")
    }
    return [_page(elements)]


def unpacked_excalidraw(payload: str) -> str:
    """What Excalidraw puts into PNG files, and in base64 into SVG files: JSON around deflated JSON; empty for anything else."""
    try:
        stated = json.loads(payload)
        if not isinstance(stated, dict) or not isinstance(stated.get("encoded"), str):
            return payload if isinstance(stated, dict) and "elements" in stated else ""
        data = stated["encoded"].encode("latin-1")
        data = zlib.decompressobj().decompress(data, MAX_BYTES) if stated.get("compressed") else data
    except (ValueError, RecursionError, zlib.error):
        return ""
    return data.decode("utf-8", "replace")


def decoded_payload(text: str) -> str:
    """The payload of an SVG file."""
    try:
        return base64.b64decode(text, validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _page(elements: Mapping[str, _Element]) -> Page:
    labels: dict[str, str] = {}
    for element in elements.values():
        if element.get("type") == "text" and str(element.get("containerId") or "") in elements:
            labels[str(element["containerId"])] = _text(element)
    arrows = [(key, element) for key, element in elements.items() if element.get("type") in ("arrow", "line")]
    edges, ends = [], set()
    for key, element in arrows:
        source, target = _bound(element, "startBinding"), _bound(element, "endBinding")
        if source in elements and target in elements:
            source, target, kind = _turned(element, source, target)
            edges.append(Edge(source, target, labels.get(key, ""), kind))
            ends |= {source, target}
    nodes, texts = [], []
    for key, element in elements.items():
        kind_of = str(element.get("type"))
        if kind_of not in _SHAPES or (kind_of == "text" and str(element.get("containerId") or "") in elements):
            continue
        if kind_of == "text" and key not in ends:
            texts.append(_text(element))
            continue
        label = _text(element) if kind_of == "text" else labels.get(key, "")
        if label or key in ends:
            left, top = _size(element, "x"), _size(element, "y")
            box = (left, top, left + _size(element, "width"), top + _size(element, "height"))
            nodes.append(Node(key, label, _SHAPES[kind_of], box, str(element.get("frameId") or "") or None))
    frames = [
        Group(key, plain(str(element.get("name") or ""))) for key, element in elements.items() if element.get("type") == "frame"
    ]
    loose = sum(1 for _, element in arrows if element.get("type") == "arrow") - sum(1 for edge in edges if edge.kind != "line")
    return Page("", made("flowchart", nodes, edges, frames, left_out=max(0, loose)), tuple(filter(None, texts)))


def _text(element: _Element) -> str:
    return plain(str(element.get("originalText") or element.get("text") or ""))


def _bound(element: _Element, name: str) -> str:
    binding = element.get(name)
    return str(binding.get("elementId") or "") if isinstance(binding, dict) else ""


def _turned(element: _Element, source: str, target: str) -> tuple[str, str, EdgeKind]:
    start, end = element.get("startArrowhead"), element.get("endArrowhead")
    if start and not end:
        return target, source, "arrow"
    if not end:
        return source, target, "line"
    dotted = element.get("strokeStyle") in ("dashed", "dotted")
    return source, target, "both" if start else "dotted" if dotted else "arrow"


def _size(element: _Element, name: str) -> float:
    value = element.get(name)
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e9 else 0.0
